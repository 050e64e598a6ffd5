//===- Law.cpp - what an op computes, as an expression --------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Law.h"
#include "../IR/Decompose.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::row;

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

namespace {
/// Brings an expression to symbols, with every rounding as a node.
class Abstraction {
public:
  Abstraction(Reader &reader, LawBook &laws, const Names &names)
      : reader(reader), context(reader.getContext()), laws(laws), names(names) {
  }

  /// Returns null for an expression that is too large.
  const Node *read(const Node *node, Place place = Place::Result);
  /// Returns true if an upper bound was left out.
  bool hasChanged() const { return changed; }

private:
  const Node *getName(const Node *node, Place place);
  bool reveals(const Node *node, Place place, unsigned depth = 0);
  const Node *readNew(const Node *node, Place place);
  bool variesInside(const Node *node);
  bool isPartial(const Node *node, Place place);
  const Node *readSum(const Node *sum, Place place);
  const Node *readElement(const ElementNode *element, Place place);

  Reader &reader;
  Context &context;
  LawBook &laws;
  const Names &names;
  SmallVector<unsigned> around; // the indices of the sum that is being read
  bool isTerm = false; // of that sum, but for a factor that is a number
  unsigned depth = 0;
  bool changed = false;
  llvm::DenseMap<const Node *, const Node *> known[2][2]; // by place and isTerm
  llvm::DenseMap<const Node *, bool> revealing[2];
};
} // namespace

/// Returns false for values that differ at first sight.
static bool mayBeOne(const Node *a, const Node *b) {
  return a->getType() == b->getType() &&
         (a->is(b->getKind()) || a->is(Kind::Element) || b->is(Kind::Element));
}

const Node *Abstraction::getName(const Node *node, Place place) {
  if (node->is(Kind::Constant))
    return nullptr;
  if (const Node *other = names.findOther(node, place))
    return other;
  for (const Named &named : place == Place::Sum ? names.inSum : names.inResult)
    if (node == named.node ||
        (mayBeOne(node, named.node) && isSame(reader, node, named.node)))
      return named.expression;
  return nullptr;
}

/// Returns true if a tensor must be read through, because it depends on what
/// has a name or on a sum along the row.
bool Abstraction::reveals(const Node *node, Place place, unsigned depth) {
  auto [it, inserted] =
      revealing[unsigned(place)].try_emplace(node, false); // ends cycles
  if (!inserted || !context.mayRead(depth))
    return it->second;
  bool result = node->hasReduction() || getName(node, place);
  if (auto *element = dyn_cast<ElementNode>(node); element && !result) {
    const Node *opened = reader.open(element);
    result = opened && reveals(opened, place, depth + 1);
  } else if (!result) {
    result = llvm::any_of(node->getOperands(), [&](const Node *operand) {
      return reveals(operand, place, depth + 1);
    });
  }
  return revealing[unsigned(place)][node] = result;
}

const Node *Abstraction::read(const Node *node, Place place) {
  auto &done = known[unsigned(place)][isTerm];
  if (auto it = done.find(node); it != done.end())
    return it->second;
  if (depth == Comparison::kMaxLevels || done.size() == Comparison::kMaxNodes)
    return nullptr;
  llvm::SaveAndRestore deeper(depth, depth + 1);
  const Node *result = readNew(node, place);
  return done[node] = result;
}

/// Returns true if the value depends on the element of the sum around it.
bool Abstraction::variesInside(const Node *node) {
  return llvm::any_of(getDependentVariables(node), [&](unsigned variable) {
    return llvm::is_contained(around, variable);
  });
}

/// Returns true for a sum that is a term of the sum around it. As a factor of
/// something else it is a value like others.
bool Abstraction::isPartial(const Node *node, Place place) {
  node = stripCasts(node);
  return place == Place::Sum && isTerm && node->is(Kind::Sum) &&
         variesInside(node);
}

/// Returns true if the sum of such values is that of one operand, scaled.
static bool keepsTerm(const Node *node) {
  return node->is(Kind::Round) || node->is(Kind::Extend) ||
         node->is(Kind::Neg) ||
         (node->is(Kind::Div) && isNumber(node->getOperand(1))) ||
         (node->is(Kind::Mul) && llvm::any_of(node->getOperands(), isNumber));
}

