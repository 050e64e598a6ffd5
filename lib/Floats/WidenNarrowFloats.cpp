//===- WidenNarrowFloats.cpp - 16-bit arithmetic in f32 -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream: LLVM 22.1: arith-emulate-unsupported-floats marks its casts
// contract, so that a later fold drops a rounding; goes when it has an option
// for that.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "norm/Floats/Lanes.h"
#include "norm/Floats/Passes.h"
#include "norm/IR/Norm.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMWIDENNARROWFLOATS
#include "norm/Floats/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using namespace mlir::norm;
using arith::CmpFPredicate;

static bool isNarrow(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF16() || element.isBF16();
}

static bool computes(Operation *op) {
  if (isa<arith::ConstantOp, arith::ExtFOp, arith::TruncFOp, arith::SelectOp,
          arith::BitcastOp>(op))
    return false;
  // Integer conversions round once on their own; through f32 they would twice.
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return false;
  return (isa<vector::FMAOp>(op) ||
          isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
              op->getDialect())) &&
         (llvm::any_of(op->getOperandTypes(), isNarrow) ||
          llvm::any_of(op->getResultTypes(), isNarrow));
}

/// Returns true for what math-expand-ops makes several ops of.
static bool isExpanded(Operation *op) {
  return isa<math::RsqrtOp, math::FPowIOp>(op) && computes(op);
}

static bool convertsInteger(Operation *op) {
  return isa<arith::SIToFPOp, arith::UIToFPOp>(op) &&
         isNarrow(op->getResult(0).getType());
}

static unsigned getIntegerWidth(Operation *conversion) {
  return getElementTypeOrSelf(conversion->getOperand(0))
      .getIntOrFloatBitWidth();
}

/// Returns `v` as f32. Integers that 16 bits hold are what they were.
static Value widen(ImplicitLocOpBuilder &b, Value v) {
  auto rounding = v.getDefiningOp<arith::TruncFOp>();
  Operation *exact = rounding ? rounding.getIn().getDefiningOp() : nullptr;
  unsigned bits = getElementTypeOrSelf(v.getType()).isBF16() ? 8 : 11;
  if (isa_and_nonnull<arith::SIToFPOp, arith::UIToFPOp>(exact) &&
      getIntegerWidth(exact) <= bits)
    return rounding.getIn();
  return Lanes(b, v).convert(b.getF32Type());
}

static void widenOp(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (isNarrow(operand.getType()) && !mapping.contains(operand))
      mapping.map(operand, widen(b, operand));
  Operation *wide = b.clone(*op, mapping);
  for (auto [result, wideResult] :
       llvm::zip(op->getResults(), wide->getResults())) {
    Value replacement = wideResult;
    if (isNarrow(result.getType())) {
      wideResult.setType(withElement(result.getType(), b.getF32Type()));
      replacement = Lanes(b, wideResult).convert(getElementTypeOrSelf(result));
    }
    result.replaceAllUsesWith(replacement);
  }
  op->erase();
}

/// Integer to 16 bits goes through f32 or f64, which hold integers up to 2^24
/// and 2^53.
static Operation *convertThroughWide(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Value result = op->getResult(0), wide = b.clone(*op)->getResult(0);
  bool isShort = getIntegerWidth(op) <= 24;
  wide.setType(withElement(result.getType(),
                           isShort ? Type(b.getF32Type()) : b.getF64Type()));
  Value narrow = Lanes(b, wide).convert(getElementTypeOrSelf(result));
  result.replaceAllUsesWith(narrow);
  op->erase();
  return narrow.getDefiningOp();
}

/// In the order of the elements, as LLVM does without `reassoc`.
static void reduceByElements(vector::ReductionOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value result = op.getAcc();
  for (int64_t i = 0, e = op.getSourceVectorType().getDimSize(0); i < e; ++i) {
    Value element = vector::ExtractOp::create(b, loc, op.getVector(), i);
    result = result ? vector::makeArithReduction(b, loc, op.getKind(), result,
                                                 element)
                    : element;
  }
  op.replaceAllUsesWith(result);
  op.erase();
}

/// By upstream's patterns, which convert-vector-to-llvm has too: its products
/// and sums then round here.
static LogicalResult lowerContractions(Operation *root) {
  if (!norm::anyIn(root, [](vector::ContractionOp op) {
        return isNarrow(op.getResultType());
      }))
    return success();
  RewritePatternSet patterns(root->getContext());
  vector::populateVectorContractLoweringPatterns(
      patterns, vector::VectorContractLowering::Dot);
  return applyPatternsGreedily(root, std::move(patterns));
}

static void expandReductions(Operation *root) {
  root->walk([](vector::ReductionOp op) {
    if (isNarrow(op.getType()) && !op.isMasked() &&
        !op.getSourceVectorType().isScalable())
      reduceByElements(op);
  });
}

static bool skipsF32(Operation *op) {
  auto trunc = dyn_cast<arith::TruncFOp>(op);
  return trunc && isNarrow(trunc.getType()) &&
         getElementTypeOrSelf(trunc.getIn()).getIntOrFloatBitWidth() > 32;
}

/// f64, f80 or f128 to 16 bits through f32 rounded to odd, so that the second
/// rounding sees which side of a tie the value was on (Boldo and Melquiond,
/// 2008).
static void truncateThroughF32(Operation *op) {
  ImplicitLocOpBuilder b(op->getLoc(), op);
  Lanes x(b, op->getOperand(0));
  Lanes rounded = x.convert(b.getF32Type());
  Lanes back = rounded.convert(x.getElementType());
  Value inexact = back.is(CmpFPredicate::UNE, x);
  Lanes magnitude(b, math::AbsFOp::create(b, back));
  Value away =
      magnitude.is(CmpFPredicate::OGT, Value(math::AbsFOp::create(b, x)));
  Lanes bits = rounded.bits();
  Lanes towardZero = select(away, bits - 1, bits);
  Lanes odd = select(inexact, towardZero | 1, bits);
  Type narrow = getElementTypeOrSelf(op->getResult(0).getType());
  op->replaceAllUsesWith(ValueRange(Value(odd.number().convert(narrow))));
  op->erase();
}

namespace {
struct NormWidenNarrowFloats
    : norm::impl::NormWidenNarrowFloatsBase<NormWidenNarrowFloats> {
  using NormWidenNarrowFloatsBase::NormWidenNarrowFloatsBase;

  void runOnOperation() override {
    if (!expandedOnly) {
      if (failed(lowerContractions(getOperation())))
        return signalPassFailure();
      expandReductions(getOperation());
    }
    auto isWidened = [&](Operation *op) {
      return expandedOnly ? isExpanded(op)
                          : computes(op) || skipsF32(op) || convertsInteger(op);
    };
    for (Operation *op : collect<Operation *>(getOperation(), isWidened)) {
      if (convertsInteger(op))
        op = convertThroughWide(op);
      if (skipsF32(op))
        truncateThroughF32(op);
      else if (computes(op))
        widenOp(op);
    }
  }
};
} // namespace
