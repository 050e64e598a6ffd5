//===- PlanGradients.cpp - decide about the gradients of norms ------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A value that is dx is planned, but nothing that is computed from it. If a
// rounding is the only user of that value, the rounded value is taken. A dw of
// the same x, dy and r joins it.
//
//===----------------------------------------------------------------------===//

#include "PlanGradients.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::row;

//===----------------------------------------------------------------------===//
// dx
//===----------------------------------------------------------------------===//

/// Returns true if `scalar` rounds `value`, directly or from a tensor, and
/// nothing else uses it.
static bool isOnlyRounding(Value scalar, Value value) {
  auto round = scalar.getDefiningOp<arith::TruncFOp>();
  if (!round)
    return false;
  Value source = round.getIn();
  if (source == value)
    return value.hasOneUse();
  auto argument = dyn_cast<BlockArgument>(source);
  auto op = argument
                ? dyn_cast<linalg::LinalgOp>(argument.getOwner()->getParentOp())
                : nullptr;
  Value tensor = op ? op.getMatchingOpOperand(argument)->get() : Value();
  auto producer =
      tensor ? tensor.getDefiningOp<linalg::LinalgOp>() : linalg::LinalgOp();
  auto isExtent = [](Operation *user) { return isa<tensor::DimOp>(user); };
  if (!producer || llvm::count_if(tensor.getUsers(), [&](Operation *user) {
                     return !isExtent(user);
                   }) != 1)
    return false;
  unsigned number = cast<OpResult>(tensor).getResultNumber();
  return producer.getBlock()->getTerminator()->getOperand(number) == value &&
         value.hasOneUse();
}

/// Returns true if the value is computed from the gradients that were found.
bool GradientPlanner::isBelowGradient(Value value) {
  auto [it, inserted] = belowGradient.try_emplace(value, false);
  if (!inserted)
    return it->second;
  Value sum = flow.lookupProjection(value).sum;
  bool result = llvm::any_of(getSources(value), [&](Value source) {
    return flow.lookupProjection(source).sum == sum && isBelowGradient(source);
  });
  return belowGradient[value] = result;
}

/// Keeps the rejection of the latest stage, whatever the order of candidates.
void GradientPlanner::reject(Value sum, Operation *op, Rejection rejection) {
  if (rejection.id == Rejection::NoCandidate)
    return;
  auto &[known, kept] = rejected[sum];
  if (!kept || std::tie(rejection.id, rejection.explanation) >
                   std::tie(kept.id, kept.explanation)) {
    known = op;
    kept = std::move(rejection);
  }
}

void GradientPlanner::planInputGradients() {
  llvm::DenseMap<Value, SmallVector<size_t, 1>> found; // by sum
  llvm::DenseMap<Value, ProjectedNodes> projected;     // by sum
  SmallVector<std::pair<Value, Rejection>> failed;     // by scalar
  for (Value scalar : flow.gradients) {
    Value sum = flow.lookupProjection(scalar).sum;
    SmallVector<size_t, 1> &known = found[sum];
    const auto *rounded = llvm::find_if(known, [&](size_t i) {
      return isOnlyRounding(scalar, norms[i].scalar);
    });
    if (rounded == known.end() && isBelowGradient(scalar))
      continue;
    std::optional<Site> site = getSite(scalar, sum);
    if (!site)
      continue;
    RejectionOr<PlannedNorm> norm = decideGradient(*site, projected[sum]);
    if (!norm) {
      failed.push_back({scalar, norm.takeRejection()});
      continue;
    }
    belowGradient[scalar] = true;
    if (rounded != known.end()) {
      norms[*rounded] = std::move(*norm);
      continue;
    }
    known.push_back(norms.size());
    sums.push_back(sum);
    norms.push_back(std::move(*norm));
  }
  llvm::DenseSet<Value> parts; // of what was rejected
  for (auto &[scalar, rejection] : llvm::reverse(failed)) {
    Value sum = flow.lookupProjection(scalar).sum;
    if (rejection.id == Rejection::NoCandidate || !found[sum].empty())
      continue;
    if (!parts.contains(scalar))
      reject(sum, scalar.getDefiningOp()->getParentOp(), std::move(rejection));
    parts.insert_range(collectSources(scalar, [&](Value source) {
      return !parts.contains(source) &&
             flow.lookupProjection(source).sum == sum;
    }));
  }
}

