//===- TileColumns.cpp - sums over rows, by parts and columns -------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/PatternMatch.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"
#include "norm/Normalize/ElementStorage.h"
#include "norm/Rows/Rows.h"
#include <numeric>

using namespace mlir;
using linalg::LinalgOp;
using norm::Reduction;
using norm::Slice;

OpFoldResult norm::countParts(OpBuilder &b, Location loc, OpFoldResult whole,
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

LinalgOp norm::buildSumOfParts(RewriterBase &rewriter, LinalgOp op,
                               ArrayRef<Reduction> reductions,
                               ValueRange parts) {
  unsigned rowLoop = op.getNumLoops() - 2;
  SmallVector<AffineMap> maps, outputMaps;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    outputMaps.push_back(map);
    maps.push_back(map.insertResult(rewriter.getAffineDimExpr(rowLoop), 0));
  }
  llvm::append_range(maps, outputMaps);
  auto combine = [&](OpBuilder &b, Location loc, ValueRange args) {
    SmallVector<Value> sums;
    for (auto [i, reduction] : llvm::enumerate(reductions)) {
      Value part = args[i], sum = args[i + reductions.size()];
      sums.push_back(createCombined(b, loc, reduction, sum, part));
    }
    linalg::YieldOp::create(b, loc, sums);
  };
  return linalg::GenericOp::create(rewriter, op.getLoc(), op->getResultTypes(),
                                   parts, op.getDpsInits(), maps,
                                   op.getIteratorTypesArray(), combine);
}

/// Whether `user` reduces the rows whose columns `op` reduces by `use`.
static bool reducesSameRows(LinalgOp op, OpOperand &use, LinalgOp user,
                            OpOperand &other) {
  auto isMatrix = [](LinalgOp linalgOp, OpOperand &operand) {
    return linalgOp.getNumLoops() == 2 &&
           linalgOp.getMatchingIndexingMap(&operand).isIdentity();
  };
  return isMatrix(op, use) && isMatrix(user, other) && user != op &&
         user->getBlock() == op->getBlock() && norm::canVectorizeRow(user) &&
         user.getIteratorTypesArray().back() ==
             utils::IteratorType::reduction &&
         user.getNumReductionLoops() == 1;
}

static bool hasReducedRows(LinalgOp op) {
  for (OpOperand *input : op.getDpsInputOperands())
    for (OpOperand &use : input->get().getUses())
      if (auto user = dyn_cast<LinalgOp>(use.getOwner()))
        if (reducesSameRows(op, *input, user, use))
          return true;
  return false;
}

/// Moves `op` to where it is needed, so that what others compute of the same
/// rows is before it.
static void sinkToUsers(Operation *op) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers()) {
    if (user->getBlock() == op->getBlock() && isMemoryEffectFree(user))
      sinkToUsers(user);
    Operation *at = op->getBlock()->findAncestorOpInBlock(*user);
    if (at && (!first || at->isBeforeInBlock(first)))
      first = at;
  }
  if (first)
    op->moveBefore(first);
}

namespace {
/// Builds the loops of one op over [outer dims, rows, columns].
class ColumnTiler {
public:
  explicit ColumnTiler(IRRewriter &rewriter) : rewriter(rewriter) {}

  /// Replaces `op`, and the sum of its parts while that has several. `mostRows`
  /// bounds its rows.
  void run(LinalgOp op, int64_t mostRows) {
    std::optional<SmallVector<Reduction>> reductions =
        norm::matchColumnReductions(op);
    // A tile of nothing would have no slices.
    if (!reductions || llvm::is_contained(op.getStaticLoopRanges(), 0))
      return;
    begin(op, *reductions);
    int64_t parts = chooseMostParts(mostRows);
    if (parts == 1) {
      if (!fuseIntoConsumer())
        rewriter.replaceOp(op, buildWhole().getResults());
      return;
    }
    LinalgOp sum = norm::buildSumOfParts(rewriter, op, *reductions,
                                         buildParts(parts).getResults());
    rewriter.replaceOp(op, sum->getResults());
    isSumOfParts = true;
    run(sum,
        ShapedType::isDynamic(mostRows)
            ? parts
            : std::min<int64_t>(
                  parts, llvm::divideCeil(
                             mostRows, norm::getRowTarget(sum).rowsPerPart)));
  }

