//===- VectorizeRows.cpp - strip-mined vector loops over rows -------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowEmitter.h"
#include "RowGroups.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "norm/Rows/Passes.h"
#include "llvm/ADT/MapVector.h"
#include <deque>

namespace mlir::norm {
#define GEN_PASS_DEF_NORMVECTORIZEROWS
#include "norm/Rows/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using linalg::LinalgOp;
using norm::RowEmitter;
using norm::RowMatch;

std::optional<int64_t> norm::getUpperBound(OpFoldResult v) {
  if (std::optional<int64_t> constant = getConstantIntValue(v))
    return constant;
  FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB, v, /*stopCondition=*/nullptr,
      /*closedUB=*/true);
  return succeeded(bound) ? std::optional<int64_t>(*bound) : std::nullopt;
}

/// Returns the schedule of the loop around `op`; null if threads share none.
static norm::GPUScheduleAttr findSchedule(Operation *op) {
  norm::GPUScheduleAttr schedule;
  while (!schedule && (op = op->getParentOp()))
    schedule = norm::getSchedule(op);
  return schedule;
}

RowEmitter::RowEmitter(IRRewriter &b, LinalgOp op, RowMatch match,
                       norm::RowValues &values)
    : b(op.getLoc(), b), op(op), match(std::move(match)), values(values),
      target(norm::getRowTarget(op)) {
  if (norm::GPUScheduleAttr schedule = findSchedule(op)) {
    lanes = tail = schedule.getLanes();
    distributed = true;
    // A loop over rows adds one after the other.
    if (isa<scf::ForOp>(op->getParentOp()))
      this->match.columns.clear();
    return;
  }
  norm::RowPlanAttr plan = norm::planStrips(norm::findPlan(op), target);
  lanes = plan.getLanes();
  tail = plan.getTailLanes();
  if (isShortRowOfColumns())
    lanes *= 2;
}

/// Keeps a row as a vector if one op writes it and the next one reads it under
/// the same mask.
// Upstream: LLVM 22.1: transfer_read folds so only without masks; goes when it
// compares masks.
static LogicalResult forwardMaskedRow(vector::TransferReadOp read,
                                      PatternRewriter &rewriter) {
  auto write = read.getBase().getDefiningOp<vector::TransferWriteOp>();
  if (!write || !read.getMask() || read.getMask() != write.getMask() ||
      read.getIndices() != write.getIndices() ||
      read.getVectorType() != write.getVectorType() ||
      read.getPermutationMap() != write.getPermutationMap() ||
      !isa<RankedTensorType>(read.getBase().getType()))
    return rewriter.notifyMatchFailure(read, "not of what was written");
  Value padding = vector::BroadcastOp::create(
      rewriter, read.getLoc(), read.getVectorType(), read.getPadding());
  rewriter.replaceOpWithNewOp<arith::SelectOp>(read, read.getMask(),
                                               write.getVector(), padding);
  return success();
}

void norm::populateForwardMaskedRows(RewritePatternSet &patterns) {
  patterns.add(forwardMaskedRow);
}

static void replace(RewriterBase &rewriter, LinalgOp op, ValueRange results) {
  if (op.hasPureBufferSemantics())
    rewriter.eraseOp(op);
  else
    rewriter.replaceOp(op, results);
}

static void emitBlock(IRRewriter &rewriter, Block &block,
                      ArrayRef<LinalgOp> ops) {
  norm::RowValues values(block);
  std::deque<RowEmitter> emitters;
  llvm::SmallPtrSet<Operation *, 8> dead;
  for (LinalgOp op : ops)
    if (std::optional<RowMatch> match = norm::matchRow(op)) {
      emitters.emplace_back(rewriter, op, std::move(*match), values);
      emitters.back().prepare();
      dead.insert_range(emitters.back().getForwarded());
    }
  Operation *next = &block.front();
  for (RowEmitter &emitter : emitters) {
    LinalgOp op = emitter.getOp();
    for (; next != op; next = next->getNextNode())
      values.forgetWrites(next);
    next = op->getNextNode();
    if (!dead.contains(op))
      replace(rewriter, op, emitter.run());
    else
      rewriter.eraseOp(op);
  }
  values.eraseUnread(rewriter);
}

/// Hoists what all rows read in one piece, such as a weight, out of loops over
/// rows that do not write it. Tensors that the loop writes are others.
static void hoistReads(scf::ForOp loop) {
  std::optional<norm::LoopRole> role = norm::getRole(loop);
  if (role != norm::LoopRole::Rows && role != norm::LoopRole::Block)
    return;
  moveLoopInvariantCode(
      {&loop.getRegion()},
      [&](Value v, Region *) { return loop.isDefinedOutsideOfLoop(v); },
      [&](Operation *op, Region *) {
        if (auto read = dyn_cast<vector::TransferReadOp>(op))
          return norm::isNotWritten(read.getBase(), loop);
        if (auto load = dyn_cast<memref::LoadOp>(op))
          return norm::isNotWritten(load.getMemRef(), loop);
        return isMemoryEffectFree(op) && isSpeculatable(op);
      },
      [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
}

static LogicalResult forwardMaskedRows(Operation *scope) {
  RewritePatternSet patterns(scope->getContext());
  norm::populateForwardMaskedRows(patterns);
  vector::CreateMaskOp::getCanonicalizationPatterns(patterns,
                                                    scope->getContext());
  // Equal masks must become one value before.
  IRRewriter rewriter(scope->getContext());
  DominanceInfo dominance(scope);
  eliminateCommonSubExpressions(rewriter, dominance, scope);
  return applyPatternsGreedily(scope, std::move(patterns));
}

LogicalResult norm::emitRows(Operation *scope, RowWorkers workers) {
  narrowTemporaries(scope);
  llvm::MapVector<Block *, SmallVector<LinalgOp>> ops;
  scope->walk([&](LinalgOp op) {
    if (workers != RowWorkers::GPU || findSchedule(op))
      ops[op->getBlock()].push_back(op);
  });
  IRRewriter rewriter(scope->getContext());
  for (auto &[block, opsOfBlock] : ops)
    emitBlock(rewriter, *block, opsOfBlock);
  scope->walk([](scf::ForOp loop) { hoistReads(loop); });
  return forwardMaskedRows(scope);
}

namespace {
struct NormVectorizeRows
    : norm::impl::NormVectorizeRowsBase<NormVectorizeRows> {
  using NormVectorizeRowsBase::NormVectorizeRowsBase;

  void runOnOperation() override {
    if (failed(norm::emitRows(getOperation(), scheduled
                                                  ? norm::RowWorkers::GPU
                                                  : norm::RowWorkers::Thread)))
      signalPassFailure();
  }
};
} // namespace
