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
#include "norm/Transforms/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMEXPANDCOLLECTIVES
#include "norm/Transforms/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using shard::AllGatherOp;
using shard::AllReduceOp;

namespace {
struct GatherBySum : OpRewritePattern<AllGatherOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AllGatherOp op,
                                PatternRewriter &b) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    if (!type || !type.hasStaticShape() ||
        !type.getElementType().isIntOrFloat() ||
        type.getElementTypeBitWidth() % 8 != 0)
      return failure();
    Location loc = op.getLoc();
    ImplicitLocOpBuilder at(loc, b);
    Type bits = b.getIntegerType(type.getElementTypeBitWidth());
    Value part = op.getOperand();
    auto partType = cast<RankedTensorType>(part.getType());
    if (bits != type.getElementType())
      part = arith::BitcastOp::create(b, loc, partType.clone(bits), part);

    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(bits));
    Value empty = tensor::EmptyOp::create(b, loc, type.getShape(), bits);
    Value zeros = linalg::FillOp::create(b, loc, zero, empty).getResult(0);
    int64_t dim = op.getGatherAxis().getSExtValue();
    SmallVector<OpFoldResult> offsets(type.getRank(), b.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(type.getRank(), b.getIndexAttr(1));
    offsets[dim] = affine::makeComposedFoldedAffineApply(
        b, loc, b.getAffineDimExpr(0) * partType.getDimSize(dim),
        {shard::createProcessLinearIndex(op.getGrid(), op.getGridAxes(), at)});
    Value own = tensor::InsertSliceOp::create(
        b, loc, part, zeros, offsets, tensor::getMixedSizes(b, loc, part),
        strides);
    Value all = AllReduceOp::create(b, loc, own, op.getGrid(), op.getGridAxes(),
                                    shard::ReductionKind::Sum)
                    .getResult();
    if (bits != type.getElementType())
      all = arith::BitcastOp::create(b, loc, type, all);
    b.replaceOp(op, all);
    return success();
  }
};

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
struct ExtremumOfIntegers : OpRewritePattern<AllReduceOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(AllReduceOp op,
                                PatternRewriter &rewriter) const override {
    auto type = dyn_cast<RankedTensorType>(op.getType());
    bool isMax = op.getReduction() == shard::ReductionKind::Max;
    if (!type || type != op.getInput().getType() || !type.hasStaticShape() ||
        !(isMax || op.getReduction() == shard::ReductionKind::Min) ||
        !isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(
            type.getElementType()))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto element = cast<FloatType>(type.getElementType());
    auto nan = APFloat::getQNaN(element.getFloatSemantics(), !isMax);
    Value nans =
        arith::ConstantOp::create(b, DenseElementsAttr::get(type, nan));
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
};

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
    patterns.add<GatherBySum, ExtremumOfIntegers>(&getContext());
    shard::populateAllSliceOpLoweringPatterns(patterns, tables);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
