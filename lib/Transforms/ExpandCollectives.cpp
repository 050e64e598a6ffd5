//===- ExpandCollectives.cpp - collectives that MPI's dialect lacks -------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The mpi dialect has no gather, so each rank adds its part to the zeros of the
// others. Floats are added as integers: -0.0 + 0.0 is not -0.0.
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
    Value all =
        shard::AllReduceOp::create(b, loc, own, op.getGrid(), op.getGridAxes(),
                                   shard::ReductionKind::Sum)
            .getResult();
    if (bits != type.getElementType())
      all = arith::BitcastOp::create(b, loc, type, all);
    b.replaceOp(op, all);
    return success();
  }
};

struct NormExpandCollectives
    : norm::impl::NormExpandCollectivesBase<NormExpandCollectives> {
  void runOnOperation() override {
    SymbolTableCollection tables;
    RewritePatternSet patterns(&getContext());
    patterns.add<GatherBySum>(&getContext());
    shard::populateAllSliceOpLoweringPatterns(patterns, tables);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
