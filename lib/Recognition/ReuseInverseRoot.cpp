//===- ReuseInverseRoot.cpp - give r to its other users -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/Dominance.h"

using namespace mlir;
using namespace mlir::norm;

/// Returns the op in the block of `norm` that is the first user if it precedes
/// `norm`; null if a user is not nested in that block.
static Operation *findFirstUser(RMSNormOp norm, ArrayRef<Value> tensors) {
  Operation *first = norm;
  for (Value tensor : tensors)
    for (Operation *user : tensor.getUsers()) {
      Operation *ancestor = norm->getBlock()->findAncestorOpInBlock(*user);
      if (!ancestor)
        return nullptr;
      if (ancestor->isBeforeInBlock(first))
        first = ancestor;
    }
  return first;
}

/// Returns the ops from `first` on that compute operands of `norm`, in order,
/// if they can move before it: they have no effects and do not use `tensors`.
static std::optional<SetVector<Operation *>>
findMoved(RMSNormOp norm, ArrayRef<Value> tensors, Operation *first) {
  SetVector<Operation *> moved;
  if (first == norm)
    return moved;
  Block *block = norm->getBlock();
  // Elsewhere a value may depend on itself, and a slice does not end.
  DominanceInfo dominance;
  if (!dominance.hasSSADominance(block) ||
      !dominance.isReachableFromEntry(block))
    return std::nullopt;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitUsesFromAbove = false;
  options.filter = [&](Operation *op) {
    Operation *ancestor = block->findAncestorOpInBlock(*op);
    return ancestor && !ancestor->isBeforeInBlock(first);
  };
  for (Value operand : norm.getDpsInputs())
    if (failed(getBackwardSlice(operand, &moved, options)))
      return std::nullopt;
  for (Value tensor : tensors)
    for (Operation *user : tensor.getUsers())
      if (moved.contains(block->findAncestorOpInBlock(*user)))
        return std::nullopt;
  if (!llvm::all_of(moved, isMemoryEffectFree))
    return std::nullopt;
  return moved;
}

RankedTensorType norm::selectDims(RankedTensorType type, ArrayRef<int64_t> dims,
                                  Type element) {
  auto shape = llvm::map_to_vector(
      dims, [&](int64_t dim) { return type.getDimSize(dim); });
  return RankedTensorType::get(shape, element);
}

static RankedTensorType getStatisticType(RMSNormOp norm) {
  return selectDims(cast<RankedTensorType>(norm.getInputType()),
                    norm.getBatchDims(), norm.getEffectiveComputeType());
}

/// Returns the groups of unit dimensions that turn `statistic` into `type` or
/// back; nullopt if the types do not determine them.
static std::optional<SmallVector<ReassociationIndices>>
getReassociation(RankedTensorType statistic, RankedTensorType type) {
  if (statistic == type || statistic.getRank() == 0 || type.getRank() == 0)
    return SmallVector<ReassociationIndices>();
  return getReassociationIndicesForReshape(statistic, type);
}

static RankedTensorType dropUnitDims(RankedTensorType type) {
  return type.clone(llvm::filter_to_vector(
      type.getShape(), [](int64_t extent) { return extent != 1; }));
}

/// Returns true if both have as many unit dimensions, at other places.
static bool areUnitDimsMoved(RankedTensorType from, RankedTensorType to) {
  auto isMoved = [](auto extents) {
    return (std::get<0>(extents) == 1) != (std::get<1>(extents) == 1);
  };
  return llvm::any_of(llvm::zip_equal(from.getShape(), to.getShape()),
                      isMoved) &&
         dropUnitDims(from).getRank() == dropUnitDims(to).getRank();
}

Value norm::reshape(RewriterBase &rewriter, Location loc, Value tensor,
                    RankedTensorType type) {
  auto source = cast<RankedTensorType>(tensor.getType());
  if (source.getRank() == type.getRank() && areUnitDimsMoved(source, type)) {
    Value dense = reshape(rewriter, loc, tensor, dropUnitDims(source));
    return reshape(rewriter, loc,
                   reshape(rewriter, loc, dense, dropUnitDims(type)), type);
  }
  if (source.getRank() == type.getRank())
    return rewriter.createOrFold<tensor::CastOp>(loc, type, tensor);
  auto groups = *getReassociation(source, type);
  if (source.getRank() < type.getRank())
    return tensor::ExpandShapeOp::create(rewriter, loc, type, tensor, groups);
  return tensor::CollapseShapeOp::create(rewriter, loc, type, tensor, groups);
}

/// Creates the same norm before `first`, with r as its second result.
static RMSNormOp addStatistic(RewriterBase &rewriter, RMSNormOp norm,
                              Operation *first) {
  rewriter.setInsertionPoint(first);
  Location loc = norm.getLoc();
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(rewriter, loc, norm.getInput());
  auto kept = llvm::map_to_vector(norm.getBatchDims(),
                                  [&](int64_t dim) { return sizes[dim]; });
  SmallVector<Value> inits{
      tensor::EmptyOp::create(rewriter, loc, sizes,
                              getElementTypeOrSelf(norm.getResult(0))),
      tensor::EmptyOp::create(rewriter, loc, kept,
                              norm.getEffectiveComputeType())};
  SmallVector<Value> operands(norm.getDpsInputs());
  llvm::append_range(operands, inits);
  RMSNormOp::Properties properties = norm.getProperties();
  properties.operandSegmentSizes.back() = 1; // inv_rms_init
  return RMSNormOp::create(rewriter, loc, TypeRange(ValueRange(inits)),
                           operands, properties);
}

RMSNormOp norm::reuseStatistic(RewriterBase &rewriter, RMSNormOp norm,
                               ArrayRef<Value> tensors) {
  RankedTensorType statistic = getStatisticType(norm);
  for (Value tensor : tensors)
    if (!getReassociation(statistic, cast<RankedTensorType>(tensor.getType())))
      return norm;
  Operation *first = findFirstUser(norm, tensors);
  if (!first)
    return norm;
  std::optional<SetVector<Operation *>> moved = findMoved(norm, tensors, first);
  if (!moved)
    return norm;
  for (Operation *op : *moved)
    rewriter.moveOpBefore(op, first);
  RMSNormOp replacement = addStatistic(rewriter, norm, first);
  for (Value tensor : tensors)
    rewriter.replaceAllUsesWith(
        tensor, reshape(rewriter, norm.getLoc(), replacement.getResult(1),
                        cast<RankedTensorType>(tensor.getType())));
  rewriter.replaceAllUsesWith(norm.getResult(0), replacement.getResult(0));
  return replacement;
}
