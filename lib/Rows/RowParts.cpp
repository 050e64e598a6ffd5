//===- RowParts.cpp - sums over rows, part by part ------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowParts.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "norm/IR/RowTarget.h"

using namespace mlir;
using namespace mlir::norm;
using linalg::LinalgOp;
using utils::IteratorType;

namespace {
class PartTiler {
public:
  PartTiler(IRRewriter &b, const RowGroup &group)
      : b(b), group(group), root(group.root), loc(root.getLoc()),
        rowsPerPart(getRowTarget(root).rowsPerPart) {}

  PartLoops run(scf::SCFTilingOptions::LoopType loopType) {
    b.setInsertionPoint(root);
    for (const Range &range : root.createLoopRanges(b, loc))
      extents.push_back(range.size);
    createDestinations();
    {
      OpBuilder::InsertionGuard guard(b);
      loopType == scf::SCFTilingOptions::LoopType::ForallOp ? buildForall()
                                                            : buildFors();
    }
    b.setInsertionPointAfter(parts.loops.front());
    llvm::append_range(parts.results, parts.loops.front()->getResults());
    addParts();
    return parts;
  }

private:
  /// What an iteration computes of one result, and the place of that.
  struct Piece {
    Value value;
    tensor::ExtractSliceOp place;
  };

  bool isSum(unsigned result) {
    return group.sums->results[result].has_value();
  }

  OpFoldResult getRows() { return extents[group.numRowDims - 1]; }

  void createDestinations() {
    SmallVector<OpFoldResult> counts = getUpperBounds();
    counts.back() = affine::makeComposedFoldedAffineApply(
        b, loc, b.getAffineSymbolExpr(0).ceilDiv(rowsPerPart), {getRows()});
    for (auto [i, init] : llvm::enumerate(root.getDpsInits())) {
      if (!isSum(i)) {
        destinations.push_back(init);
        continue;
      }
      SmallVector<OpFoldResult> shape = counts;
      llvm::append_range(shape, tensor::getMixedSizes(b, loc, init));
      destinations.push_back(tensor::EmptyOp::create(
          b, loc, shape, getElementTypeOrSelf(init.getType())));
    }
  }

  //===--------------------------------------------------------------------===//
  // Loops: an iteration for each index of the outer dimensions and each part,
  // which is known by its first row
  //===--------------------------------------------------------------------===//

  SmallVector<OpFoldResult> getUpperBounds() {
    return SmallVector<OpFoldResult>(extents.begin(),
                                     extents.begin() + group.numRowDims);
  }

  SmallVector<OpFoldResult> getSteps() {
    SmallVector<OpFoldResult> steps(group.numRowDims, b.getIndexAttr(1));
    steps.back() = b.getIndexAttr(rowsPerPart);
    return steps;
  }

  void buildForall() {
    SmallVector<OpFoldResult> zeros(group.numRowDims, b.getIndexAttr(0));
    auto loop =
        scf::ForallOp::create(b, loc, zeros, getUpperBounds(), getSteps(),
                              destinations, /*mapping=*/std::nullopt);
    parts.loops.push_back(loop);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> args(loop.getRegionIterArgs());
    SmallVector<Piece> pieces = buildPart(loop.getInductionVars(), args);
    b.setInsertionPointToEnd(loop.getTerminator().getBody());
    for (auto [piece, arg] : llvm::zip(pieces, args))
      tensor::ParallelInsertSliceOp::create(
          b, loc, piece.value, arg, piece.place.getMixedOffsets(),
          piece.place.getMixedSizes(), piece.place.getMixedStrides());
  }

  void buildFors() {
    auto asValues = [&](ArrayRef<OpFoldResult> values) {
      return getValueOrCreateConstantIndexOp(b, loc, values);
    };
    SmallVector<Value> zeros(group.numRowDims,
                             arith::ConstantIndexOp::create(b, loc, 0));
    scf::LoopNest nest = scf::buildLoopNest(
        b, loc, zeros, asValues(getUpperBounds()), asValues(getSteps()),
        destinations,
        [&](OpBuilder &, Location, ValueRange ivs,
            ValueRange args) -> scf::ValueVector {
          scf::ValueVector results;
          for (auto [piece, arg] : llvm::zip(buildPart(ivs, args), args))
            results.push_back(tensor::InsertSliceOp::create(
                b, loc, piece.value, arg, piece.place.getMixedOffsets(),
                piece.place.getMixedSizes(), piece.place.getMixedStrides()));
          return results;
        });
    llvm::append_range(parts.loops, nest.loops);
  }

  //===--------------------------------------------------------------------===//
  // One part
  //===--------------------------------------------------------------------===//

