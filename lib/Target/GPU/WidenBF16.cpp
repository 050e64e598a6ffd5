//===- WidenBF16.cpp - bf16 to f32 two at a time --------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "norm/Floats/Lanes.h"
#include "norm/Target/GPU/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMWIDENBF16INWORDS
#include "norm/Target/GPU/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

static LogicalResult widenInWords(arith::ExtFOp op, PatternRewriter &rewriter) {
  auto narrow = dyn_cast<VectorType>(op.getIn().getType());
  if (!narrow || narrow.getRank() != 1 || narrow.isScalable() ||
      !narrow.getElementType().isBF16() ||
      !getElementTypeOrSelf(op.getType()).isF32() ||
      narrow.getNumElements() % 2 != 0)
    return rewriter.notifyMatchFailure(op, "not pairs of bf16 to f32");
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  norm::LanePair wide = norm::widenBF16Words(b, op.getIn());
  rewriter.replaceOpWithNewOp<vector::InterleaveOp>(op, wide.even, wide.odd);
  return success();
}

namespace {
struct NormWidenBF16InWords
    : norm::impl::NormWidenBF16InWordsBase<NormWidenBF16InWords> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add(widenInWords);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
