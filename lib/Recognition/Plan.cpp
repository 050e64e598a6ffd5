//===- Plan.cpp - decide about every candidate ----------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"
#include "Match.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::row;

namespace {
/// A scalar that is a norm, and what of the program computes it from x and r.
struct Found {
  PlannedNorm norm;
  Value reduction;
  llvm::SetVector<Value> parts; // scaled by r, but not the result
};

class Planner {
public:
  Planner(Operation *scope, Rounding rounding)
      : flow(scope), rounding(rounding),
        context(std::make_unique<Context>(scope->getContext())),
        reader(*context, [this](Value value) { return flow.isOpen(value); }) {}

  Plan run();

private:
  void decideOp(Operation *op, ArrayRef<Value> scalars);
  void decideScalar(linalg::LinalgOp op, Value scalar);
  Attempt<PlannedNorm> decideAt(linalg::LinalgOp op, Value scalar);
  std::optional<Site> getSite(linalg::LinalgOp op, Value scalar);
  llvm::SetVector<Value> collectParts(Value scalar, Value reduction) const;
  void resolve();
  Value findShared(const Found &norm,
                   const llvm::DenseSet<Operation *> &readers) const;
  void reportRoots(Plan &plan);
  void note(Value reduction, Operation *op, Rejection rejection);

  FlowAnalysis flow;
  DominanceInfo dominance;
  Rounding rounding;
  Weights weights = Weights::Single;
  std::unique_ptr<Context> context;
  Reader reader;
  std::vector<Found> found;
  /// Scalars that no norm may end at: parts of one, or of what was refused as a
  /// whole.
  llvm::DenseSet<Value> taken;
  llvm::DenseSet<Value> hasNorm;                  // reductions
  llvm::MapVector<Value, PlannedRefusal> refused; // by reduction
};
} // namespace

//===----------------------------------------------------------------------===//
// Where a candidate is
//===----------------------------------------------------------------------===//

/// The loops that the operands of `scalar` walk along.
static llvm::SmallBitVector getLoops(linalg::LinalgOp op, Value scalar) {
  llvm::SmallBitVector loops(op.getNumLoops());
  llvm::SmallSetVector<Value, 16> worklist;
  worklist.insert(scalar);
  for (size_t i = 0; i < worklist.size(); ++i) {
    Value next = worklist[i];
    Operation *producer = next.getDefiningOp();
    auto argument = dyn_cast<BlockArgument>(next);
    if (argument && argument.getOwner() == op.getBlock()) {
      AffineMap map =
          op.getMatchingIndexingMap(op.getMatchingOpOperand(argument));
      map.walkExprs([&](AffineExpr expr) {
        if (auto dim = dyn_cast<AffineDimExpr>(expr))
          loops.set(dim.getPosition());
      });
    } else if (producer && producer->getBlock() == op.getBlock()) {
      if (auto index = dyn_cast<linalg::IndexOp>(producer))
        loops.set(index.getDim());
      worklist.insert_range(producer->getOperands());
    }
  }
  return loops;
}

/// The scalar that the body of a linalg op yields for `result`.
static Value getYielded(OpResult result) {
  return cast<linalg::LinalgOp>(result.getOwner())
      .getBlock()
      ->getTerminator()
      ->getOperand(result.getResultNumber());
}

