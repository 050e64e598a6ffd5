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
// Upstream: LLVM 22.1: no lowering to LLVM supports casts of 8-bit floats; goes
// when arith-expand expands them.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "norm/Floats/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMEXPANDFP8
#include "norm/Floats/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using arith::CmpIPredicate;
using norm::Lanes;

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

static int32_t getBits(float v) { return llvm::bit_cast<int32_t>(v); }

/// Rounds an f32 to an i32 encoding, to nearest and ties to even, as APFloat.
///
/// Adding 2^23 times the unit in which the format counts at a number's exponent
/// leaves the rounded count n in the last bits. A subnormal, whose exponent is
/// taken for the least one, is encoded as n; each exponent above adds 2^m for m
/// mantissa bits. The upper bits cancel in the byte that is kept.
static Lanes round(Lanes v, const Format &format) {
  Lanes bits = v.bits();
  Lanes sign = bits >> 24 & 0x80;
  Lanes magnitude = bits & 0x7FFFFFFF;
  Lanes bounded = magnitude.apply<arith::MinSIOp>(getBits(format.over));
  int32_t oneExponent = 1 << (23 - format.shift);
  int32_t least = format.rebias + oneExponent;
  Lanes exponent =
      (bounded & 0x7F800000).apply<arith::MaxSIOp>(least << format.shift);
  // An even number of units changes no tie; these make the least exponent zero.
  Lanes units = exponent + ((format.shift << 23) + (-least & 0xFF));
  Lanes sum = bounded.number() + units.number();
  Lanes code = sum.bits() + (exponent >> format.shift);
  Lanes result = code & 0x7F;
  if (format.hasInfinity())
    result = select(magnitude.is(CmpIPredicate::sgt, 0x7F800000),
                    bits.like(format.nan), result);
  return result | sign;
}

/// Widens an i32 encoding to an f32, exactly.
static Lanes widen(Lanes v, const Format &format) {
  Lanes sign = (v & 0x80) << 24;
  Lanes magnitude = v & 0x7F;
  Lanes normal = (magnitude + format.rebias) << format.shift;
  Type f32 = Float32Type::get(v.getElementType().getContext());
  Lanes count = magnitude.change<arith::UIToFPOp>(f32);
  // The last of 23 mantissa bits below the magic number is the one it counts.
  Lanes subnormal = count * (format.magic * 0x1p-23f);
  Value isNormal =
      magnitude.is(CmpIPredicate::sgt, (1 << (23 - format.shift)) - 1);
  Lanes result = select(isNormal, normal, subnormal.bits());
  Lanes special = format.hasInfinity() ? magnitude << format.shift | 0x7F800000
                                       : v.like(0x7FC00000);
  Value isSpecial = magnitude.is(CmpIPredicate::sgt, format.top);
  return (select(isSpecial, special, result) | sign).number();
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

static LogicalResult expandTruncF(arith::TruncFOp op,
                                  PatternRewriter &rewriter) {
  std::optional<Format> format = getFormat(op.getType());
  if (!format ||
      getElementTypeOrSelf(op.getIn()).getIntOrFloatBitWidth() > 32 ||
      !isToNearest(op))
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Lanes code = round(Lanes(b, op.getIn()).convert(b.getF32Type()), *format);
  Lanes byte = code.change<arith::TruncIOp>(b.getI8Type());
  rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, op.getType(), byte);
  return success();
}

static LogicalResult expandExtF(arith::ExtFOp op, PatternRewriter &rewriter) {
  std::optional<Format> format = getFormat(op.getIn().getType());
  if (!format)
    return failure();
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Lanes byte = Lanes(b, op.getIn()).bitcast(b.getI8Type());
  Lanes code = byte.change<arith::ExtUIOp>(b.getI32Type());
  // bf16 and f16 hold it too.
  rewriter.replaceOp(
      op,
      Value(widen(code, *format).convert(getElementTypeOrSelf(op.getType()))));
  return success();
}

namespace {
struct NormExpandFP8 : norm::impl::NormExpandFP8Base<NormExpandFP8> {
  void runOnOperation() override {
    WalkResult result = getOperation()->walk(
        [](Operation *op) { return WalkResult(verifySupported(op)); });
    if (result.wasInterrupted())
      return signalPassFailure();
    RewritePatternSet patterns(&getContext());
    patterns.add(expandTruncF).add(expandExtF);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
