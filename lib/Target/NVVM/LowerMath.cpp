//===- LowerMath.cpp - math ops that PTX has as instructions --------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "norm/Target/NVVM/Passes.h"

namespace mlir::norm {
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
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
