//===- ExpandMX.cpp - 4-bit floats and block scales by integers -----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream: LLVM 22.1: arith-expand casts from E2M1 to f32 only, and rounds to
// E2M1 and E8M0 otherwise than the constant folder; goes when they agree.
//
// The formats are those of OCP's Microscaling Formats (MX) 1.0: E2M1, whose
// numbers are 0, 0.5, 1, 1.5, 2, 3, 4 and 6 with a sign, and E8M0, the powers
// of two from 2^-127 to 2^127 and NaN.
//
// Of upstream's expansions, this pass uses those of the scaling ops and that
// from E2M1 to f32. Its truncation to E2M1 loses the sign below 0.5 and rounds
// 1.25, 2.5 and 5 up; from E2M1 to f64 it makes an invalid op; its truncation
// to E8M0 ignores the rounding mode and the sign; and it reads the code 0 of
// E8M0, 2^-127, as zero.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "norm/Floats/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMEXPANDMX
#define GEN_PASS_DEF_NORMEXPANDSCALING
#include "norm/Floats/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using arith::CmpIPredicate;
using arith::RoundingMode;
using norm::Lanes;

static constexpr int32_t kOneInF32 = 127 << 23;

static bool isE2M1(Type type) {
  return isa<Float4E2M1FNType>(getElementTypeOrSelf(type));
}

static bool isE8M0(Type type) {
  return isa<Float8E8M0FNUType>(getElementTypeOrSelf(type));
}

static unsigned getWidth(Type type) {
  return getElementTypeOrSelf(type).getIntOrFloatBitWidth();
}

static RoundingMode getRounding(arith::TruncFOp op) {
  return op.getRoundingmode().value_or(RoundingMode::to_nearest_even);
}

/// Saturates an f32 to the numbers of E2M1. NaN becomes the largest of them, as
/// PTX has it: the format has no NaN, and the specification leaves it open.
static Lanes saturate(Lanes v) {
  auto replaceUnless = [&](arith::CmpFPredicate predicate, float bound) {
    Lanes limit = v.like(bound);
    v = select(v.is(predicate, limit), v, limit);
  };
  // Comparisons that are false for NaN are one instruction on x86.
  replaceUnless(arith::CmpFPredicate::OLT, 6.0f);
  replaceUnless(arith::CmpFPredicate::OGT, -6.0f);
  return v;
}

/// Rounds an f32 to an i32 code of E2M1, to nearest and ties to even.
///
/// The unit in which E2M1 counts is half of a number's power of two, and of 1
/// below 1. Adding 2^23 units leaves the count n in the last bits, and the code
/// is n + 2 e for the power 2^e.
static Lanes roundToE2M1(Lanes v) {
  Lanes bits = saturate(v).bits();
  Lanes sign = bits >> 28 & 8;
  Lanes magnitude = bits & 0x7FFFFFFF;
  Lanes exponent = (magnitude & 0x7F800000).apply<arith::MaxSIOp>(kOneInF32);
  // Two more units change no tie, and cancel f32's bias of 127 in three bits.
  Lanes units = exponent + ((22 << 23) + 2);
  Lanes sum = magnitude.number() + units.number();
  Lanes code = sum.bits() + (exponent >> 22);
  return (code & 7) | sign;
}

/// What is added to the bits of an f32 before its exponent is taken.
static int32_t getIncrement(RoundingMode rounding, unsigned mantissaBits) {
  switch (rounding) {
  case RoundingMode::toward_zero:
    return 0;
  case RoundingMode::upward:
    return (1 << mantissaBits) - 1;
  default:
    return 1 << (mantissaBits - 1);
  }
}

/// Rounds an f32 to an i32 code of E8M0. A tie goes up, as IEEE 754-2019, 4.3.1
/// has it for one digit. What is below the range becomes 2^-127, zero included;
/// what is above, and what is negative, NaN.
static Lanes roundToE8M0(Lanes v, RoundingMode rounding) {
  // Of zeros the positive one; negative numbers and NaN are above the infinity.
  Lanes bits = (v + 0.0).bits().apply<arith::MinUIOp>(0x7F800000);
  // A subnormal's leading one, that of 2^-127, is in its mantissa.
  Value isSubnormal = bits.is(CmpIPredicate::ult, 1 << 23);
  Lanes subnormal = bits.like(getIncrement(rounding, 22));
  Lanes normal = bits.like(getIncrement(rounding, 23));
  return (bits + select(isSubnormal, subnormal, normal)) >> 23;
}

/// Widens an i32 code of E8M0 to the bits of an f32, exactly.
static Lanes widenE8M0(Lanes code) {
  Lanes power = (code << 23).apply<arith::MaxSIOp>(1 << 22);
  Value isNaN = code.is(CmpIPredicate::eq, 0xFF);
  return select(isNaN, code.like(0x7FC00000), power);
}

static bool isExpanded(arith::TruncFOp op) {
  if (getWidth(op.getIn().getType()) > 32)
    return false; // would round twice
  RoundingMode rounding = getRounding(op);
  if (rounding == RoundingMode::to_nearest_even)
    return true;
  return isE8M0(op.getType()) && (rounding == RoundingMode::toward_zero ||
                                  rounding == RoundingMode::upward);
}

