//===- RowJoins.cpp - rows that are put together from parts ---------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Normalize/RowJoins.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "norm/IR/KnownExtents.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::norm;

static RankedTensorType getTensorType(Value v) {
  return cast<RankedTensorType>(v.getType());
}

/// Returns true if a slice is whole in all dimensions but the innermost.
static bool hasAllRows(OffsetSizeAndStrideOpInterface slice, Value whole) {
  int64_t last = getTensorType(whole).getRank() - 1;
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(),
                            sizes = slice.getMixedSizes(),
                            strides = slice.getMixedStrides();
  for (int64_t dim = 0; dim < last; ++dim)
    if (!isZeroInteger(offsets[dim]) || !isOneInteger(strides[dim]) ||
        !areKnownEqual(sizes[dim], {whole, dim}))
      return false;
  return last >= 0;
}

bool norm::takesAllRows(tensor::ExtractSliceOp slice) {
  return hasAllRows(slice, slice.getSource());
}

/// Returns the part of the rows of `whole` that a slice is, if it is of all of
/// them.
static std::optional<RowPart> matchPart(OffsetSizeAndStrideOpInterface slice,
                                        Value whole) {
  if (!hasAllRows(slice, whole))
    return std::nullopt;
  std::optional<int64_t> offset = getConstantIntValue(
                             slice.getMixedOffsets().back()),
                         size =
                             getConstantIntValue(slice.getMixedSizes().back()),
                         stride = getConstantIntValue(
                             slice.getMixedStrides().back());
  if (!offset || !size || !stride || *stride < 1)
    return std::nullopt;
  return RowPart{*offset, *size, *stride};
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

SmallVector<ReassociationIndices> norm::groupLastTwo(int64_t rank) {
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0; dim + 1 < rank; ++dim)
    groups.push_back({dim});
  groups.back().push_back(rank - 1);
  return groups;
}

static std::optional<RowJoin> matchConcat(tensor::ConcatOp concat) {
  RowJoin join;
  if (static_cast<int64_t>(concat.getDim()) !=
      concat.getResultType().getRank() - 1)
    return std::nullopt;
  int64_t offset = 0;
  for (Value value : concat.getInputs()) {
    int64_t size = getTensorType(value).getShape().back();
    if (ShapedType::isDynamic(size) || size == 0)
      return std::nullopt;
    join.parts.push_back({offset, size, 1});
    join.values.push_back(value);
    offset += size;
  }
  return join;
}

static bool isLoopIndex(Value v, int64_t loop) {
  auto index = v.getDefiningOp<linalg::IndexOp>();
  return index && static_cast<int64_t>(index.getDim()) == loop;
}

/// Returns true if `v` is the innermost index less `from`.
static bool isColumnFrom(Value v, int64_t loop, int64_t from) {
  if (from == 0)
    return isLoopIndex(v, loop);
  Operation *op = v.getDefiningOp();
  APInt offset;
  return isa_and_nonnull<arith::SubIOp, arith::AddIOp>(op) &&
         isLoopIndex(op->getOperand(0), loop) &&
         matchPattern(op->getOperand(1), m_ConstantInt(&offset)) &&
         offset.getSExtValue() == (isa<arith::SubIOp>(op) ? from : -from);
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
        isLoopIndex(index, dim) ||
        (getTensorType(init).getDimSize(dim) == 1 && isZeroInteger(index));
    if (!isOwn || !areKnownEqual({init, dim}, {extract.getTensor(), dim}))
      return false;
  }
  return isColumnFrom(extract.getIndices().back(), last, from);
}

/// Matches what `op` yields in columns `from` to `to`: an element of a tensor,
/// or a choice between two of these by the column.
static bool matchSelection(linalg::GenericOp op, Value v, int64_t from,
                           int64_t to, RowJoin &join) {
  if (auto extract = v.getDefiningOp<tensor::ExtractOp>()) {
    if (!readsOwnElement(extract, op, from) ||
        getTensorType(extract.getTensor()).getShape().back() != to - from)
      return false;
    join.parts.push_back({from, to - from, 1});
    join.values.push_back(extract.getTensor());
    return true;
  }
  auto choice = v.getDefiningOp<scf::IfOp>();
  if (!choice || choice->getNumResults() != 1)
    return false;
  auto compare = choice.getCondition().getDefiningOp<arith::CmpIOp>();
  APInt bound;
  if (!compare || !isLoopIndex(compare.getLhs(), op.getNumLoops() - 1) ||
      !matchPattern(compare.getRhs(), m_ConstantInt(&bound)) ||
      (compare.getPredicate() != arith::CmpIPredicate::ult &&
       compare.getPredicate() != arith::CmpIPredicate::slt))
    return false;
  int64_t seam = bound.getSExtValue();
  return from < seam && seam < to &&
         matchSelection(op, choice.thenYield().getOperand(0), from, seam,
                        join) &&
         matchSelection(op, choice.elseYield().getOperand(0), seam, to, join);
}