  OpFoldResult createRowsOfPart(OpFoldResult first) {
    std::optional<int64_t> known = getConstantIntValue(getRows());
    if (known && *known <= rowsPerPart)
      return getRows();
    return createBlockSize(b, loc, first, b.getIndexAttr(rowsPerPart),
                           getRows());
  }

  SmallVector<Piece> buildPart(ValueRange ivs, ValueRange args) {
    SmallVector<OpFoldResult> offsets = getAsOpFoldResult(ivs),
                              sizes(offsets.size(), b.getIndexAttr(1));
    sizes.back() = createRowsOfPart(offsets.back());
    for (OpFoldResult extent : ArrayRef(extents).drop_front(group.numRowDims)) {
      offsets.push_back(b.getIndexAttr(0));
      sizes.push_back(extent);
    }
    // linalg ops on tensors have an implementation for all tiles.
    TilingResult tiled = *cast<TilingInterface>(root.getOperation())
                              .getTiledImplementation(b, offsets, sizes);
    auto part = cast<LinalgOp>(tiled.tiledOps.front());
    SmallVector<Piece> pieces;
    for (auto [i, arg] : llvm::enumerate(args))
      pieces.push_back(isSum(i) ? startSum(part, i, ivs, arg)
                                : startRows(part, i, arg));
    return pieces;
  }

  /// Lets result `i` of a part go to its rows of `destination`.
  Piece startRows(LinalgOp part, unsigned i, Value destination) {
    auto slice = part.getDpsInits()[i].getDefiningOp<tensor::ExtractSliceOp>();
    b.modifyOpInPlace(slice,
                      [&] { slice.getSourceMutable().assign(destination); });
    return {part->getResult(i), slice};
  }

  /// Lets result `i` of a part start from neutral elements in a row of its own.
  Piece startSum(LinalgOp part, unsigned i, ValueRange ivs, Value destination) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(part);
    Value init = part.getDpsInits()[i];
    auto type = cast<RankedTensorType>(init.getType());
    SmallVector<OpFoldResult> offsets = getAsOpFoldResult(ivs),
                              sizes(offsets.size(), b.getIndexAttr(1));
    offsets.back() = affine::makeComposedFoldedAffineApply(
        b, loc, b.getAffineDimExpr(0).floorDiv(rowsPerPart), {offsets.back()});
    offsets.append(type.getRank(), b.getIndexAttr(0));
    llvm::append_range(sizes, tensor::getMixedSizes(b, loc, init));
    SmallVector<OpFoldResult> strides(offsets.size(), b.getIndexAttr(1));
    auto place = tensor::ExtractSliceOp::create(b, loc, type, destination,
                                                offsets, sizes, strides);
    Value neutral =
        arith::ConstantOp::create(b, loc, group.sums->results[i]->neutral);
    auto start = linalg::FillOp::create(b, loc, neutral, place.getResult());
    b.modifyOpInPlace(part,
                      [&] { part.setDpsInitOperand(i, start.getResult(0)); });
    return {part->getResult(i), place};
  }

  //===--------------------------------------------------------------------===//
  // The sums of all parts
  //===--------------------------------------------------------------------===//

  /// The dimensions of columns in an op over parts and columns.
  AffineMap getColumnMap(unsigned result) {
    OpOperand *init = root.getDpsInitOperand(result);
    int64_t rows = root.getNumReductionLoops(), moved = group.numRowDims - rows;
    SmallVector<AffineExpr> dims;
    for (AffineExpr expr : root.getMatchingIndexingMap(init).getResults())
      dims.push_back(
          b.getAffineDimExpr(cast<AffineDimExpr>(expr).getPosition() + moved));
    return AffineMap::get(root.getNumLoops() + moved, 0, dims, b.getContext());
  }

  /// Adds the parts, in their order, to what the sums start from.
  void addParts() {
    SmallVector<Value> inputs, inits;
    SmallVector<AffineMap> maps, initMaps;
    SmallVector<unsigned> numbers;
    for (unsigned i = 0, e = root->getNumResults(); i < e; ++i) {
      if (!isSum(i))
        continue;
      numbers.push_back(i);
      inputs.push_back(parts.loops.front()->getResult(i));
      inits.push_back(root.getDpsInits()[i]);
      initMaps.push_back(getColumnMap(i));
      AffineMap map = initMaps.back();
      for (int64_t dim = group.numRowDims - 1; dim >= 0; --dim)
        map = map.insertResult(b.getAffineDimExpr(dim), 0);
      maps.push_back(map);
    }
    llvm::append_range(maps, initMaps);
    SmallVector<IteratorType> kinds(maps.front().getNumDims(),
                                    IteratorType::parallel);
    std::fill_n(kinds.begin(), group.numRowDims, IteratorType::reduction);
    auto sum = linalg::GenericOp::create(
        b, loc, TypeRange(ValueRange(inits)), inputs, inits, maps, kinds,
        [&](OpBuilder &nested, Location loc, ValueRange args) {
          SmallVector<Value> sums;
          for (auto [i, number] : llvm::enumerate(numbers))
            sums.push_back(createCombined(nested, loc,
                                          *group.sums->results[number],
                                          args[i + numbers.size()], args[i]));
          linalg::YieldOp::create(nested, loc, sums);
        });
    for (auto [i, number] : llvm::enumerate(numbers))
      parts.results[number] = sum->getResult(i);
  }

