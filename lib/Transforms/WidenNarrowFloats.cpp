//===- WidenNarrowFloats.cpp - 16-bit arithmetic in f32 -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BF16.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "norm/Transforms/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMWIDENNARROWFLOATS
#include "norm/Transforms/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using namespace mlir::norm;

static bool isNarrow(Type type) {
  Type element = getElementTypeOrSelf(type);
  return element.isF16() || element.isBF16();
}

static Type widen(Type type) {
  return withElement(type, Float32Type::get(type.getContext()));
}

static bool computes(Operation *op) {
  if (isa<arith::ConstantOp, arith::ExtFOp, arith::TruncFOp, arith::SelectOp,
          arith::BitcastOp>(op))
    return false;
  // Integer conversions round once on their own; through f32 they would twice.
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op))
    return false;
  return (isa<vector::FMAOp>(op) ||
          isa_and_nonnull<arith::ArithDialect, math::MathDialect>(
              op->getDialect())) &&
         (llvm::any_of(op->getOperandTypes(), isNarrow) ||
          llvm::any_of(op->getResultTypes(), isNarrow));
}

static bool convertsInteger(Operation *op) {
  return isa<arith::SIToFPOp, arith::UIToFPOp>(op) &&
         isNarrow(op->getResult(0).getType());
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

/// Integer to 16 bits goes through f64, which holds integers up to 2^53.
static Operation *convertThroughF64(Operation *op) {
  OpBuilder b(op);
  Operation *wide = b.clone(*op);
  wide->getResult(0).setType(
      withElement(op->getResult(0).getType(), b.getF64Type()));
  auto narrow = arith::TruncFOp::create(
      b, op->getLoc(), op->getResult(0).getType(), wide->getResult(0));
  op->getResult(0).replaceAllUsesWith(narrow);
  op->erase();
  return narrow;
}

/// In the order of the elements, as LLVM does without `reassoc`.
static void reduceByElements(vector::ReductionOp op) {
  OpBuilder b(op);
  Location loc = op.getLoc();
  Value result = op.getAcc();
  for (int64_t i = 0, e = op.getSourceVectorType().getDimSize(0); i < e; ++i) {
    Value element = vector::ExtractOp::create(b, loc, op.getVector(), i);
    result = result ? vector::makeArithReduction(b, loc, op.getKind(), result,
                                                 element)
                    : element;
  }
  op.replaceAllUsesWith(result);
  op.erase();
}

/// By upstream's patterns, which convert-vector-to-llvm has too: its products
/// and sums then round here.
static void lowerContractions(Operation *root) {
  WalkResult found = root->walk([](vector::ContractionOp op) {
    return isNarrow(op.getResultType()) ? WalkResult::interrupt()
                                        : WalkResult::advance();
  });
  if (!found.wasInterrupted())
    return;
  RewritePatternSet patterns(root->getContext());
  vector::populateVectorContractLoweringPatterns(
      patterns, vector::VectorContractLowering::Dot);
  (void)applyPatternsGreedily(root, std::move(patterns));
}

static void expandReductions(Operation *root) {
  SmallVector<vector::ReductionOp> reductions;
  root->walk([&](vector::ReductionOp op) {
    if (isNarrow(op.getType()) && !op.isMasked() &&
        !op.getSourceVectorType().isScalable())
      reductions.push_back(op);
  });
  for (vector::ReductionOp op : reductions)
    reduceByElements(op);
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
  Type i32 = withElement(x.getType(), b.getI32Type());
  auto splat = [&](int64_t value) { return createInteger(b, loc, i32, value); };
  Value rounded = arith::TruncFOp::create(b, loc, f32, x);
  Value back = arith::ExtFOp::create(b, loc, x.getType(), rounded);
  Value inexact =
      arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, back, x);
  Value away = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OGT,
                                     math::AbsFOp::create(b, loc, back),
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
    lowerContractions(getOperation());
    expandReductions(getOperation());
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (computes(op) || skipsF32(op) || convertsInteger(op))
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      if (convertsInteger(op))
        op = convertThroughF64(op);
      skipsF32(op) ? truncateThroughF32(op) : widenOp(op);
    }
  }
};
} // namespace
