//===- Instrument.cpp - the reference's program ---------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Instrument.h"
#include "Noise.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"
#include "norm/Conversion/NormToLinalg/Passes.h"
#include "norm/IR/Norm.h"
#include "norm/Pipelines/Pipelines.h"
#include <cmath>

using namespace mlir;
using namespace norm_test;

/// Whether `op` computes what a reduction of its body's op carries on.
static bool isReductionStep(Operation *op) {
  auto linalgOp = op->getParentOfType<linalg::LinalgOp>();
  if (!linalgOp || linalgOp.getNumReductionLoops() == 0)
    return false;
  SmallVector<Operation *> pending{op};
  llvm::SmallPtrSet<Operation *, 16> seen;
  while (!pending.empty()) {
    Operation *next = pending.pop_back_val();
    for (Value operand : next->getOperands()) {
      if (llvm::is_contained(linalgOp.getRegionOutputArgs(), operand))
        return true;
      Operation *definition = operand.getDefiningOp();
      if (definition && linalgOp->isProperAncestor(definition) &&
          seen.insert(definition).second)
        pending.push_back(definition);
    }
  }
  return false;
}

/// The functions that norm-expand-vector-math writes out.
static bool isVectorFunction(Operation *op) {
  return isa<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp,
             math::Log1pOp, math::TanhOp, math::ErfOp>(op);
}

static bool isRoundedArithmetic(Operation *op) {
  return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp>(op) ||
         (isa<math::MathDialect>(op->getDialect()) &&
          !isa<math::AbsFOp, math::CeilOp, math::FloorOp, math::RoundEvenOp,
               math::RoundOp, math::TruncOp, math::CopySignOp, math::ClampFOp,
               math::IsNaNOp, math::IsInfOp, math::IsFiniteOp,
               math::IsNormalOp>(op));
}

/// A constant, also one that is still to be rounded.
static bool isPositiveConstant(Value value) {
  while (auto cast = value.getDefiningOp<arith::TruncFOp>())
    value = cast.getIn();
  APFloat constant(0.0);
  return matchPattern(value, m_ConstantFloat(&constant)) &&
         constant.isFiniteNonZero() && !constant.isNegative();
}

/// What `op` bounds by a positive constant from below, where it takes the
/// constant for a NaN or may do so.
static Value getClamped(Operation *op) {
  Value low, high;
  if (isa<arith::MaxNumFOp>(op)) {
    low = op->getOperand(0);
    high = op->getOperand(1);
  } else if (auto select = dyn_cast<arith::SelectOp>(op)) {
    auto compare = select.getCondition().getDefiningOp<arith::CmpFOp>();
    low = select.getTrueValue();
    high = select.getFalseValue();
    if (!compare || !llvm::is_contained(compare->getOperands(), low) ||
        !llvm::is_contained(compare->getOperands(), high))
      return {};
  } else {
    return {};
  }
  return isPositiveConstant(low)    ? high
         : isPositiveConstant(high) ? low
                                    : Value();
}

namespace {
class Instrumenter {
public:
  explicit Instrumenter(ModuleOp module)
      : module(module), b(module.getContext()) {}

  void run() {
    SmallVector<Operation *> ops;
    module.walk([&](Operation *op) {
      if (op->getNumResults() == 1)
        ops.push_back(op);
    });
    for (Operation *op : ops) {
      b.setInsertionPointAfter(op);
      visit(op);
    }
  }

private:
  void visit(Operation *op) {
    if (isa<arith::FPToSIOp>(op))
      return disturbConversion(op, /*isSigned=*/true);
    if (isa<arith::FPToUIOp>(op))
      return disturbConversion(op, /*isSigned=*/false);
    if (isa<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>(op))
      return disturbShift(op);
    auto type = dyn_cast<FloatType>(op->getResult(0).getType());
    if (!type ||
        !(type.isF16() || type.isBF16() || type.isF32() || type.isF64()))
      return;
    if (Value clamped = getClamped(op))
      return disturbClamp(op, clamped, type);
    if (isa<arith::MaxNumFOp, arith::MinNumFOp>(op))
      return disturbZero(op, type);
    if (isVectorFunction(op) && type.getWidth() == 16)
      return widenFunction(op, type);
    if (isVectorFunction(op))
      return disturb(op->getResult(0), Function);
    if (isRoundedArithmetic(op))
      disturb(op->getResult(0), isReductionStep(op) ? Reordered : Rewritten);
  }

