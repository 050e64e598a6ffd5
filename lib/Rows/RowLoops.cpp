//===- RowLoops.cpp - the pieces of loops over rows -----------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"
#include "RowMatch.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/TilingInterface.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"

using namespace mlir;
using namespace mlir::norm;
using linalg::LinalgOp;
using utils::IteratorType;

using LoopType = scf::SCFTilingOptions::LoopType;

Slice Slice::getWhole(OpBuilder &b, Location loc, Value tensor) {
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, tensor);
  return {SmallVector<OpFoldResult>(sizes.size(), b.getIndexAttr(0)), sizes};
}

Value Slice::extract(OpBuilder &b, Location loc, RankedTensorType type,
                     Value tensor) const {
  SmallVector<OpFoldResult> strides(offsets.size(), b.getIndexAttr(1));
  return b.createOrFold<tensor::ExtractSliceOp>(loc, type, tensor, offsets,
                                                sizes, strides);
}

Value Slice::insert(OpBuilder &b, Location loc, Value v, Value tensor) const {
  SmallVector<OpFoldResult> strides(offsets.size(), b.getIndexAttr(1));
  return tensor::InsertSliceOp::create(b, loc, v, tensor, offsets, sizes,
                                       strides);
}

void Slice::insert(OpBuilder &b, scf::ForallOp loop, Value v,
                   Value tensor) const {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(loop.getTerminator().getBody());
  SmallVector<OpFoldResult> strides(offsets.size(), b.getIndexAttr(1));
  tensor::ParallelInsertSliceOp::create(b, loop.getLoc(), v, tensor, offsets,
                                        sizes, strides);
}

/// Returns how many blocks of `each` the `whole` has, the last one included.
static OpFoldResult countBlocks(OpBuilder &b, Location loc, OpFoldResult whole,
                                OpFoldResult each) {
  if (std::optional<int64_t> constant = getConstantIntValue(each))
    return affine::makeComposedFoldedAffineApply(
        b, loc, b.getAffineSymbolExpr(0).ceilDiv(*constant), {whole});
  // Affine ops do not divide by values.
  return arith::CeilDivSIOp::create(
             b, loc, getValueOrCreateConstantIndexOp(b, loc, whole),
             getValueOrCreateConstantIndexOp(b, loc, each))
      .getResult();
}

ArrayAttr norm::getBlockMapping(Builder &b, unsigned loops) {
  SmallVector<Attribute> mapping;
  for (unsigned i = 0; i < loops; ++i)
    mapping.push_back(gpu::GPUBlockMappingAttr::get(
        b.getContext(),
        static_cast<gpu::MappingId>(
            static_cast<uint64_t>(gpu::MappingId::LinearDim0) + i)));
  return b.getArrayAttr(mapping);
}

scf::ForallOp norm::createBlockLoop(OpBuilder &b, Location loc,
                                    ArrayRef<OpFoldResult> counts,
                                    ValueRange destinations,
                                    GPUScheduleAttr schedule) {
  auto loop = scf::ForallOp::create(b, loc, counts, destinations,
                                    getBlockMapping(b, counts.size()));
  setRole(loop, LoopRole::Rows, schedule);
  return loop;
}

//===----------------------------------------------------------------------===//
// Sums of parts
//===----------------------------------------------------------------------===//

Value PartialSums::createParts(OpBuilder &b, unsigned i,
                               ArrayRef<OpFoldResult> counts) const {
  LinalgOp op = this->op;
  Value init = op.getDpsInits()[i];
  SmallVector<OpFoldResult> shape(counts);
  llvm::append_range(shape, tensor::getMixedSizes(b, op.getLoc(), init));
  return tensor::EmptyOp::create(b, op.getLoc(), shape,
                                 getElementTypeOrSelf(init.getType()));
}

Value PartialSums::start(OpBuilder &b, unsigned i, Value destination) const {
  Location loc = destination.getLoc();
  Value neutral = arith::ConstantOp::create(b, loc, results[i]->neutral);
  return linalg::FillOp::create(b, loc, neutral, destination).getResult(0);
}