/// The space is that of the op's result; where the op reduces, as a matrix
/// product that a norm was fused into, the loops that the scalar depends on.
std::optional<Site> Planner::getSite(linalg::LinalgOp op, Value scalar) {
  const Body *body = reader.readBody(op);
  const Node *node = body->values.lookup(scalar);
  if (!node || !op.hasPureTensorSemantics())
    return std::nullopt;
  bool reduces = op.getNumReductionLoops() > 0;
  MLIRContext *mlir = op->getContext();
  OpResult result = op->getResult(0);
  for (OpResult each : op->getResults())
    if (getYielded(each) == scalar)
      result = each;
  AffineMap map = op.getIndexingMapMatchingResult(result);
  if (reduces) {
    llvm::SmallBitVector loops = getLoops(op, scalar);
    map = AffineMap::getFilteredIdentityMap(
        mlir, op.getNumLoops(),
        [&](AffineDimExpr loop) { return loops.test(loop.getPosition()); });
  }
  Site site{reader, flow, dominance, rounding, weights, body,
            scalar, node, {},        {},       map};
  site.reduction = flow.lookup(scalar).reduction;
  llvm::SmallBitVector seen(op.getNumLoops());
  for (auto [i, expr] : llvm::enumerate(map.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    // Where a constant tells the place, that is all of a unit dimension.
    if (!loop && (expr != getAffineConstantExpr(0, mlir) ||
                  cast<RankedTensorType>(result.getType()).getDimSize(i) != 1))
      return std::nullopt;
    auto index = loop ? dyn_cast<AffineDimExpr>(body->loops[loop.getPosition()])
                      : AffineDimExpr(nullptr);
    site.space.push_back(index ? index.getPosition()
                               : context->addVariable(/*extent=*/1));
    if (loop)
      seen.set(loop.getPosition());
  }
  // A loop that the result does not see must have one iteration.
  if (!reduces)
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (!seen.test(loop) && op.getStaticLoopRanges()[loop] != 1)
        return std::nullopt;
  return site;
}

Attempt<PlannedNorm> Planner::decideAt(linalg::LinalgOp op, Value scalar) {
  std::optional<Site> site = getSite(op, scalar);
  return site ? decide(*site) : reject(Why::NoCandidate);
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// What a scalar of a body, or a tensor, is computed from in one step.
static SmallVector<Value> getSources(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto op = dyn_cast<linalg::LinalgOp>(argument.getOwner()->getParentOp());
    return op ? SmallVector<Value>{op.getMatchingOpOperand(argument)->get()}
              : SmallVector<Value>();
  }
  Operation *producer = value.getDefiningOp();
  if (isa<linalg::LinalgOp>(producer))
    return {getYielded(cast<OpResult>(value))};
  return llvm::to_vector(producer->getOperands());
}

/// Scalars and tensors that are scaled by the same statistic, and that `scalar`
/// is computed from; those of other ops by the tensors between.
llvm::SetVector<Value> Planner::collectParts(Value scalar,
                                             Value reduction) const {
  llvm::SetVector<Value> parts;
  SmallVector<Value> worklist{scalar};
  while (!worklist.empty())
    for (Value source : getSources(worklist.pop_back_val())) {
      Flow each = flow.lookup(source);
      if (each.isScaled() && each.reduction == reduction &&
          parts.insert(source))
        worklist.push_back(source);
    }
  return parts;
}

//===----------------------------------------------------------------------===//
// Decisions
//===----------------------------------------------------------------------===//

static PlannedRefusal describe(Operation *op, Rejection rejection) {
  return {op->getParentOfType<FunctionOpInterface>(),
          {op->getLoc(), getReason(rejection.why),
           std::move(rejection.explanation)}};
}

void Planner::note(Value reduction, Operation *op, Rejection rejection) {
  if (rejection.why == Why::NoCandidate)
    return;
  refused.insert({reduction, describe(op, std::move(rejection))});
}

void Planner::decideScalar(linalg::LinalgOp op, Value scalar) {
  Value reduction = flow.lookup(scalar).reduction;
  Attempt<PlannedNorm> norm = decideAt(op, scalar);
  if (norm) {
    Found each{std::move(*norm), reduction, collectParts(scalar, reduction)};
    taken.insert_range(each.parts);
    hasNorm.insert(reduction);
    found.push_back(std::move(each));
    return;
  }
  // A part of it would be another function of x than the whole.
  if (getReason(norm.getRejection().why) == Refusal::WeightNotOverDims)
    taken.insert_range(collectParts(scalar, reduction));
  note(reduction, op, std::move(norm.getRejection()));
}

/// From the last scalar on, which sees a norm with its weight before its
/// unweighted part.
void Planner::decideOp(Operation *op, ArrayRef<Value> scalars) {
  for (Value scalar : llvm::reverse(scalars))
    if (!taken.contains(scalar) &&
        (weights == Weights::Single ||
         !hasNorm.contains(flow.lookup(scalar).reduction)))
      decideScalar(cast<linalg::LinalgOp>(op), scalar);
}

/// A scalar among the parts of the norm that something else than norms of this
/// statistic uses, or the tensor that holds it; null where there is none.
Value Planner::findShared(const Found &norm,
                          const llvm::DenseSet<Operation *> &readers) const {
  auto isOther = [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<linalg::YieldOp>(user)) {
      Value tensor = user->getParentOp()->getResult(use.getOperandNumber());
      return !norm.parts.contains(tensor) && !tensor.use_empty();
    }
    return !isa<tensor::DimOp>(user) && !readers.contains(user);
  };
  for (Value part : norm.parts) {
    Operation *producer = part.getDefiningOp();
    if (!producer || !llvm::any_of(part.getUses(), isOther))
      continue;
    if (isa<linalg::LinalgOp>(producer))
      return getYielded(cast<OpResult>(part));
    if (isa<linalg::LinalgOp>(producer->getParentOp()))
      return part;
  }
  return {};
}