static std::optional<RowJoin> matchSelection(linalg::GenericOp op) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      op.getNumLoops() == 0 || !op.isAllParallelLoops() ||
      !op.getIndexingMapsArray().back().isIdentity())
    return std::nullopt;
  Value yielded = op.getBody()->getTerminator()->getOperand(0);
  int64_t extent = getTensorType(op->getResult(0)).getShape().back();
  RowJoin join;
  if (ShapedType::isDynamic(extent) || !yielded.getDefiningOp<scf::IfOp>() ||
      !matchSelection(op, yielded, 0, extent, join))
    return std::nullopt;
  return join;
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

static std::optional<RowJoin> matchInsertions(tensor::InsertSliceOp last) {
  RowJoin join;
  for (tensor::InsertSliceOp insert : matchRowInsertions(last)) {
    // The ops on parts have as many dimensions as those on rows.
    if (insert.getSourceType().getRank() != insert.getDestType().getRank())
      return std::nullopt;
    join.parts.push_back(*matchPart(insert, insert.getDest()));
    join.values.push_back(insert.getSource());
  }
  return join.parts.empty() ? std::nullopt : std::optional(join);
}

/// Matches columns that are stacked and then flattened: element i of part p is
/// element i * parts + p of the row.
static std::optional<RowJoin> matchStack(tensor::CollapseShapeOp collapse) {
  Operation *stack = collapse.getSrc().getDefiningOp();
  if (!stack || isa<tensor::CollapseShapeOp>(stack))
    return std::nullopt;
  SmallVector<ReassociationIndices> groups = collapse.getReassociationIndices();
  RankedTensorType type = collapse.getSrcType();
  int64_t rank = type.getRank();
  if (rank < 2 || groups != groupLastTwo(rank) || type.isDynamicDim(rank - 2))
    return std::nullopt;
  std::optional<RowJoin> join = matchRowJoin(stack);
  if (!join || join->hasUnitDim)
    return std::nullopt;
  int64_t number = join->parts.size();
  for (auto [index, part] : llvm::enumerate(join->parts)) {
    if (part.size != 1)
      return std::nullopt;
    part = {static_cast<int64_t>(index), type.getDimSize(rank - 2), number};
  }
  join->hasUnitDim = true;
  return join;
}

std::optional<RowJoin> norm::matchRowJoin(Operation *op) {
  return TypeSwitch<Operation *, std::optional<RowJoin>>(op)
      .Case([](tensor::ConcatOp concat) { return matchConcat(concat); })
      .Case([](tensor::InsertSliceOp last) { return matchInsertions(last); })
      .Case([](tensor::CollapseShapeOp stack) { return matchStack(stack); })
      .Case([](linalg::GenericOp generic) { return matchSelection(generic); })
      .Default([](Operation *) { return std::nullopt; });
}

/// Returns offsets, sizes and strides of a part of the rows of `tensor`.
static std::array<SmallVector<OpFoldResult>, 3>
getPlace(OpBuilder &b, Location loc, Value tensor, RowPart part) {
  int64_t rank = getTensorType(tensor).getRank();
  SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)),
      sizes = tensor::getMixedSizes(b, loc, tensor),
      strides(rank, b.getIndexAttr(1));
  offsets.back() = b.getIndexAttr(part.offset);
  sizes.back() = b.getIndexAttr(part.size);
  strides.back() = b.getIndexAttr(part.stride);
  return {offsets, sizes, strides};
}

Value norm::createRowSlice(OpBuilder &b, Location loc, Value tensor,
                           RowPart part) {
  auto [offsets, sizes, strides] = getPlace(b, loc, tensor, part);
  return tensor::ExtractSliceOp::create(b, loc, tensor, offsets, sizes,
                                        strides);
}

Value norm::createRowJoin(OpBuilder &b, Location loc, Value like,
                          ArrayRef<RowPart> parts, ValueRange values) {
  Value whole =
      tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, like),
                              getTensorType(values.front()).getElementType());
  for (auto [part, value] : llvm::zip(parts, values)) {
    auto [offsets, sizes, strides] = getPlace(b, loc, whole, part);
    whole = tensor::InsertSliceOp::create(b, loc, value, whole, offsets, sizes,
                                          strides);
  }
  return whole;
}

Value norm::createJoinedPart(OpBuilder &b, Location loc, const RowJoin &join,
                             unsigned part) {
  Value value = join.values[part];
  if (!join.hasUnitDim)
    return value;
  return tensor::CollapseShapeOp::create(
      b, loc, value, groupLastTwo(getTensorType(value).getRank()));
}
