//===- LowerMath.cpp - math ops that PTX has as instructions --------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: convert-gpu-to-nvvm calls libdevice where PTX has an
// instruction that rounds correctly; goes when it uses those.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "norm/Target/NVVM/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMAPPROXIMATEINVERSEROOTS
#define GEN_PASS_DEF_NORMLOWERGPUMATH
#include "norm/Target/NVVM/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

namespace {
/// convert-gpu-to-nvvm forbids the LLVM dialect's own ops for these, so the
/// intrinsic is named.
template <typename MathOp> struct ToIntrinsic : OpRewritePattern<MathOp> {
  ToIntrinsic(MLIRContext *context, StringRef name)
      : OpRewritePattern<MathOp>(context), name(name) {}

  LogicalResult matchAndRewrite(MathOp op,
                                PatternRewriter &rewriter) const override {
    rewriter.replaceOpWithNewOp<LLVM::CallIntrinsicOp>(
        op, op.getType(), rewriter.getStringAttr(name), op->getOperands());
    return success();
  }

  StringRef name;
};
} // namespace

/// One step of Newton's method from the unit's approximation r of 1 / sqrt(a),
/// which is off by a factor of at most 1 + 2^-22.9 (PTX ISA, rsqrt.approx.f32).
/// Where r is zero or infinite the residual is NaN; minnum makes it 1, and r
/// stays what it is.
static Value createInverseRoot(OpBuilder &b, Location loc, Value a) {
  auto constant = [&](float value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getF32FloatAttr(value));
  };
  Value r = LLVM::CallIntrinsicOp::create(
                b, loc, b.getF32Type(),
                b.getStringAttr("llvm.nvvm.rsqrt.approx.f"), ValueRange{a})
                .getResult(0);
  Value root = arith::MulFOp::create(b, loc, a, r);
  Value residual = math::FmaOp::create(
      b, loc, arith::NegFOp::create(b, loc, root), r, constant(1.0f));
  Value step = arith::MinNumFOp::create(b, loc, residual, constant(1.0f));
  Value half = arith::MulFOp::create(b, loc, r, constant(0.5f));
  return math::FmaOp::create(b, loc, step, half, r);
}

static LogicalResult approximateRSqrt(math::RsqrtOp op,
                                      PatternRewriter &rewriter) {
  if (!op.getType().isF32())
    return rewriter.notifyMatchFailure(op, "not an f32");
  rewriter.replaceOp(op,
                     createInverseRoot(rewriter, op.getLoc(), op.getOperand()));
  return success();
}

static LogicalResult approximateReciprocalOfRoot(arith::DivFOp op,
                                                 PatternRewriter &rewriter) {
  auto root = op.getRhs().getDefiningOp<math::SqrtOp>();
  if (!root || !root->hasOneUse() || !op.getType().isF32() ||
      !matchPattern(op.getLhs(), m_OneFloat()))
    return rewriter.notifyMatchFailure(op, "not one over a root in f32");
  rewriter.replaceOp(
      op, createInverseRoot(rewriter, op.getLoc(), root.getOperand()));
  return success();
}

namespace {
struct NormApproximateInverseRoots
    : norm::impl::NormApproximateInverseRootsBase<NormApproximateInverseRoots> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add(approximateRSqrt);
    patterns.add(approximateReciprocalOfRoot);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

struct NormLowerGPUMath : norm::impl::NormLowerGPUMathBase<NormLowerGPUMath> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    auto add = [&](auto op, StringRef name) {
      patterns.add<ToIntrinsic<decltype(op)>>(&getContext(), name);
    };
    add(math::SqrtOp(), "llvm.sqrt");
    add(math::AbsFOp(), "llvm.fabs");
    add(math::FmaOp(), "llvm.fma");
    add(math::FloorOp(), "llvm.floor");
    add(math::CeilOp(), "llvm.ceil");
    add(math::TruncOp(), "llvm.trunc");
    add(math::RoundEvenOp(), "llvm.roundeven");
    add(arith::MinNumFOp(), "llvm.minnum");
    add(arith::MaxNumFOp(), "llvm.maxnum");
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
