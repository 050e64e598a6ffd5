//===- RMSNormCanonicalize.cpp - folder and patterns of norm.rmsnorm ------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No pattern for tensor.cast is needed here, because the tensor dialect folds
// it into every destination-style op.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "norm/IR/Norm.h"

using namespace mlir;
using namespace mlir::norm;

/// Returns true if `weight` is a constant whose elements are all exactly 1.
static bool isAllOnes(Value weight) {
  if (auto fill = weight.getDefiningOp<linalg::FillOp>())
    return matchPattern(fill.value(), m_OneFloat());
  DenseFPElementsAttr values;
  if (!matchPattern(weight, m_Constant(&values)))
    return false;
  auto isOne = [](const APFloat &value) { return value.isExactlyValue(1.0); };
  // A splat is tested by its one value and not element by element.
  if (values.isSplat())
    return isOne(values.getSplatValue<APFloat>());
  return llvm::all_of(values.getValues<APFloat>(), isOne);
}

/// Drops a weight of ones (S5). z*1 is z, NaN included, and widening z first is
/// exact, so the final rounding (S6) sees the same value in z's own type.
static LogicalResult dropOnesWeight(RMSNormOp op, PatternRewriter &rewriter) {
  if (!op.getWeight() || !isAllOnes(op.getWeight()))
    return rewriter.notifyMatchFailure(op, "weight is not a constant of ones");
  rewriter.modifyOpInPlace(op, [&] {
    op.getWeightMutable().clear();
    op.removeWeightDimsAttr();
  });
  return success();
}

namespace {
/// An attribute whose value is its default.
struct RedundantAttribute {
  StringAttr name;
  bool isRedundant;
};
} // namespace

static bool isWholeCount(RMSNormOp op) {
  if (!op.getCount())
    return false;
  int64_t count = *op.getCount();
  return count == op.getInputType().getDimSize(op.getDims().front());
}

static LogicalResult dropRedundantAttributes(RMSNormOp op,
                                             PatternRewriter &rewriter) {
  FloatType compute = op.getEffectiveComputeType();
  RedundantAttribute attributes[] = {
      {op.getComputeTypeAttrName(),
       op.getComputeType() == op.getDefaultComputeType()},
      {op.getScaleTypeAttrName(), op.getScaleType() == compute},
      {op.getNormalizedTypeAttrName(), op.getNormalizedType() == compute},
      {op.getWeightDimsAttrName(), op.getWeightDims() == op.getDims()},
      {op.getCountAttrName(), isWholeCount(op)}};
  auto isRedundant = [](const RedundantAttribute &attribute) {
    return attribute.isRedundant;
  };
  if (llvm::none_of(attributes, isRedundant))
    return rewriter.notifyMatchFailure(op, "every attribute says something");
  rewriter.modifyOpInPlace(op, [&] {
    for (const RedundantAttribute &attribute : attributes)
      if (attribute.isRedundant)
        op->removeAttr(attribute.name);
  });
  return success();
}

void RMSNormOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *) {
  patterns.add(dropOnesWeight);
  patterns.add(dropRedundantAttributes);
}

/// Folds memref.cast where it loses static extents or strides; memref's own
/// folder would also fold casts that add them.
LogicalResult RMSNormOp::fold(FoldAdaptor, SmallVectorImpl<OpFoldResult> &) {
  bool folded = false;
  for (OpOperand &operand : getOperation()->getOpOperands()) {
    auto cast = operand.get().getDefiningOp<memref::CastOp>();
    if (!cast || !memref::CastOp::canFoldIntoConsumerOp(cast))
      continue;
    operand.set(cast.getSource());
    folded = true;
  }
  return success(folded);
}
