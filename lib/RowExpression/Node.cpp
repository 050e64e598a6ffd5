//===- Node.cpp - unique nodes and what folds -----------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fold stands here only where it gives the same bits for every value: NaN,
// infinities, zeros of both signs and subnormals. x + 0.0 is none (-0 becomes
// +0), x + -0.0 and x * 1.0 are; -(-x), |-x| and casts there and back are.
//
//===----------------------------------------------------------------------===//

#include "Node.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SetVector.h"
#include <cmath>

using namespace mlir;
using namespace mlir::norm::row;

bool ExtremumNode::keepsNaN(unsigned i) const {
  if (spelling != Spelling::Select)
    return spelling == Spelling::Propagates;
  // select(a < b, a, b) with one NaN takes a where the predicate is unordered.
  bool takesFirst = predicate >= arith::CmpFPredicate::UEQ;
  return takesFirst == (i == 0);
}

//===----------------------------------------------------------------------===//
// Unique nodes
//===----------------------------------------------------------------------===//

static llvm::FoldingSetNodeID identify(Kind kind, Type type,
                                       ArrayRef<const Node *> operands = {}) {
  llvm::FoldingSetNodeID id;
  id.AddInteger(static_cast<unsigned>(kind));
  id.AddPointer(type.getAsOpaquePointer());
  id.AddInteger(operands.size());
  for (const Node *operand : operands)
    id.AddPointer(operand);
  return id;
}

static void addIndices(llvm::FoldingSetNodeID &id,
                       ArrayRef<AffineExpr> indices) {
  for (AffineExpr index : indices)
    id.AddPointer(index.getAsOpaquePointer());
}

template <typename NodeT, typename Fill>
const NodeT *Context::unique(Kind kind, Type type,
                             ArrayRef<const Node *> operands,
                             llvm::FoldingSetNodeID &id, Fill fill) {
  void *position;
  if (Node *known = uniqueNodes.FindNodeOrInsertPos(id, position))
    return static_cast<const NodeT *>(known);
  auto *node = new NodeT(id, kind, type, operands);
  node->number = nodes.size();
  nodes.emplace_back(node);
  fill(*node);
  uniqueNodes.InsertNode(node, position);
  return node;
}

const Node *Context::getElement(Value value, ArrayRef<AffineExpr> indices) {
  Type type = getElementTypeOrSelf(value.getType());
  auto id = identify(Kind::Element, type);
  id.AddPointer(value.getAsOpaquePointer());
  addIndices(id, indices);
  return unique<ElementNode>(
      Kind::Element, type, {}, id, [&](ElementNode &node) {
        node.value = value;
        node.indices.assign(indices.begin(), indices.end());
        node.hasElement = true;
      });
}

const Node *Context::getConstant(const APFloat &value, Type type) {
  auto id = identify(Kind::Constant, type);
  FloatAttr attr = FloatAttr::get(type, value);
  id.AddPointer(attr.getAsOpaquePointer());
  return unique<ConstantNode>(Kind::Constant, type, {}, id,
                              [&](ConstantNode &node) { node.attr = attr; });
}

/// A constant integer is the constant itself, rounded once; the way to the
/// type does not matter below 2^24, which every other float type holds or has
/// as infinity.
const Node *Context::getCount(const SymbolicCount &count, Type type) {
  if (auto floatType = dyn_cast<FloatType>(type);
      floatType && count.isConstant()) {
    APFloat value(floatType.getFloatSemantics());
    value.convertFromAPInt(APInt(64, count.factor, /*isSigned=*/true),
                           /*IsSigned=*/true, APFloat::rmNearestTiesToEven);
    return getConstant(value, type);
  }
  auto id = identify(Kind::Count, type);
  id.AddInteger(count.factor);
  for (auto [value, dim] : count.symbols) {
    id.AddPointer(value);
    id.AddInteger(dim);
  }
  return unique<CountNode>(Kind::Count, type, {}, id,
                           [&](CountNode &node) { node.count = count; });
}

const Node *Context::getPosition(AffineExpr index) {
  Type type = IndexType::get(context);
  auto id = identify(Kind::Position, type);
  id.AddPointer(index.getAsOpaquePointer());
  return unique<PositionNode>(Kind::Position, type, {}, id,
                              [&](PositionNode &node) {
                                node.index = index;
                                node.hasElement = true;
                              });
}

