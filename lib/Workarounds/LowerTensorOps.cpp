//===- LowerTensorOps.cpp - arithmetic, packs and unpacks to linalg -------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: convert-elementwise-to-linalg folds first, and arith's
// folders make constants of open extents; goes when they look at the shape.
// Upstream: LLVM 22.1: linalg.pack and unpack and Winograd's transforms have no
// bufferization, and no pass but the transform dialect lowers them; goes when
// one does.
// Upstream: LLVM 22.1: arith.remsi and remui claim to be speculatable, and are
// hoisted out of loops that do not run; goes when they say what quotients do.

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "norm/Workarounds/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMLOWERTENSOROPS
#include "norm/Workarounds/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

static LogicalResult lowerPack(linalg::PackOp op, PatternRewriter &rewriter) {
  return linalg::lowerPack(rewriter, op, /*lowerPadLikeWithInsertSlice=*/false);
}

static LogicalResult lowerUnPack(linalg::UnPackOp op,
                                 PatternRewriter &rewriter) {
  return linalg::lowerUnPack(rewriter, op,
                             /*lowerUnpadLikeWithExtractSlice=*/false);
}

/// Computes a remainder by the quotient, which stays where it is.
template <typename Remainder, typename Quotient>
static LogicalResult divideFirst(Remainder op, PatternRewriter &rewriter) {
  if (matchPattern(op.getRhs(), m_Constant()))
    return failure();
  Location loc = op.getLoc();
  Value quotient = Quotient::create(rewriter, loc, op.getLhs(), op.getRhs());
  Value multiple = arith::MulIOp::create(rewriter, loc, quotient, op.getRhs());
  rewriter.replaceOpWithNewOp<arith::SubIOp>(op, op.getLhs(), multiple);
  return success();
}

namespace {
struct NormLowerTensorOps
    : norm::impl::NormLowerTensorOpsBase<NormLowerTensorOps> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseToLinalgConversionPatterns(patterns);
    linalg::populateDecomposeWinogradOpsPatterns(patterns);
    patterns.add(lowerPack);
    patterns.add(lowerUnPack);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    // Also in the bodies that the others have made.
    RewritePatternSet remainders(&getContext());
    remainders.add(divideFirst<arith::RemSIOp, arith::DivSIOp>);
    remainders.add(divideFirst<arith::RemUIOp, arith::DivUIOp>);
    walkAndApplyPatterns(getOperation(), std::move(remainders));
  }
};
} // namespace