  static int64_t getRows(LinalgOp op) {
    return op.getNumLoops() < 2 ? 1 : op.getStaticLoopRanges().end()[-2];
  }

private:
  void begin(LinalgOp op, ArrayRef<Reduction> reductions) {
    this->op = op;
    this->reductions.assign(reductions.begin(), reductions.end());
    loc = op.getLoc();
    rewriter.setInsertionPoint(op);
    extents =
        llvm::map_to_vector(op.createLoopRanges(rewriter, loc),
                            [](const Range &range) { return range.size; });
    schedule = chooseSchedule({op});
  }

  unsigned getRowLoop() { return op.getNumLoops() - 2; }
  unsigned getColumnLoop() { return op.getNumLoops() - 1; }

  OpFoldResult apply(AffineExpr expr, ArrayRef<OpFoldResult> operands) {
    return affine::makeComposedFoldedAffineApply(rewriter, loc, expr, operands);
  }

  //===--------------------------------------------------------------------===//
  // Choices, by the extents alone: they decide the bits of a sum
  //===--------------------------------------------------------------------===//

  /// What the accesses of columns by all `members` have in common.
  struct ColumnForm {
    int64_t pitch = 0, bytes = 8;
  };

  static ColumnForm getForm(const llvm::SmallDenseSet<Operation *> &members) {
    ColumnForm form;
    for (Operation *member : members) {
      auto linalgOp = cast<LinalgOp>(member);
      for (OpOperand &operand : member->getOpOperands()) {
        AffineMap map = linalgOp.getMatchingIndexingMap(&operand);
        auto type = dyn_cast<RankedTensorType>(operand.get().getType());
        if (!type || !map.isFunctionOfDim(linalgOp.getNumLoops() - 1))
          continue;
        int64_t bytes = norm::getElementBytes(type.getElementType());
        if (bytes > 0)
          form.bytes = std::min(form.bytes, bytes);
        if (!type.isDynamicDim(type.getRank() - 1))
          form.pitch = std::gcd(form.pitch, type.getShape().back());
      }
    }
    return form;
  }

  norm::RowSchedule
  chooseSchedule(const llvm::SmallDenseSet<Operation *> &members) {
    ColumnForm form = getForm(members);
    return norm::chooseColumnSchedule(norm::getRowTarget(op),
                                      op.getStaticLoopRanges().back(),
                                      form.pitch, form.bytes);
  }

  int64_t chooseMostParts(int64_t mostRows) {
    SmallVector<int64_t> shape = op.getStaticLoopRanges();
    int64_t groups = 1;
    for (int64_t extent : ArrayRef(shape).drop_back(2))
      if (!ShapedType::isDynamic(extent))
        groups = llvm::SaturatingMultiply<uint64_t>(
            groups, std::max<int64_t>(extent, 1));
    return norm::chooseMostParts(norm::getRowTarget(op), mostRows, shape.back(),
                                 groups, getForm({op}).bytes);
  }

  //===--------------------------------------------------------------------===//
  // Loops
  //===--------------------------------------------------------------------===//

  /// A mapping keeps canonicalization from removing a loop of one iteration.
  SmallVector<Attribute> getMapping(unsigned loops) {
    SmallVector<Attribute> mapping;
    for (unsigned i = 0; i < loops; ++i)
      mapping.push_back(gpu::GPUBlockMappingAttr::get(
          rewriter.getContext(),
          static_cast<gpu::MappingId>(
              static_cast<uint64_t>(gpu::MappingId::LinearDim0) + i)));
    return mapping;
  }

  scf::ForallOp createLoop(ArrayRef<OpFoldResult> counts,
                           ValueRange destinations) {
    auto loop =
        scf::ForallOp::create(rewriter, loc, counts, destinations,
                              rewriter.getArrayAttr(getMapping(counts.size())));
    norm::setSchedule(loop, schedule);
    return loop;
  }