  IRRewriter &b;
  const RowGroup &group;
  LinalgOp root;
  Location loc;
  int64_t rowsPerPart;
  SmallVector<OpFoldResult> extents;
  SmallVector<Value> destinations;
  PartLoops parts;
};
} // namespace

PartLoops norm::tileIntoParts(IRRewriter &b, const RowGroup &group,
                              scf::SCFTilingOptions::LoopType loopType) {
  return PartTiler(b, group).run(loopType);
}

/// Returns a row like `row` in memory of its own that changes no sum.
static Value createNeutralRow(OpBuilder &b, Location loc, Value row,
                              const Reduction &sum) {
  Value neutral = arith::ConstantOp::create(b, loc, sum.neutral);
  Value empty =
      tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, row),
                              getElementTypeOrSelf(row.getType()));
  return linalg::FillOp::create(b, loc, neutral, empty).getResult(0);
}

static Value addRow(OpBuilder &b, Location loc, const Reduction &sum,
                    Value total, Value row) {
  int64_t rank = cast<RankedTensorType>(row.getType()).getRank();
  SmallVector<AffineMap> maps(2, b.getMultiDimIdentityMap(rank));
  SmallVector<IteratorType> kinds(rank, IteratorType::parallel);
  return linalg::GenericOp::create(
             b, loc, total.getType(), row, total, maps, kinds,
             [&](OpBuilder &nested, Location loc, ValueRange args) {
               Value combined =
                   createCombined(nested, loc, sum, args[1], args[0]);
               linalg::YieldOp::create(nested, loc, combined);
             })
      .getResult(0);
}

static Value createBlockEnd(OpBuilder &b, Location loc, Value begin,
                            int64_t block, OpFoldResult rows) {
  AffineExpr end = b.getAffineDimExpr(0) + block;
  std::optional<int64_t> known = getConstantIntValue(rows);
  OpFoldResult folded =
      known && *known % block == 0
          ? affine::makeComposedFoldedAffineApply(b, loc, end, {begin})
          : affine::makeComposedFoldedAffineMin(
                b, loc,
                AffineMap::get(1, 1, {end, b.getAffineSymbolExpr(0)},
                               b.getContext()),
                {begin, rows});
  return getValueOrCreateConstantIndexOp(b, loc, folded);
}

scf::ForOp norm::addByBlocks(IRRewriter &b, scf::ForOp rows,
                             const RowSums &sums) {
  OpFoldResult end = getAsOpFoldResult(rows.getUpperBound());
  std::optional<int64_t> known = getConstantIntValue(end);
  int64_t block = getRowTarget(rows).stripsPerSum;
  if (known && *known <= block)
    return rows;
  Location loc = rows.getLoc();
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(rows);
  Value step = arith::ConstantIndexOp::create(b, loc, block);
  auto blocks =
      scf::ForOp::create(b, loc, rows.getLowerBound(), rows.getUpperBound(),
                         step, rows.getInitArgs());
  b.replaceAllUsesWith(rows.getResults(), blocks.getResults());
  b.setInsertionPointToStart(blocks.getBody());
  SmallVector<Value> state(blocks.getRegionIterArgs());
  for (auto [i, sum] : llvm::enumerate(sums.results))
    if (sum)
      state[i] = createNeutralRow(b, loc, state[i], *sum);
  Value blockEnd = createBlockEnd(b, loc, blocks.getInductionVar(), block, end);
  b.moveOpBefore(rows, blocks.getBody(), blocks.getBody()->end());
  b.modifyOpInPlace(rows, [&] {
    rows.setLowerBound(blocks.getInductionVar());
    rows.setUpperBound(blockEnd);
    rows.getInitArgsMutable().assign(state);
  });
  b.setInsertionPointAfter(rows);
  state.assign(rows->result_begin(), rows->result_end());
  for (auto [i, sum] : llvm::enumerate(sums.results))
    if (sum)
      state[i] = addRow(b, loc, *sum, blocks.getRegionIterArg(i), state[i]);
  scf::YieldOp::create(b, loc, state);
  return rows;
}
