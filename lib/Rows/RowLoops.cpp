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
  return tensor::ExtractSliceOp::create(b, loc, type, tensor, offsets, sizes,
                                        strides);
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

OpFoldResult norm::countBlocks(OpBuilder &b, Location loc, OpFoldResult whole,
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

PartialSums PartialSums::ofColumns(LinalgOp op) {
  PartialSums sums{op, {}, op.getNumLoops() - 2, 1};
  llvm::append_range(sums.results, *matchColumnReductions(op));
  return sums;
}

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

LinalgOp PartialSums::add(OpBuilder &b, ValueRange parts) const {
  LinalgOp op = this->op;
  SmallVector<IteratorType> kinds;
  // What a part reduces all of is no loop any more.
  llvm::SmallBitVector reduced(op.getNumLoops());
  for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray())) {
    reduced[loop] = kind == IteratorType::reduction && !divides(loop);
    if (!reduced[loop])
      kinds.push_back(kind);
  }
  SmallVector<Value> inits;
  SmallVector<Reduction> sums;
  SmallVector<AffineMap> maps, initMaps;
  for (auto [init, sum] : llvm::zip_equal(op.getDpsInitsMutable(), results)) {
    if (!sum)
      continue;
    sums.push_back(*sum);
    inits.push_back(init.get());
    AffineMap map = compressDims(op.getMatchingIndexingMap(&init), reduced);
    initMaps.push_back(map);
    for (unsigned loop = firstLoop + numLoops; loop-- > firstLoop;)
      map = map.insertResult(b.getAffineDimExpr(loop), 0);
    maps.push_back(map);
  }
  llvm::append_range(maps, initMaps);
  return linalg::GenericOp::create(
      b, op.getLoc(), TypeRange(ValueRange(inits)), parts, inits, maps, kinds,
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        SmallVector<Value> added;
        for (auto [i, sum] : llvm::enumerate(sums))
          added.push_back(
              createCombined(nested, loc, sum, args[i + sums.size()], args[i]));
        linalg::YieldOp::create(nested, loc, added);
      });
}

//===----------------------------------------------------------------------===//
// Loops over parts
//===----------------------------------------------------------------------===//

namespace {
class PartLoopBuilder {
public:
  PartLoopBuilder(IRRewriter &b, const PartialSums &sums,
                  ArrayRef<LoopBlocks> blocks, GPUScheduleAttr schedule)
      : b(b), sums(sums), op(sums.op), loc(op.getLoc()), blocks(blocks),
        schedule(schedule) {}

  RowLoops run(LoopType loopType) {
    b.setInsertionPoint(op);
    for (const Range &range : op.createLoopRanges(b, loc))
      extents.push_back(range.size);
    for (const LoopBlocks &each : blocks)
      counts.push_back(countBlocks(b, loc, extents[each.loop], each.size));
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
    for (auto [each, count] : llvm::zip_equal(blocks, counts))
      if (sums.divides(each.loop))
        parts.push_back(count);
    for (auto [i, init] : llvm::enumerate(op.getDpsInits()))
      destinations.push_back(sums.results[i] ? sums.createParts(b, i, parts)
                                             : Value(init));
  }

  SmallVector<OpFoldResult> getBounds() {
    return llvm::map_to_vector(
        blocks, [&](const LoopBlocks &each) { return extents[each.loop]; });
  }

  SmallVector<OpFoldResult> getSteps() {
    return llvm::map_to_vector(
        blocks, [](const LoopBlocks &each) { return each.size; });
  }

  void buildForall() {
    SmallVector<OpFoldResult> zeros(blocks.size(), b.getIndexAttr(0));
    scf::ForallOp loop =
        schedule ? createBlockLoop(b, loc, counts, destinations, schedule)
                 : scf::ForallOp::create(b, loc, zeros, getBounds(), getSteps(),
                                         destinations,
                                         /*mapping=*/std::nullopt);
    built.loops.push_back(loop);
    b.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> args(loop.getRegionIterArgs());
    for (auto [piece, arg] :
         llvm::zip(buildPart(loop.getInductionVars(), args), args))
      piece.place.insert(b, loop, piece.value, arg);
  }

