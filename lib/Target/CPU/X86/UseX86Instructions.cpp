//===- UseX86Instructions.cpp - what LLVM does not find by itself ---------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "norm/Floats/Lanes.h"
#include "norm/IR/Norm.h"
#include "norm/Target/CPU/X86/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMUSEX86INSTRUCTIONS
#include "norm/Target/CPU/X86/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using namespace mlir::norm;

//===----------------------------------------------------------------------===//
// Maxima of magnitudes by their bits
//===----------------------------------------------------------------------===//

/// Every element of the result is one of an operand. An index of an extraction
/// is a constant.
static bool passesOn(Operation *op) {
  if (auto extract = dyn_cast<vector::ExtractOp>(op))
    return extract.getDynamicPosition().empty();
  return isa<arith::MaximumFOp, vector::BroadcastOp,
             vector::ExtractStridedSliceOp, vector::InsertStridedSliceOp,
             vector::ShuffleOp, vector::InterleaveOp, vector::DeinterleaveOp>(
      op);
}

/// Returns true if a value is an f32 without a sign, a NaN included, or minus
/// infinity: as signed integers such bits have the order of arith.maximumf,
/// which is NaN if an operand is.
static bool areMagnitudes(Value v) {
  return ValueOrigins::allHold(v, [](OpResult v, ValueOrigins &origins) {
    Operation *op = v.getOwner();
    if (!getElementTypeOrSelf(v.getType()).isF32())
      return false;
    if (isa<math::AbsFOp>(op))
      return true;
    if (APFloat value(0.0f); matchPattern(op, m_ConstantFloat(&value)))
      return !value.isNegative() || value.isInfinity();
    auto select = dyn_cast<arith::SelectOp>(op);
    if (!select && !passesOn(op))
      return false;
    for (Value operand : op->getOperands().drop_front(select ? 1 : 0))
      origins.add(operand);
    return true;
  });
}

static void computeInIntegers(arith::MaximumFOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Lanes lhs = Lanes(b, op.getLhs()).bits(), rhs = Lanes(b, op.getRhs()).bits();
  op.replaceAllUsesWith(Value(lhs.apply<arith::MaxSIOp>(rhs).number()));
  op.erase();
}

/// All are looked at before the first one is replaced: a maximum of maxima is
/// one of magnitudes because they are.
static void computeMaximaInIntegers(Operation *scope) {
  auto isOfMagnitudes = [](arith::MaximumFOp op) {
    return areMagnitudes(op.getResult());
  };
  llvm::for_each(collect<arith::MaximumFOp>(scope, isOfMagnitudes),
                 computeInIntegers);
}

//===----------------------------------------------------------------------===//
// Rounding and conversion to integers
//===----------------------------------------------------------------------===//

static bool isF32Row(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  return vector && vector.getRank() == 1 && !vector.isScalable() &&
         vector.getElementType().isF32();
}

/// A bound that is an integer, which rounding and clamping pass in either
/// order.
static bool isIntegralBound(Value v) {
  APFloat bound(0.0f);
  return matchPattern(v, m_ConstantFloat(&bound)) && bound.isInteger();
}

static bool isClamp(Operation *op) {
  return isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
             arith::MinNumFOp>(op) &&
         isIntegralBound(op->getOperand(1));
}

/// Rounds to even what was clamped, instead of clamping what was rounded.
static void roundLast(Operation *op) {
  if (!isClamp(op))
    return;
  auto rounding = op->getOperand(0).getDefiningOp<math::RoundEvenOp>();
  if (!rounding || !rounding->hasOneUse())
    return;
  op->getResult(0).replaceAllUsesWith(rounding);
  op->setOperand(0, rounding.getOperand());
  rounding->setOperand(0, op->getResult(0));
  rounding->moveAfter(op);
}

static void convertByOneInstruction(arith::FPToSIOp op) {
  if (!isF32Row(op.getIn().getType()))
    return;
  auto type = cast<VectorType>(op.getType());
  unsigned bits = type.getElementTypeBitWidth();
  if (bits > 32 || bits % 8 != 0)
    return;
  OpBuilder b(op);
  Type words = type.clone(b.getI32Type());
  auto rounding = op.getIn().getDefiningOp<math::RoundEvenOp>();
  Value result;
  if (rounding && rounding->hasOneUse())
    result =
        LLVM::LrintOp::create(b, op.getLoc(), words, rounding.getOperand());
  else if (bits < 32)
    result = arith::FPToSIOp::create(b, op.getLoc(), words, op.getIn());
  else
    return;
  // What does not fit is poison in both.
  if (bits < 32)
    result = arith::TruncIOp::create(b, op.getLoc(), type, result,
                                     arith::IntegerOverflowFlags::nsw);
  op.replaceAllUsesWith(result);
  op.erase();
}

//===----------------------------------------------------------------------===//
// Rounding to bf16 by dot products
//===----------------------------------------------------------------------===//

static constexpr int64_t kMostLanes = 16;