const Node *Context::getPower(const Node *base, int numerator, int denominator,
                              PowerNode::Spelling spelling, Type type) {
  auto id = identify(Kind::Power, type, base);
  id.AddInteger(numerator);
  id.AddInteger(denominator);
  id.AddInteger(static_cast<unsigned>(spelling));
  return unique<PowerNode>(Kind::Power, type, {base}, id, [&](PowerNode &node) {
    node.numerator = numerator;
    node.denominator = denominator;
    node.spelling = spelling;
  });
}

const Node *Context::getExtremum(Kind kind, const Node *a, const Node *b,
                                 ExtremumNode::Spelling spelling,
                                 arith::CmpFPredicate predicate) {
  auto id = identify(kind, a->getType(), {a, b});
  id.AddInteger(static_cast<unsigned>(spelling));
  id.AddInteger(static_cast<unsigned>(predicate));
  return unique<ExtremumNode>(kind, a->getType(), {a, b}, id,
                              [&](ExtremumNode &node) {
                                node.spelling = spelling;
                                node.predicate = predicate;
                              });
}

/// A sum of sums in one type is one sum: its order is unspecified (S2).
const Node *Context::getSum(const Node *term, ArrayRef<unsigned> variables) {
  SmallVector<unsigned> all(variables);
  if (auto *inner = dyn_cast<SumNode>(term)) {
    term = inner->getTerm();
    llvm::append_range(all, inner->getVariables());
  }
  auto id = identify(Kind::Sum, term->getType(), term);
  for (unsigned variable : all)
    id.AddInteger(variable);
  return unique<SumNode>(Kind::Sum, term->getType(), {term}, id,
                         [&](SumNode &node) {
                           node.variables = all;
                           node.reduces = true;
                           node.hasElement = false;
                         });
}

const Node *Context::getOpaque(StringRef name, DictionaryAttr attributes,
                               Type type, ArrayRef<const Node *> operands,
                               ArrayRef<unsigned> variables) {
  auto id = identify(Kind::Opaque, type, operands);
  auto nameAttr = StringAttr::get(context, name);
  id.AddPointer(nameAttr.getAsOpaquePointer());
  id.AddPointer(attributes.getAsOpaquePointer());
  for (unsigned variable : variables)
    id.AddInteger(variable);
  return unique<OpaqueNode>(
      Kind::Opaque, type, operands, id, [&](OpaqueNode &node) {
        node.name = nameAttr;
        node.attributes = attributes;
        node.variables.assign(variables.begin(), variables.end());
        if (variables.empty())
          return;
        node.reduces = true;
        node.hasElement = false;
      });
}

const Node *Context::get(Kind kind, Type type,
                         ArrayRef<const Node *> operands) {
  if (const Node *folded = fold(kind, type, operands))
    return folded;
  auto id = identify(kind, type, operands);
  return unique<Node>(kind, type, operands, id, [](Node &) {});
}

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

bool norm::row::isConstant(const Node *node, double value) {
  auto *constant = dyn_cast<ConstantNode>(node);
  return constant && constant->getValue().isExactlyValue(value);
}

/// What the program computes of constants, rounded to nearest even as all its
/// arithmetic is; a square root is so too, for double has the bits for f32.
static std::optional<APFloat> evaluate(Kind kind, Type type,
                                       ArrayRef<APFloat> values) {
  constexpr auto nearest = APFloat::rmNearestTiesToEven;
  APFloat result = values[0];
  bool losesInfo;
  switch (kind) {
  case Kind::Round:
  case Kind::Extend:
    result.convert(cast<FloatType>(type).getFloatSemantics(), nearest,
                   &losesInfo);
    return result;
  case Kind::Neg:
    result.changeSign();
    return result;
  case Kind::Abs:
    result.clearSign();
    return result;
  case Kind::Add:
    result.add(values[1], nearest);
    return result;
  case Kind::Mul:
    result.multiply(values[1], nearest);
    return result;
  case Kind::Div:
    result.divide(values[1], nearest);
    return result;
  case Kind::Sqrt: {
    if (result.isNegative() || type.getIntOrFloatBitWidth() > 64)
      return std::nullopt;
    result.convert(APFloat::IEEEdouble(), nearest, &losesInfo);
    result = APFloat(std::sqrt(result.convertToDouble()));
    result.convert(values[0].getSemantics(), nearest, &losesInfo);
    return result;
  }
  default:
    return std::nullopt;
  }
}