/// y = w * z, where z has other users and is a norm itself, is a product of
/// that norm: two norms would compute z twice, one would leave its chain alive.
void Planner::resolve() {
  llvm::DenseMap<Value, llvm::DenseSet<Operation *>> readers;
  llvm::DenseSet<Value> scalars;
  for (const Found &each : found) {
    scalars.insert(each.norm.scalar);
    auto &ops = readers[each.reduction];
    ops.insert(each.norm.op);
    ops.insert(each.norm.scalar.getDefiningOp());
    for (Value part : each.parts)
      if (Operation *op = part.getDefiningOp())
        ops.insert(op);
  }
  std::vector<Found> resolved;
  for (Found &each : found) {
    Value part = findShared(each, readers[each.reduction]);
    Attempt<PlannedNorm> norm = reject(Why::NoCandidate);
    if (part)
      norm = decideAt(
          cast<linalg::LinalgOp>(part.getDefiningOp()->getParentOp()), part);
    if (!norm)
      resolved.push_back(std::move(each));
    else if (scalars.insert(part).second)
      resolved.push_back({std::move(*norm), each.reduction,
                          collectParts(part, each.reduction)});
  }
  found = std::move(resolved);
}

/// What takes a root and was not found to scale anything as a norm does.
void Planner::reportRoots(Plan &plan) {
  for (const auto &[op, root] : flow.getRoots()) {
    bool isKnown = llvm::any_of(op->getResults(), [&](Value result) {
      return hasNorm.contains(result) || refused.contains(result);
    });
    if (!root.reduction && !isKnown)
      plan.rootsOfOthers.push_back(describe(op, reject(Why::RootOfOther)));
    else if (root.reduction && root.hasSquares)
      note(root.reduction, op, reject(Why::NotScaled));
  }
  for (Operation *op : flow.getRootsOnBuffers())
    plan.refused.push_back(describe(op, reject(Why::OnBuffers)));
}

Plan Planner::run() {
  const FlowAnalysis::Candidates &candidates = flow.getCandidates();
  // The last op first, which sees most of a norm. A norm with a weight that the
  // program has is better than one whose weight is to be computed.
  for (Weights each : {Weights::Single, Weights::Joined}) {
    weights = each;
    refused.clear();
    for (const auto &[op, scalars] : llvm::reverse(candidates))
      decideOp(op, scalars);
  }
  resolve();
  Plan plan;
  reportRoots(plan);
  llvm::DenseMap<Value, size_t> numbers;
  for (const auto &[op, scalars] : candidates)
    for (Value scalar : scalars)
      numbers.try_emplace(scalar, numbers.size());
  llvm::sort(found, [&](const Found &a, const Found &b) {
    return numbers.at(a.norm.scalar) < numbers.at(b.norm.scalar);
  });
  for (Found &each : found)
    plan.norms.push_back(std::move(each.norm));
  for (auto &[reduction, norm] : llvm::reverse(refused))
    if (!hasNorm.contains(reduction))
      plan.refused.push_back(std::move(norm));
  plan.context = std::move(context);
  return plan;
}

Plan norm::makePlan(Operation *scope, Rounding rounding) {
  return Planner(scope, rounding).run();
}
