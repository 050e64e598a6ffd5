//===- ExpandArith.cpp - what LLVM has no operation for -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: arith-expand also expands maxima and minima, with the
// wrong zero; goes when it can leave ops out.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/DialectConversion.h"
#include "norm/Floats/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMEXPANDARITH
#include "norm/Floats/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

namespace {
struct NormExpandArith : norm::impl::NormExpandArithBase<NormExpandArith> {
  /// LLVM's constrained intrinsics only say which mode is set; nothing sets it.
  LogicalResult checkRoundingModes() {
    WalkResult checked = getOperation()->walk([](Operation *op) {
      auto rounds = dyn_cast<arith::ArithRoundingModeInterface>(op);
      auto mode = rounds ? rounds.getRoundingModeAttr() : nullptr;
      if (!mode || mode.getValue() == arith::RoundingMode::to_nearest_even)
        return WalkResult::advance();
      return WalkResult(op->emitError("norm-expand-arith: rounding ")
                        << arith::stringifyRoundingMode(mode.getValue())
                        << " is not supported");
    });
    return failure(checked.wasInterrupted());
  }

  void runOnOperation() override {
    if (failed(checkRoundingModes()))
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    ConversionTarget target(getContext());
    target.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    target.addIllegalOp<arith::CeilDivSIOp, arith::CeilDivUIOp,
                        arith::FloorDivSIOp>();
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
