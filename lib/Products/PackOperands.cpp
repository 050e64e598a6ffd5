//===- PackOperands.cpp - copies of operands for blocks -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PackOperands.h"
#include "ProductTensors.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"

using namespace mlir;
using linalg::GenericOp;
using norm::MatrixProduct;
using utils::IteratorType;

unsigned norm::getDim(const MatrixProduct &block, unsigned operand,
                      unsigned loop) {
  GenericOp op = block.op;
  return *op.getIndexingMapsArray()[operand].getResultPosition(
      getAffineDimExpr(loop, op.getContext()));
}

bool norm::isGrouped(const MatrixProduct &block) {
  return getElementTypeOrSelf(getLhs(block).getType()) != block.sum;
}

OpFoldResult norm::roundRowsUp(OpBuilder &b, Location loc, OpFoldResult rows) {
  return affine::makeComposedFoldedAffineApply(
      b, loc, b.getAffineSymbolExpr(0).ceilDiv(amxRows) * amxRows, {rows});
}

static Type getPackedElement(const MatrixProduct &block) {
  return norm::isGrouped(block)
             ? getElementTypeOrSelf(norm::getLhs(block).getType())
             : block.sum;
}

//===----------------------------------------------------------------------===//
// B
//===----------------------------------------------------------------------===//

AffineMap norm::getPackedMap(const MatrixProduct &block) {
  GenericOp op = block.op;
  SmallVector<unsigned> loops(block.depths);
  loops.push_back(block.loops.column);
  if (isGrouped(block))
    std::swap(loops.back(), loops[loops.size() - 2]);
  return AffineMap::getMultiDimMapWithTargets(op.getNumLoops(), loops,
                                              op.getContext());
}

/// Returns the dimension of packed columns that goes over columns.
static unsigned getColumnDim(const MatrixProduct &block) {
  return *norm::getPackedMap(block).getResultPosition(
      getAffineDimExpr(block.loops.column, block.sum.getContext()));
}

/// Returns where B has the dimensions of packed columns; others of it, such as
/// of batches, have one element. They are at 0.
static AffineMap getSourceMap(OpBuilder &b, const MatrixProduct &block) {
  AffineMap packed = norm::getPackedMap(block),
            from = GenericOp(block.op).getIndexingMapsArray()[block.rhs];
  auto read = llvm::map_to_vector(from.getResults(), [&](AffineExpr loop) {
    std::optional<unsigned> dim = packed.getResultPosition(loop);
    return dim ? b.getAffineDimExpr(*dim) : b.getAffineConstantExpr(0);
  });
  return AffineMap::get(packed.getNumResults(), 0, read, b.getContext());
}

/// Copies what `read` says of an operand to `dest`, which has blocks or parts
/// in front, and widens elements of B that are narrower there.
static Value copyBlocks(OpBuilder &b, const MatrixProduct &block, Value from,
                        AffineMap read, Value dest) {
  auto type = cast<RankedTensorType>(dest.getType());
  SmallVector<IteratorType> kinds(type.getRank(), IteratorType::parallel);
  auto copy =
      GenericOp::create(b, GenericOp(block.op).getLoc(), type, from, dest,
                        {read, b.getMultiDimIdentityMap(type.getRank())}, kinds,
                        [&](OpBuilder &b, Location loc, ValueRange args) {
                          Value v =
                              norm::createWidened(b, block.widenRhs, args[0],
                                                  type.getElementType());
                          linalg::YieldOp::create(b, loc, v);
                        });
  copy->setAttr(norm::packAttrName, b.getUnitAttr());
  return copy.getResult(0);
}

/// Returns the extents of packed columns, as many as there are in B.
static SmallVector<OpFoldResult> getPackedSizes(OpBuilder &b, AffineMap read,
                                                Value columnsOfB) {
  SmallVector<OpFoldResult> sizes(read.getNumDims());
  for (auto [dim, expr] : llvm::enumerate(read.getResults()))
    if (auto packed = dyn_cast<AffineDimExpr>(expr))
      sizes[packed.getPosition()] =
          tensor::getMixedSize(b, columnsOfB.getLoc(), columnsOfB, dim);
  return sizes;
}

/// Returns true if the block's columns of B need no copy: they have the packed
/// type and order, and no others beside them, or the caches keep all of B.
static bool isPacked(OpBuilder &b, const MatrixProduct &block,
                     int64_t columns) {
  Value rhs = norm::getRhs(block);
  AffineMap read = getSourceMap(b, block);
  SmallVector<OpFoldResult> sizes = getPackedSizes(b, read, rhs), all = sizes;
  all[getColumnDim(block)] = b.getIndexAttr(columns);
  Type element = getElementTypeOrSelf(rhs.getType());
  if (!read.isIdentity() || all != sizes || element != getPackedElement(block))
    return false;
  auto slice = rhs.getDefiningOp<tensor::ExtractSliceOp>();
  if (!slice)
    return true;
  RankedTensorType source = slice.getSourceType();
  return source.getShape().back() == columns ||
         (source.hasStaticShape() &&
          source.getNumElements() * element.getIntOrFloatBitWidth() <=
              16 * norm::getRowTarget(slice).level1Bytes);
}