//===----------------------------------------------------------------------===//
// dw
//===----------------------------------------------------------------------===//

bool norm::areOneView(Value a, Value b) {
  Operation *view = a.getDefiningOp(), *other = b.getDefiningOp();
  return a == b || (view && other && isView(view) &&
                    OperationEquivalence::isEquivalentTo(
                        view, other, OperationEquivalence::IgnoreLocations));
}

static bool areEqual(const PlannedInput &a, const PlannedInput &b) {
  return areOneView(a.value, b.value) && a.op == b.op &&
         (!a.op || a.map == b.map) && a.units == b.units;
}

/// Returns the tensor from which the value is read, or the value itself.
static Value getRead(const PlannedInput &input) {
  auto *element = dyn_cast<ElementNode>(stripExtend(input.node));
  return element ? element->getValue() : input.value;
}

/// Returns true if both are one tensor, or one expression of the same elements.
static bool areEqual(Reader &reader, const PlannedWeight &a,
                     const PlannedWeight &b) {
  if (!a.expression || !b.expression)
    return a.tensor == b.tensor && a.expression == b.expression;
  auto isSame = [](const WeightElement &x, const WeightElement &y) {
    return x.tensor == y.tensor && x.map == y.map;
  };
  return a.elements.size() == b.elements.size() &&
         llvm::all_of_zip(a.elements, b.elements, isSame) &&
         Correspondence(reader).match(a.expression, b.expression);
}

/// Returns true if both are gradients of one norm: of the same x, with the
/// same r.
static bool areOfOneNorm(Reader &reader, const PlannedNorm &a,
                         const PlannedNorm &b) {
  return areEqual(a.input, b.input) && a.dims == b.dims && a.mode == b.mode &&
         a.epsilon.bitwiseIsEqual(b.epsilon) &&
         a.computeType == b.computeType && a.sumType == b.sumType &&
         a.scaleType == b.scaleType && a.rootForm == b.rootForm &&
         areEqual(reader, a.gradient->root, b.gradient->root) &&
         a.gradient->isRootBeforeEpsilon == b.gradient->isRootBeforeEpsilon;
}

static FloatType getWeightType(const PlannedWeight &weight) {
  Type type = weight.expression ? weight.expression->getType()
                                : getElementTypeOrSelf(weight.tensor.getType());
  return cast<FloatType>(type);
}

/// Returns true if the operands of `norm` can be computed before `op`.
bool GradientPlanner::isAvailableAt(const PlannedNorm &norm,
                                    linalg::LinalgOp op) {
  std::optional<Site> site = getSumSite(op->getResult(0));
  if (!site || norm.input.op || norm.gradient->dy.op)
    return false;
  // The sum with a residual gradient is computed where dx is replaced.
  SmallVector<Value> values{norm.input.value, norm.gradient->dy.value};
  for (const PlannedWeight *weight : {&norm.weight, &norm.gradient->root}) {
    if (weight->tensor)
      values.push_back(weight->tensor);
    for (const WeightElement &element : weight->elements)
      values.push_back(element.tensor);
  }
  return llvm::all_of(values,
                      [&](Value value) { return site->isAvailable(value); });
}

/// Joins dw to dx, so that one op reads x and dy once. Returns false if one op
/// cannot have both.
bool GradientPlanner::join(PlannedNorm &dx, PlannedNorm &dw) {
  PlannedGradient &gradient = *dx.gradient, &other = *dw.gradient;
  if (gradient.dw || !dx.scalar || dx.op->getBlock() != dw.op->getBlock() ||
      !areOfOneNorm(reader, dx, dw) || !areEqual(gradient.dy, other.dy))
    return false;
  bool hasWeight = dx.weight.exists();
  if (hasWeight && (dx.weightDims != dw.weightDims ||
                    dx.normalizedType != dw.normalizedType))
    return false;
  // Without a weight, dy is rounded to T where z is.
  FloatType dy =
      cast<FloatType>(getElementTypeOrSelf(gradient.dy.value.getType()));
  if (!hasWeight &&
      (dx.normalizedType || (dw.normalizedType && dw.normalizedType != dy)))
    return false;
  PlannedNorm joined = dx;
  FloatType weight = hasWeight ? getWeightType(dx.weight) : other.dwType;
  if (weight != other.dwType && weight == other.sumType) {
    other.dw = other.sum;
    other.dwType = other.sumType;
    dw.op = cast<linalg::LinalgOp>(other.sum.getOwner());
  } else if (weight != other.dwType) {
    if (!gradient.wideWeight.exists() ||
        getWeightType(gradient.wideWeight) != other.dwType)
      return false;
    joined.weight = gradient.wideWeight;
  }
  joined.normalizedType = dw.normalizedType;
  joined.weightDims = dw.weightDims;
  joined.gradient->dw = other.dw;
  joined.gradient->dwType = other.dwType;
  linalg::LinalgOp first = dx.op->isBeforeInBlock(dw.op) ? dx.op : dw.op;
  if (!isAvailableAt(joined, first))
    return false;
  dx = std::move(joined);
  return true;
}

