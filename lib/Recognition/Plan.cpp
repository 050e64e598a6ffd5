//===- Plan.cpp - decide about every candidate ----------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::row;

//===----------------------------------------------------------------------===//
// Places of candidates
//===----------------------------------------------------------------------===//

Program::Program(Operation *scope, Rounding rounding)
    : flow(scope), rounding(rounding),
      context(std::make_unique<Context>(scope->getContext())),
      reader(*context, [this](Value value) { return flow.isOpen(value); }),
      laws(*context) {}

Site Program::getSite(const Body *body, AffineMap map, Value scalar,
                      const Node *node, Value reduction, Weights weights) {
  SmallVector<unsigned> space;
  for (AffineExpr expr : map.getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    auto index = loop ? dyn_cast<AffineDimExpr>(body->loops[loop.getPosition()])
                      : AffineDimExpr(nullptr);
    space.push_back(index ? index.getPosition()
                          : context->addVariable(/*extent=*/1));
  }
  return {reader, laws,   flow, dominance, rounding,         weights,
          body,   scalar, node, reduction, std::move(space), map};
}

/// Returns the map from the loops of `op` to those that `scalar` depends on.
static AffineMap getLoops(linalg::LinalgOp op, Value scalar) {
  MLIRContext *context = op->getContext();
  unsigned numLoops = op.getNumLoops();
  SmallVector<AffineMap> maps{AffineMap::get(numLoops, 0, context)};
  for (Value source : collectSources(scalar, [&](Value each) {
         return each.getParentBlock() == op.getBlock();
       })) {
    if (auto argument = dyn_cast<BlockArgument>(source))
      maps.push_back(
          op.getMatchingIndexingMap(op.getMatchingOpOperand(argument)));
    else if (auto index = source.getDefiningOp<linalg::IndexOp>())
      maps.push_back(AffineMap::get(numLoops, 0,
                                    getAffineDimExpr(index.getDim(), context)));
  }
  return AffineMap::getMultiDimIdentityMap(numLoops, context)
      .dropResults(getUnusedDimsBitVector(maps));
}

std::optional<Site> Program::getSite(Value scalar, Value reduction,
                                     Weights weights) {
  auto op = cast<linalg::LinalgOp>(scalar.getDefiningOp()->getParentOp());
  const Body *body = reader.readBody(op);
  const Node *node = body->values.lookup(scalar);
  // A tensor within a body has elements of its own.
  if (!node || !isa<FloatType>(scalar.getType()))
    return std::nullopt;
  // A matrix product with a fused norm has that of the loops it depends on.
  if (op.getNumReductionLoops() > 0)
    return getSite(body, getLoops(op, scalar), scalar, node, reduction,
                   weights);
  OpResult result = op->getResult(0);
  for (OpResult each : op->getResults())
    if (getYielded(each) == scalar)
      result = each;
  AffineMap map = op.getIndexingMapMatchingResult(result);
  // A loop that the result does not depend on must have one iteration.
  for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges()))
    if (extent != 1 && !map.isFunctionOfDim(loop))
      return std::nullopt;
  // A constant index must be 0 and stand for a unit dimension.
  for (auto [i, expr] : llvm::enumerate(map.getResults()))
    if (!isa<AffineDimExpr>(expr) &&
        (expr != getAffineConstantExpr(0, op->getContext()) ||
         cast<RankedTensorType>(result.getType()).getDimSize(i) != 1))
      return std::nullopt;
  return getSite(body, map, scalar, node, reduction, weights);
}

Site Program::getSumSite(OpResult sum) {
  auto op = cast<linalg::LinalgOp>(sum.getOwner());
  const Body *body = reader.readBody(op);
  SmallVector<AffineExpr> indices;
  for (AffineExpr expr : op.getIndexingMapMatchingResult(sum).getResults())
    indices.push_back(expr.replaceDims(body->loops));
  return getSite(
      body,
      AffineMap::getMultiDimIdentityMap(op.getNumLoops(), op->getContext()),
      Value(), reader.read(sum, std::move(indices)), sum, Weights::Single);
}

