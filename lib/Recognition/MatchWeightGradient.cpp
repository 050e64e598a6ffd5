//===- MatchWeightGradient.cpp - is this sum the gradient dw? -------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// dw is the sum of dy * z over all dimensions that the weight does not have.
// The space of the decision is that of the summed products.
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::row;

namespace {
class WeightGradientMatcher {
public:
  WeightGradientMatcher(Site &site, OpResult result,
                        ArrayRef<PlannedNorm> inputs)
      : site(site), reader(site.reader), op(site.body->op), result(result),
        inputs(inputs), found(reader) {}
  RejectionOr<PlannedNorm> run();

private:
  Rejection readTerm();
  SmallVector<Factor> readAll(const Node *product);
  bool isSavedRow(const Factor &factor);
  Value chooseX(const Node *row, ArrayRef<Factor> others);
  Rejection readSaved(const Node *term);
  Rejection readComputed(const Node *term, const Node *computed);
  Rejection takeParts(const Node *term, NodePredicate isX);
  bool findAlong(const Node *row);
  bool orderSpace();
  Rejection findWeightDims();
  Rejection decideLaw();
  RejectionOr<PlannedNorm> planAs(Precision precision);
  void decideResult(PlannedNorm &norm);
  Rejection decideOperands(PlannedNorm &norm);
  Rejection prove(PlannedNorm &norm, Precision precision);

  Site &site;
  Reader &reader;
  linalg::LinalgOp op;
  OpResult result;
  ArrayRef<PlannedNorm> inputs; // gradients dx
  Findings found;
  SmallVector<int64_t> weightDims;
  FloatType normalizedType; // T of S4, or null
  const SumNode *sum = nullptr;
  const Node *product = nullptr; // dy * z, before it is widened
  const Node *dy = nullptr;
  SmallVector<unsigned> along;
  Parts parts;
  RowRoot root;
};
} // namespace

/// Determines the variables along a row, which r does not depend on. Returns
/// false if there is none, or if the sum is one along the row.
bool WeightGradientMatcher::findAlong(const Node *row) {
  SmallVector<unsigned> depends = getDependentVariables(row);
  along.clear();
  for (unsigned variable : site.space)
    if (site.context().getExtent(variable) != 1 &&
        !llvm::is_contained(depends, variable))
      along.push_back(variable);
  return !along.empty() && llvm::none_of(along, [&](unsigned variable) {
    return llvm::is_contained(sum->getVariables(), variable);
  });
}

/// Takes the product apart into x, r and one other factor, which is dy.
Rejection WeightGradientMatcher::takeParts(const Node *term,
                                           NodePredicate isX) {
  parts = Parts();
  PartsReader(reader, along, isX).read(term, parts);
  const Node *x = nullptr;
  for (const Factor &factor : parts.varying) {
    bool takesX = !x && isX(factor.base);
    if (factor.exponent != Fraction(1) || (!takesX && dy))
      return reject(Rejection::NoCandidate);
    (takesX ? x : dy) = factor.base;
  }
  if (!x || !dy || !parts.scales.empty() || parts.isNegated)
    return reject(Rejection::NoCandidate);
  found.product.x = x;
  if (Rejection rejection = readRowRoot(reader, parts).moveInto(root))
    return rejection;
  return {};
}

Rejection WeightGradientMatcher::readComputed(const Node *term,
                                              const Node *computed) {
  if (!findAlong(computed))
    return reject(Rejection::NoCandidate);
  PartsReader(reader, along, [](const Node *) {
    return false;
  }).read(term, parts);
  if (Rejection rejection = readRowRoot(reader, parts).moveInto(root))
    return rejection;
  if (!root.isComputed())
    return reject(Rejection::NoCandidate);
  if (Rejection rejection = matchComputedRoot(site, root, found))
    return rejection;
  XMatcher isX(reader, found.statistic.x);
  if (Rejection rejection =
          takeParts(term, [&](const Node *node) { return isX(node); }))
    return rejection;
  isX.agree(found);
  return {};
}

/// Returns the tensor of which the value is an element, or null.
static Value getTensor(const Node *node) {
  auto *element = dyn_cast<ElementNode>(stripCasts(node));
  return element ? element->getValue() : Value();
}

