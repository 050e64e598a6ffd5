//===- Plan.cpp - decide about every candidate ----------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"
#include "Law.h"
#include "PlanGradients.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::row;

namespace {
class Planner {
public:
  Planner(Operation *scope, Rounding rounding)
      : flow(scope), rounding(rounding),
        context(std::make_unique<Context>(scope->getContext())),
        reader(*context, [this](Value value) { return flow.isOpen(value); }),
        laws(*context) {}

  Plan run();

private:
  void decideScalar(Value scalar);
  std::optional<Site> getSite(Value scalar, Value reduction);
  RejectionOr<PlannedNorm> decideAt(Value scalar);
  Value getReduction(Value scalar) const {
    return flow.lookup(scalar).reduction;
  }
  llvm::SetVector<Value> collectParts(Value scalar) const;
  void resolve();
  Value findShared(Value scalar,
                   const llvm::DenseSet<Operation *> &readers) const;
  void planGradients(Plan &plan);
  void reportRoots(Plan &plan);

  FlowAnalysis flow;
  DominanceInfo dominance;
  Rounding rounding;
  Weights weights = Weights::Single;
  std::unique_ptr<Context> context;
  Reader reader;
  LawBook laws;
  llvm::MapVector<Value, PlannedNorm> found; // by scalar
  /// Scalars at which no norm may end: parts of a norm, or of a candidate that
  /// was rejected as a whole.
  llvm::DenseSet<Value> taken;
  llvm::DenseSet<Value> hasNorm;                     // reductions
  llvm::MapVector<Value, PlannedRejection> rejected; // by reduction
  llvm::DenseSet<Value> isPart;                      // of a rejected candidate
};
} // namespace

//===----------------------------------------------------------------------===//
// Places of candidates
//===----------------------------------------------------------------------===//

/// Returns the map from the loops of `op` to those that `scalar` depends on.
static AffineMap getLoops(linalg::LinalgOp op, Value scalar) {
  MLIRContext *context = op->getContext();
  SmallVector<AffineMap> maps{AffineMap::get(op.getNumLoops(), 0, context)};
  llvm::SmallSetVector<Value, 16> worklist;
  worklist.insert(scalar);
  for (size_t i = 0; i < worklist.size(); ++i) {
    auto argument = dyn_cast<BlockArgument>(worklist[i]);
    Operation *producer = worklist[i].getDefiningOp();
    if (argument && argument.getOwner() == op.getBlock())
      maps.push_back(
          op.getMatchingIndexingMap(op.getMatchingOpOperand(argument)));
    if (!producer || producer->getBlock() != op.getBlock())
      continue;
    if (auto index = dyn_cast<linalg::IndexOp>(producer))
      maps.push_back(AffineMap::get(op.getNumLoops(), 0,
                                    getAffineDimExpr(index.getDim(), context)));
    worklist.insert_range(producer->getOperands());
  }
  return AffineMap::getMultiDimIdentityMap(op.getNumLoops(), context)
      .dropResults(getUnusedDimsBitVector(maps));
}

/// Returns the space of the op's result or, if the op reduces (a matrix product
/// with a fused norm), of the loops that the scalar depends on.
std::optional<Site> Planner::getSite(Value scalar, Value reduction) {
  auto op = cast<linalg::LinalgOp>(scalar.getDefiningOp()->getParentOp());
  const Body *body = reader.readBody(op);
  const Node *node = body->values.lookup(scalar);
  // A tensor within a body has elements of its own.
  if (!node || !isa<FloatType>(scalar.getType()) ||
      !op.hasPureTensorSemantics())
    return std::nullopt;
  OpResult result = op->getResult(0);
  for (OpResult each : op->getResults())
    if (getYielded(each) == scalar)
      result = each;
  bool reduces = op.getNumReductionLoops() > 0;
  AffineMap map =
      reduces ? getLoops(op, scalar) : op.getIndexingMapMatchingResult(result);
  // A loop that the result does not depend on must have one iteration.
  for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges()))
    if (!reduces && extent != 1 && !map.isFunctionOfDim(loop))
      return std::nullopt;
  SmallVector<unsigned> space;
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    // A constant index must be 0 and stand for a unit dimension.
    if (!loop && (expr != getAffineConstantExpr(0, op->getContext()) ||
                  cast<RankedTensorType>(result.getType()).getDimSize(i) != 1))
      return std::nullopt;
    auto index = loop ? dyn_cast<AffineDimExpr>(body->loops[loop.getPosition()])
                      : AffineDimExpr(nullptr);
    space.push_back(index ? index.getPosition()
                          : context->addVariable(/*extent=*/1));
  }
  return Site{reader, laws,   flow, dominance, rounding,         weights,
              body,   scalar, node, reduction, std::move(space), map};
}

