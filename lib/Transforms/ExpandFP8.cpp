//===- ExpandFP8.cpp - 8-bit floats by integers ---------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The formats are those of Micikevicius et al., "FP8 formats for deep learning"
// (2022): f8E4M3FN (no infinity; NaN is all ones) and f8E5M2 (as IEEE).
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "norm/Transforms/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMEXPANDFP8
#include "norm/Transforms/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

namespace {
/// The position of an 8-bit format in the bits of an f32.
struct Format {
  int32_t shift;  ///< number of f32's mantissa bits that it lacks
  int32_t rebias; ///< f32's exponent bias minus its own, shifted
  float magic;    ///< an f32 whose last bit counts its subnormals
  float over;     ///< what larger numbers, and NaN, are rounded as
  int32_t top;    ///< encoding of the largest finite number
  int32_t nan;

  bool hasInfinity() const { return top + 1 < nan; }
};
} // namespace

static std::optional<Format> getFormat(Type type) {
  Type element = getElementTypeOrSelf(type);
  if (isa<Float8E4M3FNType>(element))
    return Format{20, (127 - 7) << 3, 0x1p14f, 480.0f, 0x7E, 0x7F};
  if (isa<Float8E5M2Type>(element))
    return Format{21, (127 - 15) << 2, 0x1p7f, 65536.0f, 0x7B, 0x7E};
  return std::nullopt;
}

static Type withElement(Type shape, Type element) {
  auto shaped = dyn_cast<ShapedType>(shape);
  return shaped ? shaped.clone(element) : element;
}

namespace {
/// Builds i32 and f32 arithmetic on values of one shape.
class Builder32 {
public:
  Builder32(OpBuilder &b, Location loc, Type shape)
      : b(b), loc(loc), i32(withElement(shape, b.getI32Type())),
        f32(withElement(shape, b.getF32Type())) {}

  Value constant(int32_t v) { return getConstant(i32, b.getI32IntegerAttr(v)); }
  Value constant(float v) { return getConstant(f32, b.getF32FloatAttr(v)); }
  Value add(Value v, int32_t c) {
    return arith::AddIOp::create(b, loc, v, constant(c));
  }
  Value add(Value v, Value w) { return arith::AddIOp::create(b, loc, v, w); }
  Value bitAnd(Value v, int32_t c) {
    return arith::AndIOp::create(b, loc, v, constant(c));
  }
  Value bitOr(Value v, Value w) { return arith::OrIOp::create(b, loc, v, w); }
  Value shiftLeft(Value v, int32_t c) {
    return arith::ShLIOp::create(b, loc, v, constant(c));
  }
  Value shiftRight(Value v, int32_t c) {
    return arith::ShRUIOp::create(b, loc, v, constant(c));
  }
  Value isAbove(Value v, int32_t c) {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, v,
                                 constant(c));
  }
  Value select(Value condition, Value yes, Value no) {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }
  Value bits(Value v) { return arith::BitcastOp::create(b, loc, i32, v); }
  Value number(Value v) { return arith::BitcastOp::create(b, loc, f32, v); }

  OpBuilder &b;
  Location loc;
  Type i32, f32;

private:
  Value getConstant(Type type, TypedAttr element) {
    TypedAttr value = element;
    if (auto shaped = dyn_cast<ShapedType>(type))
      value = DenseElementsAttr::get(shaped, Attribute(element));
    return arith::ConstantOp::create(b, loc, value);
  }
};
} // namespace

static int32_t getBits(float v) { return llvm::bit_cast<int32_t>(v); }

/// Rounds an f32 to an i32 encoding, to nearest and ties to even, as APFloat.
///
/// Adding 2^23 times the unit in which the format counts at a number's exponent
/// leaves the rounded count n in the last bits. A subnormal, whose exponent is
/// taken for the least one, is encoded as n; each exponent above adds 2^m for m
/// mantissa bits. The upper bits cancel in the byte that is kept.
static Value round(Builder32 &e, Value v, const Format &format) {
  Value bits = e.bits(v);
  Value sign = e.bitAnd(e.shiftRight(bits, 24), 0x80);
  Value magnitude = e.bitAnd(bits, 0x7FFFFFFF);
  Value bounded = arith::MinSIOp::create(e.b, e.loc, magnitude,
                                         e.constant(getBits(format.over)));
  int32_t oneExponent = 1 << (23 - format.shift);
  int32_t least = format.rebias + oneExponent;
  Value exponent =
      arith::MaxSIOp::create(e.b, e.loc, e.bitAnd(bounded, 0x7F800000),
                             e.constant(least << format.shift));
  // An even number of units changes no tie; these make the least exponent zero.
  Value units = e.add(exponent, (format.shift << 23) + (-least & 0xFF));
  Value sum =
      arith::AddFOp::create(e.b, e.loc, e.number(bounded), e.number(units));
  Value code = e.add(e.bits(sum), e.shiftRight(exponent, format.shift));
  Value result = e.bitAnd(code, 0x7F);
  if (format.hasInfinity())
    result = e.select(e.isAbove(magnitude, 0x7F800000), e.constant(format.nan),
                      result);
  return e.bitOr(result, sign);
}