Value PartialSums::add(OpBuilder &b, unsigned i, Value parts,
                       Value total) const {
  LinalgOp op = this->op;
  SmallVector<IteratorType> kinds;
  // What a part reduces all of is no loop any more.
  llvm::SmallBitVector reduced(op.getNumLoops());
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    reduced[loop] = kind == IteratorType::reduction && !divides(loop);
    if (!reduced[loop])
      kinds.push_back(kind);
  }
  AffineMap map = compressDims(
                op.getMatchingIndexingMap(op.getDpsInitOperand(i)), reduced),
            partsMap = map;
  for (unsigned loop = firstLoop + numLoops; loop-- > firstLoop;)
    partsMap = partsMap.insertResult(b.getAffineDimExpr(loop), 0);
  return linalg::GenericOp::create(
             b, op.getLoc(), total.getType(), parts, total,
             ArrayRef<AffineMap>{partsMap, map}, kinds,
             [&](OpBuilder &nested, Location loc, ValueRange args) {
               Value sum =
                   createCombined(nested, loc, *results[i], args[1], args[0]);
               linalg::YieldOp::create(nested, loc, sum);
             })
      .getResult(0);
}

//===----------------------------------------------------------------------===//
// Loops over parts
//===----------------------------------------------------------------------===//

namespace {
class PartLoopBuilder {
public:
  PartLoopBuilder(IRRewriter &b, const PartialSums &sums,
                  ArrayRef<OpFoldResult> sizes, GPUScheduleAttr schedule)
      : b(b), sums(sums), op(sums.op), loc(op.getLoc()), sizes(sizes),
        schedule(schedule) {}

  RowLoops run(LoopType loopType) {
    b.setInsertionPoint(op);
    for (const Range &range : op.createLoopRanges(b, loc))
      extents.push_back(range.size);
    for (auto [extent, size] : llvm::zip(extents, sizes))
      counts.push_back(countBlocks(b, loc, extent, size));
    createDestinations();
    {
      OpBuilder::InsertionGuard guard(b);
      loopType == LoopType::ForallOp ? buildForall() : buildFors();
    }
    b.setInsertionPointAfter(built.loops.front());
    addParts();
    return built;
  }

private:
  /// What an iteration computes of one result, and the place of that.
  struct Piece {
    Value value;
    Slice place;
  };

  void createDestinations() {
    SmallVector<OpFoldResult> parts;
    for (auto [loop, count] : llvm::enumerate(counts))
      if (sums.divides(loop))
        parts.push_back(count);
    for (auto [i, init] : llvm::enumerate(op.getDpsInits()))
      destinations.push_back(sums.results[i] ? sums.createParts(b, i, parts)
                                             : Value(init));
  }

  void buildForall() {
    scf::ForallOp loop =
        schedule ? createBlockLoop(b, loc, counts, destinations, schedule)
                 : scf::ForallOp::create(b, loc, counts, destinations,
                                         /*mapping=*/std::nullopt);
    built.loops.push_back(loop);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> args(loop.getRegionIterArgs());
    for (auto [piece, arg] :
         llvm::zip(buildPart(loop.getInductionVars(), args), args))
      piece.place.insert(b, loop, piece.value, arg);
  }

  void buildFors() {
    SmallVector<Value> zeros(sizes.size(),
                             arith::ConstantIndexOp::create(b, loc, 0)),
        ones(sizes.size(), arith::ConstantIndexOp::create(b, loc, 1));
    scf::LoopNest nest = scf::buildLoopNest(
        b, loc, zeros, getValueOrCreateConstantIndexOp(b, loc, counts), ones,
        destinations,
        [&](OpBuilder &, Location, ValueRange ivs,
            ValueRange args) -> scf::ValueVector {
          scf::ValueVector results;
          for (auto [piece, arg] : llvm::zip(buildPart(ivs, args), args))
            results.push_back(piece.place.insert(b, loc, piece.value, arg));
          return results;
        });
    llvm::append_range(built.loops, nest.loops);
  }

