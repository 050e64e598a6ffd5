//===- RoundByDotProducts.cpp - round to bf16 by two instructions ---------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "norm/Floats/Lanes.h"
#include "norm/Target/CPU/X86/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMROUNDBYDOTPRODUCTS
#include "norm/Target/CPU/X86/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using namespace mlir::norm;

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

/// Builds w + 0x7FFF * 1 + (bit 16 of w) * 1.
static Value roundPart(ImplicitLocOpBuilder &b, Lanes words) {
  auto type = cast<VectorType>(Value(words).getType());
  auto halfType = VectorType::get(2 * type.getDimSize(0), b.getI16Type());
  Lanes terms = words & 0x10000 | 0x7FFF;
  Lanes halves(b, vector::BitCastOp::create(b, halfType, terms));
  std::string name =
      ("llvm.x86.avx512.vpdpwssd." + Twine(32 * type.getDimSize(0))).str();
  Value factors[] = {words, halves, halves.like(1)};
  return LLVM::CallIntrinsicOp::create(b, type, b.getStringAttr(name), factors)
      .getResult(0);
}

static void replaceRounding(arith::AddIOp op) {
  int64_t lanes = getLanes(op.getType());
  Value words = lanes ? matchRoundToUpperHalf(op) : Value();
  if (!words)
    return;
  ImplicitLocOpBuilder b(op.getLoc(), op);
  int64_t length = cast<VectorType>(op.getType()).getDimSize(0);
  Value result;
  if (length == lanes) {
    result = roundPart(b, Lanes(b, words));
  } else {
    result = arith::ConstantOp::create(b, b.getZeroAttr(op.getType()));
    for (int64_t first = 0; first < length; first += lanes) {
      Lanes part(b, vector::ExtractStridedSliceOp::create(b, words, {first},
                                                          {lanes}, {1}));
      result = vector::InsertStridedSliceOp::create(b, roundPart(b, part),
                                                    result, {first}, {1});
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