  /// The iterations of the loops around the rows: outer ones one at a time.
  SmallVector<OpFoldResult> getCounts() {
    SmallVector<OpFoldResult> counts(extents.begin(),
                                     extents.begin() + getRowLoop());
    AffineExpr columns = rewriter.getAffineSymbolExpr(0);
    counts.push_back(
        apply(columns.ceilDiv(schedule.getLanes()), extents.back()));
    return counts;
  }

  /// Returns the rows of each of at most `parts` parts but the last.
  OpFoldResult getRowsPerPart(int64_t parts) {
    AffineMap map = AffineMap::get(
        0, 1,
        {rewriter.getAffineSymbolExpr(0).ceilDiv(parts),
         rewriter.getAffineConstantExpr(norm::getRowTarget(op).rowsPerPart)},
        rewriter.getContext());
    return affine::makeComposedFoldedAffineMax(rewriter, loc, map,
                                               {extents[getRowLoop()]});
  }

  /// The tile at `outer` and a block of columns, with all rows.
  Slice getTile(ValueRange outer, Value block) {
    Slice tile;
    for (Value iv : outer) {
      tile.offsets.push_back(iv);
      tile.sizes.push_back(rewriter.getIndexAttr(1));
    }
    tile.offsets.push_back(rewriter.getIndexAttr(0));
    tile.sizes.push_back(extents[getRowLoop()]);
    OpFoldResult column =
        apply(rewriter.getAffineDimExpr(0) * schedule.getLanes(),
              OpFoldResult(block));
    tile.offsets.push_back(column);
    tile.sizes.push_back(norm::createBlockSize(
        rewriter, loc, column, rewriter.getIndexAttr(schedule.getLanes()),
        extents.back()));
    return tile;
  }

  TilingResult buildTile(const Slice &tile) {
    auto tiling = cast<TilingInterface>(op.getOperation());
    return *tiling.getTiledImplementation(rewriter, tile.offsets, tile.sizes);
  }

  /// The slice of result `i` that a tile writes.
  Slice getResultTile(unsigned i, const Slice &tile) {
    Slice slice;
    auto tiling = cast<TilingInterface>(op.getOperation());
    if (failed(tiling.getResultTilePosition(
            rewriter, i, tile.offsets, tile.sizes, slice.offsets, slice.sizes)))
      llvm_unreachable("columns of linalg ops have plain maps");
    return slice;
  }

  //===--------------------------------------------------------------------===//
  // One part
  //===--------------------------------------------------------------------===//

  /// Where the fill of a destination writes, or the destination.
  Value getDestination(OpOperand &init) {
    auto fill = init.get().getDefiningOp<LinalgOp>();
    return fill && norm::getFilled(fill) ? fill.getDpsInits().front()
                                         : init.get();
  }

  scf::ForallOp buildWhole() {
    SmallVector<Value> destinations;
    for (OpOperand &init : op.getDpsInitsMutable())
      destinations.push_back(getDestination(init));
    scf::ForallOp loop = createLoop(getCounts(), destinations);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> ivs = loop.getInductionVars();
    Slice tile = getTile(ArrayRef(ivs).drop_back(), ivs.back());
    TilingResult tiled = buildTile(tile);
    auto tiledOp = cast<LinalgOp>(tiled.tiledOps.front());
    rewriter.setInsertionPoint(tiledOp);
    for (auto [i, arg] : llvm::enumerate(loop.getRegionIterArgs())) {
      redirect(*tiledOp.getDpsInitOperand(i), *op.getDpsInitOperand(i), arg);
      getResultTile(i, tile).insert(rewriter, loop, tiledOp->getResult(i), arg);
    }
    return loop;
  }

  /// Makes a tile start from the slice of the loop's `arg`, filled as the
  /// destination is.
  void redirect(OpOperand &start, OpOperand &init, Value arg) {
    auto slice = start.get().getDefiningOp<tensor::ExtractSliceOp>();
    Value destination =
        Slice{slice.getMixedOffsets(), slice.getMixedSizes()}.extract(
            rewriter, loc, slice.getType(), arg);
    auto fill = init.get().getDefiningOp<LinalgOp>();
    if (Value filled = fill ? norm::getFilled(fill) : Value())
      destination = linalg::FillOp::create(rewriter, loc, filled, destination)
                        .getResult(0);
    start.set(destination);
    rewriter.eraseOp(slice);
  }

