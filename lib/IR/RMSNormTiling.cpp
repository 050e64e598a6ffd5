//===- RMSNormTiling.cpp - TilingInterface of the ops ---------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The iteration space is that of x. A tile holds the normalized dimensions
// whole, because each element needs its row's statistic, and those that dw sums
// over.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "norm/IR/KnownExtents.h"
#include "norm/IR/Norm.h"

using namespace mlir;
using namespace mlir::norm;

using Tile = SmallVector<OpFoldResult>;
using TileOut = SmallVectorImpl<OpFoldResult> &;

/// Returns the elements `dims` of `values`.
static Tile select(ArrayRef<OpFoldResult> values, ArrayRef<int64_t> dims) {
  return llvm::map_to_vector(dims, [&](int64_t dim) { return values[dim]; });
}

/// Returns true if a tile of x holds all of dimension `dim`. The extents of the
/// other values with that dimension, which are the same, serve as well as x's.
static bool holdsWholeDim(RMSNormOpInterface op, int64_t dim,
                          OpFoldResult offset, OpFoldResult size) {
  return isZeroInteger(offset) &&
         llvm::any_of(op->getOpOperands(), [&](OpOperand &operand) {
           SmallVector<int64_t> dims = op.getOperandDims(operand);
           const int64_t *found = llvm::find(dims, dim);
           return found != dims.end() &&
                  areKnownEqual(size, {operand.get(), found - dims.begin()});
         });
}

