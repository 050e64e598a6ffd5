//===- RoundByDotProducts.cpp - round to bf16 by two instructions ---------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "norm/Target/CPU/X86/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMROUNDBYDOTPRODUCTS
#include "norm/Target/CPU/X86/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

static constexpr int64_t kMostLanes = 16;

/// The lanes of one instruction, or 0 where no register is filled.
static int64_t getLanes(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || vector.getRank() != 1 || vector.isScalable() ||
      !vector.getElementType().isInteger(32))
    return 0;
  int64_t length = vector.getDimSize(0);
  if (length == 4 || length == 8)
    return length;
  return length % kMostLanes == 0 ? kMostLanes : 0;
}

static bool isSplat(Value v, int64_t value) {
  APInt bits;
  return matchPattern(v, m_ConstantInt(&bits)) && bits.getSExtValue() == value;
}

/// The left operand of the OpTy that makes `v` with `constant` on the right.
template <typename OpTy> static Value getLeft(Value v, int64_t constant) {
  auto op = v.getDefiningOp<OpTy>();
  return op && isSplat(op.getRhs(), constant) ? op.getLhs() : Value();
}

/// The words w of a w + 0x7FFF + ((w >> 16) & 1), or null.
static Value findRounded(arith::AddIOp op) {
  Value words = getLeft<arith::AddIOp>(op.getLhs(), 0x7FFF);
  Value high = getLeft<arith::AndIOp>(op.getRhs(), 1);
  if (!words || !high || getLeft<arith::ShRUIOp>(high, 16) != words)
    return Value();
  return words;
}

/// Builds w + 0x7FFF * 1 + (bit 16 of w) * 1.
static Value roundPart(OpBuilder &b, Location loc, Value words) {
  auto type = cast<VectorType>(words.getType());
  auto halves = VectorType::get(2 * type.getDimSize(0), b.getI16Type());
  auto splat = [&](VectorType of, int64_t value) -> Value {
    Attribute attr = b.getIntegerAttr(of.getElementType(), value);
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(of, attr));
  };
  Value odd = arith::AndIOp::create(b, loc, words, splat(type, 0x10000));
  Value terms = arith::OrIOp::create(b, loc, odd, splat(type, 0x7FFF));
  std::string name =
      ("llvm.x86.avx512.vpdpwssd." + Twine(32 * type.getDimSize(0))).str();
  Value factors[] = {words, vector::BitCastOp::create(b, loc, halves, terms),
                     splat(halves, 1)};
  return LLVM::CallIntrinsicOp::create(b, loc, type, b.getStringAttr(name),
                                       factors)
      .getResult(0);
}

static void replaceRounding(arith::AddIOp op) {
  int64_t lanes = getLanes(op.getType());
  Value words = lanes ? findRounded(op) : Value();
  if (!words)
    return;
  OpBuilder b(op);
  Location loc = op.getLoc();
  int64_t length = cast<VectorType>(op.getType()).getDimSize(0);
  Value result;
  if (length == lanes) {
    result = roundPart(b, loc, words);
  } else {
    result = arith::ConstantOp::create(b, loc, b.getZeroAttr(op.getType()));
    for (int64_t first = 0; first < length; first += lanes) {
      Value part = vector::ExtractStridedSliceOp::create(b, loc, words, {first},
                                                         {lanes}, {1});
      result = vector::InsertStridedSliceOp::create(
          b, loc, roundPart(b, loc, part), result, {first}, {1});
    }
  }
  op.replaceAllUsesWith(result);
  op.erase();
}

namespace {
struct NormRoundByDotProducts
    : norm::impl::NormRoundByDotProductsBase<NormRoundByDotProducts> {
  void runOnOperation() override { getOperation()->walk(replaceRounding); }
};
} // namespace