/// Returns true if `v` is the same in several iterations: views alone make it
/// of what is outside. Those of a loop without iterations may not exist.
static bool isInvariant(Value v, scf::ForOp loop) {
  if (loop.isDefinedOutsideOfLoop(v))
    return true;
  std::optional<llvm::APInt> trips = loop.getStaticTripCount();
  if (!trips || trips->ult(2))
    return false;
  Operation *view = v.getDefiningOp();
  return isa_and_nonnull<tensor::ExtractSliceOp, tensor::ExpandShapeOp>(view) &&
         llvm::all_of(view->getOperands(),
                      [&](Value v) { return isInvariant(v, loop); });
}

/// Returns the outermost of the loops around `block`, but those over blocks, in
/// which `matrix` is the same.
static scf::ForOp findLoopOver(const MatrixProduct &block, Value matrix) {
  scf::ForOp found;
  for (Operation *op = GenericOp(block.op)->getParentOp(); op;
       op = op->getParentOp()) {
    if (isa<LoopLikeOpInterface>(op) &&
        norm::getRole(op) == norm::LoopRole::Product)
      continue;
    auto loop = dyn_cast<scf::ForOp>(op);
    if (!loop || !isInvariant(matrix, loop))
      break;
    found = loop;
  }
  return found;
}

/// Returns `v` where `b` stands, before the loop in which it is invariant.
static Value createBefore(OpBuilder &b, Value v, scf::ForOp loop) {
  if (loop.isDefinedOutsideOfLoop(v))
    return v;
  IRMapping map;
  for (Value operand : v.getDefiningOp()->getOperands())
    map.map(operand, createBefore(b, operand, loop));
  return b.clone(*v.getDefiningOp(), map)->getResult(0);
}

/// Packs all columns of `matrix` before the loops in which it is the same; null
/// where there are none, or the last block would not be full.
static Value packBefore(OpBuilder &b, const MatrixProduct &block, Value matrix,
                        int64_t columns) {
  auto type = cast<RankedTensorType>(matrix.getType());
  unsigned dim = norm::getDim(block, block.rhs, block.loops.column);
  scf::ForOp loop = findLoopOver(block, matrix);
  if (!loop || !type.hasStaticShape() || type.getDimSize(dim) % columns != 0)
    return {};
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(loop);
  Value all = norm::splitDim(b, createBefore(b, matrix, loop), dim, columns);
  AffineMap read = getSourceMap(b, block);
  SmallVector<OpFoldResult> sizes = getPackedSizes(b, read, matrix);
  sizes[getColumnDim(block)] = b.getIndexAttr(columns);
  sizes.insert(sizes.begin(), b.getIndexAttr(type.getDimSize(dim) / columns));
  Value dest = tensor::EmptyOp::create(b, matrix.getLoc(), sizes,
                                       getPackedElement(block));
  return copyBlocks(b, block, all,
                    read.shiftDims(1).insertResult(b.getAffineDimExpr(0), dim),
                    dest);
}

/// Returns a constant of all columns, packed; null where B is none.
static Value packWhole(OpBuilder &b, const MatrixProduct &block, Value matrix,
                       int64_t columns) {
  AffineMap read = getSourceMap(b, block);
  if (!read.isPermutation())
    return {};
  SmallVector<unsigned> dims;
  for (unsigned dim = 0; dim < read.getNumDims(); ++dim)
    dims.push_back(*read.getResultPosition(b.getAffineDimExpr(dim)));
  DenseElementsAttr packed = norm::packConstant(
      matrix, dims, getColumnDim(block), columns, getPackedElement(block));
  return packed
             ? arith::ConstantOp::create(b, matrix.getLoc(), packed).getResult()
             : Value();
}

/// Returns true if `slice` has all of its source but in dimension `dim`.
static bool isWholeBut(tensor::ExtractSliceOp slice, unsigned dim) {
  SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
  for (auto [i, extent] : llvm::enumerate(slice.getSourceType().getShape()))
    if (i != dim && !isConstantIntValue(sizes[i], extent))
      return false;
  return slice.getSourceType().getRank() == slice.getType().getRank();
}

Value norm::slicePacked(OpBuilder &b, const MatrixProduct &block,
                        int64_t columns) {
  auto slice = getRhs(block).getDefiningOp<tensor::ExtractSliceOp>();
  // Each matrix of a batch would be the first one.
  if (!slice || isPacked(b, block, columns) ||
      !isWholeBut(slice, getDim(block, block.rhs, block.loops.column)))
    return {};
  Value blocks = packWhole(b, block, slice.getSource(), columns);
  if (!blocks)
    blocks = packBefore(b, block, slice.getSource(), columns);
  if (!blocks)
    return {};
  OpFoldResult at = affine::makeComposedFoldedAffineApply(
      b, slice.getLoc(), b.getAffineSymbolExpr(0).floorDiv(columns),
      {slice.getMixedOffsets()[getDim(block, block.rhs, block.loops.column)]});
  ArrayRef<int64_t> shape = cast<ShapedType>(blocks.getType()).getShape();
  return sliceFirstDim(
      b, blocks, at,
      getAsIndexOpFoldResult(b.getContext(), shape.drop_front()));
}

