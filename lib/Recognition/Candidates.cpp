//===- Candidates.cpp - where a norm may end
//--------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Candidates.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::norm;

namespace {
/// What a value has to do with a reduction before it.
struct Flow {
  unsigned statistic = 0; // number of the last reduction; 0: none
  /// Ops that may still follow; a pure function of statistics has no limit.
  unsigned hops = 0;
};

class Walker {
public:
  void visit(Operation *op);
  SmallVector<linalg::LinalgOp> takeCandidates();
  SmallVector<linalg::LinalgOp> takeRootsOfOthers() {
    return std::move(rootsOfOthers);
  }

private:
  static constexpr unsigned kHops = 6, kStatistic = ~0u;
  void visitLinalg(linalg::LinalgOp op);
  bool isNeutral(Value value) const;

  llvm::DenseMap<Value, Flow> flows;
  llvm::DenseSet<Value> neutral; // computed from constants alone
  unsigned numReductions = 0;
  SmallVector<std::pair<unsigned, linalg::LinalgOp>> found;
  SmallVector<linalg::LinalgOp> rootsOfOthers;
};
} // namespace

bool norm::hasRoot(linalg::LinalgOp op) {
  return llvm::any_of(*op.getBlock(), [](Operation &each) {
    return isa<math::RsqrtOp, math::SqrtOp>(each);
  });
}

bool Walker::isNeutral(Value value) const {
  Operation *op = value.getDefiningOp();
  return neutral.contains(value) ||
         (op && (op->hasTrait<OpTrait::ConstantLike>() ||
                 !isa<TensorType>(value.getType())));
}

void Walker::visit(Operation *op) {
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return visitLinalg(linalgOp);
  if (isa<tensor::EmptyOp>(op)) {
    neutral.insert(op->getResult(0));
  } else if (isa<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                 tensor::ExtractSliceOp>(op)) {
    Value source = op->getOperand(0);
    if (auto it = flows.find(source); it != flows.end())
      flows[op->getResult(0)] = Flow(it->second);
    if (isNeutral(source))
      neutral.insert(op->getResult(0));
  } else if (isa<tensor::FromElementsOp, tensor::SplatOp>(op)) {
    neutral.insert(op->getResult(0));
  }
}

void Walker::visitLinalg(linalg::LinalgOp op) {
  SmallVector<Value> operands(op->getOperands());
  op.getBlock()->walk([&](tensor::ExtractOp extract) {
    operands.push_back(extract.getTensor());
  });
  Flow flow;
  bool areNeutral = true, isStatistic = true;
  for (Value operand : operands) {
    auto it = flows.find(operand);
    bool isPlain = it == flows.end();
    if (isPlain || it->second.hops != kStatistic)
      isStatistic &= isNeutral(operand);
    areNeutral &= isPlain && isNeutral(operand);
    if (isPlain)
      continue;
    flow.statistic = std::max(flow.statistic, it->second.statistic);
    flow.hops = std::max(flow.hops, it->second.hops);
  }
  if (flow.statistic)
    found.push_back({flow.statistic, op});
  else if (!areNeutral && op.hasPureTensorSemantics() && hasRoot(op))
    rootsOfOthers.push_back(op);
  if (op.getNumReductionLoops() > 0)
    flow = {++numReductions, kStatistic};
  else if (flow.hops == kStatistic && !isStatistic)
    flow.hops = kHops;
  else if (flow.hops != kStatistic && flow.hops > 0)
    --flow.hops;
  for (Value result : op->getResults()) {
    if (flow.statistic && flow.hops)
      flows[result] = flow;
    if (areNeutral)
      neutral.insert(result);
  }
}

SmallVector<linalg::LinalgOp> Walker::takeCandidates() {
  SmallVector<unsigned> order =
      llvm::to_vector(llvm::seq<unsigned>(found.size()));
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return found[a].first != found[b].first ? found[a].first < found[b].first
                                            : a > b;
  });
  return llvm::map_to_vector(order,
                             [&](unsigned i) { return found[i].second; });
}

SmallVector<linalg::LinalgOp> norm::collectCandidates(Operation *scope) {
  Walker walker;
  scope->walk<WalkOrder::PreOrder>([&](Operation *op) { walker.visit(op); });
  return walker.takeCandidates();
}

SmallVector<linalg::LinalgOp> norm::collectRootsOfOthers(Operation *scope) {
  Walker walker;
  scope->walk<WalkOrder::PreOrder>([&](Operation *op) { walker.visit(op); });
  return walker.takeRootsOfOthers();
}

/// The loops that each value of the body depends on.
static llvm::DenseMap<Value, llvm::SmallBitVector>
collectLoops(linalg::LinalgOp op) {
  llvm::DenseMap<Value, llvm::SmallBitVector> loops;
  unsigned numLoops = op.getNumLoops();
  for (OpOperand &operand : op->getOpOperands()) {
    llvm::SmallBitVector used(numLoops, op.isDpsInit(&operand));
    op.getMatchingIndexingMap(&operand).walkExprs([&](AffineExpr expr) {
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        used.set(dim.getPosition());
    });
    loops[op.getMatchingBlockArgument(&operand)] = used;
  }
  for (Operation &each : op.getBlock()->without_terminator()) {
    // What holds regions may read anything.
    llvm::SmallBitVector used(numLoops, each.getNumRegions() > 0);
    if (auto index = dyn_cast<linalg::IndexOp>(each))
      used.set(index.getDim());
    for (Value operand : each.getOperands())
      if (auto it = loops.find(operand); it != loops.end())
        used |= it->second;
    for (Value value : each.getResults())
      loops[value] = used;
  }
  return loops;
}

SmallVector<BodyCandidates> norm::collectBodyCandidates(OpResult result) {
  constexpr size_t kMaxLoopSets = 4; // of one body; each is read by itself
  auto op = cast<linalg::LinalgOp>(result.getOwner());
  bool reduces = op.getNumReductionLoops() > 0;
  llvm::SmallBitVector all(op.getNumLoops(), true);
  SmallVector<BodyCandidates> found(1, {all, {}});
  Operation *terminator = op.getBlock()->getTerminator();
  Value yielded = terminator->getOperand(result.getResultNumber());
  // What is only moved is found where it is computed.
  if (!reduces && yielded.getDefiningOp())
    found.front().scalars.push_back(yielded);
  llvm::DenseMap<Value, llvm::SmallBitVector> loops;
  if (reduces)
    loops = collectLoops(op);
  for (Operation &each : llvm::reverse(op.getBlock()->without_terminator()))
    for (Value scalar : each.getResults()) {
      if (!isa<FloatType>(scalar.getType()) || (scalar == yielded && !reduces))
        continue;
      const llvm::SmallBitVector &used = reduces ? loops[scalar] : all;
      auto *it = llvm::find_if(
          found, [&](const BodyCandidates &set) { return set.loops == used; });
      if (it == found.end() && found.size() == kMaxLoopSets)
        continue;
      if (it == found.end())
        it = found.insert(found.end(), {used, {}});
      it->scalars.push_back(scalar);
    }
  return found;
}