  void buildFors() {
    auto asValues = [&](ArrayRef<OpFoldResult> values) {
      return getValueOrCreateConstantIndexOp(b, loc, values);
    };
    SmallVector<Value> zeros(blocks.size(),
                             arith::ConstantIndexOp::create(b, loc, 0));
    scf::LoopNest nest = scf::buildLoopNest(
        b, loc, zeros, asValues(getBounds()), asValues(getSteps()),
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

  OpFoldResult getFirst(const LoopBlocks &each, Value iv) {
    if (!schedule || isOneInteger(each.size))
      return iv;
    return affine::makeComposedFoldedAffineApply(
        b, loc, b.getAffineDimExpr(0) * b.getAffineSymbolExpr(0),
        {iv, each.size});
  }

  OpFoldResult getNumber(const LoopBlocks &each, Value iv) {
    if (schedule || isOneInteger(each.size))
      return iv;
    return affine::makeComposedFoldedAffineApply(
        b, loc, b.getAffineDimExpr(0).floorDiv(*getConstantIntValue(each.size)),
        {OpFoldResult(iv)});
  }

  OpFoldResult getSize(const LoopBlocks &each, OpFoldResult first) {
    std::optional<int64_t> known = getConstantIntValue(extents[each.loop]);
    if (!schedule && known && *known <= *getConstantIntValue(each.size))
      return extents[each.loop];
    return createBlockSize(b, loc, first, each.size, extents[each.loop]);
  }

  SmallVector<Piece> buildPart(ValueRange ivs, ValueRange args) {
    Slice tile{SmallVector<OpFoldResult>(extents.size(), b.getIndexAttr(0)),
               extents};
    SmallVector<OpFoldResult> numbers;
    for (auto [each, iv] : llvm::zip_equal(blocks, ivs)) {
      tile.offsets[each.loop] = getFirst(each, iv);
      tile.sizes[each.loop] = getSize(each, tile.offsets[each.loop]);
      if (sums.divides(each.loop))
        numbers.push_back(getNumber(each, iv));
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

  void addParts() {
    built.results.assign(built.loops.front()->result_begin(),
                         built.loops.front()->result_end());
    bool isJoined = llvm::is_contained(sums.results, std::nullopt);
    if (!schedule || !isJoined)
      return addPartsOf(sums);
    // What reads one sum joins the kernel that adds it, if that adds no other.
    for (auto [i, sum] : llvm::enumerate(sums.results)) {
      PartialSums alone = sums;
      alone.results.assign(sums.results.size(), std::nullopt);
      alone.results[i] = sum;
      if (sum)
        addPartsOf(alone);
    }
  }

  void addPartsOf(const PartialSums &sums) {
    SmallVector<Value *> results;
    for (auto [result, sum] : llvm::zip_equal(built.results, sums.results))
      if (sum)
        results.push_back(&result);
    LinalgOp added = sums.add(
        b, llvm::map_to_vector(results, [](Value *part) { return *part; }));
    for (auto [result, total] : llvm::zip_equal(results, added->getResults()))
      *result = total;
  }

  IRRewriter &b;
  const PartialSums &sums;
  LinalgOp op;
  Location loc;
  ArrayRef<LoopBlocks> blocks;
  GPUScheduleAttr schedule;
  SmallVector<OpFoldResult> extents, counts;
  SmallVector<Value> destinations;
  RowLoops built;
};
} // namespace

RowLoops norm::buildPartLoops(IRRewriter &b, const PartialSums &sums,
                              ArrayRef<LoopBlocks> blocks, LoopType loopType,
                              GPUScheduleAttr schedule) {
  return PartLoopBuilder(b, sums, blocks, schedule).run(loopType);
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
                             const PartialSums &sums) {
  OpFoldResult end = getAsOpFoldResult(rows.getUpperBound());
  std::optional<int64_t> known = getConstantIntValue(end);
  int64_t block =
      llvm::alignTo(getRowTarget(rows).stripsPerSum,
                    getConstantIntValue(rows.getStep()).value_or(1));
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
      state[i] = sums.start(b, i, sums.createParts(b, i, {}));
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
