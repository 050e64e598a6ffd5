//===- ExpandArith.cpp - what LLVM has no operation for -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formats are those of Micikevicius et al., "FP8 formats for deep learning"
// (2022): f8E4M3FN (no infinity; NaN is all ones) and f8E5M2 (as IEEE); and
// those of OCP's Microscaling Formats (MX) 1.0: E2M1, whose numbers are 0, 0.5,
// 1, 1.5, 2, 3, 4 and 6 with a sign, and E8M0, the powers of two from 2^-127 to
// 2^127 and NaN.
//
// Upstream: LLVM 22.1: no lowering to LLVM supports casts of 8-bit floats, and
// arith-expand rounds to E2M1 and E8M0 otherwise than the constant folder; goes
// when arith-expand has all of these formats and they agree.
// Upstream: LLVM 22.1: arith-expand also expands maxima and minima, with the
// wrong zero; goes when it can leave ops out.
// Upstream: LLVM 22.1: its pattern for floordivsi adds 2^64 - 1 where it means
// -1 in more than 64 bits; goes when it extends the sign.
//
// Of upstream's expansions, this pass uses that from E2M1 to f32. Those of the
// scaling ops compute in f16 and round a wide scale. Its truncation to E2M1
// loses the sign below 0.5 and rounds 1.25, 2.5 and 5 up; from E2M1 to f64 it
// makes an invalid op; its truncation to E8M0 ignores the rounding mode and the
// sign; and it reads the code 0 of E8M0, 2^-127, as zero.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "norm/Floats/Lanes.h"
#include "norm/Floats/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMEXPANDARITH
#include "norm/Floats/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using arith::CmpIPredicate;
using arith::RoundingMode;
using norm::Lanes;

namespace {
/// A sign, an exponent and a mantissa. Of f32, the format has the exponent and
/// mantissa bits from `shift` on, less `rebias`.
struct Format {
  int32_t width, mantissaBits, bias;
  int32_t top;    ///< encoding of the largest finite number
  int32_t nan;    ///< 0: there is none, and numbers saturate
  float overflow; ///< what larger numbers, and NaN, are rounded as

  bool saturates() const { return nan == 0; }
  bool hasInfinity() const { return top + 1 < nan; }
  int32_t shift() const { return 23 - mantissaBits; }
  int32_t rebias() const { return (127 - bias) << mantissaBits; }
  int32_t oneExponent() const { return 1 << mantissaBits; }
  int32_t signBit() const { return 1 << (width - 1); }
  float leastSubnormal() const {
    return std::ldexp(1.0f, 1 - bias - mantissaBits);
  }
};
} // namespace

static std::optional<Format> getFormat(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (isa<Float4E2M1FNType>(element))
    return Format{4, 1, 1, 0x7, 0, 6.0f};
  if (isa<Float8E4M3FNType>(element))
    return Format{8, 3, 7, 0x7E, 0x7F, 480.0f};
  if (isa<Float8E5M2Type>(element))
    return Format{8, 2, 15, 0x7B, 0x7E, 65536.0f};
  return std::nullopt;
}

static bool isE8M0(Type type) {
  return isa<Float8E8M0FNUType>(getElementTypeOrSelf(type));
}

static unsigned getWidth(Type type) {
  return getElementTypeOrSelf(type).getIntOrFloatBitWidth();
}

//===----------------------------------------------------------------------===//
// Conversions of f32
//===----------------------------------------------------------------------===//

/// Saturates an f32. NaN becomes the limit, as PTX has it for E2M1: the format
/// has no NaN, and the specification leaves it open.
static Lanes saturate(Lanes v, float limit) {
  auto replaceUnless = [&](arith::CmpFPredicate predicate, float bound) {
    Lanes limit = v.like(bound);
    v = select(v.is(predicate, limit), v, limit);
  };
  // Comparisons that are false for NaN are one instruction on x86.
  replaceUnless(arith::CmpFPredicate::OLT, limit);
  replaceUnless(arith::CmpFPredicate::OGT, -limit);
  return v;
}

/// Rounds an f32 to an i32 encoding, to nearest and ties to even, as APFloat.
///
/// Adding 2^23 times the unit in which the format counts at a number's exponent
/// leaves the rounded count n in the last bits. A subnormal, whose exponent is
/// taken for the least one, is encoded as n; each exponent above adds 2^m for m
/// mantissa bits. The upper bits cancel in those that are kept.
static Lanes round(Lanes v, const Format &format) {
  Lanes bits = (format.saturates() ? saturate(v, format.overflow) : v).bits();
  Lanes sign = bits >> (32 - format.width) & format.signBit();
  Lanes magnitude = bits & 0x7FFFFFFF;
  Lanes bounded = magnitude;
  if (!format.saturates())
    bounded = magnitude.apply<arith::MinSIOp>(
        llvm::bit_cast<int32_t>(format.overflow));
  int32_t least = format.rebias() + format.oneExponent();
  Lanes exponent =
      (bounded & 0x7F800000).apply<arith::MaxSIOp>(least << format.shift());
  // An even number of units changes no tie; these make the least exponent zero.
  Lanes units = exponent + ((format.shift() << 23) + (-least & 0xFF));
  Lanes sum = bounded.number() + units.number();
  Lanes code = sum.bits() + (exponent >> format.shift());
  Lanes result = code & (format.signBit() - 1);
  if (format.hasInfinity())
    result = select(magnitude.is(CmpIPredicate::sgt, 0x7F800000),
                    bits.like(format.nan), result);
  return result | sign;
}

