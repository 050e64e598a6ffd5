//===- ExpandMX.cpp - 4-bit floats and block scales by integers -----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
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

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "norm/Transforms/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMEXPANDMX
#define GEN_PASS_DEF_NORMEXPANDSCALING
#include "norm/Transforms/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using arith::RoundingMode;

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

static Type withElement(Type shape, Type element) {
  auto shaped = dyn_cast<ShapedType>(shape);
  return shaped ? shaped.clone(element) : element;
}

/// Converts between floats of which one holds the values of the other.
static Value convertFloat(ImplicitLocOpBuilder &b, Value v, Type element) {
  Type type = withElement(v.getType(), element);
  if (getWidth(v.getType()) < getWidth(type))
    return arith::ExtFOp::create(b, type, v);
  return v.getType() == type ? v : arith::TruncFOp::create(b, type, v);
}

/// Returns an integer constant of the type of `like`.
static Value constantLike(ImplicitLocOpBuilder &b, Value like, int64_t v) {
  return createScalarOrSplatConstant(b, b.getLoc(), like.getType(), v);
}

static Value toBits(ImplicitLocOpBuilder &b, Value v, Type integer) {
  return arith::BitcastOp::create(b, withElement(v.getType(), integer), v);
}

static RoundingMode getRounding(arith::TruncFOp op) {
  return op.getRoundingmode().value_or(RoundingMode::to_nearest_even);
}

/// Saturates an f32 to the numbers of E2M1. NaN becomes the largest of them, as
/// PTX has it: the format has no NaN, and the specification leaves it open.
static Value saturate(ImplicitLocOpBuilder &b, Value v) {
  auto replaceUnless = [&](arith::CmpFPredicate predicate, float bound) {
    Value limit =
        createScalarOrSplatConstant(b, b.getLoc(), v.getType(), APFloat(bound));
    Value isInside = arith::CmpFOp::create(b, predicate, v, limit);
    v = arith::SelectOp::create(b, isInside, v, limit);
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
static Value roundToE2M1(ImplicitLocOpBuilder &b, Value v) {
  Value bits = toBits(b, saturate(b, v), b.getI32Type());
  auto constant = [&](int64_t c) { return constantLike(b, bits, c); };
  Value sign = arith::AndIOp::create(
      b, arith::ShRUIOp::create(b, bits, constant(28)), constant(8));
  Value magnitude = arith::AndIOp::create(b, bits, constant(0x7FFFFFFF));
  Value exponent = arith::MaxSIOp::create(
      b, arith::AndIOp::create(b, magnitude, constant(0x7F800000)),
      constant(kOneInF32));
  // Two more units change no tie, and cancel f32's bias of 127 in three bits.
  Value units = arith::AddIOp::create(b, exponent, constant((22 << 23) + 2));
  Type f32 = v.getType();
  Value sum =
      arith::AddFOp::create(b, arith::BitcastOp::create(b, f32, magnitude),
                            arith::BitcastOp::create(b, f32, units));
  Value code =
      arith::AddIOp::create(b, toBits(b, sum, b.getI32Type()),
                            arith::ShRUIOp::create(b, exponent, constant(22)));
  code = arith::AndIOp::create(b, code, constant(7));
  return arith::OrIOp::create(b, code, sign);
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
static Value roundToE8M0(ImplicitLocOpBuilder &b, Value v,
                         RoundingMode rounding) {
  // Of zeros the positive one.
  Value zero =
      createScalarOrSplatConstant(b, b.getLoc(), v.getType(), APFloat(0.0f));
  Value bits = toBits(b, arith::AddFOp::create(b, v, zero), b.getI32Type());
  auto constant = [&](int64_t c) { return constantLike(b, bits, c); };
  // Negative numbers and NaN are above the infinity.
  bits = arith::MinUIOp::create(b, bits, constant(0x7F800000));
  // A subnormal's leading one, that of 2^-127, is in its mantissa.
  Value isSubnormal = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, bits,
                                            constant(1 << 23));
  Value increment = arith::SelectOp::create(
      b, isSubnormal, constant(getIncrement(rounding, 22)),
      constant(getIncrement(rounding, 23)));
  return arith::ShRUIOp::create(b, arith::AddIOp::create(b, bits, increment),
                                constant(23));
}

/// Widens an i32 code of E8M0 to the bits of an f32, exactly.
static Value widenE8M0(ImplicitLocOpBuilder &b, Value code) {
  auto constant = [&](int64_t c) { return constantLike(b, code, c); };
  Value power = arith::MaxSIOp::create(
      b, arith::ShLIOp::create(b, code, constant(23)), constant(1 << 22));
  Value isNaN =
      arith::CmpIOp::create(b, arith::CmpIPredicate::eq, code, constant(0xFF));
  return arith::SelectOp::create(b, isNaN, constant(0x7FC00000), power);
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

namespace {
struct ExpandTruncF : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    bool toElement = isE2M1(op.getType());
    if (!toElement && !isE8M0(op.getType()))
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value in = convertFloat(b, op.getIn(), b.getF32Type());
    Value code =
        toElement ? roundToE2M1(b, in) : roundToE8M0(b, in, getRounding(op));
    Type integer =
        withElement(op.getType(), b.getIntegerType(getWidth(op.getType())));
    Value narrow = arith::TruncIOp::create(b, integer, code);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), narrow);
    return success();
  }
};

