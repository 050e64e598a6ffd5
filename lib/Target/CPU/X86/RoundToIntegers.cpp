//===- RoundToIntegers.cpp - round and convert by one instruction ---------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "norm/Target/CPU/X86/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMROUNDTOINTEGERS
#include "norm/Target/CPU/X86/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

static bool isF32Row(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() == 1 && !vector.isScalable() &&
         vector.getElementType().isF32();
}

/// A bound that is an integer, which rounding and clamping pass in either
/// order.
static bool isIntegralBound(Value v) {
  DenseFPElementsAttr bound;
  return matchPattern(v, m_Constant(&bound)) && bound.isSplat() &&
         bound.getSplatValue<APFloat>().isInteger();
}

static bool isClamp(Operation *op) {
  return isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
             arith::MinNumFOp>(op) &&
         isIntegralBound(op->getOperand(1));
}

/// The rounding to even whose clamped result is `v`, and the clamps, the last
/// one first; each is only used by the next.
static math::RoundEvenOp findRounding(Value v,
                                      SmallVectorImpl<Operation *> &clamps) {
  while (Operation *op = v.getDefiningOp()) {
    if (!op->hasOneUse())
      return {};
    if (auto rounding = dyn_cast<math::RoundEvenOp>(op))
      return rounding;
    if (!isClamp(op))
      return {};
    clamps.push_back(op);
    v = op->getOperand(0);
  }
  return {};
}

/// Clamps what was rounded, and converts with the rounding of the conversion.
static Value roundLast(OpBuilder &b, arith::FPToSIOp op, Type words) {
  SmallVector<Operation *> clamps;
  math::RoundEvenOp rounding = findRounding(op.getIn(), clamps);
  if (!rounding)
    return Value();
  Value v = rounding.getOperand();
  for (Operation *clamp : llvm::reverse(clamps)) {
    IRMapping mapping;
    mapping.map(clamp->getOperand(0), v);
    v = b.clone(*clamp, mapping)->getResult(0);
  }
  return LLVM::LrintOp::create(b, op.getLoc(), words, v);
}

static void convert(arith::FPToSIOp op) {
  if (!isF32Row(op.getIn().getType()))
    return;
  auto type = cast<VectorType>(op.getType());
  unsigned bits = type.getElementTypeBitWidth();
  if (bits > 32 || bits % 8 != 0)
    return;
  OpBuilder b(op);
  Type words = type.clone(b.getI32Type());
  Value result = roundLast(b, op, words);
  if (!result && bits == 32)
    return;
  if (!result)
    result = arith::FPToSIOp::create(b, op.getLoc(), words, op.getIn());
  // What does not fit is poison in both.
  if (bits < 32)
    result = arith::TruncIOp::create(b, op.getLoc(), type, result,
                                     arith::IntegerOverflowFlags::nsw);
  op.replaceAllUsesWith(result);
  op.erase();
}

namespace {
struct NormRoundToIntegers
    : norm::impl::NormRoundToIntegersBase<NormRoundToIntegers> {
  void runOnOperation() override { getOperation()->walk(convert); }
};
} // namespace