/// Widens an i32 encoding that has NaNs to an f32, exactly.
static Lanes widen(Lanes v, const Format &format) {
  Lanes sign = (v & 0x80) << 24;
  Lanes magnitude = v & 0x7F;
  Lanes normal = (magnitude + format.rebias()) << format.shift();
  Type f32 = Float32Type::get(v.getElementType().getContext());
  Lanes count = magnitude.change<arith::UIToFPOp>(f32);
  Lanes subnormal = count * format.leastSubnormal();
  Value isNormal = magnitude.is(CmpIPredicate::sgt, format.oneExponent() - 1);
  Lanes result = select(isNormal, normal, subnormal.bits());
  Lanes special = format.hasInfinity()
                      ? magnitude << format.shift() | 0x7F800000
                      : v.like(0x7FC00000);
  Value isSpecial = magnitude.is(CmpIPredicate::sgt, format.top);
  return (select(isSpecial, special, result) | sign).number();
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

/// Widens an i32 code of E8M0 to an f32, exactly.
static Lanes widenE8M0(Lanes code) {
  Lanes power = (code << 23).apply<arith::MaxSIOp>(1 << 22);
  Value isNaN = code.is(CmpIPredicate::eq, 0xFF);
  return select(isNaN, code.like(0x7FC00000), power).number();
}

static LogicalResult expandTruncF(arith::TruncFOp op,
                                  PatternRewriter &rewriter) {
  Type to = getElementTypeOrSelf(op.getType());
  std::optional<Format> format = getFormat(to);
  if (!format && !isE8M0(to))
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Lanes in = Lanes(b, op.getIn()).convert(b.getF32Type());
  auto rounding = op.getRoundingmode().value_or(RoundingMode::to_nearest_even);
  Lanes code = format ? round(in, *format) : roundToE8M0(in, rounding);
  Lanes bits = code.change<arith::TruncIOp>(b.getIntegerType(getWidth(to)));
  rewriter.replaceOp(op, Value(bits.bitcast(to)));
  return success();
}

/// Extends through f32, which holds all numbers of these formats. Upstream
/// expands the extension of E2M1 to f32.
static LogicalResult expandExtF(arith::ExtFOp op, PatternRewriter &rewriter) {
  Type from = op.getIn().getType(), to = getElementTypeOrSelf(op.getType());
  std::optional<Format> format = getFormat(from);
  bool isE2M1 = format && format->saturates();
  if ((!format && !isE8M0(from)) || (isE2M1 && to.isF32()))
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Lanes in(b, op.getIn());
  auto getCode = [&] {
    return in.bitcast(b.getI8Type()).change<arith::ExtUIOp>(b.getI32Type());
  };
  Lanes wide = isE2M1   ? in.convert(b.getF32Type())
               : format ? widen(getCode(), *format)
                        : widenE8M0(getCode());
  rewriter.replaceOp(op, Value(wide.convert(to)));
  return success();
}

//===----------------------------------------------------------------------===//
// Scaling
//===----------------------------------------------------------------------===//

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

/// Divides by a scale, or multiplies by one, in f32 at least: f16 does not hold
/// most scales.
template <typename Scaling>
static LogicalResult applyScale(Scaling op, PatternRewriter &rewriter) {
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Lanes in(b, op.getIn()), scale(b, op.getScale());
  Type to = getElementTypeOrSelf(op.getType());
  bool isWide = getWidth(scale.getElementType()) >= 16;
  if (!isWide && !isE8M0(scale.getElementType()))
    return failure();
  // The exponent of a wide scale is all that is used of it.
  if (isWide)
    scale = scale.like(arith::TruncFOp::create(
        b, norm::withElement(op.getScale().getType(), b.getF8E8M0Type()), scale,
        arith::RoundingModeAttr::get(b.getContext(), RoundingMode::toward_zero),
        op.getFastmathAttr()));
  Type wide = in.getElementType().isF64() || to.isF64() ? Type(b.getF64Type())
                                                        : b.getF32Type();
  in = in.convert(wide);
  scale = scale.convert(wide);
  Lanes result = isa<arith::ScalingTruncFOp>(op) ? in / scale : in * scale;
  rewriter.replaceOp(op, Value(result.convert(to)));
  return success();
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// Converts an integer to or from a float of fewer than 16 bits. None of these
/// has an integer beyond those that f32 holds.
template <typename Conversion>
static LogicalResult convertThroughF32(Conversion op,
                                       PatternRewriter &rewriter) {
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Lanes in(b, op.getIn());
  if (getFormat(in.getElementType())) {
    Value wide = in.convert(b.getF32Type());
    rewriter.modifyOpInPlace(op, [&] { op.getInMutable().assign(wide); });
    return success();
  }
  Type to = getElementTypeOrSelf(op.getType());
  if (!getFormat(to))
    return failure();
  Lanes wide = in.change<Conversion>(b.getF32Type());
  rewriter.replaceOp(op, Value(wide.convert(to)));
  return success();
}

//===----------------------------------------------------------------------===//
// Divisions
//===----------------------------------------------------------------------===//

/// Rounds a quotient of more than 64 bits down: a remainder whose sign is not
/// the divisor's means that it was rounded up.
static LogicalResult expandWideFloorDiv(arith::FloorDivSIOp op,
                                        PatternRewriter &rewriter) {
  Type element = getElementTypeOrSelf(op.getType());
  if (element.isIndex() || element.getIntOrFloatBitWidth() <= 64)
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Lanes x(b, op.getLhs()), y(b, op.getRhs());
  Lanes quotient = x.apply<arith::DivSIOp>(y), rest = x - quotient * y;
  Lanes signs = rest.apply<arith::XOrIOp>(y);
  Lanes isOpposite = x.like(signs.is(CmpIPredicate::slt, 0));
  Lanes isUp = x.like(rest.is(CmpIPredicate::ne, 0)) & isOpposite;
  rewriter.replaceOp(op,
                     Value(quotient - isUp.change<arith::ExtUIOp>(element)));
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

/// LLVM has no such types, so the translation of any that remains would fail.
static bool isBelow16Bits(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element && element.getWidth() < 16;
}

static bool isConverted(Type type) {
  return !isBelow16Bits(type) || getFormat(type) || isE8M0(type);
}

static bool isExpanded(RoundingMode rounding, Type to) {
  return rounding == RoundingMode::to_nearest_even ||
         (isE8M0(to) && (rounding == RoundingMode::toward_zero ||
                         rounding == RoundingMode::upward));
}

static LogicalResult verifyConversion(Operation *op) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  bool isTwice = isa<arith::TruncFOp>(op) && getWidth(from) > 32;
  if (isConverted(from) && isConverted(to) && !isTwice)
    return success();
  auto error = op->emitError("norm-expand-arith: no conversion from ")
               << from << " to " << to;
  if (isTwice)
    return error << ": truncate to f32 first, which rounds twice";
  return error;
}

/// Rejects ops on small floats other than conversions of these formats and
/// moves of bits. LLVM's constrained intrinsics only say which rounding mode is
/// set; nothing sets it.
static LogicalResult verifySupported(Operation *op) {
  auto rounds = dyn_cast<arith::ArithRoundingModeInterface>(op);
  if (auto mode = rounds ? rounds.getRoundingModeAttr() : nullptr;
      mode && !isExpanded(mode.getValue(), op->getResult(0).getType()))
    return op->emitError("norm-expand-arith: rounding ")
           << arith::stringifyRoundingMode(mode.getValue()) << " to "
           << op->getResult(0).getType() << " is not supported";
  if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
          op->getDialect()) ||
      isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp>(op))
    return success();
  for (Type type :
       llvm::concat<const Type>(op->getResultTypes(), op->getOperandTypes())) {
    if (!isBelow16Bits(type))
      continue;
    if (isa<arith::TruncFOp, arith::ExtFOp>(op))
      return verifyConversion(op);
    return op->emitError("norm-expand-arith: no arithmetic on ")
           << type << ": extend to f32 first";
  }
  return success();
}

