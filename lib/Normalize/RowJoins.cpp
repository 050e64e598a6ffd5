//===- RowJoins.cpp - rows that are put together from parts ---------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Normalize/RowJoins.h"
#include "mlir/Analysis/FlatLinearValueConstraints.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "norm/IR/KnownExtents.h"
#include "llvm/ADT/SmallBitVector.h"

using namespace mlir;
using namespace mlir::norm;

static RankedTensorType getTensorType(Value v) {
  return cast<RankedTensorType>(v.getType());
}

RowPart norm::getRowPart(OffsetSizeAndStrideOpInterface slice) {
  return {slice.getStaticOffsets().back(), slice.getStaticSizes().back(),
          slice.getStaticStrides().back()};
}

/// Returns the part of the rows of `whole` that a slice is, if it is of all of
/// them.
static std::optional<RowPart> matchPart(OffsetSizeAndStrideOpInterface slice,
                                        Value whole) {
  int64_t last = getTensorType(whole).getRank() - 1;
  if (last < 0)
    return std::nullopt;
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(),
                            sizes = slice.getMixedSizes(),
                            strides = slice.getMixedStrides();
  for (int64_t dim = 0; dim < last; ++dim)
    if (!isZeroInteger(offsets[dim]) || !isOneInteger(strides[dim]) ||
        !areKnownEqual(sizes[dim], {whole, dim}))
      return std::nullopt;
  if (slice.isDynamicOffset(last) || slice.isDynamicSize(last) ||
      slice.isDynamicStride(last) || slice.getStaticStride(last) < 1)
    return std::nullopt;
  return getRowPart(slice);
}

std::optional<RowPart> norm::matchRowSlice(tensor::ExtractSliceOp slice) {
  if (slice.getType().getRank() != slice.getSourceType().getRank())
    return std::nullopt;
  return matchPart(slice, slice.getSource());
}

bool norm::isPartition(ArrayRef<RowPart> parts, int64_t extent) {
  if (ShapedType::isDynamic(extent))
    return false;
  llvm::SmallBitVector seen(extent);
  for (RowPart part : parts)
    for (int64_t i = 0; i < part.size; ++i) {
      int64_t element = part.offset + i * part.stride;
      if (element >= extent || seen.test(element))
        return false;
      seen.set(element);
    }
  return seen.all();
}

/// Returns groups of one dimension each, but for the last one, of two.
static SmallVector<ReassociationIndices> groupLastTwo(int64_t rank) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim + 1 < rank; ++dim)
    groups.push_back({dim});
  groups.back().push_back(rank - 1);
  return groups;
}

/// Returns true if `v` is the index of a loop less `from`.
static bool isLoopIndex(Value v, linalg::GenericOp op, uint64_t loop,
                        int64_t from = 0) {
  AffineMap less =
      AffineMap::get(1, 0, getAffineDimExpr(0, op.getContext()) - from);
  auto indices = op.getBody()->getOps<linalg::IndexOp>();
  return v.getType().isIndex() &&
         llvm::any_of(indices, [&](linalg::IndexOp index) {
           return index.getDim() == loop &&
                  areKnownEqual(v, {less, ValueRange(index.getResult())});
         });
}

/// Returns true if the op reads the element of its own indices, with the
/// columns counted from `from`.
static bool readsOwnElement(tensor::ExtractOp extract, linalg::GenericOp op,
                            int64_t from) {
  Value init = op.getDpsInits().front();
  int64_t last = getTensorType(init).getRank() - 1;
  if (getTensorType(extract.getTensor()).getRank() != last + 1)
    return false;
  for (int64_t dim = 0; dim < last; ++dim) {
    Value index = extract.getIndices()[dim];
    bool isOwn =
        isLoopIndex(index, op, dim) ||
        (getTensorType(init).getDimSize(dim) == 1 && isZeroInteger(index));
    if (!isOwn || !areKnownEqual({init, dim}, {extract.getTensor(), dim}))
      return false;
  }
  return isLoopIndex(extract.getIndices().back(), op, last, from);
}