  //===--------------------------------------------------------------------===//
  // One part and the ops on its result
  //===--------------------------------------------------------------------===//

  /// Returns the loops of `user` that go over the outer dimensions of the
  /// result that `use` reads, or nullopt if its columns are not those of
  /// `user`.
  static std::optional<llvm::SmallBitVector> findSharedLoops(LinalgOp user,
                                                             OpOperand &use) {
    AffineMap map = user.getMatchingIndexingMap(&use);
    unsigned columns = user.getNumLoops() - 1;
    if (!map.isProjectedPermutation() || map.getNumResults() == 0 ||
        !map.getResults().back().isFunctionOfDim(columns))
      return std::nullopt;
    llvm::SmallBitVector loops(user.getNumLoops());
    for (AffineExpr expr : map.getResults())
      loops.set(cast<AffineDimExpr>(expr).getPosition());
    return loops;
  }

  /// Returns the one elementwise op that reads `producer`, with the loops that
  /// it shares with it.
  static std::pair<LinalgOp, llvm::SmallBitVector>
  findConsumer(LinalgOp producer) {
    std::pair<LinalgOp, llvm::SmallBitVector> found;
    for (OpOperand &use : producer->getUses()) {
      auto user = dyn_cast<LinalgOp>(use.getOwner());
      if (!user || user->getBlock() != producer->getBlock() ||
          (found.first && found.first != user) ||
          user.getNumReductionLoops() > 0 || !user.isDpsInput(&use) ||
          !norm::canVectorizeRow(user))
        return {};
      std::optional<llvm::SmallBitVector> loops = findSharedLoops(user, use);
      if (!loops || (found.first && found.second != *loops))
        return {};
      found = {user, *loops};
    }
    return found;
  }

  /// Computes the op in the loop of the ops that read its result, whose rows a
  /// thread goes through a second time.
  bool fuseIntoConsumer() {
    llvm::SmallDenseSet<Operation *> members = {op};
    LinalgOp root;
    llvm::SmallBitVector shared;
    for (LinalgOp last = op; !root || shared.all(); last = root) {
      auto [user, loops] = findConsumer(last);
      if (!user || (isSumOfParts && !loops.all()))
        break;
      members.insert(user);
      std::tie(root, shared) = std::pair(user, loops);
    }
    return root && buildFused(root, shared, members);
  }

