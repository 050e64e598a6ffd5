//===- WidenNarrowFloats.cpp - 16-bit arithmetic in f32 -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "norm/Transforms/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMWIDENNARROWFLOATS
#include "norm/Transforms/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

static bool isNarrow(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF16() || element.isBF16();
}

static Type widen(Type type) {
  Type f32 = Float32Type::get(type.getContext());
  if (auto shaped = dyn_cast<ShapedType>(type))
    return shaped.clone(f32);
  return f32;
}

static bool computes(Operation *op) {
  if (isa<arith::ConstantOp, arith::ExtFOp, arith::TruncFOp, arith::SelectOp,
          arith::BitcastOp>(op))
    return false;
  // Integer conversions round once on their own; through f32 they would twice.
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return false;
  return isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
             op->getDialect()) &&
         (llvm::any_of(op->getOperandTypes(), isNarrow) ||
          llvm::any_of(op->getResultTypes(), isNarrow));
}

static void widenOp(Operation *op) {
  OpBuilder b(op);
  IRMapping mapping;
  for (Value operand : op->getOperands())
    if (isNarrow(operand.getType()) && !mapping.contains(operand))
      mapping.map(operand,
                  arith::ExtFOp::create(b, op->getLoc(),
                                        widen(operand.getType()), operand)
                      .getResult());
  Operation *wide = b.clone(*op, mapping);
  for (auto [result, wideResult] :
       llvm::zip(op->getResults(), wide->getResults())) {
    Value replacement = wideResult;
    if (isNarrow(result.getType())) {
      wideResult.setType(widen(result.getType()));
      replacement = arith::TruncFOp::create(b, op->getLoc(), result.getType(),
                                            wideResult);
    }
    result.replaceAllUsesWith(replacement);
  }
  op->erase();
}

static bool skipsF32(Operation *op) {
  auto trunc = dyn_cast<arith::TruncFOp>(op);
  return trunc && getElementTypeOrSelf(trunc.getIn().getType()).isF64() &&
         isNarrow(trunc.getType());
}

/// f64 to 16 bits through f32 rounded to odd, so that the second rounding sees
/// which side of a tie the value was on (Boldo and Melquiond, 2008).
static void truncateThroughF32(Operation *op) {
  OpBuilder b(op);
  Location loc = op->getLoc();
  Value x = op->getOperand(0);
  Type f32 = widen(x.getType());
  Type i32 = b.getI32Type();
  if (auto shaped = dyn_cast<ShapedType>(x.getType()))
    i32 = shaped.clone(i32);
  auto splat = [&](int64_t value) -> Value {
    TypedAttr attr = b.getI32IntegerAttr(value);
    if (auto shaped = dyn_cast<ShapedType>(i32))
      attr = DenseElementsAttr::get(shaped, b.getI32IntegerAttr(value));
    return arith::ConstantOp::create(b, loc, attr);
  };
  Value rounded = arith::TruncFOp::create(b, loc, f32, x);
  Value back = arith::ExtFOp::create(b, loc, x.getType(), rounded);
  Value inexact = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, back,
                                        x);
  Value away = arith::CmpFOp::create(
      b, loc, arith::CmpFPredicate::OGT, math::AbsFOp::create(b, loc, back),
      math::AbsFOp::create(b, loc, x));
  Value bits = arith::BitcastOp::create(b, loc, i32, rounded);
  Value towardZero = arith::SelectOp::create(
      b, loc, away, arith::SubIOp::create(b, loc, bits, splat(1)), bits);
  Value odd = arith::OrIOp::create(b, loc, towardZero, splat(1));
  bits = arith::SelectOp::create(b, loc, inexact, odd, bits);
  Value result = arith::BitcastOp::create(b, loc, f32, bits);
  result = arith::TruncFOp::create(b, loc, op->getResult(0).getType(), result);
  op->getResult(0).replaceAllUsesWith(result);
  op->erase();
}

namespace {
struct NormWidenNarrowFloats
    : norm::impl::NormWidenNarrowFloatsBase<NormWidenNarrowFloats> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (computes(op) || skipsF32(op))
        ops.push_back(op);
    });
    for (Operation *op : ops)
      skipsF32(op) ? truncateThroughF32(op) : widenOp(op);
  }
};
} // namespace
