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

#include "Program.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::row;

/// Returns the tensors that the norms write.
static llvm::DenseSet<Value> collectResults(ArrayRef<PlannedNorm> norms) {
  llvm::DenseSet<Value> results;
  for (const PlannedNorm &norm : norms)
    for (Value result : norm.op->getResults())
      if (getYielded(result) == norm.scalar)
        results.insert(result);
  return results;
}

/// Decides again without reading through `tensors` where there are several
/// roots: dy has one too if it depends on the norm's result, as the gradient of
/// a sum of squares does.
static RejectionOr<PlannedNorm>
decideAbove(Program &program, const llvm::DenseSet<Value> &tensors,
            function_ref<RejectionOr<PlannedNorm>()> decide) {
  RejectionOr<PlannedNorm> norm = decideWithinBounds(*program.context, decide);
  if (norm || tensors.empty())
    return norm;
  Rejection rejection = norm.takeRejection();
  if (rejection.id != Rejection::SeveralRoots)
    return rejection;
  auto closed = program.reader.close(tensors);
  if (auto other = decideWithinBounds(*program.context, decide))
    return other;
  return rejection;
}

//===----------------------------------------------------------------------===//
// dx
//===----------------------------------------------------------------------===//

/// Returns the value that `scalar` rounds, directly or from a tensor, if
/// nothing else uses it; else null.
static Value getRounded(Value scalar) {
  auto isOnlyUsed = [](Value value) {
    return llvm::count_if(value.getUsers(), [](Operation *user) {
             return !isa<tensor::DimOp>(user);
           }) == 1;
  };
  auto round = scalar.getDefiningOp<arith::TruncFOp>();
  Value source = round ? round.getIn() : Value();
  if (auto argument = dyn_cast_or_null<BlockArgument>(source)) {
    Value tensor = getSources(argument).front();
    if (!tensor.getDefiningOp<linalg::LinalgOp>() || !isOnlyUsed(tensor))
      return {};
    source = getYielded(tensor);
  }
  return source && isOnlyUsed(source) ? source : Value();
}

/// Returns true if the value is computed from others of `known` for which that
/// is true and which depend on the same sum.
static bool isBelow(const FlowAnalysis &flow, Value value,
                    llvm::DenseMap<Value, bool> &known) {
  auto [it, inserted] = known.try_emplace(value, false);
  if (!inserted)
    return it->second;
  Value sum = flow.lookup(value).sum;
  bool result = llvm::any_of(getSources(value), [&](Value source) {
    return flow.lookup(source).sum == sum && isBelow(flow, source, known);
  });
  return known[value] = result;
}

/// Rejects candidates, but no parts of others, which come before them.
static void rejectAll(const FlowAnalysis &flow,
                      MutableArrayRef<std::pair<Value, Rejection>> failed,
                      Outcomes &outcomes) {
  llvm::DenseSet<Value> parts;
  for (auto &[scalar, rejection] : llvm::reverse(failed)) {
    if (rejection.id == Rejection::NoCandidate)
      continue;
    Value sum = flow.lookup(scalar).sum;
    if (!parts.contains(scalar))
      outcomes.reject(sum, scalar.getDefiningOp()->getParentOp(),
                      std::move(rejection));
    parts.insert_range(collectSources(scalar, [&](Value source) {
      return !parts.contains(source) && flow.lookup(source).sum == sum;
    }));
  }
}

static std::vector<PlannedNorm>
planInputGradients(Program &program, const llvm::DenseSet<Value> &results,
                   Outcomes &outcomes) {
  const FlowAnalysis &flow = program.flow;
  std::vector<PlannedNorm> norms;
  llvm::DenseMap<Value, size_t> found;             // by scalar
  llvm::DenseMap<Value, bool> below;               // a gradient
  llvm::DenseMap<Value, ProjectedNodes> projected; // by sum
  SmallVector<std::pair<Value, Rejection>> failed; // by scalar
  for (Value scalar : flow.gradients) {
    Value sum = flow.lookup(scalar).sum;
    auto rounded = found.find(getRounded(scalar));
    if (rounded == found.end() && isBelow(flow, scalar, below))
      continue;
    std::optional<Site> site = program.getSite(scalar, sum);
    if (!site)
      continue;
    RejectionOr<PlannedNorm> norm = decideAbove(program, results, [&] {
      return decideGradient(*site, projected[sum]);
    });
    if (!norm) {
      failed.push_back({scalar, norm.takeRejection()});
      continue;
    }
    size_t i = rounded == found.end() ? norms.size() : rounded->second;
    norms.resize(std::max(norms.size(), i + 1));
    norms[i] = std::move(*norm);
    found[scalar] = i;
    below[scalar] = true;
    outcomes.accept(sum);
  }
  rejectAll(flow, failed, outcomes);
  return norms;
}

//===----------------------------------------------------------------------===//
// dw
//===----------------------------------------------------------------------===//

Value norm::stripUnits(Value value) {
  auto isUnits = [](auto reshape, RankedTensorType wide) {
    return llvm::all_of(reshape.getReassociationIndices(),
                        [&](ArrayRef<int64_t> group) {
                          return llvm::count_if(group, [&](int64_t dim) {
                                   return wide.getDimSize(dim) != 1;
                                 }) <= 1;
                        });
  };
  while (true) {
    auto expand = value.getDefiningOp<tensor::ExpandShapeOp>();
    auto collapse = value.getDefiningOp<tensor::CollapseShapeOp>();
    if (expand && isUnits(expand, expand.getResultType()))
      value = expand.getSrc();
    else if (collapse && isUnits(collapse, collapse.getSrcType()))
      value = collapse.getSrc();
    else
      return value;
  }
}

