//===- ReadPartsAsSlices.cpp - every n-th element as a slice --------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "norm/Normalize/RowJoins.h"

using namespace mlir;
using namespace mlir::norm;

/// Returns true if the part is each element at `part.offset` of a group of
/// `part.stride` in a row of `extent`.
static bool isOneOfEachGroup(const RowPart &part, int64_t extent) {
  return extent > 0 && part.stride > 1 && part.offset < part.stride &&
         part.size * part.stride == extent;
}

/// One of each group in blocks of a row is one of each group in each block.
static LogicalResult sliceBeforeCollapse(tensor::ExtractSliceOp slice,
                                         PatternRewriter &rewriter) {
  auto collapse = slice.getSource().getDefiningOp<tensor::CollapseShapeOp>();
  std::optional<RowPart> part = matchRowSlice(slice);
  if (!collapse || !part ||
      !isOneOfEachGroup(*part, slice.getSourceType().getShape().back()))
    return rewriter.notifyMatchFailure(slice, "not one of each group");
  int64_t block = collapse.getSrcType().getShape().back();
  if (ShapedType::isDynamic(block) || block % part->stride != 0)
    return rewriter.notifyMatchFailure(slice, "not of whole groups");
  part->size = block / part->stride;
  Value parts =
      createRowSlice(rewriter, slice.getLoc(), collapse.getSrc(), *part);
  rewriter.replaceOpWithNewOp<tensor::CollapseShapeOp>(
      slice, slice.getType(), parts, collapse.getReassociationIndices());
  return success();
}

/// Returns true for one column of all rows, of rank one less if it is not
/// kept as a dimension.
static bool isColumnOfAll(tensor::ExtractSliceOp slice) {
  int64_t rank = slice.getSourceType().getRank();
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  bool isKept = dropped.none();
  if (!isKept && (dropped.count() != 1 || !dropped.test(rank - 1)))
    return false;
  return isOneInteger(slice.getMixedSizes().back()) &&
         getConstantIntValue(slice.getMixedOffsets().back()) &&
         takesAllRows(slice);
}

/// One column of a row that is looked at as groups is a slice with a stride.
static LogicalResult sliceOfGroups(tensor::ExtractSliceOp slice,
                                   PatternRewriter &rewriter) {
  auto expand = slice.getSource().getDefiningOp<tensor::ExpandShapeOp>();
  if (!expand)
    return rewriter.notifyMatchFailure(slice, "not of groups");
  int64_t rank = slice.getSourceType().getRank();
  ArrayRef<int64_t> shape = slice.getSourceType().getShape();
  if (rank < 2 || expand.getReassociationIndices() != groupLastTwo(rank) ||
      ShapedType::isDynamic(shape[rank - 1]) ||
      ShapedType::isDynamic(shape[rank - 2]) || shape[rank - 1] < 2 ||
      !isColumnOfAll(slice))
    return rewriter.notifyMatchFailure(slice, "not one column of all");
  RowPart part = {*getConstantIntValue(slice.getMixedOffsets().back()),
                  shape[rank - 2], shape[rank - 1]};
  Value column =
      createRowSlice(rewriter, slice.getLoc(), expand.getSrc(), part);
  if (slice.getType().getRank() == rank - 1) {
    rewriter.replaceOpWithNewOp<tensor::CastOp>(slice, slice.getType(), column);
    return success();
  }
  rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(slice, slice.getType(),
                                                     column, groupLastTwo(rank),
                                                     slice.getMixedSizes());
  return success();
}

static AffineExpr getOnlyDim(AffineExpr expr) {
  AffineExpr found;
  expr.walk([&](AffineExpr each) {
    if (isa<AffineDimExpr>(each))
      found = each;
  });
  return found;
}

/// Returns the part of each row that an operand's columns are, if its map has
/// d * stride + offset for them and the stride leaves nothing out.
static std::optional<RowPart> matchStridedRead(linalg::GenericOp op,
                                               OpOperand &input) {
  AffineMap map = op.getMatchingIndexingMap(&input);
  auto type = dyn_cast<RankedTensorType>(input.get().getType());
  if (!type || map.getNumResults() == 0)
    return std::nullopt;
  AffineExpr column = map.getResults().back();
  auto dim = dyn_cast_or_null<AffineDimExpr>(getOnlyDim(column));
  if (!dim)
    return std::nullopt;
  auto getColumn = [&](int64_t i) {
    return dyn_cast<AffineConstantExpr>(
        column.replace(dim, getAffineConstantExpr(i, op.getContext())));
  };
  AffineConstantExpr first = getColumn(0), second = getColumn(1);
  if (!first || !second)
    return std::nullopt;
  RowPart part = {first.getValue(), op.getStaticLoopRanges()[dim.getPosition()],
                  second.getValue() - first.getValue()};
  bool isPart = dim * part.stride + part.offset == column && part.offset >= 0 &&
                isOneOfEachGroup(part, type.getShape().back());
  return isPart ? std::optional(part) : std::nullopt;
}