bool norm::copiesRows(OpBuilder &b, const MatrixProduct &block,
                      int64_t columns) {
  auto slice = getRhs(block).getDefiningOp<tensor::ExtractSliceOp>();
  return slice &&
         getSourceMap(b, block).getResults().back() ==
             b.getAffineDimExpr(getColumnDim(block)) &&
         !isPacked(b, block, columns);
}

Value norm::packColumns(OpBuilder &b, const MatrixProduct &block,
                        Value columnsOfB, int64_t columns) {
  if (isPacked(b, block, columns))
    return columnsOfB;
  Location loc = GenericOp(block.op).getLoc();
  AffineMap read = getSourceMap(b, block);
  SmallVector<OpFoldResult> sizes = getPackedSizes(b, read, columnsOfB);
  // An op of equal maps would be folded: one more loop goes over one block.
  sizes.insert(sizes.begin(), b.getIndexAttr(1));
  SmallVector<OpFoldResult> all = sizes;
  all[1 + getColumnDim(block)] = b.getIndexAttr(columns);
  Value packed = tensor::EmptyOp::create(b, loc, all, getPackedElement(block));
  bool isFull = all == sizes;
  if (!isFull)
    packed = createZeros(b, loc, packed);
  Value copy = copyBlocks(b, block, columnsOfB, read.shiftDims(1),
                          isFull ? packed : sliceFirst(b, packed, sizes));
  if (!isFull)
    copy = insertFirst(b, copy, packed);
  return sliceFirstDim(b, copy, b.getIndexAttr(0), ArrayRef(all).drop_front());
}

//===----------------------------------------------------------------------===//
// A
//===----------------------------------------------------------------------===//

/// Returns a tensor that no pattern takes for one of its slices alone.
static Value createAllocated(OpBuilder &b, Location loc,
                             ArrayRef<OpFoldResult> sizes, Type element) {
  SmallVector<Value> dynamic;
  SmallVector<int64_t> shape;
  dispatchIndexOpFoldResults(sizes, dynamic, shape);
  return bufferization::AllocTensorOp::create(
      b, loc, RankedTensorType::get(shape, element), dynamic);
}

/// Returns what `v` is all of, outside the loops if it is the same in all.
static Value getInvariant(Value v) {
  auto slice = v.getDefiningOp<tensor::ExtractSliceOp>();
  bool isAll = slice && slice.getSourceType() == slice.getType() &&
               slice.hasZeroOffset();
  return isAll ? slice.getSource() : v;
}

Value norm::copyParts(OpBuilder &b, const MatrixProduct &block, int64_t words,
                      CopyMap &copies,
                      function_ref<void(GenericOp)> tileByParts) {
  Value lhs = getInvariant(getLhs(block)), root = lhs;
  auto type = cast<RankedTensorType>(lhs.getType());
  int64_t rank = type.getRank();
  if (auto grouped = lhs.getDefiningOp<tensor::ExpandShapeOp>())
    root = grouped.getSrc();
  Value &copied = copies[{root, words}];
  if (copied)
    return copied;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(root);
  Location loc = root.getLoc();
  if (root != lhs)
    lhs = splitDim(b, root, rank - 2, type.getShape().back());
  Value from = splitDim(b, lhs, rank - 2, words);
  SmallVector<OpFoldResult> used = tensor::getMixedSizes(b, loc, from);
  std::rotate(used.begin(), used.end() - 3, used.end() - 2);
  SmallVector<OpFoldResult> all = used;
  OpFoldResult &rows = all[1 + getDim(block, block.lhs, *block.loops.row)];
  rows = roundRowsUp(b, loc, rows);
  all[rank - 1] = b.getIndexAttr(words + getRowTarget(block.op).lineBytes / 4);
  Value whole = createAllocated(b, loc, all, type.getElementType()),
        to = sliceFirst(b, whole, used);
  // The loop over parts, the first of the copy, is behind the rows of A.
  SmallVector<unsigned> read =
      llvm::to_vector(llvm::seq<unsigned>(1, rank - 1));
  read.append({0, unsigned(rank - 1), unsigned(rank)});
  Value copy = copyBlocks(
      b, block, from,
      AffineMap::getMultiDimMapWithTargets(rank + 1, read, b.getContext()), to);
  copied = insertFirst(b, copy, whole);
  tileByParts(copy.getDefiningOp<GenericOp>());
  return copied;
}

Value norm::slicePart(OpBuilder &b, Value parts, OpFoldResult at,
                      int64_t words) {
  SmallVector<OpFoldResult> sizes =
      tensor::getMixedSizes(b, parts.getLoc(), parts);
  sizes.erase(sizes.begin());
  sizes[sizes.size() - 2] = b.getIndexAttr(words);
  return sliceFirstDim(b, parts, at, sizes);
}