/// The lanes of one instruction, or 0 where no register is filled.
static int64_t getLanes(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  if (!vector || vector.getRank() != 1 || vector.isScalable() ||
      !vector.getElementType().isInteger(32))
    return 0;
  int64_t length = vector.getDimSize(0), lanes = std::min(length, kMostLanes);
  bool isFilled = llvm::is_contained({4, 8, 16}, lanes) && length % lanes == 0;
  return isFilled ? lanes : 0;
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
  Value result = arith::ConstantOp::create(b, b.getZeroAttr(op.getType()));
  for (int64_t first = 0; first < length; first += lanes) {
    Lanes part(
        b, b.createOrFold<vector::ExtractStridedSliceOp>(
               words, ArrayRef(first), ArrayRef(lanes), ArrayRef<int64_t>(1)));
    result = b.createOrFold<vector::InsertStridedSliceOp>(
        roundPart(b, part), result, ArrayRef(first), ArrayRef<int64_t>(1));
  }
  op.replaceAllUsesWith(result);
  op.erase();
}

//===----------------------------------------------------------------------===//
// Vectors of 512 bits
//===----------------------------------------------------------------------===//

/// LLVM prefers 256 bits on many CPUs that have 512. The attribute becomes the
/// property of that name which llvm.func has.
static void preferWideVectors(func::FuncOp function) {
  StringRef name = "prefer_vector_width";
  if (!function.isExternal() && !function->hasAttr(name))
    function->setAttr(name, StringAttr::get(function.getContext(), "512"));
}

/// Stores the bits of a vector of f16 as f32.
// Upstream: LLVM 22.1: LLVM has no non-temporal store of vectors of f16 with
// AVX512-FP16; goes when it has.
static void streamAsF32(vector::StoreOp store) {
  Value value = store.getValueToStore();
  auto bits = value.getDefiningOp<arith::BitcastOp>();
  Value floats = bits ? bits.getIn() : value;
  auto type = cast<VectorType>(floats.getType());
  if (!store.getNontemporal() || type.getRank() != 1 || type.isScalable() ||
      !type.getElementType().isF16() || type.getDimSize(0) % 2 != 0)
    return;
  ImplicitLocOpBuilder b(store.getLoc(), store);
  auto words = VectorType::get(type.getDimSize(0) / 2, b.getF32Type());
  Value whole = vector::BitCastOp::create(b, words, floats);
  // No instruction, but LLVM folds no bitcast behind it.
  auto fenced = LLVM::CallIntrinsicOp::create(
      b, words, b.getStringAttr("llvm.arithmetic.fence"), whole);
  store.getValueToStoreMutable().assign(
      vector::BitCastOp::create(b, value.getType(), fenced.getResult(0)));
}

//===----------------------------------------------------------------------===//
// AMX
//===----------------------------------------------------------------------===//

/// Linux gives a process AMX's tiles when it asks for them, which code that has
/// some does as it is loaded: arch_prctl(ARCH_REQ_XCOMP_PERM, XTILEDATA).
static void requestTiles(Operation *module) {
  ImplicitLocOpBuilder b(module->getLoc(), module->getContext());
  Type word = b.getI64Type();
  auto request = LLVM::LLVMFuncOp::create(
      b, "norm_request_tiles",
      LLVM::LLVMFunctionType::get(LLVM::LLVMVoidType::get(b.getContext()), {}),
      LLVM::Linkage::Internal);
  SymbolTable symbols(module);
  auto name = FlatSymbolRefAttr::get(symbols.insert(request));
  b.setInsertionPointToStart(request.addEntryBlock(b));
  SmallVector<Value> numbers;
  for (int64_t number : {158, 0x1023, 18})
    numbers.push_back(LLVM::ConstantOp::create(b, word, number));
  LLVM::InlineAsmOp::create(
      b, word, numbers, "syscall",
      "={ax},{ax},{di},{si},~{rcx},~{r11},~{memory}", /*has_side_effects=*/true,
      /*is_align_stack=*/false, LLVM::tailcallkind::TailCallKind::None,
      LLVM::AsmDialectAttr(), ArrayAttr());
  LLVM::ReturnOp::create(b, ValueRange());
  b.setInsertionPointAfter(request);
  LLVM::GlobalCtorsOp::create(
      b, b.getArrayAttr({name}), b.getI32ArrayAttr({0}),
      b.getArrayAttr({LLVM::ZeroAttr::get(b.getContext())}));
}

static bool usesTiles(Operation *module) {
  return norm::anyIn(module, [](Operation *op) {
    return isa<amx::TileMulFOp, amx::TileMulIOp>(op);
  });
}

namespace {
struct NormUseX86Instructions
    : norm::impl::NormUseX86InstructionsBase<NormUseX86Instructions> {
  using NormUseX86InstructionsBase::NormUseX86InstructionsBase;

  void runOnOperation() override {
    computeMaximaInIntegers(getOperation());
    getOperation()->walk(roundLast);
    getOperation()->walk(convertByOneInstruction);
    if (dotProducts)
      getOperation()->walk(replaceRounding);
    getOperation()->walk(preferWideVectors);
    if (f16Vectors)
      getOperation()->walk(streamAsF32);
    if (usesTiles(getOperation()))
      requestTiles(getOperation());
  }
};
} // namespace