/// Returns the factors of a product of elements, each as it is read.
SmallVector<Factor> WeightGradientMatcher::readAll(const Node *product) {
  Parts all;
  PartsReader(
      reader, site.space, [](const Node *) { return false; }, Opening::All)
      .read(product, all);
  return all.varying;
}

/// Returns true for a value per row that is not computed from a statistic.
bool WeightGradientMatcher::isSavedRow(const Factor &factor) {
  const Node *base = openRow(reader, stripCasts(factor.base));
  return (base->is(Kind::Element) || base->is(Kind::Add)) &&
         !site.variesOverAll(base);
}

/// Returns true if the row is `tensor` or, with an epsilon outside, contains
/// it.
static bool isOf(const Node *row, Value tensor) {
  auto *element = dyn_cast<ElementNode>(row);
  return (element && element->getValue() == tensor) ||
         (row->is(Kind::Add) &&
          llvm::any_of(row->getOperands(),
                       [&](const Node *each) { return isOf(each, tensor); }));
}

/// Returns true if the gradient dx is given the root that `row` is or contains.
static bool hasRoot(const PlannedNorm &dx, const Node *row) {
  const PlannedWeight &root = dx.gradient->root;
  return (root.tensor && isOf(row, root.tensor)) ||
         llvm::any_of(root.elements, [&](const WeightElement &element) {
           return isOf(row, element.tensor);
         });
}

/// Chooses x among the two other factors of a product with a saved root. If no
/// gradient dx is given this root, a product of three factors is dw only where
/// the root scales one of them first and the last dimension is kept: a sum of
/// dy * w * x along the row is none.
Value WeightGradientMatcher::chooseX(const Node *row, ArrayRef<Factor> others) {
  for (const Factor &factor : others) {
    Value x = getTensor(factor.base);
    bool isKnown = false;
    for (const PlannedNorm &dx : inputs) {
      if (!x || !dx.gradient->root.exists() || getTensor(dx.input.node) != x)
        continue;
      if (hasRoot(dx, row))
        return x;
      isKnown = true;
    }
    if (isKnown)
      return {};
  }
  const Node *whole = openRow(reader, stripCasts(product));
  if (!whole->is(Kind::Mul))
    return {};
  for (const Node *side : whole->getOperands()) {
    SmallVector<Factor> factors = readAll(side);
    if (factors.size() != 2 || isSavedRow(factors[0]) == isSavedRow(factors[1]))
      continue;
    const Factor &x = factors[isSavedRow(factors[0])];
    auto *element = dyn_cast<ElementNode>(stripCasts(x.base));
    auto last = element && !element->getIndices().empty()
                    ? dyn_cast<AffineDimExpr>(element->getIndices().back())
                    : AffineDimExpr(nullptr);
    if (last && llvm::is_contained(along, last.getPosition()))
      return element->getValue();
  }
  return {};
}

/// Reads a product with a root that the program is given.
Rejection WeightGradientMatcher::readSaved(const Node *term) {
  const Node *row = nullptr;
  SmallVector<Factor> others;
  for (const Factor &factor : readAll(term)) {
    if (!isSavedRow(factor)) {
      others.push_back(factor);
      continue;
    }
    if (row)
      return reject(Rejection::NoCandidate);
    row = openRow(reader, stripCasts(factor.base));
  }
  if (!row || others.size() != 2 || !findAlong(row))
    return reject(Rejection::NoCandidate);
  Value x = chooseX(row, others);
  auto isX = [&](const Node *node) {
    auto *element = dyn_cast<ElementNode>(node);
    return element && element->getValue() == x;
  };
  return x ? takeParts(term, isX) : reject(Rejection::NoCandidate);
}