/// Matches what `op` yields in columns `from` to `to`: an element of a tensor,
/// or a choice between two of these by the column.
static bool matchSelection(linalg::GenericOp op, Value v, int64_t from,
                           int64_t to, RowParts &parts,
                           SmallVector<Value> &values) {
  if (auto extract = v.getDefiningOp<tensor::ExtractOp>()) {
    if (!readsOwnElement(extract, op, from) ||
        getTensorType(extract.getTensor()).getShape().back() != to - from)
      return false;
    parts.push_back({from, to - from, 1});
    values.push_back(extract.getTensor());
    return true;
  }
  auto choice = v.getDefiningOp<scf::IfOp>();
  if (!choice || choice->getNumResults() != 1)
    return false;
  auto compare = choice.getCondition().getDefiningOp<arith::CmpIOp>();
  APInt bound;
  if (!compare || !isLoopIndex(compare.getLhs(), op, op.getNumLoops() - 1) ||
      !matchPattern(compare.getRhs(), m_ConstantInt(&bound)) ||
      (compare.getPredicate() != arith::CmpIPredicate::ult &&
       compare.getPredicate() != arith::CmpIPredicate::slt))
    return false;
  int64_t seam = bound.getSExtValue();
  return from < seam && seam < to &&
         matchSelection(op, choice.thenYield().getOperand(0), from, seam, parts,
                        values) &&
         matchSelection(op, choice.elseYield().getOperand(0), seam, to, parts,
                        values);
}

static LogicalResult insertSelected(linalg::GenericOp op,
                                    PatternRewriter &rewriter) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      op.getNumLoops() == 0 || !op.isAllParallelLoops() ||
      !op.getIndexingMapsArray().back().isIdentity())
    return rewriter.notifyMatchFailure(op, "not one elementwise result");
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  int64_t extent = getTensorType(op->getResult(0)).getShape().back();
  RowParts parts;
  SmallVector<Value> values;
  if (ShapedType::isDynamic(extent) || !yielded.getDefiningOp<scf::IfOp>() ||
      !matchSelection(op, yielded, 0, extent, parts, values))
    return rewriter.notifyMatchFailure(op, "does not select by the column");
  rewriter.replaceOp(op,
                     createRowJoin(rewriter, op->getResult(0), parts, values));
  return success();
}

static LogicalResult insertConcatenated(tensor::ConcatOp concat,
                                        PatternRewriter &rewriter) {
  RankedTensorType type = concat.getResultType();
  if (static_cast<int64_t>(concat.getDim()) != type.getRank() - 1)
    return rewriter.notifyMatchFailure(concat, "not of rows");
  RowParts parts;
  int64_t offset = 0;
  for (Value value : concat.getInputs()) {
    int64_t size = getTensorType(value).getShape().back();
    if (ShapedType::isDynamic(size) || size == 0)
      return rewriter.notifyMatchFailure(concat, "not of known parts");
    parts.push_back({offset, size, 1});
    offset += size;
  }
  if (offset != type.getShape().back())
    return rewriter.notifyMatchFailure(concat, "of an open extent");
  rewriter.replaceOp(
      concat, createRowJoin(rewriter, concat, parts, concat.getInputs()));
  return success();
}

SmallVector<tensor::InsertSliceOp>
norm::matchRowInsertions(tensor::InsertSliceOp last) {
  SmallVector<tensor::InsertSliceOp> inserts;
  RowParts parts;
  Value whole = last.getResult();
  while (auto insert = whole.getDefiningOp<tensor::InsertSliceOp>()) {
    std::optional<RowPart> part = matchPart(insert, insert.getDest());
    bool isReadBefore = insert != last && !insert->hasOneUse();
    if (!part || isReadBefore)
      return {};
    parts.push_back(*part);
    inserts.push_back(insert);
    whole = insert.getDest();
  }
  if (!whole.getDefiningOp<tensor::EmptyOp>() ||
      !isPartition(parts, getTensorType(whole).getShape().back()))
    return {};
  std::reverse(inserts.begin(), inserts.end());
  return inserts;
}