  /// Reordered, with Overflowed where a sum of numbers leaves the range, or
  /// comes so near its end that it may in another order.
  Value makeStepKind(Operation *op) {
    Location loc = op->getLoc();
    auto type = cast<FloatType>(op->getResult(0).getType());
    const llvm::fltSemantics &semantics = type.getFloatSemantics();
    auto compare = [&](arith::CmpFPredicate predicate, Value value,
                       const APFloat &limit) {
      Value constant =
          arith::ConstantOp::create(b, loc, b.getFloatAttr(type, limit));
      Value magnitude = math::AbsFOp::create(b, loc, value);
      return Value(
          arith::CmpFOp::create(b, loc, predicate, magnitude, constant));
    };
    APFloat near = scalbn(APFloat::getLargest(semantics), -5,
                          APFloat::rmNearestTiesToEven);
    Value overflows =
        compare(arith::CmpFPredicate::OGE, op->getResult(0), near);
    for (Value operand : op->getOperands())
      overflows =
          arith::AndIOp::create(b, loc, overflows,
                                compare(arith::CmpFPredicate::OLT, operand,
                                        APFloat::getInf(semantics)));
    Value yes = arith::ConstantOp::create(
        b, loc, b.getI32IntegerAttr(Reordered | Overflowed));
    Value no =
        arith::ConstantOp::create(b, loc, b.getI32IntegerAttr(Reordered));
    return arith::SelectOp::create(b, loc, overflows, yes, no);
  }

  /// Docs/Codegen.md: in f32, and rounded once more.
  void widenFunction(Operation *op, FloatType type) {
    b.setInsertionPoint(op);
    Location loc = op->getLoc();
    Value wide =
        arith::ExtFOp::create(b, loc, b.getF32Type(), op->getOperand(0));
    Operation *copy = b.clone(*op);
    copy->setOperand(0, wide);
    copy->getResult(0).setType(b.getF32Type());
    Value narrow = arith::TruncFOp::create(b, loc, type, copy->getResult(0));
    b.setInsertionPointAfter(copy);
    disturb(copy->getResult(0), Function);
    op->replaceAllUsesWith(ValueRange{narrow});
    op->erase();
  }

  void disturb(Value value, NoiseKind kind) {
    auto type = cast<FloatType>(value.getType());
    Location loc = value.getLoc();
    Type bitsType = b.getIntegerType(type.getWidth());
    Operation *op = value.getDefiningOp();
    Value number = kind == Reordered && isa<arith::AddFOp, arith::SubFOp>(op)
                       ? makeStepKind(op)
                       : Value(arith::ConstantOp::create(
                             b, loc, b.getI32IntegerAttr(kind)));
    Value bits = arith::BitcastOp::create(b, loc, bitsType, value);
    std::string name = "norm_test_noise_" + std::string(type.isF16()    ? "f16"
                                                        : type.isBF16() ? "bf16"
                                                        : type.isF32() ? "f32"
                                                                       : "f64");
    bool isNarrow = type.getWidth() == 16;
    Value moved = call(
        name, isNarrow ? b.getI32Type() : bitsType,
        {isNarrow ? arith::ExtUIOp::create(b, loc, b.getI32Type(), bits) : bits,
         number},
        loc);
    if (isNarrow)
      moved = arith::TruncIOp::create(b, loc, bitsType, moved);
    replace(value, arith::BitcastOp::create(b, loc, type, moved));
  }

  void disturbZero(Operation *op, FloatType type) {
    Location loc = op->getLoc();
    Value value = op->getResult(0);
    Type bitsType = b.getIntegerType(type.getWidth());
    Value bits = arith::BitcastOp::create(b, loc, bitsType, value);
    Value sign = constant(int64_t(uint64_t(1) << (type.getWidth() - 1)), loc);
    Value all =
        call("norm_test_zero", b.getI64Type(), {widen(bits, loc), sign}, loc);
    replace(value,
            arith::BitcastOp::create(b, loc, type, narrow(all, bitsType, loc)));
  }

  /// docs/Recognition.md: a clamp of the mean may be epsilon for a NaN.
  void disturbClamp(Operation *op, Value clamped, FloatType type) {
    Location loc = op->getLoc();
    Value result = op->getResult(0);
    Type bitsType = b.getIntegerType(type.getWidth());
    APFloat nan = APFloat::getQNaN(type.getFloatSemantics());
    Value bits = arith::BitcastOp::create(b, loc, bitsType, result);
    Value all = call(
        "norm_test_clamped", b.getI64Type(),
        {widen(bits, loc), constant(nan.bitcastToAPInt().getZExtValue(), loc)},
        loc);
    Value kept =
        arith::BitcastOp::create(b, loc, type, narrow(all, bitsType, loc));
    Value isNaN = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO,
                                        clamped, clamped);
    replace(result, arith::SelectOp::create(b, loc, isNaN, kept, result));
  }

