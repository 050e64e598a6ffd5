//===- ConvertFP8.cpp - roundings to 8-bit floats in pairs ----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: nothing makes nvvm.convert.f32x2.to.f8x2 of
// arith.truncf; goes when convert-gpu-to-nvvm does.

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "norm/Floats/Lanes.h"
#include "norm/Target/NVVM/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMCONVERTFP8TONVVM
#include "norm/Target/NVVM/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using norm::Lanes;

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
static Value convertPairs(ImplicitLocOpBuilder &b, Value in, Type element) {
  auto type = cast<VectorType>(in.getType());
  SmallVector<Value> pairs;
  for (int64_t i = 0; i < type.getNumElements(); i += 2) {
    Value low = vector::ExtractOp::create(b, in, i);
    Value high = vector::ExtractOp::create(b, in, i + 1);
    pairs.push_back(NVVM::ConvertF32x2ToF8x2Op::create(
        b, b.getI16Type(), high, low, NVVM::FPRoundingMode::RN,
        NVVM::SaturationMode::SATFINITE, /*relu=*/false, element));
  }
  auto pairType = VectorType::get(pairs.size(), b.getI16Type());
  Value packed = vector::FromElementsOp::create(b, pairType, pairs);
  return vector::BitCastOp::create(b, type.clone(b.getI8Type()), packed);
}

static Value replaceOverflow(ImplicitLocOpBuilder &b, Value in, Value bytes,
                             const Overflow &overflow) {
  Lanes saturated(b, bytes), magnitude(b, math::AbsFOp::create(b, in));
  // False for NaN, which cvt gets right.
  Value over = magnitude.is(arith::CmpFPredicate::OGT, overflow.last);
  Lanes special = saturated.like(overflow.encoding);
  if (overflow.isSigned)
    special = special | (saturated & 0x80);
  return select(over, special, saturated);
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
  ImplicitLocOpBuilder b(op.getLoc(), rewriter);
  Value bytes = convertPairs(b, op.getIn(), result.getElementType());
  bytes = replaceOverflow(b, op.getIn(), bytes, *overflow);
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
