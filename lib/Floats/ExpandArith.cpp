//===- ExpandArith.cpp - what LLVM has no operation for -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: arith-expand also expands maxima and minima, with the
// wrong zero; goes when it can leave ops out.
// Upstream: LLVM 22.1: its pattern for floordivsi adds 2^64 - 1 where it means
// -1 in more than 64 bits; goes when it extends the sign.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/DialectConversion.h"
#include "norm/Floats/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMEXPANDARITH
#include "norm/Floats/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

/// Rounds a quotient of more than 64 bits down: a remainder whose sign is not
/// the divisor's means that it was rounded up.
static LogicalResult expandWideFloorDiv(arith::FloorDivSIOp op,
                                        PatternRewriter &rewriter) {
  Type element = getElementTypeOrSelf(op.getType());
  if (element.isIndex() || element.getIntOrFloatBitWidth() <= 64)
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Value x = op.getLhs(), y = op.getRhs(),
        zero = arith::ConstantOp::create(b, b.getZeroAttr(op.getType())),
        quotient = arith::DivSIOp::create(b, x, y),
        product = arith::MulIOp::create(b, quotient, y),
        rest = arith::SubIOp::create(b, x, product);
  auto compare = [&](arith::CmpIPredicate predicate, Value v) -> Value {
    return arith::CmpIOp::create(b, predicate, v, zero);
  };
  Value isOpposite = compare(arith::CmpIPredicate::slt,
                             arith::XOrIOp::create(b, rest, y)),
        isUp = arith::AndIOp::create(b, compare(arith::CmpIPredicate::ne, rest),
                                     isOpposite);
  rewriter.replaceOpWithNewOp<arith::SubIOp>(
      op, quotient, arith::ExtUIOp::create(b, op.getType(), isUp));
  return success();
}

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
    patterns.add(expandWideFloorDiv, /*benefit=*/2);
    target.addIllegalOp<arith::CeilDivSIOp, arith::CeilDivUIOp,
                        arith::FloorDivSIOp>();
    if (failed(applyPartialConversion(getOperation(), target,
                                      std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
