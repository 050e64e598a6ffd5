//===- RMSNormFoldUnitDims.cpp - the ops without extents of 1
//--------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "norm/IR/Norm.h"
#include "norm/IR/Transforms.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::norm;

/// Returns the dimensions of x that are static 1 in every operand with them.
static llvm::SmallBitVector findUnitDims(RMSNormOpInterface op) {
  llvm::SmallBitVector unit(op.getInputType().getRank(), true);
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = cast<ShapedType>(operand.get().getType());
    for (auto [dim, extent] :
         llvm::zip_equal(op.getOperandDims(operand), type.getShape()))
      if (extent != 1)
        unit.reset(dim);
  }
  return unit;
}

/// Returns the unit dimensions that can be dropped. S1 needs one normalized
/// dimension, so the last stays where all have extent 1; n does not change.
static llvm::SmallBitVector findDroppedDims(RMSNormOpInterface op) {
  llvm::SmallBitVector dropped = findUnitDims(op);
  if (llvm::all_of(op.getDims(), [&](int64_t dim) { return dropped[dim]; }))
    dropped.reset(op.getDims().back());
  return dropped;
}

namespace {
/// Rebuilds one op on operands without the dropped dimensions.
class UnitDimFolder {
public:
  UnitDimFolder(OpBuilder &b, RMSNormOpInterface op,
                llvm::SmallBitVector dropped)
      : b(b), op(op), dropped(std::move(dropped)) {}

  SmallVector<Value> run() {
    SmallVector<Value> operands;
    for (OpOperand &operand : op->getOpOperands())
      operands.push_back(collapse(operand.get(), op.getOperandDims(operand)));
    TypeRange types =
        ValueRange(operands).take_back(op->getNumResults()).getTypes();
    auto folded = cast<RMSNormOpInterface>(
        clone(b, op, SmallVector<Type>(types), operands));
    renumberDims(folded);
    SmallVector<Value> results;
    for (OpResult result : op->getResults())
      results.push_back(
          expand(folded->getResult(result.getResultNumber()), result));
    return results;
  }

private:
  /// Groups each kept dimension with the dropped ones after it, and the leading
  /// dropped ones with the first. A scalar has no groups.
  SmallVector<ReassociationIndices> getGroups(ArrayRef<int64_t> dims) {
    SmallVector<ReassociationIndices> groups;
    ReassociationIndices leading;
    for (auto [index, dim] : llvm::enumerate(dims)) {
      if (!dropped[dim])
        groups.push_back(groups.empty() ? std::move(leading)
                                        : ReassociationIndices());
      (groups.empty() ? leading : groups.back()).push_back(index);
    }
    return groups;
  }

  Value collapse(Value value, ArrayRef<int64_t> dims) {
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<int64_t> shape;
    for (auto [dim, extent] : llvm::zip_equal(dims, type.getShape()))
      if (!dropped[dim])
        shape.push_back(extent);
    if (shape.size() == dims.size())
      return value;
    auto narrow = RankedTensorType::get(shape, type.getElementType());
    return tensor::CollapseShapeOp::create(b, op.getLoc(), narrow, value,
                                           getGroups(dims));
  }

  Value expand(Value value, OpResult result) {
    if (value.getType() == result.getType())
      return value;
    // The extents are init's, because the folded op's would keep it alive.
    auto destination = cast<DestinationStyleOpInterface>(op.getOperation());
    Value init = destination.getTiedOpOperand(result)->get();
    return tensor::ExpandShapeOp::create(
        b, op.getLoc(), result.getType(), value,
        getGroups(op.getResultDims(result.getResultNumber())),
        tensor::getMixedSizes(b, op.getLoc(), init));
  }

  SmallVector<int64_t> renumber(ArrayRef<int64_t> dims) {
    SmallVector<int64_t> numbers;
    for (int64_t dim : dims)
      if (!dropped[dim])
        numbers.push_back(
            llvm::count_if(llvm::seq<int64_t>(0, dim),
                           [&](int64_t before) { return !dropped[before]; }));
    return numbers;
  }

  void renumberDims(RMSNormOpInterface folded) {
    folded.setDims(renumber(op.getDims()));
    SmallVector<int64_t> weightDims = renumber(op.getEffectiveWeightDims());
    if (op.hasWeightDims())
      folded.setWeightDims(weightDims);
  }

  OpBuilder &b;
  RMSNormOpInterface op;
  llvm::SmallBitVector dropped;
};
} // namespace

namespace {
struct FoldUnitDims : OpInterfaceRewritePattern<RMSNormOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(RMSNormOpInterface op,
                                PatternRewriter &rewriter) const override {
    if (!isa<RankedTensorType>(op.getInput().getType()))
      return rewriter.notifyMatchFailure(op, "only tensors are reshaped");
    llvm::SmallBitVector dropped = findDroppedDims(op);
    if (dropped.none())
      return rewriter.notifyMatchFailure(op, "no extent of 1 to drop");
    rewriter.replaceOp(op, UnitDimFolder(rewriter, op, dropped).run());
    return success();
  }
};
} // namespace

void norm::populateFoldUnitDimsPatterns(RewritePatternSet &patterns) {
  patterns.add<FoldUnitDims>(patterns.getContext());
}
