//===- CallLibm.cpp - functions that upstream makes inexact ---------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: convert-math-to-llvm makes exp(x) - 1 of expm1, and
// convert-math-to-libm takes all ops; goes when one of them can leave ops out.

#include "mlir/Conversion/MathToLibm/MathToLibm.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "norm/Floats/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMCALLLIBM
#include "norm/Floats/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

namespace {
struct NormCallLibm : norm::impl::NormCallLibmBase<NormCallLibm> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathToLibmConversionPatterns(patterns);
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    target.addIllegalOp<math::ExpM1Op, math::Log1pOp>();
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