/// Reads a sum along the row. The terms of partial sums are those of the whole,
/// each in a type of its own.
const Node *Abstraction::readSum(const Node *sum, Place place) {
  if (isPartial(sum, place)) {
    llvm::append_range(around, sum->getVariables());
    const Node *term = read(sum->getOperand(0), place);
    return term ? stripExtend(term) : nullptr;
  }
  // A sum over dimensions of one element is its term.
  bool isTrivial = llvm::all_of(sum->getVariables(), [&](unsigned variable) {
    return context.getExtent(variable) == 1;
  });
  if (isTrivial)
    return read(sum->getOperand(0), place);
  if (place == Place::Sum) {
    llvm::SaveAndRestore scope(isTerm, false);
    return variesInside(sum) ? sum : read(sum, Place::Result);
  }
  llvm::SaveAndRestore inner(around,
                             SmallVector<unsigned>(sum->getVariables()));
  llvm::SaveAndRestore scope(isTerm, true);
  const Node *term = read(sum->getOperand(0), Place::Sum);
  if (!term)
    return nullptr;
  if (term->getWidth() < sum->getWidth())
    term = context.get(Kind::Extend, sum->getType(), term);
  return context.rebuildRounded(context.getSum(term, laws.getSummed()), term);
}

/// Reads an element of a tensor, as narrow as it is stored.
const Node *Abstraction::readElement(const ElementNode *element, Place place) {
  const Node *opened = reader.open(element);
  if (opened && reveals(opened, place))
    return read(opened, place);
  const Node *narrow = findNarrow(reader, element);
  if (narrow == element)
    return element;
  const Node *inner = read(narrow, place);
  return inner ? context.get(Kind::Extend, element->getType(), inner) : nullptr;
}

/// Returns m of min(m, c) with the largest number c, which differs from m only
/// where that has overflowed.
static const Node *getBounded(const Node *node) {
  for (unsigned i : {0u, 1u})
    if (auto *bound = node->is(Kind::Min)
                          ? dyn_cast<ConstantNode>(node->getOperand(i))
                          : nullptr)
      if (APFloat value = bound->getValue();
          !value.isNegative() && (value.isInfinity() || value.isLargest()))
        return node->getOperand(1 - i);
  return nullptr;
}

const Node *Abstraction::readNew(const Node *node, Place place) {
  if (const Node *named = getName(node, place))
    return named;
  if (node->is(Kind::Sum))
    return readSum(node, place);
  if (auto *element = dyn_cast<ElementNode>(node))
    return readElement(element, place);
  if (isPartial(node, place))
    return readSum(stripCasts(node), place);
  if (const Node *bounded = getBounded(node)) {
    changed = true;
    return read(bounded, place);
  }
  llvm::SaveAndRestore scope(isTerm, isTerm && keepsTerm(node));
  bool adds =
      node->hasReduction() &&
      (node->is(Kind::Add) || node->is(Kind::Fma) || isa<ExtremumNode>(node));
  SmallVector<const Node *> operands;
  for (const Node *operand : node->getOperands()) {
    const Node *epsilon =
        adds && !operand->hasReduction() ? names.findEpsilon(operand) : nullptr;
    operands.push_back(epsilon ? epsilon : read(operand, place));
    if (!operands.back())
      return nullptr;
  }
  return operands.empty() ? node : context.rebuildRounded(node, operands);
}

const Node *norm::readInSymbols(Reader &reader, LawBook &laws,
                                const Names &names, const Node *node) {
  return Abstraction(reader, laws, names).read(node);
}

//===----------------------------------------------------------------------===//
// The laws of ops
//===----------------------------------------------------------------------===//

LawBook::LawBook(Context &context)
    : context(context), element(context.addVariable(ShapedType::kDynamic)),
      summed(context.addVariable(ShapedType::kDynamic)) {}

const Node *LawBook::getElement(StringRef name, Type type, Place place) {
  return context.getSymbol(
      name, type, Sign::Any,
      context.getIndex(place == Place::Sum ? summed : element));
}