const Node *Context::fold(Kind kind, Type type,
                          ArrayRef<const Node *> operands) {
  const Node *a = operands[0];
  SmallVector<APFloat, 3> values;
  for (const Node *operand : operands)
    if (auto *constant = dyn_cast<ConstantNode>(operand))
      values.push_back(constant->getValue());
  if (values.size() == operands.size())
    if (auto value = evaluate(kind, type, values))
      return getConstant(*value, type);
  switch (kind) {
  case Kind::Round:
    // Widening is exact, so narrowing back gives the value itself.
    if (a->is(Kind::Extend) && a->getOperand(0)->getType() == type)
      return a->getOperand(0);
    if (auto *count = dyn_cast<CountNode>(a))
      return getCount(count->getCount(), type);
    return nullptr;
  case Kind::Extend:
    return a->is(Kind::Extend) ? get(kind, type, a->getOperand(0)) : nullptr;
  case Kind::Neg:
    return a->is(Kind::Neg) ? a->getOperand(0) : nullptr;
  case Kind::Abs:
    if (a->is(Kind::Abs))
      return a;
    return a->is(Kind::Neg) ? get(kind, type, a->getOperand(0)) : nullptr;
  case Kind::Add:
  case Kind::Mul:
    for (unsigned i : {0u, 1u})
      if (auto *unit = dyn_cast<ConstantNode>(operands[i]);
          unit && (kind == Kind::Mul ? unit->getValue().isExactlyValue(1.0)
                                     : unit->getValue().isNegZero()))
        return operands[1 - i];
    return nullptr;
  case Kind::Div:
    return isConstant(operands[1], 1.0) ? a : nullptr;
  default:
    return nullptr;
  }
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

unsigned Context::addVariable(int64_t extent) {
  variables.push_back({extent, {}});
  return variables.size() - 1;
}

unsigned Context::getVariable(unsigned position, int64_t extent) {
  auto [it, inserted] = byPosition.try_emplace({position, extent}, 0);
  if (inserted)
    it->second = addVariable(extent);
  return it->second;
}

AffineExpr Context::getSymbol(Value value) {
  unsigned id = symbols.try_emplace(value, symbols.size()).first->second;
  return getAffineSymbolExpr(id, context);
}

bool Context::haveSameExtent(unsigned a, unsigned b) const {
  const Variable &first = variables[a], &second = variables[b];
  if (!ShapedType::isDynamic(first.extent) ||
      !ShapedType::isDynamic(second.extent))
    return first.extent == second.extent;
  return a == b || llvm::any_of(first.sources, [&](const auto &source) {
           return llvm::is_contained(second.sources, source);
         });
}

bool Context::isExtentOf(unsigned variable, Value tensor, int64_t dim) {
  SymbolicCount extent = extents.getExtent(tensor, dim);
  if (extent.isConstant())
    return variables[variable].extent == extent.factor;
  return llvm::is_contained(variables[variable].sources, extent);
}

bool Context::isProductOfExtents(const SymbolicCount &count,
                                 ArrayRef<unsigned> factors) const {
  SmallVector<SymbolicCount> products(1);
  for (unsigned factor : factors) {
    const Variable &variable = variables[factor];
    SmallVector<SymbolicCount, 2> sources = variable.sources;
    if (!ShapedType::isDynamic(variable.extent))
      sources.assign(1, SymbolicCount::get(variable.extent));
    SmallVector<SymbolicCount> next;
    for (const SymbolicCount &product : products)
      for (const SymbolicCount &source : sources)
        if (auto longer = product.times(source);
            longer && !llvm::is_contained(next, *longer))
          next.push_back(*longer);
    products = std::move(next);
  }
  return llvm::is_contained(products, count);
}

//===----------------------------------------------------------------------===//
// Questions about a node
//===----------------------------------------------------------------------===//

bool norm::row::isAlike(const Node *a, const Node *b) {
  if (a->getKind() != b->getKind() || a->getType() != b->getType())
    return false;
  if (auto *power = dyn_cast<PowerNode>(a)) {
    auto *other = cast<PowerNode>(b);
    return power->getNumerator() == other->getNumerator() &&
           power->getDenominator() == other->getDenominator() &&
           power->getSpelling() == other->getSpelling();
  }
  if (auto *extremum = dyn_cast<ExtremumNode>(a)) {
    auto *other = cast<ExtremumNode>(b);
    return extremum->getSpelling() == other->getSpelling() &&
           extremum->getPredicate() == other->getPredicate();
  }
  if (auto *opaque = dyn_cast<OpaqueNode>(a)) {
    auto *other = cast<OpaqueNode>(b);
    return opaque->getName() == other->getName() &&
           opaque->getAttributes() == other->getAttributes() &&
           opaque->getVariables() == other->getVariables();
  }
  return true;
}

/// Whether the sign of `node` follows from that of its operands, all of which
/// must then be at least 0; true at once where it does not depend on them.
static std::optional<bool> followsFromOperands(const Node *node) {
  switch (node->getKind()) {
  case Kind::Count:
  case Kind::Abs:
  case Kind::Sqrt:
    return false;
  case Kind::Div: // by -0 it may be negative
    if (!node->getOperand(1)->is(Kind::Constant) &&
        !node->getOperand(1)->is(Kind::Count))
      return std::nullopt;
    return true;
  case Kind::Add:
  case Kind::Min:
  case Kind::Round:
  case Kind::Extend:
  case Kind::Sum:
    return true;
  case Kind::Fma: // a * a + c, where c is -0.0 in a sum
    return node->getOperand(0) != node->getOperand(1) ||
           !isConstant(node->getOperand(2), -0.0);
  case Kind::Mul:
    return node->getOperand(0) != node->getOperand(1);
  case Kind::Power: {
    auto *power = cast<PowerNode>(node);
    return power->getDenominator() == 1 && power->getNumerator() % 2 != 0;
  }
  default:
    return std::nullopt;
  }
}

bool norm::row::isNonNegative(const Node *node) {
  constexpr size_t kMaxNodes = 64;
  llvm::SmallSetVector<const Node *, 16> worklist;
  worklist.insert(node);
  for (size_t i = 0; i < worklist.size(); ++i) {
    const Node *next = worklist[i];
    if (i == kMaxNodes)
      return false;
    if (auto *constant = dyn_cast<ConstantNode>(next)) {
      if (constant->getValue().isNegative() && !constant->getValue().isZero())
        return false;
      continue;
    }
    // A maximum with a constant of at least 0 is one, or a NaN.
    if (next->is(Kind::Max) &&
        llvm::any_of(next->getOperands(), [](const Node *operand) {
          return operand->is(Kind::Constant) && isNonNegative(operand);
        }))
      continue;
    std::optional<bool> follows =
        next->is(Kind::Max) ? true : followsFromOperands(next);
    if (!follows)
      return false;
    if (*follows)
      worklist.insert_range(next->getOperands());
  }
  return true;
}

SmallVector<unsigned> norm::row::getDependentVariables(const Node *node) {
  llvm::SmallSetVector<const Node *, 16> worklist;
  llvm::SmallDenseSet<unsigned> bound, found;
  auto add = [&](AffineExpr index) {
    index.walk([&](AffineExpr part) {
      if (auto dim = dyn_cast<AffineDimExpr>(part))
        found.insert(dim.getPosition());
    });
  };
  worklist.insert(node);
  for (size_t i = 0; i < worklist.size(); ++i) {
    const Node *next = worklist[i];
    if (auto *element = dyn_cast<ElementNode>(next))
      llvm::for_each(element->getIndices(), add);
    else if (auto *position = dyn_cast<PositionNode>(next))
      add(position->getIndex());
    else if (auto *sum = dyn_cast<SumNode>(next))
      bound.insert_range(sum->getVariables());
    else if (auto *opaque = dyn_cast<OpaqueNode>(next))
      bound.insert_range(opaque->getVariables());
    worklist.insert_range(next->getOperands());
  }
  SmallVector<unsigned> result;
  for (unsigned variable : found)
    if (!bound.contains(variable))
      result.push_back(variable);
  llvm::sort(result);
  return result;
}