/// Returns the loop that alone moves in a dimension of an operand, if another
/// one of a single iteration takes part and the extents may differ.
static std::optional<unsigned> matchWindow(linalg::GenericOp op,
                                           OpOperand &input, int64_t dim) {
  AffineExpr expr = op.getMatchingIndexingMap(&input).getResult(dim);
  if (isa<AffineDimExpr>(expr))
    return std::nullopt;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<AffineExpr> moving;
  for (auto [loop, range] : llvm::enumerate(ranges))
    moving.push_back(range == 1 ? getAffineConstantExpr(0, op.getContext())
                                : getAffineDimExpr(loop, op.getContext()));
  auto loop = dyn_cast<AffineDimExpr>(expr.replaceDims(moving));
  auto type = cast<RankedTensorType>(input.get().getType());
  if (!loop || (!ShapedType::isDynamic(ranges[loop.getPosition()]) &&
                ranges[loop.getPosition()] == type.getDimSize(dim)))
    return std::nullopt;
  return loop.getPosition();
}

/// Returns as much of `operand` in one dimension as `loop` has iterations.
static Value takeFirst(OpBuilder &b, linalg::LinalgOp op, Value operand,
                       int64_t dim, unsigned loop) {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, op.getLoc(), operand);
  int64_t range = op.getStaticLoopRanges()[loop];
  sizes[dim] = ShapedType::isDynamic(range)
                   ? op.createLoopRanges(b, op.getLoc())[loop].size
                   : OpFoldResult(b.getIndexAttr(range));
  SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
  SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(b, op.getLoc(), operand, offsets, sizes,
                                        strides);
}

/// Slices one operand where only a part of it is read, and changes the results
/// of its map: what is read at d * stride + offset is read at d in a slice, and
/// one window, over which loops of one iteration go, is that window.
// Upstream: LLVM 22.1: linalg-fold-unit-extent-dims drops such a loop from
// d0 * 2 + d1, whatever else the operand holds, and the op is invalid or reads
// too much; goes when it folds only whole results of the map.
static Value sliceOperand(OpBuilder &b, linalg::GenericOp op, OpOperand &input,
                          MutableArrayRef<AffineExpr> results) {
  if (std::optional<RowPart> part = matchStridedRead(op, input)) {
    results.back() = getOnlyDim(results.back());
    return createRowSlice(b, op.getLoc(), input.get(), *part);
  }
  Value rest = input.get();
  for (auto [dim, result] : llvm::enumerate(results))
    if (std::optional<unsigned> loop = matchWindow(op, input, dim)) {
      rest = takeFirst(b, op, rest, dim, *loop);
      result = b.getAffineDimExpr(*loop);
    }
  return rest;
}

static LogicalResult sliceOperands(linalg::GenericOp op,
                                   PatternRewriter &rewriter) {
  if (!op.hasPureTensorSemantics())
    return rewriter.notifyMatchFailure(op, "not on tensors");
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<Value> parts(op->getOperands());
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap &map = maps[input->getOperandNumber()];
    SmallVector<AffineExpr> results(map.getResults());
    parts[input->getOperandNumber()] =
        sliceOperand(rewriter, op, *input, results);
    map = AffineMap::get(map.getNumDims(), 0, results, op.getContext());
  }
  if (llvm::equal(parts, op->getOperands()))
    return rewriter.notifyMatchFailure(op, "no operand that is a part");
  rewriter.modifyOpInPlace(op, [&] {
    op->setOperands(parts);
    op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  });
  return success();
}

LogicalResult norm::readPartsAsSlices(Operation *scope) {
  MLIRContext *context = scope->getContext();
  RewritePatternSet patterns(context);
  patterns.add(sliceBeforeCollapse);
  patterns.add(sliceOfGroups);
  patterns.add(sliceOperands);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
  return applyPatternsGreedily(scope, std::move(patterns));
}