//===----------------------------------------------------------------------===//
// Outcomes
//===----------------------------------------------------------------------===//

static PlannedRejection describe(Operation *op, Rejection rejection) {
  return {
      op->getParentOfType<FunctionOpInterface>(),
      {op->getLoc(), rejection.getReason(), std::move(rejection.explanation)}};
}

void Outcomes::reject(Value reduction, Operation *op, Rejection rejection) {
  if (rejection.id == Rejection::NoCandidate)
    return;
  auto &[known, kept] = rejected[reduction];
  if (known && std::tie(rejection.id, rejection.explanation) <=
                   std::tie(kept.id, kept.explanation))
    return;
  known = op;
  kept = std::move(rejection);
}

void Outcomes::override(Outcomes other) {
  accepted.insert_range(other.accepted);
  for (auto &[reduction, rejection] : other.rejected)
    rejected.insert_or_assign(reduction, std::move(rejection));
}

std::vector<PlannedRejection> Outcomes::takeRejections() {
  std::vector<PlannedRejection> taken;
  for (auto &[reduction, rejection] : llvm::reverse(rejected))
    if (!accepted.contains(reduction))
      taken.push_back(describe(rejection.first, std::move(rejection.second)));
  return taken;
}

//===----------------------------------------------------------------------===//
// Norms
//===----------------------------------------------------------------------===//

using NormsByScalar = llvm::MapVector<Value, PlannedNorm>;

/// Collects the scalars and tensors from which `scalar` is computed and which
/// the same statistic scales; tensors connect ops.
static llvm::SetVector<Value> collectParts(const FlowAnalysis &flow,
                                           Value scalar) {
  Value reduction = flow.lookup(scalar).reduction;
  return collectSources(scalar, [&](Value source) {
    Flow each = flow.lookup(source);
    return each.isScaled() && each.reduction == reduction;
  });
}

static RejectionOr<PlannedNorm> decideAt(Program &program, Value scalar,
                                         Weights weights) {
  std::optional<Site> site =
      program.getSite(scalar, program.flow.lookup(scalar).reduction, weights);
  if (!site)
    return reject(Rejection::NoCandidate);
  return decideWithinBounds(program.reader.getContext(),
                            [&] { return decide(*site); });
}

/// Decides about the scalars. The last op contains most of a norm, and its last
/// scalar has the weight. A norm with a weight from the program is preferred to
/// one whose weight must be computed.
static NormsByScalar findNorms(Program &program, Outcomes &outcomes) {
  NormsByScalar found;
  // Scalars at which no norm may end: parts of a norm, or of a candidate that
  // was rejected as a whole.
  llvm::DenseSet<Value> taken, rejected;
  auto decideScalar = [&](Value scalar, Weights weights) {
    Value reduction = program.flow.lookup(scalar).reduction;
    if (taken.contains(scalar) ||
        (weights == Weights::Joined && outcomes.isAccepted(reduction)))
      return;
    RejectionOr<PlannedNorm> norm = decideAt(program, scalar, weights);
    Rejection rejection = norm.takeRejection();
    if (rejection.id == Rejection::NoCandidate)
      return;
    llvm::SetVector<Value> parts = collectParts(program.flow, scalar);
    // A part of a rejected candidate would be another function of x.
    if (norm || rejection.getReason() == RejectionReason::WeightNotOverDims)
      taken.insert_range(parts);
    if (norm) {
      outcomes.accept(reduction);
      found.insert({scalar, std::move(*norm)});
    } else if (weights == Weights::Joined) {
      // Of candidates that are not parts of others, the order says nothing.
      if (!rejected.contains(scalar))
        outcomes.reject(reduction, scalar.getDefiningOp()->getParentOp(),
                        std::move(rejection));
      rejected.insert_range(parts);
    }
  };
  for (Weights weights : {Weights::Single, Weights::Joined})
    for (Value scalar : llvm::reverse(program.flow.candidates))
      decideScalar(scalar, weights);
  return found;
}

