//===- ExpandCollectives.cpp - collectives that MPI's dialect lacks -------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The mpi dialect has no gather, so each rank adds its part to the zeros of the
// others. Floats are added as integers: -0.0 + 0.0 is not -0.0. MPI_MAX of a
// number and a NaN is either, and that of two zeros is either, so the maximum
// of floats is that of integers with their order.
//
// Upstream: LLVM 22.1: convert-shard-to-mpi has no shard.all_gather and no
// shard.all_slice; goes when it has both.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/Dialect/Shard/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "norm/Distributed/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMEXPANDCOLLECTIVES
#include "norm/Distributed/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using shard::AllGatherOp;
using shard::AllReduceOp;

static LogicalResult gatherBySum(AllGatherOp op, PatternRewriter &rewriter) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  if (!type || !type.hasStaticShape() ||
      !type.getElementType().isIntOrFloat() ||
      type.getElementTypeBitWidth() % 8 != 0)
    return rewriter.notifyMatchFailure(op, "not static, or not of whole bytes");
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Type bits = b.getIntegerType(type.getElementTypeBitWidth());
  Value part = op.getOperand();
  auto partType = cast<RankedTensorType>(part.getType());
  if (bits != type.getElementType())
    part = arith::BitcastOp::create(b, partType.clone(bits), part);

  Value zero = arith::ConstantOp::create(b, b.getZeroAttr(bits));
  Value empty = tensor::EmptyOp::create(b, type.getShape(), bits);
  Value zeros = linalg::FillOp::create(b, zero, empty).getResult(0);
  int64_t dim = op.getGatherAxis().getSExtValue();
  SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
  offsets[dim] = affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), b.getAffineDimExpr(0) * partType.getDimSize(dim),
      {shard::createProcessLinearIndex(op.getGrid(), op.getGridAxes(), b)});
  Value own = tensor::InsertSliceOp::create(
      b, part, zeros, offsets, tensor::getMixedSizes(b, b.getLoc(), part),
      strides);
  Value all = AllReduceOp::create(b, own, op.getGrid(), op.getGridAxes(),
                                  shard::ReductionKind::Sum)
                  .getResult();
  if (bits != type.getElementType())
    all = arith::BitcastOp::create(b, type, all);
  rewriter.replaceOp(op, all);
  return success();
}

/// Maps bits of floats to integers with the order of the floats, and back.
static Value flipNegatives(ImplicitLocOpBuilder &b, Value bits) {
  auto type = cast<RankedTensorType>(bits.getType());
  unsigned width = type.getElementTypeBitWidth();
  auto getSplat = [&](const APInt &value) -> Value {
    return arith::ConstantOp::create(b, DenseElementsAttr::get(type, value));
  };
  Value signs =
      arith::ShRSIOp::create(b, bits, getSplat(APInt(width, width - 1)));
  Value flipped = arith::AndIOp::create(
      b, signs, getSplat(APInt::getSignedMaxValue(width)));
  return arith::XOrIOp::create(b, bits, flipped);
}

/// A NaN is the largest of a maximum, and the smallest of a minimum.
static LogicalResult reduceAsIntegers(AllReduceOp op,
                                      PatternRewriter &rewriter) {
  auto type = dyn_cast<RankedTensorType>(op.getType());
  bool isMax = op.getReduction() == shard::ReductionKind::Max;
  if (!type || type != op.getInput().getType() || !type.hasStaticShape() ||
      !(isMax || op.getReduction() == shard::ReductionKind::Min) ||
      !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(
          type.getElementType()))
    return rewriter.notifyMatchFailure(op, "no extremum of static floats");
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  auto element = cast<FloatType>(type.getElementType());
  auto nan = APFloat::getQNaN(element.getFloatSemantics(), !isMax);
  Value nans = arith::ConstantOp::create(b, DenseElementsAttr::get(type, nan));
  Value input = op.getInput();
  Value isNaN =
      arith::CmpFOp::create(b, arith::CmpFPredicate::UNO, input, input);
  input = arith::SelectOp::create(b, isNaN, nans, input);
  Type bits = type.clone(b.getIntegerType(type.getElementTypeBitWidth()));
  Value key = flipNegatives(b, arith::BitcastOp::create(b, bits, input));
  auto all = AllReduceOp::create(b, TypeRange(bits), key, op->getAttrs());
  rewriter.replaceOpWithNewOp<arith::BitcastOp>(
      op, type, flipNegatives(b, all.getResult()));
  return success();
}

namespace {
struct NormExpandCollectives
    : norm::impl::NormExpandCollectivesBase<NormExpandCollectives> {
  void runOnOperation() override {
    // A rank's place in the grid is the same for all elements.
    getOperation().walk([](Operation *op) {
      auto body = op->getParentOfType<linalg::LinalgOp>();
      if (body && isa<shard::ShardDialect>(op->getDialect()) &&
          op->getNumOperands() == 0)
        op->moveBefore(body);
    });
    SymbolTableCollection tables;
    RewritePatternSet patterns(&getContext());
    patterns.add(gatherBySum).add(reduceAsIntegers);
    shard::populateAllSliceOpLoweringPatterns(patterns, tables);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