RejectionOr<PlannedNorm> Planner::decideAt(Value scalar) {
  std::optional<Site> site = getSite(scalar, getReduction(scalar));
  if (!site)
    return reject(Rejection::NoCandidate);
  return decide(*site);
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// Collects the scalars and tensors from which `scalar` is computed and which
/// the same statistic scales; tensors connect ops.
llvm::SetVector<Value> Planner::collectParts(Value scalar) const {
  Value reduction = getReduction(scalar);
  return collectSources(scalar, [&](Value source) {
    Flow each = flow.lookup(source);
    return each.isScaled() && each.reduction == reduction;
  });
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

static PlannedRejection describe(Operation *op, Rejection rejection) {
  return {
      op->getParentOfType<FunctionOpInterface>(),
      {op->getLoc(), rejection.getReason(), std::move(rejection.explanation)}};
}

/// Returns true if `a` failed in a later stage than `b`, nearer to a norm.
static bool isLater(const PlannedRejection &a, const PlannedRejection &b) {
  return std::tie(a.norm.reason, a.norm.explanation) >
         std::tie(b.norm.reason, b.norm.explanation);
}

void Planner::decideScalar(Value scalar) {
  Value reduction = getReduction(scalar);
  RejectionOr<PlannedNorm> norm = decideAt(scalar);
  Rejection rejection = norm.takeRejection();
  if (rejection.id == Rejection::NoCandidate)
    return;
  llvm::SetVector<Value> parts = collectParts(scalar);
  // A part of a rejected candidate would be another function of x.
  if (norm || rejection.getReason() == RejectionReason::WeightNotOverDims)
    taken.insert_range(parts);
  if (norm) {
    hasNorm.insert(reduction);
    found.insert({scalar, std::move(*norm)});
    return;
  }
  PlannedRejection described =
      describe(scalar.getDefiningOp()->getParentOp(), std::move(rejection));
  auto [it, isFirst] = rejected.insert({reduction, described});
  // Of candidates that are not parts of others, the order says nothing.
  if (!isFirst && !isPart.contains(scalar) && isLater(described, it->second))
    it->second = std::move(described);
  isPart.insert_range(parts);
}

/// Returns a part of the norm, or its tensor, that is used by anything but
/// norms of this statistic; null if there is none.
Value Planner::findShared(Value scalar,
                          const llvm::DenseSet<Operation *> &readers) const {
  llvm::SetVector<Value> parts = collectParts(scalar);
  auto isOther = [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<linalg::YieldOp>(user)) {
      Value tensor = user->getParentOp()->getResult(use.getOperandNumber());
      return !parts.contains(tensor) && !tensor.use_empty();
    }
    return !isa<tensor::DimOp>(user) && !readers.contains(user);
  };
  for (Value part : parts) {
    if (!part.getDefiningOp() || !llvm::any_of(part.getUses(), isOther))
      continue;
    // A body that only moves elements (a transposition) yields an argument.
    while (isa<BlockArgument>(part) || part.getDefiningOp<linalg::LinalgOp>())
      part = getSources(part).front();
    if (isa<linalg::LinalgOp>(part.getDefiningOp()->getParentOp()))
      return part;
  }
  return {};
}

/// Keeps only the norm z of y = w * z if z has other users: two norms would
/// compute z twice, and one for y would keep the chain of z alive.
void Planner::resolve() {
  llvm::DenseMap<Value, llvm::DenseSet<Operation *>> readers; // by reduction
  for (const auto &[scalar, norm] : found) {
    auto &ops = readers[getReduction(scalar)];
    ops.insert(norm.op);
    ops.insert(scalar.getDefiningOp());
    for (Value part : collectParts(scalar))
      ops.insert(part.getDefiningOp());
  }
  llvm::MapVector<Value, PlannedNorm> resolved;
  for (auto &[scalar, norm] : found) {
    Value part = findShared(scalar, readers[getReduction(scalar)]);
    RejectionOr<PlannedNorm> inner =
        part ? decideAt(part) : reject(Rejection::NoCandidate);
    if (!inner)
      resolved.insert({scalar, std::move(norm)});
    else if (!found.contains(part))
      resolved.insert({part, std::move(*inner)});
  }
  found = std::move(resolved);
}

/// Adds gradients, in program order. A statistic of one has its norm.
void Planner::planGradients(Plan &plan) {
  auto site = [&](Value scalar, Value sum) { return getSite(scalar, sum); };
  GradientPlanner gradients(reader, laws, flow, dominance, rounding, site);
  gradients.run();
  // The products that a dw sums are no norm with dy as its weight.
  llvm::DenseSet<Operation *> sums;
  for (const PlannedNorm &norm : gradients.norms)
    if (OpResult dw = norm.gradient->dw;
        dw && dw.getOwner()->getNumResults() == 1)
      sums.insert(dw.getOwner());
  llvm::erase_if(plan.norms, [&](const PlannedNorm &norm) {
    return sums.contains(norm.op);
  });
  for (PlannedNorm &norm : gradients.norms) {
    hasNorm.insert_range(norm.gradient->statistics);
    plan.norms.push_back(std::move(norm));
  }
  hasNorm.insert_range(gradients.sums);
  // What is not a gradient is not a norm that the sum scales, either.
  for (auto &[sum, rejection] : gradients.rejected)
    rejected.insert_or_assign(
        sum, describe(rejection.first, std::move(rejection.second)));
}

/// Reports roots that do not scale anything as in a norm.
void Planner::reportRoots(Plan &plan) {
  for (const auto &[op, root] : flow.roots) {
    bool isKnown = llvm::any_of(op->getResults(), [&](Value result) {
      return hasNorm.contains(result) || rejected.contains(result);
    });
    if (!root.reduction && !isKnown)
      plan.rootsOfOthers.push_back(
          describe(op, reject(Rejection::RootOfOther)));
    else if (root.reduction && root.hasSquares)
      rejected.insert(
          {root.reduction, describe(op, reject(Rejection::NotScaled))});
  }
  for (Operation *op : flow.rootsOnBuffers)
    plan.rejected.push_back(describe(op, reject(Rejection::OnBuffers)));
}

Plan Planner::run() {
  // The last op contains most of a norm, and its last scalar has the weight. A
  // norm with a weight from the program is preferred to one whose weight must
  // be computed.
  for (Weights each : {Weights::Single, Weights::Joined}) {
    weights = each;
    rejected.clear();
    isPart.clear();
    for (Value scalar : llvm::reverse(flow.candidates))
      if (!taken.contains(scalar) && (weights == Weights::Single ||
                                      !hasNorm.contains(getReduction(scalar))))
        decideScalar(scalar);
  }
  resolve();
  Plan plan;
  for (Value scalar : flow.candidates)
    if (auto *it = found.find(scalar); it != found.end())
      plan.norms.push_back(std::move(it->second));
  planGradients(plan);
  reportRoots(plan);
  for (auto &[reduction, norm] : llvm::reverse(rejected))
    if (!hasNorm.contains(reduction))
      plan.rejected.push_back(std::move(norm));
  plan.context = std::move(context);
  return plan;
}

Plan norm::makePlan(Operation *scope, Rounding rounding) {
  return Planner(scope, rounding).run();
}
