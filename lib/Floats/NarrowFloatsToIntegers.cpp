//===- NarrowFloatsToIntegers.cpp - f16 and bf16 as their bits ------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/AMX/AMXDialect.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Dialect/X86Vector/X86VectorDialect.h"
#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/IR/Matchers.h"
#include "norm/Floats/Lanes.h"
#include "norm/Floats/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMNARROWFLOATSTOINTEGERS
#include "norm/Floats/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using namespace mlir::norm;

Lanes norm::roundToUpperHalf(Lanes f32, NaNs nans) {
  Lanes words = f32.bits();
  Lanes last = words >> 16 & 1;
  Lanes rounded = words + 0x7FFF + last;
  if (nans == NaNs::Short)
    return rounded;
  Lanes quiet = words | 0x400000;
  return select(f32.is(arith::CmpFPredicate::UNO, f32), quiet, rounded);
}

Value norm::matchRoundToUpperHalf(arith::AddIOp sum) {
  using matchers::m_Any;
  Value words, shifted;
  APInt half, one, sixteen;
  auto rounded = m_Op<arith::AddIOp>(m_Any(&words), m_ConstantInt(&half));
  auto last = m_Op<arith::AndIOp>(
      m_Op<arith::ShRUIOp>(m_Any(&shifted), m_ConstantInt(&sixteen)),
      m_ConstantInt(&one));
  bool found =
      matchPattern(sum.getResult(), m_Op<arith::AddIOp>(rounded, last)) &&
      half == 0x7FFF && one == 1 && sixteen == 16;
  return found && shifted == words ? words : Value();
}

/// f16, bf16, and floats of 8 bits, with which nothing computes any more.
static bool isNarrow(Type type) {
  auto format = dyn_cast<FloatType>(type);
  return format && (format.getWidth() == 16 || format.getWidth() == 8);
}

/// A narrow float that is no memory: a scalar or a vector.
static bool isNarrowValue(Type type) {
  return isa<FloatType, VectorType>(type) &&
         isNarrow(getElementTypeOrSelf(type));
}

static Type toIntegers(Type type) {
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  return withElement(type, IntegerType::get(type.getContext(), width));
}

static void truncateInIntegers(arith::TruncFOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Lanes words = roundToUpperHalf(Lanes(b, op.getIn()), NaNs::Kept);
  Lanes bits = (words >> 16).change<arith::TruncIOp>(b.getI16Type());
  op.replaceAllUsesWith(Value(bits.bitcast(b.getBF16Type())));
  op.erase();
}

/// bf16 is the upper half of an f32.
static void extendInIntegers(arith::ExtFOp op) {
  ImplicitLocOpBuilder b(op.getLoc(), op);
  Lanes bits = Lanes(b, op.getIn()).bitcast(b.getI16Type());
  Lanes wide = (bits.change<arith::ExtUIOp>(b.getI32Type()) << 16).number();
  op.replaceAllUsesWith(
      Value(wide.convert(getElementTypeOrSelf(op.getType()))));
  op.erase();
}

/// What computes with 16-bit floats, or is called from outside, keeps them.
static bool keepsFloats(Operation *op) {
  if (isa<arith::ConstantOp, arith::SelectOp, arith::BitcastOp>(op))
    return false;
  if (auto mask = dyn_cast<vector::MaskOp>(op))
    return mask.getMaskableOp() && keepsFloats(mask.getMaskableOp());
  if (isa<vector::YieldOp>(op) && isa<vector::MaskOp>(op->getParentOp()))
    return keepsFloats(op->getParentOp());
  return isa<func::FuncOp, func::CallOp, func::CallIndirectOp, func::ReturnOp,
             omp::DeclareReductionOp, omp::YieldOp, vector::ContractionOp,
             vector::FMAOp, vector::MultiDimReductionOp, vector::OuterProductOp,
             vector::PrintOp, vector::ReductionOp, vector::ScanOp,
             x86vector::DotBF16Op>(op) ||
         isa_and_nonnull<arith::ArithDialect, complex::ComplexDialect,
                         LLVM::LLVMDialect, math::MathDialect>(
             op->getDialect());
}

namespace {
/// Replaces types and constants in place, and casts at the ops that keep them.
class IntegerConverter {
public:
  explicit IntegerConverter(MLIRContext *context) : b(context) {
    values.addReplacement([](FloatType type) -> std::optional<Type> {
      return isNarrow(type) ? toIntegers(type) : Type(type);
    });
    values.addReplacement([](ComplexType type) {
      return std::make_pair(Type(type), WalkResult::skip());
    });
    // Tiles are loaded from memory of any type.
    values.addReplacement([](amx::TileType type) {
      return std::make_pair(Type(type), WalkResult::skip());
    });
    values.addReplacement([&](FunctionType type) {
      return std::make_pair(memory.replace(Type(type)), WalkResult::skip());
    });
    values.addReplacement([](FloatAttr attr) -> std::optional<Attribute> {
      if (!isNarrow(attr.getType()))
        return attr;
      return IntegerAttr::get(toIntegers(attr.getType()),
                              attr.getValue().bitcastToAPInt());
    });
    values.addReplacement([](DenseElementsAttr attr) {
      Attribute bits = attr;
      if (isNarrow(attr.getElementType()))
        bits = attr.bitcast(toIntegers(attr.getElementType()));
      return std::make_pair(bits, WalkResult::skip());
    });
    memory.addReplacement([&](BaseMemRefType type) {
      return std::make_pair(values.replace(Type(type)), WalkResult::skip());
    });
  }

