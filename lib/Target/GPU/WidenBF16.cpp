//===- WidenBF16.cpp - bf16 to f32 two at a time --------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "norm/Target/GPU/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMWIDENBF16INWORDS
#include "norm/Target/GPU/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

/// A bf16 is the upper half of the f32 that equals it, NaNs included: the lower
/// one of a word is shifted there, and the upper one stands there.
static LogicalResult widenInWords(arith::ExtFOp op, PatternRewriter &rewriter) {
  auto narrow = dyn_cast<VectorType>(op.getIn().getType());
  auto wide = dyn_cast<VectorType>(op.getType());
  if (!narrow || narrow.getRank() != 1 || narrow.isScalable() ||
      !narrow.getElementType().isBF16() || !wide.getElementType().isF32() ||
      narrow.getNumElements() % 2 != 0)
    return rewriter.notifyMatchFailure(op, "not pairs of bf16 to f32");
  Location loc = op.getLoc();
  int64_t pairs = narrow.getNumElements() / 2;
  auto words = VectorType::get(pairs, rewriter.getI32Type());
  auto constant = [&](uint32_t value) {
    return arith::ConstantOp::create(
        rewriter, loc, DenseElementsAttr::get(words, APInt(32, value)));
  };
  Value packed = vector::BitCastOp::create(rewriter, loc, words, op.getIn());
  Value lower = arith::ShLIOp::create(rewriter, loc, packed, constant(16));
  Value upper =
      arith::AndIOp::create(rewriter, loc, packed, constant(0xffff0000));
  auto half = VectorType::get(pairs, rewriter.getF32Type());
  rewriter.replaceOpWithNewOp<vector::InterleaveOp>(
      op, arith::BitcastOp::create(rewriter, loc, half, lower),
      arith::BitcastOp::create(rewriter, loc, half, upper));
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
