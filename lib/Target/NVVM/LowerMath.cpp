//===- LowerMath.cpp - math ops that PTX has as instructions --------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: convert-gpu-to-nvvm calls libdevice where PTX has an
// instruction that rounds correctly; goes when it uses those.

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "norm/Floats/Lanes.h"
#include "norm/Target/NVVM/Passes.h"
#include "llvm/ADT/StringSwitch.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMLOWERGPUMATH
#include "norm/Target/NVVM/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using norm::Lanes;

/// One step of Newton's method from the unit's approximation r of 1 / sqrt(a),
/// which is off by a factor of at most 1 + 2^-22.9 (PTX ISA, rsqrt.approx.f32).
/// Where r is zero or infinite the residual is NaN; minnum makes it 1, and r
/// stays what it is.
static Value createInverseRoot(ImplicitLocOpBuilder b, Value a) {
  Lanes r(b, LLVM::CallIntrinsicOp::create(
                 b, b.getF32Type(), b.getStringAttr("llvm.nvvm.rsqrt.approx.f"),
                 ValueRange{a})
                 .getResult(0));
  Lanes one = r.like(1.0f);
  Value root = Lanes(b, a) * r;
  Lanes residual(
      b, math::FmaOp::create(b, arith::NegFOp::create(b, root), r, one));
  Lanes step = residual.apply<arith::MinNumFOp>(one);
  return math::FmaOp::create(b, step, r * 0.5f, r);
}

static LogicalResult approximateReciprocalOfRoot(arith::DivFOp op,
                                                 PatternRewriter &rewriter) {
  auto root = op.getRhs().getDefiningOp<math::SqrtOp>();
  if (!root || !root->hasOneUse() || !op.getType().isF32() ||
      !matchPattern(op.getLhs(), m_OneFloat()))
    return rewriter.notifyMatchFailure(op, "not one over a root in f32");
  rewriter.replaceOp(
      op, createInverseRoot({op.getLoc(), rewriter}, root.getOperand()));
  return success();
}

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

/// The intrinsic that is `op`; empty for other ops.
static StringRef getIntrinsic(Operation *op) {
  return llvm::StringSwitch<StringRef>(op->getName().getStringRef())
      .Case("math.sqrt", "llvm.sqrt")
      .Case("math.absf", "llvm.fabs")
      .Case("math.fma", "llvm.fma")
      .Case("math.floor", "llvm.floor")
      .Case("math.ceil", "llvm.ceil")
      .Case("math.trunc", "llvm.trunc")
      .Case("math.roundeven", "llvm.roundeven")
      .Case("arith.minnumf", "llvm.minnum")
      .Case("arith.maxnumf", "llvm.maxnum")
      .Default("");
}

namespace {
struct NormLowerGPUMath : norm::impl::NormLowerGPUMathBase<NormLowerGPUMath> {
  using NormLowerGPUMathBase::NormLowerGPUMathBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add(widenInWords);
    if (approximateRoots)
      patterns.add(approximateReciprocalOfRoot);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      return signalPassFailure();
    // convert-gpu-to-nvvm forbids the LLVM dialect's own ops for these, so the
    // intrinsic is named.
    IRRewriter rewriter(&getContext());
    getOperation().walk([&](Operation *op) {
      StringRef name = getIntrinsic(op);
      if (name.empty())
        return;
      rewriter.setInsertionPoint(op);
      rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
          op, op->getResult(0).getType(), rewriter.getStringAttr(name),
          op->getOperands());
    });
  }
};
} // namespace