/// Numbers are in the type in which 16-bit arithmetic reads them.
static Type widen(Type type) {
  return type.isF16() || type.isBF16() ? Float32Type::get(type.getContext())
                                       : type;
}

const Node *LawBook::getEpsilon(Type type) {
  return context.getSymbol("e", widen(type), Sign::Number);
}

const Node *LawBook::getTerms(Type type) {
  return context.getSymbol("n", widen(type), Sign::Number);
}

const Node *LawBook::getRowValue(StringRef name, Type type, Sign sign) {
  return context.getSymbol(name, type, sign);
}

namespace {
/// One op in a scratch block, whose arguments are its operands.
struct Scratch {
  Scratch(MLIRContext *mlir, const PlannedNorm &norm,
          const LawBook::Types &types)
      : b(mlir), sign(types.root) {
    b.setInsertionPointToEnd(block.get());
    x = addArgument(2, types.x);
    dy = addArgument(2, types.dy);
    weight = addArgument(1, types.weight);
    if (norm.gradient && norm.gradient->root.exists())
      root = addArgument(1, norm.computeType);
  }

  Value addArgument(int64_t rank, Type element) {
    SmallVector<int64_t> shape(rank, ShapedType::kDynamic);
    return element ? block->addArgument(RankedTensorType::get(shape, element),
                                        b.getUnknownLoc())
                   : Value();
  }

  RMSNormOpInterface createOp(LawBook::Result result, const PlannedNorm &norm,
                              Type type) {
    bool isVector = result == LawBook::Result::WeightGradient;
    Value init = addArgument(isVector ? 1 : 2, type);
    return norm::createOp(b, b.getUnknownLoc(), norm,
                          {dy, x, weight, root, isVector ? Value() : init,
                           isVector ? init : Value()});
  }

  std::unique_ptr<Block> block = std::make_unique<Block>();
  OpBuilder b;
  Sign sign; // of the root
  Value x, dy, weight, root;
};
} // namespace

/// Reads an element of the result, or the term of the sum that it is.
static const Node *readResult(Reader &reader, LawBook::Result result, Value v) {
  Context &context = reader.getContext();
  SmallVector<AffineExpr> indices;
  for (int64_t i = cast<ShapedType>(v.getType()).getRank(); i-- > 0;)
    indices.push_back(
        context.getIndex(context.addVariable(ShapedType::kDynamic)));
  const Node *node = reader.read(v, indices);
  return result == LawBook::Result::WeightGradient
             ? stripExtend(stripCasts(node)->getOperand(0))
             : node;
}

/// Reads the decomposed op, whose only leaves are its operands, n and epsilon.
static const Node *readLaw(LawBook &laws, Reader &reader, const Node *node,
                           const Scratch &scratch, const PlannedNorm &norm) {
  bool hasEpsilon = !norm.epsilon.isZero();
  auto isRoot = [&](const Node *node) {
    auto *element = dyn_cast<ElementNode>(node);
    return element && element->getValue() == scratch.root;
  };
  Names names;
  names.findEpsilon = [&](const Node *node) {
    return hasEpsilon && node->is(Kind::Constant)
               ? laws.getEpsilon(node->getType())
               : nullptr;
  };
  names.findOther = [&](const Node *node, Place place) -> const Node * {
    if (node->is(Kind::Count))
      return laws.getTerms(node->getType());
    if (isRoot(node))
      return laws.getRowValue("r", node->getType(), scratch.sign);
    const Node *first =
        node->is(Kind::Add) ? stripCasts(node->getOperand(0)) : nullptr;
    const Node *bounded = first ? getBounded(first) : nullptr;
    if (first && isRoot(bounded ? stripCasts(bounded) : first))
      return laws.getRowValue("r + e", node->getType(), Sign::NonNegative);
    auto *element = dyn_cast<ElementNode>(node);
    if (!element || !isa<BlockArgument>(element->getValue()))
      return nullptr;
    bool isX = element->getValue() == scratch.x;
    bool isWeight = element->getValue() == scratch.weight;
    return laws.getElement(isX        ? "x"
                           : isWeight ? "w"
                                      : "dy",
                           node->getType(), place);
  };
  return readInSymbols(reader, laws, names, node);
}