/// Returns true if two values are one, or two equal views of one.
static bool areOneView(Value a, Value b) {
  Operation *view = a.getDefiningOp(), *other = b.getDefiningOp();
  return a == b || (view && other && isView(view) &&
                    OperationEquivalence::isEquivalentTo(
                        view, other, OperationEquivalence::IgnoreLocations));
}

static bool areEqual(const PlannedInput &a, const PlannedInput &b) {
  if (a.op || b.op)
    return a.value == b.value && a.op == b.op && a.map == b.map;
  return (areOneView(a.value, b.value) && a.units == b.units &&
          a.surplus == b.surplus) ||
         (stripUnits(a.value) == stripUnits(b.value) &&
          getWholeShape(a) == getWholeShape(b));
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
static bool isAvailableAt(Program &program, const PlannedNorm &norm,
                          linalg::LinalgOp op) {
  Site site = program.getSumSite(op->getResult(0));
  if (norm.input.op || norm.gradient->dy.op)
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
                      [&](Value value) { return site.isAvailable(value); });
}

/// Returns one op that reads x and dy once for dx and dw, if one can have both.
static std::optional<PlannedNorm> join(Program &program, const PlannedNorm &dx,
                                       const PlannedNorm &dw) {
  const PlannedGradient &gradient = *dx.gradient, &other = *dw.gradient;
  if (gradient.dw || !dx.scalar || dx.op->getBlock() != dw.op->getBlock() ||
      !areOfOneNorm(program.reader, dx, dw) || !areEqual(gradient.dy, other.dy))
    return std::nullopt;
  bool hasWeight = dx.weight.exists();
  if (hasWeight && (dx.weightDims != dw.weightDims ||
                    dx.normalizedType != dw.normalizedType))
    return std::nullopt;
  // Without a weight, dy is rounded to T where z is.
  Type dy = getElementTypeOrSelf(gradient.dy.value);
  if (!hasWeight &&
      (dx.normalizedType || (dw.normalizedType && dw.normalizedType != dy)))
    return std::nullopt;
  PlannedNorm joined = dx;
  joined.normalizedType = dw.normalizedType;
  joined.weightDims = dw.weightDims;
  joined.gradient->dw = other.dw;
  joined.gradient->dwType = other.dwType;
  FloatType weight = hasWeight ? getWeightType(dx.weight) : other.dwType;
  if (weight != other.dwType && weight == other.sumType) {
    joined.gradient->dw = other.sum;
    joined.gradient->dwType = other.sumType;
  } else if (weight != other.dwType) {
    joined.weight = gradient.wideWeight;
    if (!joined.weight.exists() || getWeightType(joined.weight) != other.dwType)
      return std::nullopt;
  }
  auto op = cast<linalg::LinalgOp>(joined.gradient->dw.getOwner());
  if (!isAvailableAt(program, joined, dx.op->isBeforeInBlock(op) ? dx.op : op))
    return std::nullopt;
  return joined;
}

namespace {
/// The gradients dx of a program, which a dw may join.
struct InputGradients {
  std::vector<PlannedNorm> norms;
  llvm::DenseMap<Value, SmallVector<size_t, 2>> byInput;
  llvm::DenseSet<Value> dys;

  explicit InputGradients(std::vector<PlannedNorm> found)
      : norms(std::move(found)) {
    for (auto [i, norm] : llvm::enumerate(norms)) {
      byInput[getRead(norm.input)].push_back(i);
      dys.insert(norm.gradient->dy.value);
    }
  }
};
} // namespace

/// Returns the dw that a sum is, unless a dx of the same norm takes it.
static RejectionOr<std::optional<PlannedNorm>>
planWeightGradient(Program &program, OpResult sum, InputGradients &inputs) {
  Site site = program.getSumSite(sum);
  RejectionOr<PlannedNorm> dw = decideAbove(program, inputs.dys, [&] {
    return decideWeightGradient(site, inputs.norms);
  });
  if (!dw)
    return dw.takeRejection();
  dw->op = cast<linalg::LinalgOp>(dw->gradient->dw.getOwner());
  bool isOfOther = false;
  for (size_t i : inputs.byInput.lookup(getRead(dw->input))) {
    PlannedNorm &dx = inputs.norms[i];
    if (std::optional<PlannedNorm> joined = join(program, dx, *dw)) {
      dx = std::move(*joined);
      return std::optional<PlannedNorm>();
    }
    if (areOfOneNorm(program.reader, dx, *dw))
      isOfOther = !areEqual(dx.gradient->dy, dw->gradient->dy);
  }
  if (isOfOther)
    return reject(Rejection::WeightGradientOfOther);
  return std::optional(std::move(*dw));
}

std::vector<PlannedNorm> norm::planGradients(Program &program,
                                             ArrayRef<PlannedNorm> forward,
                                             Outcomes &outcomes) {
  llvm::DenseSet<Value> results = collectResults(forward);
  InputGradients inputs(planInputGradients(program, results, outcomes));
  std::vector<PlannedNorm> others;
  for (OpResult sum : program.flow.sums) {
    if (outcomes.isKnown(sum))
      continue;
    std::optional<PlannedNorm> dw;
    if (Rejection rejection =
            planWeightGradient(program, sum, inputs).moveInto(dw))
      outcomes.reject(sum, sum.getOwner(), std::move(rejection));
    else if (dw)
      others.push_back(std::move(*dw));
  }
  std::vector<PlannedNorm> norms = std::move(inputs.norms);
  llvm::move(others, std::back_inserter(norms));
  for (const PlannedNorm &norm : norms)
    for (Value statistic : norm.gradient->statistics)
      outcomes.accept(statistic);
  return norms;
}