/// Returns true for a sum of dy * x, of a gradient dx that was found.
bool GradientPlanner::sumsWithoutRoot(const Site &site) {
  auto *sum = dyn_cast<SumNode>(site.node);
  if (!sum || norms.empty())
    return false;
  SmallVector<Value> values = getMultiplied(reader, sum->getTerm());
  if (values.size() != 2 || values[0] == values[1])
    return false;
  for (unsigned i : {0u, 1u})
    for (size_t norm : byInput.lookup(values[i]))
      if (norms[norm].scalar &&
          getRead(norms[norm].gradient->dy) == values[1 - i])
        return true;
  return false;
}

void GradientPlanner::planWeightGradients() {
  for (auto [i, norm] : llvm::enumerate(norms))
    byInput[getRead(norm.input)].push_back(i);
  const size_t numInputGradients = norms.size();
  llvm::DenseSet<Value> projections(sums.begin(), sums.end());
  projections.insert_range(llvm::make_first_range(rejected));
  for (OpResult sum : flow.sums) {
    if (projections.contains(sum))
      continue;
    std::optional<Site> site = getSumSite(sum);
    if (!site)
      continue;
    RejectionOr<PlannedNorm> norm = decideWeightGradient(
        *site, ArrayRef(norms).take_front(numInputGradients));
    if (!norm) {
      Rejection rejection = norm.takeRejection();
      if (rejection.id == Rejection::NoCandidate && sumsWithoutRoot(*site))
        rejection = norm::reject(Rejection::WeightGradientWithoutRoot);
      reject(sum, sum.getOwner(), std::move(rejection));
      continue;
    }
    norm->op = cast<linalg::LinalgOp>(norm->gradient->dw.getOwner());
    bool isJoined = false;
    const PlannedNorm *sibling = nullptr;
    for (size_t i : byInput.lookup(getRead(norm->input))) {
      isJoined = isJoined || join(norms[i], *norm);
      if (areOfOneNorm(reader, norms[i], *norm))
        sibling = &norms[i];
    }
    if (isJoined)
      continue;
    if (sibling && !areEqual(sibling->gradient->dy, norm->gradient->dy)) {
      reject(sum, sum.getOwner(),
             norm::reject(Rejection::WeightGradientOfOther));
      continue;
    }
    norms.push_back(std::move(*norm));
  }
}

/// Returns the place of a sum, whose space is that of the summed values.
std::optional<Site> GradientPlanner::getSumSite(OpResult sum) {
  auto op = cast<linalg::LinalgOp>(sum.getOwner());
  const Body *body = reader.readBody(op);
  SmallVector<unsigned> space;
  for (AffineExpr loop : body->loops) {
    auto variable = dyn_cast<AffineDimExpr>(loop);
    space.push_back(variable ? variable.getPosition()
                             : reader.getContext().addVariable(/*extent=*/1));
  }
  AffineMap map = op.getIndexingMapMatchingResult(sum);
  SmallVector<AffineExpr> indices;
  for (AffineExpr expr : map.getResults())
    indices.push_back(expr.replaceDims(body->loops));
  const Node *node = reader.read(sum, std::move(indices));
  return Site{
      reader,
      laws,
      flow,
      dominance,
      rounding,
      Weights::Single,
      body,
      Value(),
      node,
      sum,
      std::move(space),
      AffineMap::getMultiDimIdentityMap(op.getNumLoops(), op->getContext())};
}

void GradientPlanner::run() {
  planInputGradients();
  planWeightGradients();
}
