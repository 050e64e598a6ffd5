//===- RMSNormOp.cpp - accessors and verifier of norm.rmsnorm -------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "norm/IR/Norm.h"
#include "llvm/ADT/SmallBitVector.h"

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

#define GET_OP_CLASSES
#include "norm/IR/NormOps.cpp.inc"
#include "norm/IR/RoundFloat.h"

FloatType norm::getWiderFloatType(FloatType a, FloatType b) {
  if (a == b)
    return a;
  if (a.getWidth() == b.getWidth())
    return Float32Type::get(a.getContext());
  return a.getWidth() > b.getWidth() ? a : b;
}

FloatType RMSNormOp::getEffectiveComputeType() {
  if (auto type = getComputeType())
    return cast<FloatType>(*type);
  return getDefaultComputeType();
}

FloatType RMSNormOp::getDefaultComputeType() {
  auto element = cast<FloatType>(getInputType().getElementType());
  return element.getWidth() == 16 ? Float32Type::get(getContext()) : element;
}

FloatType RMSNormOp::getEffectiveNormalizedType() {
  if (auto type = getNormalizedType())
    return cast<FloatType>(*type);
  return getEffectiveComputeType();
}

ArrayRef<int64_t> RMSNormOp::getEffectiveWeightDims() {
  if (!getWeight())
    return {};
  if (auto dims = getWeightDims())
    return *dims;
  return getDims();
}

SmallVector<int64_t> RMSNormOp::getBatchDims() {
  SmallVector<int64_t> batch;
  for (int64_t dim = 0, rank = getInputType().getRank(); dim < rank; ++dim)
    if (!llvm::is_contained(getDims(), dim))
      batch.push_back(dim);
  return batch;
}

SmallVector<int64_t> RMSNormOp::getOperandDims(OpOperand &operand) {
  // Operands are compared by number, because one value can be several operands.
  if (isDpsInit(&operand))
    return getResultDims(operand.getOperandNumber() -
                         getInitMutable().getOperandNumber());
  if (operand.getOperandNumber() != getInputMutable().getOperandNumber())
    return llvm::to_vector(getEffectiveWeightDims());
  return llvm::to_vector(llvm::seq<int64_t>(0, getInputType().getRank()));
}

SmallVector<int64_t> RMSNormOp::getResultDims(unsigned resultNumber) {
  if (resultNumber == 0)
    return getOperandDims(getInputMutable());
  return getBatchDims();
}

APFloat RMSNormOp::getEpsilonInComputeType() {
  return roundTo(getEpsilon(), getEffectiveComputeType().getFloatSemantics());
}

MutableOperandRange RMSNormOp::getDpsInitsMutable() {
  // The operands init and the optional inv_rms_init are adjacent.
  auto [start, length] = getODSOperandIndexAndLength(2);
  return MutableOperandRange(getOperation(), start,
                             length + (getInvRmsInit() ? 1 : 0));
}

LogicalResult
RMSNormOp::reifyResultShapes(OpBuilder &b,
                             ReifiedRankedShapedTypeDims &reifiedReturnShapes) {
  for (Value init : getDpsInits())
    reifiedReturnShapes.push_back(tensor::getMixedSizes(b, getLoc(), init));
  return success();
}

Speculation::Speculatability RMSNormOp::getSpeculatability() {
  // The verifier has checked every precondition for static shapes. For dynamic
  // ones a mismatch is undefined and must not be hoisted into an execution.
  auto isStatic = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape();
  };
  return llvm::all_of(getOperation()->getOperandTypes(), isStatic)
             ? Speculation::Speculatable
             : Speculation::NotSpeculatable;
}

void RMSNormOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  if (hasPureTensorSemantics())
    return;
  for (OpOperand &operand : getOperation()->getOpOperands())
    effects.emplace_back(
        isDpsInit(&operand)
            ? static_cast<MemoryEffects::Effect *>(MemoryEffects::Write::get())
            : MemoryEffects::Read::get(),
        &operand, /*stage=*/0, /*effectOnFullRegion=*/true,
        SideEffects::DefaultResource::get());
}