/// Returns a part of the norm, or its tensor, that is used by anything but
/// norms of this statistic; null if there is none.
static Value findShared(const llvm::SetVector<Value> &parts,
                        const llvm::DenseSet<Operation *> &readers) {
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
/// compute z twice, and one for y would keep the chain of z alive. Returns the
/// norms in program order.
static std::vector<PlannedNorm> resolve(Program &program, NormsByScalar found) {
  llvm::DenseMap<Value, llvm::DenseSet<Operation *>> readers; // by reduction
  for (const auto &[scalar, norm] : found) {
    auto &ops = readers[program.flow.lookup(scalar).reduction];
    ops.insert(norm.op);
    ops.insert(scalar.getDefiningOp());
    for (Value part : collectParts(program.flow, scalar))
      ops.insert(part.getDefiningOp());
  }
  llvm::DenseMap<Value, PlannedNorm> resolved;
  for (auto &[scalar, norm] : found) {
    Value part = findShared(collectParts(program.flow, scalar),
                            readers[program.flow.lookup(scalar).reduction]);
    RejectionOr<PlannedNorm> inner =
        part ? decideAt(program, part, Weights::Joined)
             : reject(Rejection::NoCandidate);
    if (!inner)
      resolved.insert({scalar, std::move(norm)});
    else if (!found.contains(part))
      resolved.insert({part, std::move(*inner)});
  }
  std::vector<PlannedNorm> norms;
  for (Value scalar : program.flow.candidates)
    if (auto it = resolved.find(scalar); it != resolved.end())
      norms.push_back(std::move(it->second));
  return norms;
}

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// Removes the products that a dw sums, which are no norm with dy as its
/// weight.
static void dropSummedProducts(std::vector<PlannedNorm> &norms,
                               ArrayRef<PlannedNorm> gradients) {
  llvm::DenseSet<Operation *> sums;
  for (const PlannedNorm &norm : gradients)
    if (OpResult dw = norm.gradient->dw;
        dw && dw.getOwner()->getNumResults() == 1)
      sums.insert(dw.getOwner());
  llvm::erase_if(
      norms, [&](const PlannedNorm &norm) { return sums.contains(norm.op); });
}

/// Reports roots that do not scale anything as in a norm.
static void reportRoots(const FlowAnalysis &flow, Outcomes &outcomes,
                        Plan &plan) {
  for (const auto &[op, root] : flow.roots) {
    bool isKnown = llvm::any_of(op->getResults(), [&](Value result) {
      return outcomes.isKnown(result);
    });
    if (!root.reduction && !isKnown)
      plan.rootsOfOthers.push_back(
          describe(op, reject(Rejection::RootOfOther)));
    else if (root.reduction && root.hasSquares &&
             !outcomes.isKnown(root.reduction))
      outcomes.reject(root.reduction, op, reject(Rejection::NotScaled));
  }
  for (Operation *op : flow.rootsOnBuffers)
    plan.rejected.push_back(describe(op, reject(Rejection::OnBuffers)));
}

Plan norm::makePlan(Operation *scope, Rounding rounding) {
  Program program(scope, rounding);
  Outcomes outcomes, ofGradients;
  Plan plan;
  plan.norms = resolve(program, findNorms(program, outcomes));
  std::vector<PlannedNorm> gradients =
      planGradients(program, plan.norms, ofGradients);
  dropSummedProducts(plan.norms, gradients);
  llvm::move(gradients, std::back_inserter(plan.norms));
  // What is not a gradient is not a norm that the sum scales, either.
  outcomes.override(std::move(ofGradients));
  reportRoots(program.flow, outcomes, plan);
  llvm::append_range(plan.rejected, outcomes.takeRejections());
  plan.context = std::move(program.context);
  return plan;
}