  void convert(Operation *root) {
    SmallVector<Operation *> ops;
    root->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op != root && op->hasTrait<OpTrait::SymbolTable>())
        return WalkResult::skip(); // such as kernels
      ops.push_back(op);
      return WalkResult::advance();
    });
    SmallVector<Operation *> kept = llvm::filter_to_vector(
        ops, [](Operation *op) { return keepsFloats(op); });
    for (Operation *op : kept)
      castBack(op);
    for (Operation *op : ops)
      replaceTypes(op);
    for (Operation *op : kept)
      castWhatIsMade(op);
  }

private:
  void replaceTypes(Operation *op) {
    bool keeps = keepsFloats(op);
    (keeps ? memory : values)
        .replaceElementsIn(op, /*replaceAttrs=*/true, /*replaceLocs=*/false,
                           /*replaceTypes=*/true);
    if (!keeps)
      return;
    // The entry's arguments are the op's, those of other blocks are branches'.
    for (Region &region : op->getRegions())
      for (Block &block : llvm::drop_begin(region, region.empty() ? 0 : 1))
        for (BlockArgument argument : block.getArguments())
          argument.setType(values.replace(argument.getType()));
  }

  void castWhatIsMade(Operation *op) {
    for (Region &region : op->getRegions())
      if (!region.empty())
        for (BlockArgument argument : region.front().getArguments())
          castUses(argument, region.front(), region.front().begin());
    if (!isa_and_nonnull<vector::MaskOp>(op->getParentOp()))
      for (Value result : op->getResults())
        castUses(result, *op->getBlock(), ++Block::iterator(op));
  }

  /// A vector.mask holds one op and nothing else.
  static Operation *getPlace(Operation *op) {
    auto mask = dyn_cast_or_null<vector::MaskOp>(op->getParentOp());
    return mask ? mask.getOperation() : op;
  }

  void castUses(Value value, Block &block, Block::iterator place) {
    if (!isNarrowValue(value.getType()))
      return;
    b.setInsertionPoint(&block, place);
    Operation *bits = arith::BitcastOp::create(
        b, value.getLoc(), toIntegers(value.getType()), value);
    Operation *cast = bits;
    if (comesFromOutside(value))
      bits = hide(bits->getResult(0));
    value.replaceAllUsesExcept(bits->getResult(0), cast);
  }

  static bool comesFromOutside(Value value) {
    Operation *op = value.getDefiningOp();
    return value.getType().isBF16() &&
           isa<CallOpInterface, FunctionOpInterface>(
               op ? op : value.getParentBlock()->getParentOp());
  }

  // Upstream: LLVM 22.1: CodeGenPrepare makes a phi of bitcasts of bf16 one of
  // bf16 again, which x86 keeps as f32 and rounds back; goes when it does not.
  // It does not look into assembly, here of nothing.
  Operation *hide(Value bits) {
    return LLVM::InlineAsmOp::create(
        b, bits.getLoc(), bits.getType(), bits, /*asm_string=*/"",
        /*constraints=*/"=r,0", /*has_side_effects=*/false,
        /*is_align_stack=*/false, LLVM::TailCallKind::None,
        LLVM::AsmDialectAttr(), ArrayAttr());
  }

  /// Casts operands to the integers that they become, and these to floats.
  void castBack(Operation *op) {
    if (isa<vector::YieldOp>(op))
      return; // what the op in the mask makes
    b.setInsertionPoint(getPlace(op));
    for (OpOperand &operand : op->getOpOperands()) {
      Type type = operand.get().getType();
      if (!isNarrowValue(type))
        continue;
      Value bits = arith::BitcastOp::create(b, op->getLoc(), toIntegers(type),
                                            operand.get());
      operand.set(arith::BitcastOp::create(b, op->getLoc(), type, bits));
    }
  }

  OpBuilder b;
  /// `values` replaces every 16-bit float, `memory` those in memrefs.
  AttrTypeReplacer values, memory;
};

struct NormNarrowFloatsToIntegers
    : norm::impl::NormNarrowFloatsToIntegersBase<NormNarrowFloatsToIntegers> {
  using NormNarrowFloatsToIntegersBase::NormNarrowFloatsToIntegersBase;

  LogicalResult rejectAtomics() {
    WalkResult checked = getOperation()->walk([](memref::AtomicRMWOp op) {
      if (!isNarrow(op.getMemRefType().getElementType()))
        return WalkResult::advance();
      return WalkResult(
          op.emitError(
              "norm-narrow-floats-to-integers: an atomic operation on ")
          << op.getMemRefType().getElementType() << " is not supported");
    });
    return failure(checked.wasInterrupted());
  }

  void runOnOperation() override {
    if (failed(rejectAtomics()))
      return signalPassFailure();
    if (!hardwareRounding)
      splitBF16Pairs(getOperation());
    getOperation()->walk([&](Operation *op) {
      auto truncate = dyn_cast<arith::TruncFOp>(op);
      if (truncate && !hardwareRounding &&
          getElementTypeOrSelf(truncate.getType()).isBF16())
        return truncateInIntegers(truncate);
      auto extend = dyn_cast<arith::ExtFOp>(op);
      if (extend && getElementTypeOrSelf(extend.getIn()).isBF16())
        extendInIntegers(extend);
    });
    IntegerConverter(&getContext()).convert(getOperation());
  }
};
} // namespace