/// Returns what tells laws apart.
static Attribute getKey(MLIRContext *mlir, LawBook::Result result,
                        const PlannedNorm &norm, const LawBook::Types &types,
                        std::optional<int64_t> terms) {
  Builder b(mlir);
  bool hasRoot = norm.gradient && norm.gradient->root.exists();
  SmallVector<Attribute> key{FloatAttr::get(norm.computeType, norm.epsilon)};
  for (int64_t each :
       {int64_t(result), int64_t(norm.mode), int64_t(norm.rootForm),
        int64_t(types.root), terms.value_or(-1), int64_t(hasRoot),
        int64_t(hasRoot && norm.gradient->isRootBeforeEpsilon)})
    key.push_back(b.getI64IntegerAttr(each));
  for (Type type :
       {types.x, types.dy, types.weight, types.result, Type(norm.scaleType),
        Type(norm.normalizedType), Type(norm.sumType)})
    key.push_back(type ? Attribute(TypeAttr::get(type)) : b.getUnitAttr());
  return b.getArrayAttr(key);
}

const Node *LawBook::getLaw(Result result, const PlannedNorm &planned,
                            const Types &types, std::optional<int64_t> terms) {
  auto [it, isNew] = laws.try_emplace(
      getKey(context.getContext(), result, planned, types, terms), nullptr);
  if (!isNew)
    return it->second;
  PlannedNorm norm = planned;
  norm.dims = norm.weightDims = {1};
  norm.count = norm.groupSize = std::nullopt;
  Scratch own(context.getContext(), norm, types);
  RMSNormOpInterface op = own.createOp(result, norm, types.result);
  RankSums ranks;
  ranks.count = terms;
  Reader reader(context, [](Value) { return true; });
  const Node *node =
      readResult(reader, result, decompose(own.b, op, ranks).front());
  it->second = readLaw(*this, reader, node, own, norm);
  scratch.push_back(std::move(own.block)); // nodes refer to its values
  return it->second;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// Replaces a symbol, such as w, by the expression that the program has there.
static const Node *substitute(Context &context, const Node *node,
                              const Node *symbol, const Node *by) {
  return Rewriter([&](const Node *each, ArrayRef<const Node *> operands) {
           return each == symbol     ? by
                  : operands.empty() ? each
                                     : context.rebuildRounded(each, operands);
         })
      .run(node);
}

/// Gives all but roundings one type, as if it were exact, and leaves out the
/// roundings that are not `kept`; a sum that is `whole` stays as it is.
static const Node *removeCasts(Context &context, const Node *node,
                               NodePredicate kept,
                               NodePredicate whole = nullptr) {
  Type wide = Float64Type::get(context.getContext());
  return Rewriter([&](const Node *each, ArrayRef<const Node *> operands) {
           if (whole && each->is(Kind::Sum) && whole(each))
             return each;
           if (each->is(Kind::Extend))
             return operands[0];
           const Node *same = context.rebuild(each, operands);
           if (each->is(Kind::Round))
             return kept(same) ? same : operands[0];
           return context.retype(same, wide);
         })
      .run(node);
}

static bool hasGradient(const Node *node) {
  llvm::SmallSetVector<const Node *, 16> nodes;
  nodes.insert(node);
  for (size_t i = 0; i < nodes.size(); ++i) {
    auto *symbol = dyn_cast<SymbolNode>(nodes[i]);
    if (symbol && symbol->getName() == "dy")
      return true;
    nodes.insert_range(nodes[i]->getOperands());
  }
  return false;
}

namespace {
/// Reads an expression of the program for rounding=relaxed: without the
/// roundings that may be left out, unless the law has them too. A gradient may
/// leave out all, a norm those of its statistic.
class Relaxation {
public:
  Relaxation(Context &context, unsigned summed, const Names &names)
      : context(context), summed(summed), names(names) {}

  const Node *readLaw(const Node *law) {
    return removeCasts(context, law, [&](const Node *rounding) {
      kept.insert(getForm(rounding));
      return true;
    });
  }
  const Node *readProgram(const Node *node) {
    return removeCasts(context, node, [&](const Node *rounding) {
      return !mayLeaveOut(rounding) || kept.contains(getForm(rounding));
    });
  }

private:
  const Node *getForm(const Node *node) {
    return normalize(context, node, {names.terms, nullptr}).node;
  }
  bool mayLeaveOut(const Node *rounding) {
    return names.isGradient || rounding->isStatistic() ||
           llvm::is_contained(getDependentVariables(rounding), summed);
  }
  Context &context;
  unsigned summed;
  const Names &names;
  llvm::DenseSet<const Node *> kept; // forms of the law's roundings
};
} // namespace

/// Compares forms. bf16 has the range of f32, so that products and roots in
/// another order are in its range, too; those of f16 may not be.
static void compareForms(const Site &site, Comparison &result,
                         const Names &names, FloatType compute,
                         Precision precision) {
  Context &context = site.context();
  bool isNarrow = compute.getWidth() == 16;
  RowLength length{names.terms,
                   isNarrow ? &compute.getFloatSemantics() : nullptr};
  auto haveOneForm = [&](auto change) {
    const Node *both[] = {result.found, result.expected};
    for (auto [form, node] : llvm::zip_equal(result.forms, both))
      form = normalize(context, change(node), length);
    return result.forms[0].node == result.forms[1].node;
  };
  result.isBounded = haveOneForm([](const Node *node) { return node; });
  if (result.isBounded) {
    result.difference =
        getDifference(result.found, result.expected, compute, names.terms);
  } else if (precision == Precision::Raised) {
    result.difference.rules = {"relaxed"};
    Relaxation relaxed(context, site.laws.getSummed(), names);
    const Node *law = relaxed.readLaw(result.expected);
    result.isBounded = haveOneForm([&](const Node *node) {
      return node == result.expected ? law : relaxed.readProgram(node);
    });
  } else if (compute.isBF16()) {
    // The statistic sums what that of the op does.
    auto isOther = [&](const Node *rounding) {
      return rounding->getType() != compute;
    };
    result.isBounded = haveOneForm([&](const Node *node) {
      return removeCasts(context, node, isOther, std::not_fn(hasGradient));
    });
    result.difference =
        getDifference(result.found, result.expected, compute, names.terms);
    result.difference.rules.push_back("bf16");
  }
  if (!result.isBounded) // for the reason
    haveOneForm([&](const Node *node) {
      return removeCasts(context, node, [](const Node *) { return false; });
    });
}

static Comparison compare(const Site &site, const Names &names,
                          const Node *found, const Node *expected,
                          FloatType compute, Precision precision) {
  Comparison &known = site.laws.getComparison(found, expected, precision);
  if (known.found)
    return known;
  Comparison result;
  result.found = found;
  result.expected = expected;
  result.isExact = result.isBounded = found == expected;
  if (!result.isExact)
    compareForms(site, result, names, compute, precision);
  return known = result;
}

Comparison norm::compareWithLaw(const Site &site, Names &names,
                                const Node *node, const Node *law,
                                FloatType compute, Precision precision,
                                const Node *weight) {
  auto compareRead = [&](Abstraction &program, const Node *expected) {
    const Node *found = program.read(node);
    if (!found || !expected)
      return Comparison();
    Comparison result =
        compare(site, names, found, expected, compute, precision);
    if (program.hasChanged()) {
      result.isExact = false;
      result.difference.rules.push_back("largest");
    }
    return result;
  };
  Abstraction parts(site.reader, site.laws, names);
  if (!weight)
    return compareRead(parts, law);
  // Where the program has the weight in one node, all norms compare alike.
  const Node *symbol =
      site.laws.getElement("w", weight->getType(), Place::Result);
  names.add(weight, symbol, Place::Result);
  Abstraction whole(site.reader, site.laws, names);
  Comparison result = compareRead(whole, law);
  names.inResult.pop_back();
  if (result.isExact || (result.isBounded && site.rounding != Rounding::Exact))
    return result;
  const Node *own = parts.read(weight);
  if (!own || !law)
    return result;
  result = compareRead(parts, substitute(site.context(), law, symbol, own));
  result.weight = own;
  if (!result.isExact && (own->is(Kind::Mul) || own->is(Kind::Div)))
    result.difference.rules.push_back("factor");
  return result;
}
