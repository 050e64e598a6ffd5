//===- MaximaToIntegers.cpp - maxima of magnitudes by their bits ----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "norm/Floats/Lanes.h"
#include "norm/Target/CPU/X86/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMMAXIMATOINTEGERS
#include "norm/Target/CPU/X86/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using namespace mlir::norm;

namespace {
/// Whether a value is an f32 without a sign, a NaN included, or minus infinity:
/// as signed integers such bits have the order of arith.maximumf, which is NaN
/// if an operand is.
class Magnitudes {
public:
  static bool contain(Value v) { return ValueOrigins::allHold(v, visit); }

private:
  static bool visit(OpResult v, ValueOrigins &origins) {
    Operation *op = v.getOwner();
    if (!getElementTypeOrSelf(v.getType()).isF32())
      return false;
    if (isa<math::AbsFOp>(op))
      return true;
    if (Attribute constant; matchPattern(op, m_Constant(&constant)))
      return isMagnitude(constant);
    if (auto select = dyn_cast<arith::SelectOp>(op)) {
      origins.add(select.getTrueValue());
      origins.add(select.getFalseValue());
      return true;
    }
    if (!passesOn(op))
      return false;
    for (Value operand : op->getOperands())
      origins.add(operand);
    return true;
  }

  static bool isMagnitude(Attribute constant) {
    auto holds = [](const APFloat &value) {
      return !value.isNegative() || (value.isInfinity() && value.isNegative());
    };
    if (auto scalar = dyn_cast<FloatAttr>(constant))
      return holds(scalar.getValue());
    auto elements = dyn_cast<DenseFPElementsAttr>(constant);
    return elements && llvm::all_of(elements, holds);
  }

  /// Every element of the result is one of an operand. An index of an
  /// extraction is a constant.
  static bool passesOn(Operation *op) {
    if (auto extract = dyn_cast<vector::ExtractOp>(op))
      return extract.getDynamicPosition().empty();
    return isa<arith::MaximumFOp, vector::BroadcastOp,
               vector::ExtractStridedSliceOp, vector::InsertStridedSliceOp,
               vector::ShuffleOp, vector::InterleaveOp, vector::DeinterleaveOp>(
        op);
  }
};
} // namespace

static void computeInIntegers(arith::MaximumFOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Lanes lhs = Lanes(b, op.getLhs()).bits(), rhs = Lanes(b, op.getRhs()).bits();
  op.replaceAllUsesWith(Value(lhs.apply<arith::MaxSIOp>(rhs).number()));
  op.erase();
}

namespace {
struct NormMaximaToIntegers
    : norm::impl::NormMaximaToIntegersBase<NormMaximaToIntegers> {
  void runOnOperation() override {
    // All are looked at before the first one is replaced: a maximum of maxima
    // is one of magnitudes because they are.
    SmallVector<arith::MaximumFOp> maxima;
    getOperation()->walk([&](arith::MaximumFOp op) {
      if (Magnitudes::contain(op.getResult()))
        maxima.push_back(op);
    });
    llvm::for_each(maxima, computeInIntegers);
  }
};
} // namespace