/// Upstream expands extensions of E2M1 to f32 only, which holds all numbers of
/// both formats.
struct ExtendThroughF32 : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    Type in = op.getIn().getType(), out = getElementTypeOrSelf(op.getType());
    if ((!isE2M1(in) && !isE8M0(in)) || out.isF32())
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value wide = convertFloat(b, op.getIn(), b.getF32Type());
    rewriter.replaceOp(op, convertFloat(b, wide, out));
    return success();
  }
};

struct ExpandExtFOfScale : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    if (!isE8M0(op.getIn().getType()) ||
        !getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value code =
        arith::ExtUIOp::create(b, withElement(op.getType(), b.getI32Type()),
                               toBits(b, op.getIn(), b.getI8Type()));
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(),
                                                  widenE8M0(b, code));
    return success();
  }
};

/// x / 2^e is x * 2^-e, with the same rounding. The code of 2^-e is 254 less
/// that of 2^e, and that of NaN again 255 in eight bits.
struct MultiplyByInverseScale : OpRewritePattern<arith::DivFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::DivFOp op,
                                PatternRewriter &rewriter) const override {
    auto scale = op.getRhs().getDefiningOp<arith::ExtFOp>();
    if (!scale || !isE8M0(scale.getIn().getType()) ||
        !getElementTypeOrSelf(op.getType()).isF32())
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value code = toBits(b, scale.getIn(), b.getI8Type());
    Value inverse = arith::BitcastOp::create(
        b, scale.getIn().getType(),
        arith::SubIOp::create(b, constantLike(b, code, -2), code));
    Value factor = arith::ExtFOp::create(b, op.getType(), inverse);
    rewriter.replaceOpWithNewOp<arith::MulFOp>(op, op.getLhs(), factor,
                                               op.getFastmathAttr());
    return success();
  }
};

/// The exponent of a wide scale is all that the scaling ops use of it;
/// upstream's truncation would round it.
template <typename Scaling> struct TakeExponent : OpRewritePattern<Scaling> {
  using OpRewritePattern<Scaling>::OpRewritePattern;
  LogicalResult matchAndRewrite(Scaling op,
                                PatternRewriter &rewriter) const override {
    Type type = op.getScale().getType();
    if (getWidth(type) < 16)
      return failure();
    Value scale = arith::TruncFOp::create(
        rewriter, op.getLoc(), withElement(type, rewriter.getF8E8M0Type()),
        op.getScale(),
        arith::RoundingModeAttr::get(op.getContext(),
                                     RoundingMode::toward_zero),
        op.getFastmathAttr());
    rewriter.modifyOpInPlace(op, [&] { op.getScaleMutable().assign(scale); });
    return success();
  }
};

/// f16 does not hold most scales.
struct ScaleNarrowInF32 : OpRewritePattern<arith::ScalingTruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ScalingTruncFOp op,
                                PatternRewriter &rewriter) const override {
    if (getWidth(op.getIn().getType()) >= 32)
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value in = convertFloat(b, op.getIn(), b.getF32Type());
    rewriter.modifyOpInPlace(op, [&] { op.getInMutable().assign(in); });
    return success();
  }
};

struct ScaleToNarrowInF32 : OpRewritePattern<arith::ScalingExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ScalingExtFOp op,
                                PatternRewriter &rewriter) const override {
    Type element = getElementTypeOrSelf(op.getType());
    if (element.getIntOrFloatBitWidth() >= 32)
      return failure();
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value wide = arith::ScalingExtFOp::create(
        b, withElement(op.getType(), b.getF32Type()), op.getIn(), op.getScale(),
        op.getFastmathAttr());
    rewriter.replaceOp(op, convertFloat(b, wide, element));
    return success();
  }
};

struct NormExpandScaling
    : norm::impl::NormExpandScalingBase<NormExpandScaling> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    // Before upstream's patterns.
    patterns.add<TakeExponent<arith::ScalingTruncFOp>,
                 TakeExponent<arith::ScalingExtFOp>, ScaleNarrowInF32,
                 ScaleToNarrowInF32, MultiplyByInverseScale>(&getContext(),
                                                             /*benefit=*/2);
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
    patterns.add<ExpandTruncF, ExtendThroughF32, ExpandExtFOfScale>(
        &getContext(), /*benefit=*/2);
    arith::populateExpandF4E2M1Patterns(patterns);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