/// Returns the first reduced dimension that is cut by a tile of a value whose
/// dimensions are `dims` of x.
static std::optional<int64_t> findCutDim(RMSNormOpInterface op,
                                         ArrayRef<int64_t> dims,
                                         ArrayRef<OpFoldResult> offsets,
                                         ArrayRef<OpFoldResult> sizes) {
  SmallVector<int64_t> reduced = op.getReducedDims();
  for (auto [dim, offset, size] : llvm::zip_equal(dims, offsets, sizes))
    if (llvm::is_contained(reduced, dim) &&
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

/// Creates the op on a tile that holds every reduced dimension whole.
static TilingResult createTile(OpBuilder &b, RMSNormOpInterface op,
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
  if (op->getNumResults())
    llvm::append_range(
        types, ValueRange(operands).take_back(op->getNumResults()).getTypes());
  Operation *tiled = clone(b, op, types, operands);
  return {{tiled}, SmallVector<Value>(tiled->getResults()), slices};
}

/// Computes the tile of x that contains the given tile of a value whose
/// dimensions are `dims` of x; the other dimensions are reduced and whole.
static void expandTile(OpBuilder &b, RMSNormOpInterface op,
                       ArrayRef<int64_t> dims, ArrayRef<OpFoldResult> offsets,
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

/// Returns true if a tile of a value with dimensions `dims` implies its rows.
static bool coversBatchDims(RMSNormOpInterface op, ArrayRef<int64_t> dims) {
  return llvm::all_of(op.getBatchDims(), [&](int64_t dim) {
    return llvm::is_contained(dims, dim);
  });
}

/// Returns true if the tiles of some operands are whole rows, and the same.
static bool canFuseProducers(RMSNormOpInterface op, ArrayRef<unsigned> numbers,
                             ArrayRef<Tile> allOffsets,
                             ArrayRef<Tile> allSizes) {
  int64_t rank = op.getInputType().getRank();
  Tile xOffsets(rank), xSizes(rank);
  // The tiles of two operands must imply the same tile of x.
  auto agree = [](OpFoldResult &known, OpFoldResult asked) {
    if (!known)
      known = asked;
    return isEqualConstantIntOrValue(known, asked);
  };
  for (auto [number, offsets, sizes] :
       llvm::zip_equal(numbers, allOffsets, allSizes)) {
    SmallVector<int64_t> dims = op.getOperandDims(op->getOpOperand(number));
    if (!coversBatchDims(op, dims) || findCutDim(op, dims, offsets, sizes))
      return false;
    for (auto [dim, offset, size] : llvm::zip_equal(dims, offsets, sizes))
      if (!llvm::is_contained(op.getDims(), dim) &&
          (!agree(xOffsets[dim], offset) || !agree(xSizes[dim], size)))
        return false;
  }
  return !numbers.empty();
}

static InFlightDiagnostic emitCutDim(RMSNormOpInterface op, int64_t dim) {
  if (llvm::is_contained(op.getDims(), dim))
    return op.emitOpError("S1: normalized dimension ")
           << dim << " cannot be tiled: every element needs the whole row; "
           << "decompose the op and tile its row reduction instead";
  return op.emitOpError("B5: dimension ")
         << dim << " cannot be tiled: dw sums over it; decompose the op and "
         << "tile that sum instead";
}

namespace {
/// The tiling of an op on rows, which its RMSNormOpInterface determines.
template <typename OpTy>
struct RowTiling : TilingInterface::ExternalModel<RowTiling<OpTy>, OpTy> {
  SmallVector<utils::IteratorType> getLoopIteratorTypes(Operation *op) const {
    auto rows = cast<RMSNormOpInterface>(op);
    SmallVector<utils::IteratorType> types(rows.getInputType().getRank(),
                                           utils::IteratorType::parallel);
    for (int64_t dim : rows.getReducedDims())
      types[dim] = utils::IteratorType::reduction;
    return types;
  }

  SmallVector<Range> getIterationDomain(Operation *op, OpBuilder &b) const {
    Value x = cast<RMSNormOpInterface>(op).getInput();
    SmallVector<Range> domain;
    for (int64_t dim : llvm::seq(cast<ShapedType>(x.getType()).getRank()))
      domain.push_back({b.getIndexAttr(0),
                        linalg::createFoldedDimOp(b, op->getLoc(), x, dim),
                        b.getIndexAttr(1)});
    return domain;
  }

  FailureOr<TilingResult>
  getTiledImplementation(Operation *op, OpBuilder &b,
                         ArrayRef<OpFoldResult> offsets,
                         ArrayRef<OpFoldResult> sizes) const {
    auto rows = cast<RMSNormOpInterface>(op);
    auto dims = llvm::to_vector(llvm::seq(rows.getInputType().getRank()));
    if (auto dim = findCutDim(rows, dims, offsets, sizes))
      return emitCutDim(rows, *dim);
    return createTile(b, rows, offsets, sizes);
  }

  LogicalResult getResultTilePosition(Operation *op, OpBuilder &,
                                      unsigned number,
                                      ArrayRef<OpFoldResult> offsets,
                                      ArrayRef<OpFoldResult> sizes,
                                      TileOut resultOffsets,
                                      TileOut resultSizes) const {
    SmallVector<int64_t> dims =
        cast<RMSNormOpInterface>(op).getResultDims(number);
    resultOffsets.assign(select(offsets, dims));
    resultSizes.assign(select(sizes, dims));
    return success();
  }

  //===--------------------------------------------------------------------===//
  // Fusion as a producer
  //===--------------------------------------------------------------------===//

  bool isOpFusableWithConsumerSlice(Operation *op, unsigned number,
                                    ArrayRef<OpFoldResult> offsets,
                                    ArrayRef<OpFoldResult> sizes) const {
    auto rows = cast<RMSNormOpInterface>(op);
    return !findCutDim(rows, rows.getResultDims(number), offsets, sizes);
  }

  LogicalResult getIterationDomainTileFromResultTile(
      Operation *op, OpBuilder &b, unsigned number,
      ArrayRef<OpFoldResult> offsets, ArrayRef<OpFoldResult> sizes,
      TileOut domainOffsets, TileOut domainSizes) const {
    if (!isOpFusableWithConsumerSlice(op, number, offsets, sizes))
      return failure();
    auto rows = cast<RMSNormOpInterface>(op);
    expandTile(b, rows, rows.getResultDims(number), offsets, sizes,
               domainOffsets, domainSizes);
    return success();
  }

  FailureOr<TilingResult>
  generateResultTileValue(Operation *op, OpBuilder &b, unsigned number,
                          ArrayRef<OpFoldResult> offsets,
                          ArrayRef<OpFoldResult> sizes) const {
    Tile xOffsets, xSizes;
    if (failed(getIterationDomainTileFromResultTile(op, b, number, offsets,
                                                    sizes, xOffsets, xSizes)))
      return failure();
    TilingResult tile =
        createTile(b, cast<RMSNormOpInterface>(op), xOffsets, xSizes);
    tile.tiledValues = {tile.tiledValues[number]};
    return tile;
  }

  //===--------------------------------------------------------------------===//
  // Fusion as a consumer
  //===--------------------------------------------------------------------===//

  bool isOpFusableWithProducerSlices(Operation *op, ArrayRef<unsigned> numbers,
                                     ArrayRef<Tile> allOffsets,
                                     ArrayRef<Tile> allSizes) const {
    return canFuseProducers(cast<RMSNormOpInterface>(op), numbers, allOffsets,
                            allSizes);
  }

  LogicalResult getIterationDomainTileFromOperandTiles(
      Operation *op, OpBuilder &b, ArrayRef<unsigned> numbers,
      ArrayRef<Tile> allOffsets, ArrayRef<Tile> allSizes, TileOut domainOffsets,
      TileOut domainSizes) const {
    auto rows = cast<RMSNormOpInterface>(op);
    if (!canFuseProducers(rows, numbers, allOffsets, allSizes))
      return failure();
    OpOperand &first = op->getOpOperand(numbers.front());
    expandTile(b, rows, rows.getOperandDims(first), allOffsets.front(),
               allSizes.front(), domainOffsets, domainSizes);
    return success();
  }

  FailureOr<TilingResult> getTiledImplementationFromOperandTiles(
      Operation *op, OpBuilder &b, ArrayRef<unsigned> numbers,
      ArrayRef<Tile> allOffsets, ArrayRef<Tile> allSizes) const {
    Tile xOffsets, xSizes;
    if (failed(getIterationDomainTileFromOperandTiles(
            op, b, numbers, allOffsets, allSizes, xOffsets, xSizes)))
      return failure();
    return createTile(b, cast<RMSNormOpInterface>(op), xOffsets, xSizes);
  }
};
} // namespace

void NormDialect::attachTiling() {
  RMSNormOp::attachInterface<RowTiling<RMSNormOp>>(*getContext());
  RMSNormBackwardOp::attachInterface<RowTiling<RMSNormBackwardOp>>(
      *getContext());
}
