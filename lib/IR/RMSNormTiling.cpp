//===- RMSNormTiling.cpp - TilingInterface of norm.rmsnorm ----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The iteration space is that of x. Batch dimensions can be tiled. A tile holds
// the normalized ones whole, because each element needs its row's statistic.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "norm/IR/Norm.h"

using namespace mlir;
using namespace mlir::norm;

using Tile = SmallVector<OpFoldResult>;

/// Returns the elements `dims` of `values`.
static Tile select(ArrayRef<OpFoldResult> values, ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims, [&](int64_t dim) { return values[dim]; });
}

static bool isEqualToDim(OpFoldResult size, Value shaped, int64_t dim) {
  // Comparing a dimension of a memref or tensor does not create an op for it.
  FailureOr<bool> equal = ValueBoundsConstraintSet::areEqual(
      ValueBoundsConstraintSet::Variable(size),
      ValueBoundsConstraintSet::Variable(shaped, dim));
  return succeeded(equal) && *equal;
}

/// Returns true if a tile of x holds all of dimension `dim`. The extent of init
/// serves as well as x's (S6).
static bool holdsWholeDim(RMSNormOp op, int64_t dim, OpFoldResult offset,
                          OpFoldResult size) {
  return isZeroInteger(offset) && (isEqualToDim(size, op.getInput(), dim) ||
                                   isEqualToDim(size, op.getInit(), dim));
}

/// Returns the first normalized dimension that is cut by a tile of a value
/// whose dimensions are `dims` of x.
static std::optional<int64_t> findCutDim(RMSNormOp op, ArrayRef<int64_t> dims,
                                         ArrayRef<OpFoldResult> offsets,
                                         ArrayRef<OpFoldResult> sizes) {
  for (auto [dim, offset, size] : llvm::zip_equal(dims, offsets, sizes))
    if (llvm::is_contained(op.getDims(), dim) &&
        !holdsWholeDim(op, dim, offset, size))
      return dim;
  return std::nullopt;
}

static Operation *createSlice(OpBuilder &b, Location loc, Value source,
                              ArrayRef<OpFoldResult> offsets,
                              ArrayRef<OpFoldResult> sizes) {
  Tile strides(offsets.size(), b.getIndexAttr(1));
  if (isa<RankedTensorType>(source.getType()))
    return tensor::ExtractSliceOp::create(b, loc, source, offsets, sizes,
                                          strides);
  return memref::SubViewOp::create(b, loc, source, offsets, sizes, strides);
}

/// Creates the op on a tile that holds every normalized dimension whole.
static TilingResult createTile(OpBuilder &b, RMSNormOp op,
                               ArrayRef<OpFoldResult> offsets,
                               ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> operands;
  SmallVector<Operation *> slices;
  for (OpOperand &operand : op->getOpOperands()) {
    SmallVector<int64_t> dims = op.getOperandDims(operand);
    slices.push_back(createSlice(b, op.getLoc(), operand.get(),
                                 select(offsets, dims), select(sizes, dims)));
    operands.push_back(slices.back()->getResult(0));
  }
  SmallVector<Type> types;
  if (op.hasPureTensorSemantics())
    llvm::append_range(
        types, ValueRange(operands).take_back(op.getNumResults()).getTypes());
  Operation *tiled = clone(b, op, types, operands);
  return {{tiled}, SmallVector<Value>(tiled->getResults()), slices};
}

/// Computes the tile of x that contains the given tile of a value whose
/// dimensions are `dims` of x; the other dimensions are normalized and whole.
static void expandTile(OpBuilder &b, RMSNormOp op, ArrayRef<int64_t> dims,
                       ArrayRef<OpFoldResult> offsets,
                       ArrayRef<OpFoldResult> sizes,
                       SmallVectorImpl<OpFoldResult> &xOffsets,
                       SmallVectorImpl<OpFoldResult> &xSizes) {
  int64_t rank = op.getInputType().getRank();
  xOffsets.assign(rank, b.getIndexAttr(0));
  xSizes.assign(rank, OpFoldResult());
  for (auto [dim, offset, size] : llvm::zip_equal(dims, offsets, sizes)) {
    xOffsets[dim] = offset;
    xSizes[dim] = size;
  }
  for (int64_t dim = 0; dim < rank; ++dim)
    if (!xSizes[dim])
      xSizes[dim] =
          linalg::createFoldedDimOp(b, op.getLoc(), op.getInput(), dim);
}

SmallVector<utils::IteratorType> RMSNormOp::getLoopIteratorTypes() {
  SmallVector<utils::IteratorType> types(getInputType().getRank(),
                                         utils::IteratorType::parallel);
  for (int64_t dim : getDims())
    types[dim] = utils::IteratorType::reduction;
  return types;
}

SmallVector<Range> RMSNormOp::getIterationDomain(OpBuilder &b) {
  SmallVector<Range> domain;
  for (int64_t dim = 0, rank = getInputType().getRank(); dim < rank; ++dim)
    domain.push_back({b.getIndexAttr(0),
                      linalg::createFoldedDimOp(b, getLoc(), getInput(), dim),
                      b.getIndexAttr(1)});
  return domain;
}