  bool buildFused(LinalgOp root, const llvm::SmallBitVector &shared,
                  const llvm::SmallDenseSet<Operation *> &members) {
    schedule = chooseSchedule(members);
    SmallVector<OpFoldResult> sizes;
    for (unsigned loop = 0; loop + 1 < root.getNumLoops(); ++loop)
      sizes.push_back(rewriter.getIndexAttr(shared.test(loop) ? 1 : 0));
    sizes.push_back(rewriter.getIndexAttr(schedule.getLanes()));
    scf::SCFTileAndFuseOptions options;
    options.tilingOptions.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp)
        .setTileSizes(sizes)
        .setMapping(getMapping(shared.count()));
    options.setFusionControlFn(
        [&](tensor::ExtractSliceOp, OpResult producer, bool)
            -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
          auto linalgOp = dyn_cast<LinalgOp>(producer.getOwner());
          if (linalgOp &&
              (members.contains(linalgOp) || norm::getFilled(linalgOp)))
            return scf::SCFTileAndFuseOptions::ControlFnResult{};
          return std::nullopt;
        });
    rewriter.setInsertionPoint(root);
    FailureOr<scf::SCFTileAndFuseResult> fused =
        scf::tileConsumerAndFuseProducersUsingSCF(
            rewriter, cast<TilingInterface>(root.getOperation()), options);
    if (failed(fused) || fused->loops.size() != 1)
      return false;
    norm::setSchedule(fused->loops.front(), schedule);
    for (OpResult result : root->getResults())
      rewriter.replaceAllUsesWith(result, fused->replacements.lookup(result));
    return true;
  }

  //===--------------------------------------------------------------------===//
  // Several parts
  //===--------------------------------------------------------------------===//

  /// The first dimension of a tensor of parts is that of the parts.
  Value createParts(OpOperand &init, OpFoldResult parts) {
    SmallVector<OpFoldResult> shape = {parts};
    llvm::append_range(shape, tensor::getMixedSizes(rewriter, loc, init.get()));
    return tensor::EmptyOp::create(rewriter, loc, shape,
                                   getElementTypeOrSelf(init.get().getType()));
  }

  /// Reduces at most `mostParts` parts of the rows, each into its own results.
  scf::ForallOp buildParts(int64_t mostParts) {
    OpFoldResult rows = getRowsPerPart(mostParts),
                 parts = norm::countParts(rewriter, loc, extents[getRowLoop()],
                                          rows);
    SmallVector<Value> destinations;
    for (OpOperand &init : op.getDpsInitsMutable())
      destinations.push_back(createParts(init, parts));
    SmallVector<OpFoldResult> counts = getCounts();
    counts.insert(std::prev(counts.end()), parts);
    scf::ForallOp loop = createLoop(counts, destinations);

    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(loop.getBody());
    SmallVector<Value> ivs = loop.getInductionVars();
    Value part = ivs[getRowLoop()];
    Slice tile = getTile(ArrayRef(ivs).drop_back(2), ivs.back());
    OpFoldResult &firstRow = tile.offsets[getRowLoop()];
    firstRow =
        apply(rewriter.getAffineDimExpr(0) * rewriter.getAffineSymbolExpr(0),
              {part, rows});
    tile.sizes[getRowLoop()] = norm::createBlockSize(
        rewriter, loc, firstRow, rows, extents[getRowLoop()]);
    TilingResult tiled = buildTile(tile);
    auto tiledOp = cast<LinalgOp>(tiled.tiledOps.front());
    rewriter.setInsertionPoint(tiledOp);
    for (auto [i, arg] : llvm::enumerate(loop.getRegionIterArgs())) {
      Slice slice = getResultTile(i, tile);
      slice.offsets.insert(slice.offsets.begin(), part);
      slice.sizes.insert(slice.sizes.begin(), rewriter.getIndexAttr(1));
      startNeutral(*tiledOp.getDpsInitOperand(i), reductions[i], arg, slice);
      slice.insert(rewriter, loop, tiledOp->getResult(i), arg);
    }
    return loop;
  }

  void startNeutral(OpOperand &start, const Reduction &reduction, Value parts,
                    const Slice &slice) {
    auto old = start.get().getDefiningOp<tensor::ExtractSliceOp>();
    Value part = slice.extract(rewriter, loc, old.getType(), parts);
    Value neutral = arith::ConstantOp::create(rewriter, loc, reduction.neutral);
    start.set(
        linalg::FillOp::create(rewriter, loc, neutral, part).getResult(0));
    rewriter.eraseOp(old);
  }

  IRRewriter &rewriter;
  LinalgOp op;
  Location loc = UnknownLoc::get(rewriter.getContext());
  SmallVector<Reduction> reductions;
  SmallVector<OpFoldResult> extents;
  norm::RowSchedule schedule;
  bool isSumOfParts = false;
};
} // namespace

void norm::tileColumns(IRRewriter &rewriter, Operation *scope,
                       ColumnSums which) {
  SmallVector<LinalgOp> ops;
  scope->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<scf::ForallOp>(op))
      return WalkResult::skip();
    if (auto linalgOp = dyn_cast<LinalgOp>(op))
      ops.push_back(linalgOp);
    return WalkResult::advance();
  });
  for (LinalgOp op : ops) {
    if (which == ColumnSums::All || !matchColumnReductions(op) ||
        !hasReducedRows(op))
      ColumnTiler(rewriter).run(op, ColumnTiler::getRows(op));
    else
      sinkToUsers(op);
  }
}