/// Widens an i32 encoding to an f32, exactly.
static Value widen(Builder32 &e, Value v, const Format &format) {
  Value sign = e.shiftLeft(e.bitAnd(v, 0x80), 24);
  Value magnitude = e.bitAnd(v, 0x7F);
  Value normal = e.shiftLeft(e.add(magnitude, format.rebias), format.shift);
  Value count = arith::UIToFPOp::create(e.b, e.loc, e.f32, magnitude);
  // The last of 23 mantissa bits below the magic number is the one it counts.
  Value subnormal = arith::MulFOp::create(e.b, e.loc, count,
                                          e.constant(format.magic * 0x1p-23f));
  Value isNormal = e.isAbove(magnitude, (1 << (23 - format.shift)) - 1);
  Value result = e.select(isNormal, normal, e.bits(subnormal));
  if (format.hasInfinity()) {
    Value special =
        e.bitOr(e.shiftLeft(magnitude, format.shift), e.constant(0x7F800000));
    result = e.select(e.isAbove(magnitude, format.top), special, result);
  } else {
    result = e.select(e.isAbove(magnitude, format.top), e.constant(0x7FC00000),
                      result);
  }
  return e.number(e.bitOr(result, sign));
}

/// LLVM has no such types, so the translation of any that remains would fail.
static bool isBelow16Bits(Type type) {
  auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type));
  return element && element.getWidth() < 16;
}

static bool isToNearest(arith::TruncFOp op) {
  return op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) ==
         arith::RoundingMode::to_nearest_even;
}

static LogicalResult verifyTruncation(arith::TruncFOp op) {
  // A conversion from f64 through f32 would round twice.
  bool isTwice = getElementTypeOrSelf(op.getIn()).getIntOrFloatBitWidth() > 32;
  if (getFormat(op.getType()) && !isTwice && isToNearest(op))
    return success();
  auto error = op.emitError("norm-expand-fp8: no conversion from ")
               << op.getIn().getType() << " to " << op.getType();
  if (!isToNearest(op))
    return error << " with another rounding than to nearest";
  return isTwice ? error << ": truncate to f32 first, which rounds twice"
                 : error;
}

/// Rejects ops other than conversions of two formats and moves of bits.
static LogicalResult verifySupported(Operation *op) {
  if (!isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
          op->getDialect()) ||
      isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp>(op))
    return success();
  for (Type type :
       llvm::concat<const Type>(op->getResultTypes(), op->getOperandTypes())) {
    if (!isBelow16Bits(type))
      continue;
    if (auto trunc = dyn_cast<arith::TruncFOp>(op))
      return verifyTruncation(trunc);
    if (!isa<arith::ExtFOp>(op))
      return op->emitError("norm-expand-fp8: no arithmetic on ")
             << type << ": extend to f32 first";
    return getFormat(type)
               ? success()
               : op->emitError("norm-expand-fp8: no conversion from ")
                     << op->getOperand(0).getType() << " to "
                     << op->getResult(0).getType();
  }
  return success();
}

namespace {
struct ExpandTruncF : OpRewritePattern<arith::TruncFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::TruncFOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Format> format = getFormat(op.getType());
    Type source = getElementTypeOrSelf(op.getIn());
    if (!format || source.getIntOrFloatBitWidth() > 32 || !isToNearest(op))
      return failure();
    Builder32 e(rewriter, op.getLoc(), op.getType());
    Value in = op.getIn();
    if (!source.isF32())
      in = arith::ExtFOp::create(rewriter, op.getLoc(), e.f32, in);
    Value rounded = round(e, in, *format);
    Value byte = arith::TruncIOp::create(
        rewriter, op.getLoc(), withElement(op.getType(), rewriter.getI8Type()),
        rounded);
    rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), byte);
    return success();
  }
};

struct ExpandExtF : OpRewritePattern<arith::ExtFOp> {
  using OpRewritePattern::OpRewritePattern;
  LogicalResult matchAndRewrite(arith::ExtFOp op,
                                PatternRewriter &rewriter) const override {
    std::optional<Format> format = getFormat(op.getIn().getType());
    if (!format)
      return failure();
    Location loc = op.getLoc();
    Builder32 e(rewriter, loc, op.getType());
    Value byte = arith::BitcastOp::create(
        rewriter, loc, withElement(op.getType(), rewriter.getI8Type()),
        op.getIn());
    Value wide = arith::ExtUIOp::create(rewriter, loc, e.i32, byte);
    Value result = widen(e, wide, *format);
    Type element = getElementTypeOrSelf(op.getType());
    if (element.getIntOrFloatBitWidth() > 32)
      result = arith::ExtFOp::create(rewriter, loc, op.getType(), result);
    else if (!element.isF32()) // bf16 and f16 hold it
      result = arith::TruncFOp::create(rewriter, loc, op.getType(), result);
    rewriter.replaceOp(op, result);
    return success();
  }
};

struct NormExpandFP8 : norm::impl::NormExpandFP8Base<NormExpandFP8> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk(
        [](Operation *op) { return WalkResult(verifySupported(op)); });
    if (result.wasInterrupted())
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    patterns.add<ExpandTruncF, ExpandExtF>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
