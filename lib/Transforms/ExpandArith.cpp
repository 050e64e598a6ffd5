//===- ExpandArith.cpp - what LLVM has no operation for -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"
#include "norm/Transforms/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMEXPANDARITH
#include "norm/Transforms/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

/// Returns true for conversions of f32 and bf16, which upstream expands.
static bool convertsBF16(Operation *op) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return false;
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  Type to = getElementTypeOrSelf(op->getResult(0).getType());
  return isa<arith::ExtFOp>(op)     ? from.isBF16() && to.isF32()
         : isa<arith::TruncFOp>(op) ? from.isF32() && to.isBF16()
                                    : false;
}

namespace {
struct NormExpandArith : norm::impl::NormExpandArithBase<NormExpandArith> {
  using NormExpandArithBase::NormExpandArithBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    target.addIllegalOp<arith::CeilDivSIOp, arith::CeilDivUIOp,
                        arith::FloorDivSIOp>();
    if (includeBF16) {
      arith::populateExpandBFloat16Patterns(patterns);
      target.addDynamicallyLegalOp<arith::ExtFOp, arith::TruncFOp>(
          [](Operation *op) { return !convertsBF16(op); });
    }
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