  void disturbConversion(Operation *op, bool isSigned) {
    auto type = dyn_cast<IntegerType>(op->getResult(0).getType());
    auto source = dyn_cast<FloatType>(op->getOperand(0).getType());
    if (!type || !source || type.getWidth() > 64 || source.getWidth() > 64)
      return;
    Location loc = op->getLoc();
    Value value = op->getOperand(0), integer = op->getResult(0);
    if (!source.isF64())
      value = arith::ExtFOp::create(b, loc, b.getF64Type(), value);
    double range = std::ldexp(1.0, type.getWidth() - isSigned);
    // The largest integer below is a double where the type has 53 bits.
    double greatest = std::nextafter(range, 0);
    Value least = arith::ConstantOp::create(
        b, loc, b.getF64FloatAttr(isSigned ? -range : 0));
    Value most = arith::ConstantOp::create(b, loc, b.getF64FloatAttr(greatest));
    Value wide = widen(integer, loc);
    Value all = call("norm_test_converted", b.getI64Type(),
                     {value, wide, least, most}, loc);
    replace(integer, narrow(all, type, loc));
  }

  void disturbShift(Operation *op) {
    auto type = dyn_cast<IntegerType>(op->getResult(0).getType());
    if (!type || type.getWidth() > 64)
      return;
    Location loc = op->getLoc();
    Value integer = op->getResult(0);
    Value amount = widen(op->getOperand(1), loc), wide = widen(integer, loc);
    Value all = call("norm_test_shifted", b.getI64Type(),
                     {wide, amount, constant(type.getWidth(), loc)}, loc);
    replace(integer, narrow(all, type, loc));
  }

  /// Uses of `value` but those that lead to `by`, which were just made, become
  /// uses of `by`.
  static void replace(Value value, Value by) {
    Operation *from = value.getDefiningOp(), *to = by.getDefiningOp();
    value.replaceUsesWithIf(by, [&](OpOperand &use) {
      Operation *user = use.getOwner();
      return user != to && (user->getBlock() != from->getBlock() ||
                            !user->isBeforeInBlock(to));
    });
  }

  Value constant(int64_t value, Location loc) {
    return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
  }
  Value widen(Value integer, Location loc) {
    if (integer.getType().isInteger(64))
      return integer;
    return arith::ExtUIOp::create(b, loc, b.getI64Type(), integer);
  }
  Value narrow(Value integer, Type type, Location loc) {
    if (type.isInteger(64))
      return integer;
    return arith::TruncIOp::create(b, loc, type, integer);
  }

  Value call(StringRef name, Type result, ValueRange arguments, Location loc) {
    auto function = module.lookupSymbol<func::FuncOp>(name);
    if (!function) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPointToStart(module.getBody());
      function =
          func::FuncOp::create(b, module.getLoc(), name,
                               b.getFunctionType(TypeRange(arguments), result));
      function.setPrivate();
    }
    return func::CallOp::create(b, loc, function, arguments).getResult(0);
  }

  ModuleOp module;
  OpBuilder b;
};
} // namespace

LogicalResult norm_test::instrument(ModuleOp module, bool verify) {
  PassManager pm(module.getContext());
  norm::buildFrontEndLowering(pm);
  // Arithmetic on tensors has no other bufferization.
  pm.addPass(createConvertElementwiseToLinalgPass());
  norm::NormToLinalgOptions decompose;
  decompose.allAggregated = true;
  pm.addPass(norm::createNormToLinalg(decompose));
  pm.addPass(createLinalgGeneralizeNamedOpsPass());
  if (verify)
    pm.addPass(createGenerateRuntimeVerificationPass());
  if (failed(pm.run(module)))
    return failure();
  Instrumenter(module).run();
  return mlir::verify(module);
}

template <typename OpTy> static unsigned countOps(ModuleOp module) {
  unsigned count = 0;
  module.walk([&](OpTy) { ++count; });
  return count;
}

Recognized norm_test::countRecognized(ModuleOp module,
                                      norm::Rounding rounding) {
  OwningOpRef<ModuleOp> copy(module.clone());
  PassManager pm(module.getContext());
  norm::buildRecognition(pm, rounding);
  if (failed(pm.run(*copy)))
    return {};
  return {countOps<norm::RMSNormOp>(*copy) - countOps<norm::RMSNormOp>(module),
          countOps<norm::RMSNormBackwardOp>(*copy) -
              countOps<norm::RMSNormBackwardOp>(module)};
}
