//===- MergeAllReduces.cpp - one collective for sums of the same ranks ----===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A collective of a few bytes per row costs its latency, so two that are ready
// at the same time cost twice as much as one with the operands of both.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/RegionUtils.h"
#include "norm/Distributed/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMMERGEALLREDUCES
#include "norm/Distributed/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using shard::AllReduceOp;

/// Returns true if the op's tensors can be laid end to end with others.
static bool canConcatenate(AllReduceOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getInput().getType());
  return type && type.getRank() > 0 && !type.getEncoding();
}

/// Returns true if one collective can do what both do.
static bool areAlike(AllReduceOp a, AllReduceOp b) {
  if (a.getGridAttr() != b.getGridAttr() ||
      a.getGridAxes() != b.getGridAxes() ||
      a.getReduction() != b.getReduction())
    return false;
  auto aType = cast<RankedTensorType>(a.getInput().getType());
  auto bType = cast<RankedTensorType>(b.getInput().getType());
  auto aResult = cast<RankedTensorType>(a.getType());
  auto bResult = cast<RankedTensorType>(b.getType());
  ArrayRef<int64_t> rows = aType.getShape().drop_front();
  return aType.getElementType() == bType.getElementType() &&
         aResult.getElementType() == bResult.getElementType() &&
         rows == bType.getShape().drop_front() &&
         !ShapedType::isDynamicShape(rows);
}

/// Replaces the ops by one, at the first, which all inputs dominate.
static LogicalResult mergeAtFirst(ArrayRef<AllReduceOp> ops) {
  AllReduceOp first = ops.front();
  ImplicitLocOpBuilder b(first.getLoc(), first);
  auto inputs = llvm::map_to_vector(
      ops, [](AllReduceOp op) -> Value { return op.getInput(); });
  auto concat = tensor::ConcatOp::create(b, /*dim=*/0, inputs);
  auto parts = concat.decomposeOperation(b);
  if (failed(parts))
    return failure();
  auto type = cast<RankedTensorType>(parts->front().getType())
                  .clone(getElementTypeOrSelf(first.getType()));
  auto all = AllReduceOp::create(b, TypeRange(type), parts->front(),
                                 first->getAttrs());
  concat.erase();

  OpFoldResult begin = b.getIndexAttr(0);
  for (AllReduceOp op : ops) {
    auto sizes = tensor::getMixedSizes(b, b.getLoc(), op.getInput());
    SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
    offsets.front() = begin;
    Value part = tensor::ExtractSliceOp::create(
        b, cast<RankedTensorType>(op.getType()), all.getResult(), offsets,
        sizes, strides);
    begin = affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), b.getAffineDimExpr(0) + b.getAffineDimExpr(1),
        {begin, sizes.front()});
    op.getResult().replaceAllUsesWith(part);
  }
  for (AllReduceOp op : ops)
    op.erase();
  return success();
}

namespace {
struct NormMergeAllReduces
    : norm::impl::NormMergeAllReducesBase<NormMergeAllReduces> {
  void runOnOperation() override {
    getOperation()->walk([&](Block *block) { mergeIn(*block); });
  }

private:
  void mergeIn(Block &block) {
    auto pending =
        llvm::filter_to_vector(block.getOps<AllReduceOp>(), canConcatenate);
    IRRewriter rewriter(&getContext());
    while (!pending.empty()) {
      SmallVector<AllReduceOp> group, rest;
      for (AllReduceOp op : pending)
        (canJoin(rewriter, group, op) ? group : rest).push_back(op);
      if (group.size() > 1 && failed(mergeAtFirst(group)))
        return signalPassFailure();
      pending = std::move(rest);
    }
  }

  /// Returns true if the op does what the group does, and its input does not
  /// wait for the group; moves the computation of the input ahead of it.
  static bool canJoin(RewriterBase &rewriter, ArrayRef<AllReduceOp> group,
                      AllReduceOp op) {
    if (group.empty())
      return true;
    return areAlike(group.front(), op) &&
           succeeded(
               moveValueDefinitions(rewriter, op.getInput(), group.front()));
  }
};
} // namespace