FailureOr<TilingResult>
RMSNormOp::getTiledImplementation(OpBuilder &b, ArrayRef<OpFoldResult> offsets,
                                  ArrayRef<OpFoldResult> sizes) {
  if (auto dim = findCutDim(*this, getResultDims(0), offsets, sizes))
    return emitOpError("S1: normalized dimension ")
           << *dim << " cannot be tiled: every element needs the whole row; "
           << "decompose the op and tile its row reduction instead";
  return createTile(b, *this, offsets, sizes);
}

LogicalResult RMSNormOp::getResultTilePosition(
    OpBuilder &b, unsigned resultNumber, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes, SmallVector<OpFoldResult> &resultOffsets,
    SmallVector<OpFoldResult> &resultSizes) {
  SmallVector<int64_t> dims = getResultDims(resultNumber);
  resultOffsets = select(offsets, dims);
  resultSizes = select(sizes, dims);
  return success();
}

//===----------------------------------------------------------------------===//
// Fusion as a producer
//===----------------------------------------------------------------------===//

bool RMSNormOp::isOpFusableWithConsumerSlice(unsigned resultNumber,
                                             ArrayRef<OpFoldResult> offsets,
                                             ArrayRef<OpFoldResult> sizes) {
  return !findCutDim(*this, getResultDims(resultNumber), offsets, sizes);
}

LogicalResult RMSNormOp::getIterationDomainTileFromResultTile(
    OpBuilder &b, unsigned resultNumber, ArrayRef<OpFoldResult> offsets,
    ArrayRef<OpFoldResult> sizes,
    SmallVectorImpl<OpFoldResult> &iterDomainOffsets,
    SmallVectorImpl<OpFoldResult> &iterDomainSizes) {
  if (!isOpFusableWithConsumerSlice(resultNumber, offsets, sizes))
    return failure();
  expandTile(b, *this, getResultDims(resultNumber), offsets, sizes,
             iterDomainOffsets, iterDomainSizes);
  return success();
}

FailureOr<TilingResult>
RMSNormOp::generateResultTileValue(OpBuilder &b, unsigned resultNumber,
                                   ArrayRef<OpFoldResult> offsets,
                                   ArrayRef<OpFoldResult> sizes) {
  Tile xOffsets, xSizes;
  if (failed(getIterationDomainTileFromResultTile(b, resultNumber, offsets,
                                                  sizes, xOffsets, xSizes)))
    return failure();
  TilingResult tile = createTile(b, *this, xOffsets, xSizes);
  tile.tiledValues = {tile.tiledValues[resultNumber]};
  return tile;
}

//===----------------------------------------------------------------------===//
// Fusion as a consumer
//===----------------------------------------------------------------------===//

/// Returns true if a tile of a value with dimensions `dims` implies its rows.
static bool coversBatchDims(RMSNormOp op, ArrayRef<int64_t> dims) {
  return llvm::all_of(op.getBatchDims(), [&](int64_t dim) {
    return llvm::is_contained(dims, dim);
  });
}

bool RMSNormOp::isOpFusableWithProducerSlices(
    ArrayRef<unsigned> operandNumbers,
    ArrayRef<SmallVector<OpFoldResult>> allOffsets,
    ArrayRef<SmallVector<OpFoldResult>> allSizes) {
  int64_t rank = getInputType().getRank();
  Tile xOffsets(rank), xSizes(rank);
  // The tiles of two operands must imply the same tile of x.
  auto agree = [](OpFoldResult &known, OpFoldResult asked) {
    if (!known)
      known = asked;
    return isEqualConstantIntOrValue(known, asked);
  };
  for (auto [number, offsets, sizes] :
       llvm::zip_equal(operandNumbers, allOffsets, allSizes)) {
    SmallVector<int64_t> dims =
        getOperandDims(getOperation()->getOpOperand(number));
    if (!coversBatchDims(*this, dims) ||
        findCutDim(*this, dims, offsets, sizes))
      return false;
    for (auto [dim, offset, size] : llvm::zip_equal(dims, offsets, sizes))
      if (!llvm::is_contained(getDims(), dim) &&
          (!agree(xOffsets[dim], offset) || !agree(xSizes[dim], size)))
        return false;
  }
  return !operandNumbers.empty();
}

LogicalResult RMSNormOp::getIterationDomainTileFromOperandTiles(
    OpBuilder &b, ArrayRef<unsigned> operandNumbers,
    ArrayRef<SmallVector<OpFoldResult>> allOffsets,
    ArrayRef<SmallVector<OpFoldResult>> allSizes,
    SmallVectorImpl<OpFoldResult> &iterDomainOffsets,
    SmallVectorImpl<OpFoldResult> &iterDomainSizes) {
  if (!isOpFusableWithProducerSlices(operandNumbers, allOffsets, allSizes))
    return failure();
  OpOperand &first = getOperation()->getOpOperand(operandNumbers.front());
  expandTile(b, *this, getOperandDims(first), allOffsets.front(),
             allSizes.front(), iterDomainOffsets, iterDomainSizes);
  return success();
}

FailureOr<TilingResult> RMSNormOp::getTiledImplementationFromOperandTiles(
    OpBuilder &b, ArrayRef<unsigned> operandNumbers,
    ArrayRef<SmallVector<OpFoldResult>> allOffsets,
    ArrayRef<SmallVector<OpFoldResult>> allSizes) {
  Tile xOffsets, xSizes;
  if (failed(getIterationDomainTileFromOperandTiles(
          b, operandNumbers, allOffsets, allSizes, xOffsets, xSizes)))
    return failure();
  return createTile(b, *this, xOffsets, xSizes);
}
