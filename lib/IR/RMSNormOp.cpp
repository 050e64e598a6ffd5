//===- RMSNormOp.cpp - accessors, effects and folders of the ops ----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "norm/IR/Norm.h"

using namespace mlir;
using namespace mlir::norm;

/// Parses `[1, 2]` with DenseI64ArrayAttr's own parser; the attribute parser
/// would make it an ArrayAttr.
static ParseResult parseOptionalDims(OpAsmParser &parser,
                                     DenseI64ArrayAttr &dims) {
  dims = dyn_cast_or_null<DenseI64ArrayAttr>(
      DenseI64ArrayAttr::parse(parser, Type()));
  return success(static_cast<bool>(dims));
}

static void printOptionalDims(OpAsmPrinter &printer, Operation *,
                              DenseI64ArrayAttr dims) {
  dims.print(printer);
}

static LogicalResult reifyInitShapes(DestinationStyleOpInterface op,
                                     OpBuilder &b,
                                     ReifiedRankedShapedTypeDims &shapes) {
  for (Value init : op.getDpsInits())
    shapes.push_back(tensor::getMixedSizes(b, op.getLoc(), init));
  return success();
}

/// The verifier has checked every precondition for static shapes. For dynamic
/// ones a mismatch is undefined and must not be hoisted into an execution.
static Speculation::Speculatability speculateStaticShapes(Operation *op) {
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  return llvm::all_of(op->getOperandTypes(), isStatic)
             ? Speculation::Speculatable
             : Speculation::NotSpeculatable;
}

static void
getAccesses(DestinationStyleOpInterface op,
            SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
                &effects) {
  if (op.hasPureTensorSemantics())
    return;
  for (OpOperand &operand : op->getOpOperands())
    effects.emplace_back(
        op.isDpsInit(&operand)
            ? static_cast<MemoryEffects::Effect *>(MemoryEffects::Write::get())
            : MemoryEffects::Read::get(),
        &operand, /*stage=*/0, /*effectOnFullRegion=*/true,
        SideEffects::DefaultResource::get());
}

/// Folds memref.cast where it loses static extents or strides; memref's own
/// folder would also fold casts that add them.
static LogicalResult foldMemRefCasts(Operation *op) {
  bool folded = false;
  for (OpOperand &operand : op->getOpOperands()) {
    auto cast = operand.get().getDefiningOp<memref::CastOp>();
    if (!cast || !memref::CastOp::canFoldIntoConsumerOp(cast))
      continue;
    operand.set(cast.getSource());
    folded = true;
  }
  return success(folded);
}

#define GET_OP_CLASSES
#include "norm/IR/NormOps.cpp.inc"

FloatType norm::getWiderFloatType(FloatType a, FloatType b) {
  if (a == b)
    return a;
  if (a.getWidth() == b.getWidth())
    return Float32Type::get(a.getContext());
  return a.getWidth() > b.getWidth() ? a : b;
}

/// Returns 0 to rank - 1.
static SmallVector<int64_t> getAllDims(RMSNormOpInterface op) {
  return llvm::to_vector(llvm::seq<int64_t>(0, op.getInputType().getRank()));
}

/// Returns the inits, which are the last operands and adjacent.
static MutableOperandRange getInits(Operation *op, unsigned first) {
  return MutableOperandRange(op, first, op->getNumOperands() - first);
}

//===----------------------------------------------------------------------===//
// norm.rmsnorm
//===----------------------------------------------------------------------===//

bool RMSNormOp::hasWeightDims() { return static_cast<bool>(getWeight()); }

SmallVector<int64_t> RMSNormOp::getOperandDims(OpOperand &operand) {
  // Operands are compared by number, because one value can be several operands.
  if (isDpsInit(&operand))
    return getResultDims(operand.getOperandNumber() -
                         getInitMutable().getOperandNumber());
  if (operand.getOperandNumber() != getInputMutable().getOperandNumber())
    return llvm::to_vector(getEffectiveWeightDims());
  return getAllDims(*this);
}

SmallVector<int64_t> RMSNormOp::getResultDims(unsigned number) {
  return number == 0 ? getAllDims(*this) : getBatchDims();
}

SmallVector<int64_t> RMSNormOp::getReducedDims() {
  return llvm::to_vector(getDims());
}

MutableOperandRange RMSNormOp::getDpsInitsMutable() {
  return getInits(*this, getODSOperandIndexAndLength(2).first);
}

//===----------------------------------------------------------------------===//
// norm.rmsnorm_backward
//===----------------------------------------------------------------------===//

bool RMSNormBackwardOp::hasWeightDims() { return getWeight() || getDwInit(); }

SmallVector<int64_t> RMSNormBackwardOp::getOperandDims(OpOperand &operand) {
  unsigned number = operand.getOperandNumber();
  if (isDpsInit(&operand))
    return getResultDims(number -
                         getDpsInitsMutable().begin()->getOperandNumber());
  if (number <= getInputMutable().getOperandNumber())
    return getAllDims(*this);
  bool isWeight =
      getWeight() && number == getInputMutable().getOperandNumber() + 1;
  return isWeight ? llvm::to_vector(getEffectiveWeightDims()) : getBatchDims();
}

SmallVector<int64_t> RMSNormBackwardOp::getResultDims(unsigned number) {
  return getDxInit() && number == 0 ? getAllDims(*this)
                                    : llvm::to_vector(getEffectiveWeightDims());
}

SmallVector<int64_t> RMSNormBackwardOp::getReducedDims() {
  SmallVector<int64_t> dims;
  for (int64_t dim : getAllDims(*this))
    if (llvm::is_contained(getDims(), dim) ||
        (getDwInit() && !llvm::is_contained(getEffectiveWeightDims(), dim)))
      dims.push_back(dim);
  return dims;
}

MutableOperandRange RMSNormBackwardOp::getDpsInitsMutable() {
  return getInits(*this, getODSOperandIndexAndLength(5).first);
}

FloatType RMSNormBackwardOp::getProductType() {
  FloatType type = getEffectiveNormalizedType();
  Value weight = getWeight() ? getWeight() : getDwInit();
  if (!weight)
    return type;
  return getWiderFloatType(type, cast<FloatType>(getElementTypeOrSelf(weight)));
}

Value RMSNormBackwardOp::getDx() {
  return getDxInit() && getNumResults() ? getResult(0) : Value();
}

Value RMSNormBackwardOp::getDw() {
  return getDwInit() && getNumResults() ? getResults().back() : Value();
}
