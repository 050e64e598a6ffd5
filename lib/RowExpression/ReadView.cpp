//===- ReadView.cpp - read through reshapes, slices and broadcasts --------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reader.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::norm::row;

bool norm::row::isView(Operation *op) {
  return isa<tensor::CastOp, tensor::ExpandShapeOp, tensor::CollapseShapeOp,
             tensor::ExtractSliceOp>(op);
}

/// Splits the index of a product of dimensions into indices of a reshape group;
/// returns false if extents are unknown.
static bool splitIndex(AffineExpr index, ArrayRef<int64_t> shape,
                       MutableArrayRef<AffineExpr> parts) {
  AffineExpr zero = getAffineConstantExpr(0, index.getContext());
  if (llvm::count_if(shape, [](int64_t d) { return d != 1; }) <= 1) {
    for (auto [extent, part] : llvm::zip(shape, parts))
      part = extent == 1 ? zero : index;
    return true;
  }
  if (llvm::any_of(shape.drop_front(), ShapedType::isDynamic))
    return false;
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    parts[i] = index.floorDiv(stride);
    if (i == 0)
      break;
    parts[i] = parts[i] % shape[i];
    if (llvm::MulOverflow(stride, shape[i], stride))
      return false;
  }
  return true;
}

static std::optional<AffineExpr> joinIndex(ArrayRef<AffineExpr> parts,
                                           ArrayRef<int64_t> shape) {
  AffineExpr index = getAffineConstantExpr(0, parts[0].getContext());
  int64_t stride = 1;
  for (size_t i = shape.size(); i-- > 0;) {
    if (shape[i] == 1)
      continue;
    if (ShapedType::isDynamic(stride))
      return std::nullopt;
    index = parts[i] * stride + index;
    if (ShapedType::isDynamic(shape[i]))
      stride = shape[i];
    else if (llvm::MulOverflow(stride, shape[i], stride))
      return std::nullopt;
  }
  return index;
}

static std::optional<SmallVector<AffineExpr>>
reindexSlice(Context &context, tensor::ExtractSliceOp slice,
             ArrayRef<AffineExpr> indices) {
  auto getAffine = [&](OpFoldResult value) {
    if (auto constant = getConstantIntValue(value))
      return getAffineConstantExpr(*constant, context.getContext());
    return context.getSymbol(cast<Value>(value));
  };
  SmallVector<AffineExpr> source;
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  unsigned next = 0;
  for (auto [dim, offset, stride] :
       llvm::enumerate(slice.getMixedOffsets(), slice.getStaticStrides())) {
    if (ShapedType::isDynamic(stride))
      return std::nullopt;
    AffineExpr index = dropped.test(dim)
                           ? getAffineConstantExpr(0, context.getContext())
                           : indices[next++];
    source.push_back(index * stride + getAffine(offset));
  }
  return source;
}

/// Returns the first dimension of a group. The indices of the attribute are 64
/// bits wide, and the verifier reads 32 of them.
static unsigned getFirst(const ReassociationExprs &group) {
  return cast<AffineDimExpr>(group.front()).getPosition();
}

static std::optional<SmallVector<AffineExpr>>
reindexCollapse(tensor::CollapseShapeOp collapse,
                ArrayRef<AffineExpr> indices) {
  ArrayRef<int64_t> shape = collapse.getSrcType().getShape();
  // A collapse to rank 0 has no groups, because all dimensions are unit ones.
  SmallVector<AffineExpr> source(
      shape.size(), getAffineConstantExpr(0, collapse.getContext()));
  MutableArrayRef<AffineExpr> parts(source);
  for (auto [index, group] :
       llvm::zip(indices, collapse.getReassociationExprs()))
    if (!splitIndex(index, shape.slice(getFirst(group), group.size()),
                    parts.slice(getFirst(group), group.size())))
      return std::nullopt;
  return source;
}

std::optional<SmallVector<AffineExpr>>
Reader::reindex(Operation *op, ArrayRef<AffineExpr> indices) {
  if (auto cast = dyn_cast<tensor::CastOp>(op);
      cast && isa<RankedTensorType>(cast.getSource().getType()))
    return SmallVector<AffineExpr>(indices);
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return reindexSlice(context, slice, indices);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return reindexCollapse(collapse, indices);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op)) {
    ArrayRef<int64_t> shape = expand.getResultType().getShape();
    SmallVector<AffineExpr> source;
    for (const auto &group : expand.getReassociationExprs()) {
      auto index = joinIndex(indices.slice(getFirst(group), group.size()),
                             shape.slice(getFirst(group), group.size()));
      if (!index)
        return std::nullopt;
      source.push_back(*index);
    }
    return source;
  }
  return std::nullopt;
}

Value norm::row::getComparedWithOne(Value condition) {
  auto compare = condition.getDefiningOp<arith::CmpIOp>();
  return compare && compare.getPredicate() == arith::CmpIPredicate::eq &&
                 matchPattern(compare.getRhs(), m_One())
             ? compare.getLhs()
             : Value();
}

/// Returns true if `op` only repeats the elements of `tensor` along `dim`.
static bool repeats(linalg::LinalgOp op, Value tensor, unsigned dim) {
  if (!op || op.getNumDpsInputs() != 1 || op.getNumReductionLoops() > 0 ||
      op.getDpsInputOperand(0)->get() != tensor ||
      op.getBlock()->getTerminator()->getOperand(0) !=
          op.getBlock()->getArgument(0) ||
      !op.getIndexingMapsArray()[1].isIdentity())
    return false;
  AffineMap map = op.getIndexingMapsArray()[0];
  return llvm::all_of(llvm::enumerate(map.getResults()), [&](auto each) {
    return each.value() == getAffineDimExpr(each.index(), op->getContext()) ||
           (each.index() == dim &&
            each.value() == getAffineConstantExpr(0, op->getContext()));
  });
}

/// Opens TOSA's broadcast of a dynamic dimension, which repeats the one element
/// if the extent is 1 and else is the tensor. Where the result is as long as
/// the tensor, both are the tensor.
const Node *Reader::openBroadcast(scf::IfOp branch, OpResult result,
                                  ArrayRef<AffineExpr> indices) {
  Value tensor = branch.elseYield()->getOperand(result.getResultNumber());
  Value repeated = branch.thenYield()->getOperand(result.getResultNumber());
  Value compared = getComparedWithOne(branch.getCondition());
  if (!compared || branch->isAncestor(tensor.getParentRegion()->getParentOp()))
    return nullptr;
  SymbolicCount asked = context.getExtents().getInteger(compared);
  for (auto [i, index] : llvm::enumerate(indices)) {
    auto variable = dyn_cast<AffineDimExpr>(index);
    if (variable && asked == context.getExtents().getExtent(tensor, i) &&
        context.isExtentOf(variable.getPosition(), tensor, i) &&
        repeats(repeated.getDefiningOp<linalg::LinalgOp>(), tensor, i))
      return read(tensor, SmallVector<AffineExpr>(indices));
  }
  return nullptr;
}