/// Orders the space as x, which the program may read transposed, and with its
/// unit dimensions.
bool WeightGradientMatcher::orderSpace() {
  MLIRContext *mlir = op->getContext();
  Context &context = site.context();
  auto hasUnit = [&](unsigned variable) {
    return context.getExtent(variable) == 1;
  };
  size_t numLoops = llvm::count_if(site.space, std::not_fn(hasUnit));
  // An op with both gradients reads x from one tensor.
  auto isShared = [&](const ElementNode *element) {
    return llvm::any_of(inputs, [&](const PlannedNorm &dx) {
      return areOneView(dx.input.value, element->getValue());
    });
  };
  SmallVector<const ElementNode *> elements =
      reader.getOccurrences(stripExtend(found.product.x));
  std::partition(elements.begin(), elements.end(), isShared);
  for (const ElementNode *element : elements) {
    SmallVector<unsigned> order;
    SmallVector<AffineExpr> results;
    llvm::SmallDenseSet<unsigned> loops;
    for (AffineExpr index : element->getIndices()) {
      auto variable = dyn_cast<AffineDimExpr>(index);
      auto dim = variable ? site.getDim(variable.getPosition()) : std::nullopt;
      if (dim && loops.insert(variable.getPosition()).second) {
        order.push_back(variable.getPosition());
        results.push_back(site.spaceMap.getResult(*dim));
      } else if (index == getAffineConstantExpr(0, mlir)) {
        order.push_back(context.addVariable(/*extent=*/1));
        results.push_back(index);
      }
    }
    if (loops.size() != numLoops ||
        order.size() != element->getIndices().size())
      continue;
    site.space = order;
    site.spaceMap = AffineMap::get(op.getNumLoops(), 0, results, mlir);
    return true;
  }
  return false;
}

/// Finds the dimensions that are kept, which must be in the order of x.
Rejection WeightGradientMatcher::findWeightDims() {
  AffineMap map = op.getIndexingMapMatchingResult(result);
  SmallVector<int64_t> dims;
  for (AffineExpr expr : map.getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (!loop) // a unit dimension
      continue;
    for (auto [dim, each] : llvm::enumerate(site.spaceMap.getResults()))
      if (each == loop && site.getExtent(dim) != 1)
        dims.push_back(dim);
  }
  if (!llvm::is_sorted(dims))
    return reject(Rejection::NoCandidate);
  weightDims = dims;
  bool overDims = llvm::any_of(dims, [&](int64_t dim) {
    return llvm::is_contained(found.span.dims, dim);
  });
  return overDims ? Rejection() : reject(Rejection::NoCandidate);
}

Rejection WeightGradientMatcher::readTerm() {
  const Node *term = sum->getTerm();
  if (const Node *computed = findRootBelow(reader, term))
    return readComputed(term, computed);
  return readSaved(term);
}

/// Returns the only user of `sum` if it rounds each element, in order.
static OpResult findRounded(OpResult sum) {
  if (!sum.hasOneUse())
    return {};
  auto user = dyn_cast<linalg::LinalgOp>(*sum.getUsers().begin());
  if (!user || user->getNumResults() != 1 || user.getNumReductionLoops() > 0 ||
      user.getNumDpsInputs() != 1 || user.getDpsInputOperand(0)->get() != sum)
    return {};
  Block *body = user.getBlock();
  auto round = dyn_cast_or_null<arith::TruncFOp>(
      body->getTerminator()->getOperand(0).getDefiningOp());
  if (!round || round.getIn() != body->getArgument(0) ||
      round.getRoundingmode())
    return {};
  SmallVector<AffineExpr> orders[2];
  SmallVector<int64_t> ranges = user.getStaticLoopRanges();
  for (auto [map, order] : llvm::zip_equal(user.getIndexingMapsArray(), orders))
    for (AffineExpr expr : map.getResults())
      if (auto loop = dyn_cast<AffineDimExpr>(expr);
          loop && ranges[loop.getPosition()] != 1)
        order.push_back(loop);
  return orders[0] == orders[1] ? user->getResult(0) : OpResult();
}

/// Decides what dw is: x, dy, r and the dimensions of the weight.
Rejection WeightGradientMatcher::decideLaw() {
  if (Rejection rejection = readTerm())
    return rejection;
  if (!orderSpace())
    return reject(Rejection::NoTensorForX);
  if (!root.isComputed()) {
    for (auto [dim, variable] : llvm::enumerate(site.space))
      if (llvm::is_contained(along, variable))
        found.span.dims.push_back(dim);
    found.statistic.x = found.product.x;
    if (root.beforeEpsilon)
      found.inverse.mode = EpsilonMode::Outside;
  }
  if (Rejection rejection = matchRowSpan(site, root, found))
    return rejection;
  return findWeightDims();
}