namespace {
struct NormExpandArith : norm::impl::NormExpandArithBase<NormExpandArith> {
  using NormExpandArithBase::NormExpandArithBase;

  void runOnOperation() override {
    if (failed(expandScaling()) ||
        (!scalingOnly && (failed(verify()) || failed(expandAll()))))
      signalPassFailure();
  }

private:
  LogicalResult expandScaling() {
    RewritePatternSet patterns(&getContext());
    patterns.add(applyScale<arith::ScalingTruncFOp>)
        .add(applyScale<arith::ScalingExtFOp>)
        .add(multiplyByInverseScale)
        .add(convertThroughF32<arith::FPToSIOp>)
        .add(convertThroughF32<arith::FPToUIOp>)
        .add(convertThroughF32<arith::SIToFPOp>)
        .add(convertThroughF32<arith::UIToFPOp>);
    return applyPatternsGreedily(getOperation(), std::move(patterns));
  }

  LogicalResult verify() {
    WalkResult result = getOperation()->walk(
        [](Operation *op) { return WalkResult(verifySupported(op)); });
    return failure(result.wasInterrupted());
  }

  LogicalResult expandAll() {
    RewritePatternSet patterns(&getContext());
    patterns.add(expandWideFloorDiv, /*benefit=*/2);
    arith::populateCeilFloorDivExpandOpsPatterns(patterns);
    patterns.add(expandTruncF, /*benefit=*/2).add(expandExtF, /*benefit=*/2);
    arith::populateExpandF4E2M1Patterns(patterns);
    return applyPatternsGreedily(getOperation(), std::move(patterns));
  }
};
} // namespace