static LogicalResult verifyTruncation(arith::TruncFOp op) {
  if ((!isE2M1(op.getType()) && !isE8M0(op.getType())) || isExpanded(op))
    return success();
  auto error = op.emitError("norm-expand-mx: no conversion from ")
               << op.getIn().getType() << " to " << op.getType();
  if (getWidth(op.getIn().getType()) > 32)
    return error << ": truncate to f32 first, which rounds twice";
  return error << " with rounding "
               << arith::stringifyRoundingMode(getRounding(op));
}

static LogicalResult expandTruncF(arith::TruncFOp op,
                                  PatternRewriter &rewriter) {
  bool toElement = isE2M1(op.getType());
  if (!toElement && !isE8M0(op.getType()))
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Lanes in = Lanes(b, op.getIn()).convert(b.getF32Type());
  Lanes code = toElement ? roundToE2M1(in) : roundToE8M0(in, getRounding(op));
  Type integer = b.getIntegerType(getWidth(op.getType()));
  Lanes narrow = code.change<arith::TruncIOp>(integer);
  rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), narrow);
  return success();
}

/// Upstream expands extensions of E2M1 to f32 only, which holds all numbers of
/// both formats.
static LogicalResult extendThroughF32(arith::ExtFOp op,
                                      PatternRewriter &rewriter) {
  Type in = op.getIn().getType(), out = getElementTypeOrSelf(op.getType());
  if ((!isE2M1(in) && !isE8M0(in)) || out.isF32())
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Lanes wide = Lanes(b, op.getIn()).convert(b.getF32Type());
  rewriter.replaceOp(op, Value(wide.convert(out)));
  return success();
}

static LogicalResult expandExtFOfScale(arith::ExtFOp op,
                                       PatternRewriter &rewriter) {
  if (!isE8M0(op.getIn().getType()) ||
      !getElementTypeOrSelf(op.getType()).isF32())
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Lanes code = Lanes(b, op.getIn()).bitcast(b.getI8Type());
  code = code.change<arith::ExtUIOp>(b.getI32Type());
  rewriter.replaceOp(op, Value(widenE8M0(code).number()));
  return success();
}

/// x / 2^e is x * 2^-e, with the same rounding. The code of 2^-e is 254 less
/// that of 2^e, and that of NaN again 255 in eight bits.
static LogicalResult multiplyByInverseScale(arith::DivFOp op,
                                            PatternRewriter &rewriter) {
  auto scale = op.getRhs().getDefiningOp<arith::ExtFOp>();
  if (!scale || !isE8M0(scale.getIn().getType()) ||
      !getElementTypeOrSelf(op.getType()).isF32())
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Lanes code = Lanes(b, scale.getIn()).bitcast(b.getI8Type());
  Lanes inverse = (code.like(-2) - code).bitcast(b.getF8E8M0Type());
  Lanes factor = inverse.convert(b.getF32Type());
  rewriter.replaceOpWithNewOp<arith::MulFOp>(op, op.getLhs(), factor,
                                             op.getFastmathAttr());
  return success();
}

/// The exponent of a wide scale is all that the scaling ops use of it;
/// upstream's truncation would round it.
template <typename Scaling>
static LogicalResult takeExponent(Scaling op, PatternRewriter &rewriter) {
  Type type = op.getScale().getType();
  if (getWidth(type) < 16)
    return failure();
  Value scale = arith::TruncFOp::create(
      rewriter, op.getLoc(), norm::withElement(type, rewriter.getF8E8M0Type()),
      op.getScale(),
      arith::RoundingModeAttr::get(op.getContext(), RoundingMode::toward_zero),
      op.getFastmathAttr());
  rewriter.modifyOpInPlace(op, [&] { op.getScaleMutable().assign(scale); });
  return success();
}

/// f16 does not hold most scales.
static LogicalResult scaleNarrowInF32(arith::ScalingTruncFOp op,
                                      PatternRewriter &rewriter) {
  if (getWidth(op.getIn().getType()) >= 32)
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Lanes in = Lanes(b, op.getIn()).convert(b.getF32Type());
  rewriter.modifyOpInPlace(op, [&] { op.getInMutable().assign(in); });
  return success();
}

static LogicalResult scaleToNarrowInF32(arith::ScalingExtFOp op,
                                        PatternRewriter &rewriter) {
  if (getWidth(op.getType()) >= 32)
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Lanes wide(b, arith::ScalingExtFOp::create(
                    b, norm::withElement(op.getType(), b.getF32Type()),
                    op.getIn(), op.getScale(), op.getFastmathAttr()));
  rewriter.replaceOp(op,
                     Value(wide.convert(getElementTypeOrSelf(op.getType()))));
  return success();
}

namespace {
struct NormExpandScaling
    : norm::impl::NormExpandScalingBase<NormExpandScaling> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    // Before upstream's patterns.
    patterns.add(takeExponent<arith::ScalingTruncFOp>, /*benefit=*/2)
        .add(takeExponent<arith::ScalingExtFOp>, /*benefit=*/2)
        .add(scaleNarrowInF32, /*benefit=*/2)
        .add(scaleToNarrowInF32, /*benefit=*/2)
        .add(multiplyByInverseScale, /*benefit=*/2);
    arith::populateExpandScalingExtTruncPatterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};

struct NormExpandMX : norm::impl::NormExpandMXBase<NormExpandMX> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk(
        [](arith::TruncFOp op) { return WalkResult(verifyTruncation(op)); });
    if (result.wasInterrupted())
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    patterns.add(expandTruncF, /*benefit=*/2)
        .add(extendThroughF32, /*benefit=*/2)
        .add(expandExtFOfScale, /*benefit=*/2);
    arith::populateExpandF4E2M1Patterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
