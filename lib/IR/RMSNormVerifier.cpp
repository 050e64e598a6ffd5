//===- RMSNormVerifier.cpp - the rules S1 to S8 and B1 to B8 --------------===//
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
#include "llvm/ADT/StringExtras.h"

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

static LogicalResult verifyOperandKinds(RMSNormOpInterface op) {
  bool onTensors = isa<RankedTensorType>(op.getInput().getType());
  for (Type type : op->getOperandTypes())
    if (isa<RankedTensorType>(type) != onTensors)
      return op.emitOpError("expects operands that are all tensors or all "
                            "memrefs, got ")
             << op.getInput().getType() << " and " << type;
  auto destination = cast<DestinationStyleOpInterface>(op.getOperation());
  size_t inits = destination.getDpsInits().size();
  size_t expected = onTensors ? inits : 0;
  if (op->getNumResults() != expected)
    return op.emitOpError("expects ")
           << expected << " results for " << inits << " outs on "
           << (onTensors ? "tensors" : "memrefs") << ", got "
           << op->getNumResults();
  for (auto [result, init] :
       llvm::zip(op->getResults(), destination.getDpsInits()))
    if (result.getType() != init.getType())
      return op.emitOpError("expects result type ")
             << init.getType() << " of its init, got " << result.getType();
  return success();
}

static LogicalResult verifyDims(RMSNormOpInterface op) {
  int64_t rank = op.getInputType().getRank();
  if (op.getDims().empty())
    return op.emitOpError("S1: dims must name at least one dimension");
  if (!isSortedUniqueInRange(op.getDims(), rank))
    return op.emitOpError("S1: dims must be sorted, unique and in [0, ")
           << rank << "), got [" << op.getDims() << "]";
  return success();
}

static LogicalResult verifyRounding(RMSNormOpInterface op) {
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

static LogicalResult verifyWeightDims(RMSNormOpInterface op) {
  if (!op.hasWeightDims()) {
    if (op.getWeightDims())
      return op.emitOpError("S5: weight_dims without a weight");
    return success();
  }
  int64_t rank = op.getInputType().getRank();
  ArrayRef<int64_t> dims = op.getEffectiveWeightDims();
  if (!isSortedUniqueInRange(dims, rank))
    return op.emitOpError("S5: weight_dims must be sorted, unique and in [0, ")
           << rank << "), got [" << dims << "]";
  return success();
}

/// Verifies that `value`, which may be absent, has the extents of x's `dims`.
static LogicalResult verifyExtents(RMSNormOpInterface op, Value value,
                                   StringRef subject, ArrayRef<int64_t> dims,
                                   const Twine &rule) {
  if (!value)
    return success();
  ArrayRef<int64_t> shape = cast<ShapedType>(value.getType()).getShape();
  SmallVector<int64_t> expected = selectExtents(op.getInputType(), dims);
  if (succeeded(verifyCompatibleShape(shape, expected)))
    return success();
  return op.emitOpError(subject)
         << " must have " << rule << " [" << ArrayRef(expected) << "], got ["
         << shape << "]";
}

static LogicalResult verifyWeight(RMSNormOpInterface op, Value value,
                                  StringRef subject) {
  ArrayRef<int64_t> dims = op.getEffectiveWeightDims();
  std::string list = llvm::join(llvm::map_range(dims, llvm::itostr), ", ");
  return verifyExtents(op, value, subject, dims,
                       "the extents of x's dims [" + list + "], expected");
}

static LogicalResult verifyLikeX(RMSNormOpInterface op, Value value,
                                 StringRef subject) {
  auto dims = llvm::to_vector(llvm::seq(op.getInputType().getRank()));
  return verifyExtents(op, value, subject, dims, "x's shape");
}

static LogicalResult verifyCount(RMSNormOpInterface op) {
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

/// Verifies a value per row, which may be absent.
static LogicalResult verifyPerRow(RMSNormOpInterface op, Value value,
                                  StringRef subject) {
  if (!value)
    return success();
  if (failed(verifyExtents(op, value, subject, op.getBatchDims(),
                           "x's shape without dims")))
    return failure();
  Type type = getElementTypeOrSelf(value);
  if (type != op.getEffectiveComputeType())
    return op.emitOpError(subject)
           << " must have the compute type " << op.getEffectiveComputeType()
           << ", got " << type;
  return success();
}

LogicalResult RMSNormOp::verify() {
  // Each check relies on the checks before it.
  return failure(failed(verifyOperandKinds(*this)) ||
                 failed(verifyDims(*this)) || failed(verifyRounding(*this)) ||
                 failed(verifyWeightDims(*this)) ||
                 failed(verifyWeight(*this, getWeight(), "S5: weight")) ||
                 failed(verifyLikeX(*this, getInit(), "S6: result")) ||
                 failed(verifyCount(*this)) ||
                 failed(verifyPerRow(*this, getInvRmsInit(), "S8: inv_rms")));
}

//===----------------------------------------------------------------------===//
// norm.rmsnorm_backward
//===----------------------------------------------------------------------===//

/// Verifies that r is determined in one way (B3).
static LogicalResult verifyStatistic(RMSNormBackwardOp op) {
  bool isInside = op.getEpsilonMode() == EpsilonMode::Inside;
  if (op.getInvRms() && op.getRms())
    return op.emitOpError("B3: inv_rms and rms exclude each other");
  if (op.getInvRms() && !isInside)
    return op.emitOpError("B3: inv_rms does not tell the root before epsilon, "
                          "which epsilon_mode = ")
           << stringifyEpsilonMode(op.getEpsilonMode()) << " needs; pass rms";
  if (op.getRms() && isInside)
    return op.emitOpError("B3: rms needs epsilon_mode = outside or clamp; for "
                          "inside pass inv_rms");
  if (!op.getEpsilonAttr() && !op.getInvRms())
    return op.emitOpError("B3: epsilon is missing, and there is no inv_rms");
  return success();
}

static LogicalResult verifyGradients(RMSNormBackwardOp op) {
  if (!op.getDxInit() && !op.getDwInit())
    return op.emitOpError("B6: expects dx, dw or both");
  if (!op.getWeight() || !op.getDwInit())
    return success();
  Type weight = getElementTypeOrSelf(op.getWeight());
  Type dw = getElementTypeOrSelf(op.getDwInit());
  if (weight != dw)
    return op.emitOpError("B5: dw must have the weight's element type ")
           << weight << ", got " << dw;
  return success();
}

LogicalResult RMSNormBackwardOp::verify() {
  return failure(failed(verifyOperandKinds(*this)) ||
                 failed(verifyDims(*this)) || failed(verifyRounding(*this)) ||
                 failed(verifyWeightDims(*this)) ||
                 failed(verifyLikeX(*this, getDy(), "B1: dy")) ||
                 failed(verifyLikeX(*this, getDxInit(), "B1: dx")) ||
                 failed(verifyStatistic(*this)) ||
                 failed(verifyWeight(*this, getWeight(), "S5: weight")) ||
                 failed(verifyWeight(*this, getDwInit(), "B5: dw")) ||
                 failed(verifyGradients(*this)) || failed(verifyCount(*this)) ||
                 failed(verifyPerRow(*this, getInvRms(), "B8: inv_rms")) ||
                 failed(verifyPerRow(*this, getRms(), "B8: rms")));
}
