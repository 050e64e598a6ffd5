//===- RMSNormVerifier.cpp - the rules S1 to S8 of norm.rmsnorm -----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rule has one diagnostic, with its label in docs/Norm.md.
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/TypeUtilities.h"
#include "norm/IR/Norm.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::norm;

static bool isSortedUniqueInRange(ArrayRef<int64_t> dims, int64_t rank) {
  for (auto [index, dim] : llvm::enumerate(dims))
    if (dim < 0 || dim >= rank || (index > 0 && dims[index - 1] >= dim))
      return false;
  return true;
}

static SmallVector<int64_t> selectExtents(ShapedType type,
                                          ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims,
                             [&](int64_t dim) { return type.getDimSize(dim); });
}

static LogicalResult verifyOperandKinds(RMSNormOp op) {
  bool onTensors = isa<RankedTensorType>(op.getInput().getType());
  for (Type type : op->getOperandTypes())
    if (isa<RankedTensorType>(type) != onTensors)
      return op.emitOpError("expects operands that are all tensors or all "
                            "memrefs, got ")
             << op.getInput().getType() << " and " << type;
  size_t inits = op.getDpsInits().size();
  size_t expected = onTensors ? inits : 0;
  if (op->getNumResults() != expected)
    return op.emitOpError("expects ")
           << expected << " results for " << inits << " outs on "
           << (onTensors ? "tensors" : "memrefs") << ", got "
           << op->getNumResults();
  for (auto [result, init] : llvm::zip(op->getResults(), op.getDpsInits()))
    if (result.getType() != init.getType())
      return op.emitOpError("expects result type ")
             << init.getType() << " of its init, got " << result.getType();
  return success();
}

static LogicalResult verifyDims(RMSNormOp op) {
  int64_t rank = op.getInputType().getRank();
  if (op.getDims().empty())
    return op.emitOpError("S1: dims must name at least one dimension");
  if (!isSortedUniqueInRange(op.getDims(), rank))
    return op.emitOpError("S1: dims must be sorted, unique and in [0, ")
           << rank << "), got [" << op.getDims() << "]";
  return success();
}

static LogicalResult verifyRounding(RMSNormOp op) {
  APFloat epsilon = op.getEpsilonInComputeType();
  if (!epsilon.isFinite() || (epsilon.isNegative() && !epsilon.isZero()))
    return op.emitOpError("S3: epsilon must be finite and not negative in ")
           << op.getEffectiveComputeType() << ", got " << op.getEpsilonAttr();
  unsigned width = op.getEffectiveComputeType().getWidth();
  auto tooWide = [&](std::optional<Type> type) {
    return type && cast<FloatType>(*type).getWidth() > width;
  };
  if (op.getSumType() && cast<FloatType>(*op.getSumType()).getWidth() <= width)
    return op.emitOpError("S2: sum_type ")
           << *op.getSumType() << " is no wider than the compute type "
           << op.getEffectiveComputeType();
  if (tooWide(op.getScaleType()))
    return op.emitOpError("S3: scale_type ")
           << *op.getScaleType() << " is wider than the compute type "
           << op.getEffectiveComputeType();
  if (op.getScaleType() && op.getRootForm() == RootForm::Quotient)
    return op.emitOpError("S3: scale_type rounds a reciprocal root, which "
                          "root_form = quotient does not form");
  if (tooWide(op.getNormalizedType()))
    return op.emitOpError("S4: normalized_type ")
           << *op.getNormalizedType() << " is wider than the compute type "
           << op.getEffectiveComputeType();
  return success();
}

static LogicalResult verifyWeight(RMSNormOp op) {
  if (!op.getWeight()) {
    if (op.getWeightDims())
      return op.emitOpError("S5: weight_dims without a weight");
    return success();
  }
  ShapedType x = op.getInputType();
  ArrayRef<int64_t> dims = op.getEffectiveWeightDims();
  if (!isSortedUniqueInRange(dims, x.getRank()))
    return op.emitOpError("S5: weight_dims must be sorted, unique and in [0, ")
           << x.getRank() << "), got [" << dims << "]";
  auto weight = cast<ShapedType>(op.getWeight().getType());
  SmallVector<int64_t> expected = selectExtents(x, dims);
  if (failed(verifyCompatibleShape(weight.getShape(), expected)))
    return op.emitOpError("S5: weight must have the extents of x's dims [")
           << dims << "], expected [" << ArrayRef(expected) << "], got ["
           << weight.getShape() << "]";
  return success();
}

static LogicalResult verifyResult(RMSNormOp op) {
  ShapedType x = op.getInputType(), y = op.getInitType();
  if (failed(verifyCompatibleShape(x.getShape(), y.getShape())))
    return op.emitOpError("S6: result must have x's shape [")
           << x.getShape() << "], got [" << y.getShape() << "]";
  return success();
}

static LogicalResult verifyCount(RMSNormOp op) {
  if (!op.getCount())
    return success();
  int64_t count = *op.getCount();
  if (op.getDims().size() != 1)
    return op.emitOpError("S7: count needs exactly one normalized dimension, "
                          "got dims [")
           << op.getDims() << "]";
  int64_t extent = op.getInputType().getDimSize(op.getDims().front());
  if (count < 1 || (!ShapedType::isDynamic(extent) && count > extent)) {
    auto diagnostic = op.emitOpError("S7: count must be in [1, ");
    if (ShapedType::isDynamic(extent))
      diagnostic << "extent";
    else
      diagnostic << extent;
    return diagnostic << "], got " << count;
  }
  return success();
}

static LogicalResult verifyInvRms(RMSNormOp op) {
  if (!op.getInvRmsInit())
    return success();
  auto type = cast<ShapedType>(op.getInvRmsInit().getType());
  SmallVector<int64_t> expected =
      selectExtents(op.getInputType(), op.getBatchDims());
  if (failed(verifyCompatibleShape(type.getShape(), expected)))
    return op.emitOpError("S8: inv_rms must have x's shape without dims [")
           << ArrayRef(expected) << "], got [" << type.getShape() << "]";
  if (type.getElementType() != op.getEffectiveComputeType())
    return op.emitOpError("S8: inv_rms must have the compute type ")
           << op.getEffectiveComputeType() << ", got " << type.getElementType();
  return success();
}

LogicalResult RMSNormOp::verify() {
  // Each check relies on the checks before it.
  return failure(failed(verifyOperandKinds(*this)) ||
                 failed(verifyDims(*this)) || failed(verifyRounding(*this)) ||
                 failed(verifyWeight(*this)) || failed(verifyResult(*this)) ||
                 failed(verifyCount(*this)) || failed(verifyInvRms(*this)));
}
