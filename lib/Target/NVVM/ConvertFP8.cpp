//===- ConvertFP8.cpp - roundings to 8-bit floats in pairs ----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: nothing makes nvvm.convert.f32x2.to.f8x2 of
// arith.truncf; goes when convert-gpu-to-nvvm does.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "norm/Target/NVVM/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMCONVERTFP8TONVVM
#include "norm/Target/NVVM/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

namespace {
/// `cvt` saturates where arith.truncf does not.
struct Overflow {
  float last;      ///< largest magnitude that rounds to a finite number
  int8_t encoding; ///< of what is larger, without its sign
  bool isSigned;   ///< an infinity has the operand's sign
};
} // namespace

static std::optional<Overflow> getOverflow(Type element) {
  // 448 is even among its neighbors and takes the tie at 464; 57344 is odd.
  if (isa<Float8E4M3FNType>(element))
    return Overflow{464.0f, 0x7F, false};
  if (isa<Float8E5M2Type>(element))
    return Overflow{std::nextafter(61440.0f, 0.0f), 0x7C, true};
  return std::nullopt;
}

/// The bytes of all elements, saturated, by one instruction for each two.
static Value convertPairs(OpBuilder &b, Location loc, Value in, Type element) {
  auto type = cast<VectorType>(in.getType());
  SmallVector<Value> pairs;
  for (int64_t i = 0; i < type.getNumElements(); i += 2) {
    Value low = vector::ExtractOp::create(b, loc, in, i);
    Value high = vector::ExtractOp::create(b, loc, in, i + 1);
    pairs.push_back(NVVM::ConvertF32x2ToF8x2Op::create(
        b, loc, b.getI16Type(), high, low, NVVM::FPRoundingMode::RN,
        NVVM::SaturationMode::SATFINITE, /*relu=*/false, element));
  }
  auto pairType = VectorType::get(pairs.size(), b.getI16Type());
  Value packed = vector::FromElementsOp::create(b, loc, pairType, pairs);
  return vector::BitCastOp::create(
      b, loc, VectorType::get(type.getShape(), b.getI8Type()), packed);
}

static Value replaceOverflow(OpBuilder &b, Location loc, Value in, Value bytes,
                             const Overflow &overflow) {
  auto type = cast<VectorType>(in.getType());
  auto byteType = cast<VectorType>(bytes.getType());
  auto splat = [&](VectorType shape, TypedAttr v) -> Value {
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(shape, Attribute(v)));
  };
  Value magnitude = math::AbsFOp::create(b, loc, in);
  // False for NaN, which cvt gets right.
  Value over =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT, magnitude,
                            splat(type, b.getF32FloatAttr(overflow.last)));
  Value special = splat(byteType, b.getI8IntegerAttr(overflow.encoding));
  if (overflow.isSigned) {
    Value sign = arith::AndIOp::create(
        b, loc, bytes, splat(byteType, b.getI8IntegerAttr(int8_t(0x80))));
    special = arith::OrIOp::create(b, loc, special, sign);
  }
  return arith::SelectOp::create(b, loc, over, special, bytes);
}

static LogicalResult convertTruncF(arith::TruncFOp op,
                                   PatternRewriter &rewriter) {
  auto source = dyn_cast<VectorType>(op.getIn().getType());
  auto result = dyn_cast<VectorType>(op.getType());
  if (!source || source.getRank() != 1 || source.isScalable() ||
      !source.getElementType().isF32() || source.getNumElements() % 2 != 0 ||
      op.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) !=
          arith::RoundingMode::to_nearest_even)
    return rewriter.notifyMatchFailure(op, "not f32 pairs to nearest");
  std::optional<Overflow> overflow = getOverflow(result.getElementType());
  if (!overflow)
    return rewriter.notifyMatchFailure(op, "not an fp8 format");
  Location loc = op.getLoc();
  Value bytes =
      convertPairs(rewriter, loc, op.getIn(), result.getElementType());
  bytes = replaceOverflow(rewriter, loc, op.getIn(), bytes, *overflow);
  rewriter.replaceOpWithNewOp<arith::BitcastOp>(op, result, bytes);
  return success();
}

namespace {
struct NormConvertFP8ToNVVM
    : norm::impl::NormConvertFP8ToNVVMBase<NormConvertFP8ToNVVM> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add(convertTruncF);
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