/// Inserts columns that are stacked and then flattened: element i of the one at
/// `offset` is element i * columns + offset of the row.
static LogicalResult insertStacked(tensor::CollapseShapeOp collapse,
                                   PatternRewriter &rewriter) {
  auto stack = collapse.getSrc().getDefiningOp<tensor::InsertSliceOp>();
  RankedTensorType type = collapse.getSrcType();
  int64_t rank = type.getRank();
  if (!stack || rank < 2 ||
      collapse.getReassociationIndices() != groupLastTwo(rank) ||
      type.isDynamicDim(rank - 2))
    return rewriter.notifyMatchFailure(collapse, "not of stacked columns");
  SmallVector<tensor::InsertSliceOp> inserts = matchRowInsertions(stack);
  RowParts parts;
  for (tensor::InsertSliceOp insert : inserts) {
    RowPart part = getRowPart(insert);
    if (part.size != 1 || insert.getSourceType().getRank() != rank)
      return rewriter.notifyMatchFailure(collapse, "not of columns");
    parts.push_back({part.offset, type.getDimSize(rank - 2),
                     static_cast<int64_t>(inserts.size())});
  }
  if (parts.empty())
    return rewriter.notifyMatchFailure(collapse, "leaves columns out");
  auto values =
      llvm::map_to_vector(inserts, [&](tensor::InsertSliceOp insert) -> Value {
        return tensor::CollapseShapeOp::create(
            rewriter, insert.getLoc(), insert.getSource(), groupLastTwo(rank));
      });
  rewriter.replaceOp(collapse,
                     createRowJoin(rewriter, collapse, parts, values));
  return success();
}

/// Returns offsets, sizes and strides of a part of `tensor` in one dimension.
static std::array<SmallVector<OpFoldResult>, 3>
getPlace(OpBuilder &b, Location loc, Value tensor, unsigned dim, RowPart part) {
  int64_t rank = getTensorType(tensor).getRank();
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)),
      sizes = tensor::getMixedSizes(b, loc, tensor),
      strides(rank, b.getIndexAttr(1));
  offsets[dim] = b.getIndexAttr(part.offset);
  sizes[dim] = b.getIndexAttr(part.size);
  strides[dim] = b.getIndexAttr(part.stride);
  return {offsets, sizes, strides};
}

Value norm::createRowSlice(OpBuilder &b, Location loc, Value tensor,
                           RowPart part) {
  auto [offsets, sizes, strides] =
      getPlace(b, loc, tensor, getTensorType(tensor).getRank() - 1, part);
  return tensor::ExtractSliceOp::create(b, loc, tensor, offsets, sizes,
                                        strides);
}

Value norm::createRowJoin(OpBuilder &b, Value tensor, ArrayRef<RowPart> parts,
                          ValueRange values) {
  Location loc = tensor.getLoc();
  RankedTensorType type = getTensorType(tensor);
  SmallVector<Value> extents;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      extents.push_back(
          b.createOrFold<tensor::DimOp>(loc, values.front(), dim));
  Value empty = tensor::EmptyOp::create(b, loc, type, extents), whole = empty;
  for (auto [part, value] : llvm::zip(parts, values)) {
    auto [offsets, sizes, strides] =
        getPlace(b, loc, empty, type.getRank() - 1, part);
    Type partType = tensor::ExtractSliceOp::inferResultType(type, sizes);
    Value cast = b.createOrFold<tensor::CastOp>(loc, partType, value);
    whole = tensor::InsertSliceOp::create(b, loc, cast, whole, offsets, sizes,
                                          strides);
  }
  return whole;
}

//===----------------------------------------------------------------------===//
// Every n-th element as a slice
//===----------------------------------------------------------------------===//

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

/// One column of a row that is looked at as groups, of rank one less if it is
/// not kept as a dimension, is a slice with a stride.
static LogicalResult sliceOfGroups(tensor::ExtractSliceOp slice,
                                   PatternRewriter &rewriter) {
  auto expand = slice.getSource().getDefiningOp<tensor::ExpandShapeOp>();
  int64_t rank = slice.getSourceType().getRank();
  if (!expand || rank < 2 ||
      expand.getReassociationIndices() != groupLastTwo(rank))
    return rewriter.notifyMatchFailure(slice, "not of groups");
  std::optional<RowPart> column = matchPart(slice, expand);
  llvm::SmallBitVector dropped = slice.getDroppedDims();
  bool isDropped = dropped.count() == 1 && dropped.test(rank - 1);
  ArrayRef<int64_t> groups = slice.getSourceType().getShape().take_back(2);
  if (!column || column->size != 1 || !(dropped.none() || isDropped) ||
      ShapedType::isDynamicShape(groups) || groups[1] < 2)
    return rewriter.notifyMatchFailure(slice, "not one column of all");
  Value part = createRowSlice(rewriter, slice.getLoc(), expand.getSrc(),
                              {column->offset, groups[0], groups[1]});
  if (isDropped)
    rewriter.replaceOpWithNewOp<tensor::CastOp>(slice, slice.getType(), part);
  else
    rewriter.replaceOpWithNewOp<tensor::ExpandShapeOp>(slice, slice.getType(),
                                                       part, groupLastTwo(rank),
                                                       slice.getMixedSizes());
  return success();
}