/// Decides the result: the sum, or its rounding if that has the type of P.
void WeightGradientMatcher::decideResult(PlannedNorm &norm) {
  PlannedGradient &gradient = *norm.gradient;
  gradient.dw = gradient.sum = result;
  gradient.dwType = gradient.sumType = sum->getFloatType();
  FloatType z = norm.normalizedType ? norm.normalizedType : norm.computeType;
  OpResult other = findRounded(result);
  auto type = other ? cast<FloatType>(getElementTypeOrSelf(other.getType()))
                    : FloatType();
  if (type && isArithmeticType(type) &&
      getWiderFloatType(z, type) == product->getFloatType()) {
    gradient.dw = other;
    gradient.dwType = type;
  }
}

Rejection WeightGradientMatcher::decideOperands(PlannedNorm &norm) {
  if (Rejection rejection = matchInput(site, found, norm))
    return rejection;
  if (!llvm::is_sorted(norm.order))
    return reject(Rejection::NoTensorForX);
  auto input = findOperand(site, dy);
  if (!input)
    return reject(Rejection::NoTensorForGradient);
  norm.gradient->dy = *input;
  if (Rejection rejection = checkOperands(site, norm))
    return rejection;
  return findRoot(site, root, found, norm);
}

/// Compares the summed product with that of the op.
Rejection WeightGradientMatcher::prove(PlannedNorm &norm, Precision precision) {
  LawBook &laws = site.laws;
  Names names;
  nameRow(site, root, found, norm, names);
  const Node *gradient = norm.gradient->dy.node;
  names.add(gradient, laws.getElement("dy", gradient->getType(), Place::Result),
            Place::Result);
  LawBook::Types types{norm.input.node->getType(), gradient->getType(), Type(),
                       norm.gradient->dwType, root.getSign()};
  const Node *law =
      laws.getLaw(LawBook::Result::WeightGradient, norm, types, names.terms);
  return judge(
      site,
      compareWithLaw(site, names, product, law, norm.computeType, precision),
      precision, norm);
}

/// Returns the type that z is rounded to, if one rounding is between x and dy.
static FloatType findRoundingOfZ(Reader &reader, const Node *product) {
  for (const Node *side : product->getOperands()) {
    side = openRow(reader, stripExtend(openRow(reader, side)));
    const Node *inner =
        side->is(Kind::Round) ? openRow(reader, side->getOperand(0)) : side;
    bool isZ = inner->is(Kind::Mul) || inner->is(Kind::Div);
    if (isZ && (side != inner || inner->getWidth() == 16))
      return side->getFloatType();
  }
  return {};
}

RejectionOr<PlannedNorm> WeightGradientMatcher::planAs(Precision precision) {
  PlannedNorm norm;
  norm.op = op;
  norm.gradient.emplace();
  if (Rejection rejection = decideRow(site, root, found, precision, norm))
    return rejection;
  if (normalizedType != norm.computeType)
    norm.normalizedType = normalizedType;
  norm.weightDims = weightDims;
  decideResult(norm);
  if (Rejection rejection = decideOperands(norm))
    return rejection;
  if (Rejection rejection = prove(norm, precision))
    return rejection;
  return norm;
}

RejectionOr<PlannedNorm> WeightGradientMatcher::run() {
  sum = dyn_cast<SumNode>(site.node);
  if (!sum)
    return reject(Rejection::NoCandidate);
  product = openRow(reader, findNarrow(reader, sum->getTerm()));
  if (Rejection rejection = decideLaw())
    return rejection;
  normalizedType = findRoundingOfZ(reader, product);
  bool isNarrow = sum->getWidth() < product->getWidth();
  if (isNarrow && site.rounding != Rounding::Relaxed)
    return reject(Rejection::TermRounded, sum->getType());
  return planAsAllowed(site,
                       [&](Precision precision) { return planAs(precision); });
}

RejectionOr<PlannedNorm>
norm::decideWeightGradient(Site &site, OpResult sum,
                           ArrayRef<PlannedNorm> inputs) {
  return WeightGradientMatcher(site, sum, inputs).run();
}