  SmallVector<Piece> buildPart(ValueRange ivs, ValueRange args) {
    Slice tile{SmallVector<OpFoldResult>(extents.size(), b.getIndexAttr(0)),
               extents};
    SmallVector<OpFoldResult> numbers;
    for (auto [loop, size] : llvm::enumerate(sizes)) {
      tile.offsets[loop] = affine::makeComposedFoldedAffineApply(
          b, loc, b.getAffineDimExpr(0) * b.getAffineSymbolExpr(0),
          {ivs[loop], size});
      tile.sizes[loop] =
          createBlockSize(b, loc, tile.offsets[loop], size, extents[loop]);
      if (sums.divides(loop))
        numbers.push_back(ivs[loop]);
    }
    auto tiling = cast<TilingInterface>(op.getOperation());
    // linalg ops on tensors have an implementation for all tiles.
    TilingResult tiled =
        *tiling.getTiledImplementation(b, tile.offsets, tile.sizes);
    auto part = cast<LinalgOp>(tiled.tiledOps.front());
    b.setInsertionPoint(part);
    SmallVector<Piece> pieces;
    for (auto [i, arg] : llvm::enumerate(args)) {
      Slice place;
      if (failed(tiling.getResultTilePosition(b, i, tile.offsets, tile.sizes,
                                              place.offsets, place.sizes)))
        llvm_unreachable("results of row-wise ops have plain maps");
      if (sums.results[i]) {
        place.offsets.insert(place.offsets.begin(), numbers.begin(),
                             numbers.end());
        place.sizes.insert(place.sizes.begin(), numbers.size(),
                           b.getIndexAttr(1));
      }
      startAt(*part.getDpsInitOperand(i), i, place, arg);
      pieces.push_back({part->getResult(i), place});
    }
    b.setInsertionPointAfter(part);
    return pieces;
  }

  /// Lets result `i` of a part start in its place of `destination`, sums from
  /// neutral elements.
  void startAt(OpOperand &start, unsigned i, const Slice &place,
               Value destination) {
    auto old = start.get().getDefiningOp<tensor::ExtractSliceOp>();
    auto type = cast<RankedTensorType>(start.get().getType());
    Value own = place.extract(b, loc, type, destination);
    start.set(sums.results[i] ? sums.start(b, i, own) : own);
    if (old && old->use_empty())
      b.eraseOp(old);
  }

  /// Each sum is added by an op of its own: what reads it can join that.
  void addParts() {
    for (auto [i, sum] : llvm::enumerate(sums.results)) {
      Value result = built.loops.front()->getResult(i);
      built.results.push_back(sum ? sums.add(b, i, result, op.getDpsInits()[i])
                                  : result);
    }
  }

  IRRewriter &b;
  const PartialSums &sums;
  LinalgOp op;
  Location loc;
  ArrayRef<OpFoldResult> sizes;
  GPUScheduleAttr schedule;
  SmallVector<OpFoldResult> extents, counts;
  SmallVector<Value> destinations;
  RowLoops built;
};
} // namespace

RowLoops norm::buildPartLoops(IRRewriter &b, const PartialSums &sums,
                              ArrayRef<OpFoldResult> sizes, LoopType loopType,
                              GPUScheduleAttr schedule) {
  return PartLoopBuilder(b, sums, sizes, schedule).run(loopType);
}

void norm::addByBlocks(IRRewriter &b, scf::ForOp rows,
                       const PartialSums &sums) {
  OpFoldResult end = getAsOpFoldResult(rows.getUpperBound());
  std::optional<int64_t> known = getConstantIntValue(end);
  int64_t block =
      llvm::alignTo(getRowTarget(rows).stripsPerSum,
                    getConstantIntValue(rows.getStep()).value_or(1));
  if (known && *known <= block)
    return;
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
      state[i] = sums.start(b, i, sums.createParts(b, i, {}));
  Value begin = blocks.getInductionVar();
  OpFoldResult size =
      createBlockSize(b, loc, begin, b.getIndexAttr(block), end);
  Value blockEnd = getValueOrCreateConstantIndexOp(
      b, loc,
      affine::makeComposedFoldedAffineApply(
          b, loc, b.getAffineDimExpr(0) + b.getAffineSymbolExpr(0),
          {begin, size}));
  b.moveOpBefore(rows, blocks.getBody(), blocks.getBody()->end());
  b.modifyOpInPlace(rows, [&] {
    rows.setLowerBound(begin);
    rows.setUpperBound(blockEnd);
    rows.getInitArgsMutable().assign(state);
  });
  b.setInsertionPointAfter(rows);
  state.assign(rows->result_begin(), rows->result_end());
  PartialSums rest = sums; // of rows that are no loop any more
  rest.numLoops = 0;
  for (auto [i, sum] : llvm::enumerate(sums.results))
    if (sum)
      state[i] = rest.add(b, i, state[i], blocks.getRegionIterArg(i));
  scf::YieldOp::create(b, loc, state);
}