/// Returns the part of a dimension that is read at another expression than the
/// index of a loop, and the loop that alone moves there: one of each group of
/// elements of a row, or what may be one of several windows, over which loops
/// of one iteration go.
static std::optional<std::pair<RowPart, unsigned>>
matchPartRead(linalg::GenericOp op, OpOperand &input, unsigned dim) {
  AffineMap map = op.getMatchingIndexingMap(&input);
  if (isa<AffineDimExpr>(map.getResult(dim)))
    return std::nullopt;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges(), terms;
  SmallVector<AffineExpr> moving;
  for (auto [loop, range] : llvm::enumerate(ranges))
    moving.push_back(range == 1 ? getAffineConstantExpr(0, op.getContext())
                                : getAffineDimExpr(loop, op.getContext()));
  if (failed(getFlattenedAffineExpr(map.getResult(dim).replaceDims(moving),
                                    map.getNumDims(), /*numSymbols=*/0,
                                    &terms)) ||
      terms.size() != map.getNumDims() + 1)
    return std::nullopt;
  int64_t offset = terms.pop_back_val();
  auto isUsed = [](int64_t factor) { return factor != 0; };
  if (llvm::count_if(terms, isUsed) != 1)
    return std::nullopt;
  unsigned loop = llvm::find_if(terms, isUsed) - terms.begin();
  int64_t extent = getTensorType(input.get()).getDimSize(dim);
  RowPart part = {offset, ranges[loop], terms[loop]};
  bool isWindow = offset == 0 && part.stride == 1 &&
                  (ShapedType::isDynamic(part.size) || part.size != extent);
  bool isColumns = dim + 1 == map.getNumResults() && offset >= 0 &&
                   isOneOfEachGroup(part, extent);
  return isWindow || isColumns ? std::optional(std::pair(part, loop))
                               : std::nullopt;
}

/// Slices one operand where only a part of it is read, and changes the results
/// of its map: what is read at d * stride + offset is read at d in a slice.
// Upstream: LLVM 22.1: linalg-fold-unit-extent-dims drops a loop of one
// iteration from d0 * 2 + d1, whatever else the operand holds, and the op is
// invalid or reads too much; goes when it folds only whole results of the map.
static Value sliceOperand(OpBuilder &b, linalg::LinalgOp op, OpOperand &input,
                          MutableArrayRef<AffineExpr> results) {
  Value slice = input.get();
  for (auto [dim, result] : llvm::enumerate(results)) {
    auto read = matchPartRead(cast<linalg::GenericOp>(*op), input, dim);
    if (!read)
      continue;
    auto [part, loop] = *read;
    auto [offsets, sizes, strides] = getPlace(b, op.getLoc(), slice, dim, part);
    sizes[dim] = op.createLoopRanges(b, op.getLoc())[loop].size;
    slice = tensor::ExtractSliceOp::create(b, op.getLoc(), slice, offsets,
                                           sizes, strides);
    result = b.getAffineDimExpr(loop);
  }
  return slice;
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

LogicalResult norm::spellPartsAsSlices(Operation *scope) {
  MLIRContext *context = scope->getContext();
  RewritePatternSet patterns(context);
  patterns.add(insertSelected);
  patterns.add(insertConcatenated);
  patterns.add(insertStacked);
  patterns.add(sliceBeforeCollapse);
  patterns.add(sliceOfGroups);
  patterns.add(sliceOperands);
  tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
  tensor::ConcatOp::getCanonicalizationPatterns(patterns, context);
  tensor::DimOp::getCanonicalizationPatterns(patterns, context);
  return applyPatternsGreedily(scope, std::move(patterns));
}
