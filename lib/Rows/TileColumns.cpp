//===- TileColumns.cpp - sums over rows, by parts and columns -------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"
#include "norm/Normalize/ElementStorage.h"
#include "norm/Rows/Rows.h"

using namespace mlir;
using linalg::LinalgOp;

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

bool norm::hasReducedRows(LinalgOp op) {
  for (OpOperand *input : op.getDpsInputOperands())
    for (OpOperand &use : input->get().getUses())
      if (auto user = dyn_cast<LinalgOp>(use.getOwner()))
        if (reducesSameRows(op, *input, user, use))
          return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Choices, by the extents alone: they decide the bits of a sum
//===----------------------------------------------------------------------===//

/// Returns into how many parts at most the rows of `op`, `mostRows` at most,
/// are divided.
static int64_t chooseMostParts(LinalgOp op, int64_t mostRows) {
  norm::RowTarget target = norm::getRowTarget(op);
  if (!ShapedType::isDynamic(mostRows) && mostRows < 2 * target.rowsPerPart)
    return 1;
  SmallVector<int64_t> shape = op.getStaticLoopRanges();
  uint64_t warps = target.warpsOfDynamicColumns;
  if (!ShapedType::isDynamic(shape.back()))
    warps =
        llvm::divideCeil(shape.back(), norm::kWarpSize * target.accessBytes /
                                           norm::RowForm(op).bytes);
  // Of a sum in parts each rank has some: their number must not change bits.
  bool isInParts = op->getParentOfType<FunctionOpInterface>()->hasAttr(
      norm::sumPartsAttrName);
  for (int64_t extent : ArrayRef(shape).drop_back(2))
    if (!ShapedType::isDynamic(extent) && !isInParts)
      warps = llvm::SaturatingMultiply<uint64_t>(warps, extent);
  return std::max<int64_t>(1, target.warpsOfParts / warps);
}

//===----------------------------------------------------------------------===//
// Parts of the rows
//===----------------------------------------------------------------------===//

/// Reduces at most `parts` parts of the rows, and returns the results of the
/// ops that add them.
static SmallVector<Value> splitIntoParts(IRRewriter &rewriter,
                                         const norm::PartialSums &sums,
                                         int64_t parts) {
  LinalgOp op = sums.op;
  rewriter.setInsertionPoint(op);
  unsigned rowLoop = op.getNumLoops() - 2;
  OpFoldResult rows = op.createLoopRanges(rewriter, op.getLoc())[rowLoop].size;
  AffineMap map = AffineMap::get(
      0, 1,
      {rewriter.getAffineSymbolExpr(0).ceilDiv(parts),
       rewriter.getAffineConstantExpr(norm::getRowTarget(op).rowsPerPart)},
      rewriter.getContext());
  norm::GPUScheduleAttr schedule = norm::chooseColumnSchedule(op);
  SmallVector<OpFoldResult> sizes(rowLoop, rewriter.getIndexAttr(1));
  sizes.push_back(
      affine::makeComposedFoldedAffineMax(rewriter, op.getLoc(), map, {rows}));
  sizes.push_back(rewriter.getIndexAttr(schedule.getLanes()));
  SmallVector<Value> results =
      norm::buildPartLoops(rewriter, sums, sizes,
                           scf::SCFTilingOptions::LoopType::ForallOp, schedule)
          .results;
  rewriter.replaceOp(op, results);
  return results;
}

//===----------------------------------------------------------------------===//
// One part and the ops on its result
//===----------------------------------------------------------------------===//

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
  return getUnusedDimsBitVector(map).flip();
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

static void tileWithMembers(IRRewriter &rewriter, LinalgOp root,
                            const llvm::SmallBitVector &shared,
                            ArrayRef<LinalgOp> members) {
  norm::GPUScheduleAttr schedule = norm::chooseColumnSchedule(members);
  SmallVector<OpFoldResult> sizes;
  for (unsigned loop = 0; loop + 1 < root.getNumLoops(); ++loop)
    sizes.push_back(rewriter.getIndexAttr(shared.test(loop) ? 1 : 0));
  sizes.push_back(rewriter.getIndexAttr(schedule.getLanes()));
  scf::SCFTileAndFuseOptions options;
  options.tilingOptions.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp)
      .setTileSizes(sizes)
      .setMapping(norm::getBlockMapping(rewriter, shared.count()).getValue());
  options.setFusionControlFn(
      [&](tensor::ExtractSliceOp, OpResult producer,
          bool) -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
        auto op = dyn_cast<LinalgOp>(producer.getOwner());
        if (op && (llvm::is_contained(members, op) || norm::getFilled(op)))
          return scf::SCFTileAndFuseOptions::ControlFnResult{};
        return std::nullopt;
      });
  rewriter.setInsertionPoint(root);
  FailureOr<scf::SCFTileAndFuseResult> fused =
      scf::tileConsumerAndFuseProducersUsingSCF(
          rewriter, cast<TilingInterface>(root.getOperation()), options);
  if (failed(fused))
    return;
  norm::setRole(fused->loops.front(), norm::LoopRole::Rows, schedule);
  for (OpResult result : root->getResults())
    rewriter.replaceAllUsesWith(result, fused->replacements.lookup(result));
}

namespace {
enum class Rows { Given, SumsOfParts };
} // namespace

/// Computes the op in the loop of the ops that read its result, whose rows a
/// thread goes through a second time, or in one of its own.
static void tileWhole(IRRewriter &rewriter, LinalgOp op, Rows rows) {
  SmallVector<LinalgOp> members = {op};
  llvm::SmallBitVector shared(op.getNumLoops(), true);
  shared.reset(op.getNumLoops() - 2);
  for (bool isLast = false; !isLast; isLast = !shared.all()) {
    auto [user, loops] = findConsumer(members.back());
    if (!user || (rows == Rows::SumsOfParts && !loops.all()))
      break;
    members.push_back(user);
    shared = loops;
  }
  tileWithMembers(rewriter, members.back(), shared, members);
}

/// Replaces `op`, and the sum of its parts while that has several. `mostRows`
/// bounds its rows.
static void tileColumnsOf(IRRewriter &rewriter, LinalgOp op, int64_t mostRows,
                          Rows rows) {
  std::optional<norm::PartialSums> sums = norm::matchColumnReductions(op);
  // A tile of nothing would have no slices.
  if (!sums || llvm::is_contained(op.getStaticLoopRanges(), 0))
    return;
  int64_t parts = chooseMostParts(op, mostRows);
  if (parts == 1)
    return tileWhole(rewriter, op, rows);
  int64_t least = norm::getRowTarget(op).rowsPerPart;
  if (ShapedType::isDynamic(mostRows))
    mostRows = parts;
  else
    mostRows = std::min<int64_t>(parts, llvm::divideCeil(mostRows, least));
  for (Value sum : splitIntoParts(rewriter, *sums, parts))
    tileColumnsOf(rewriter, sum.getDefiningOp<LinalgOp>(), mostRows,
                  Rows::SumsOfParts);
}

void norm::tileColumns(IRRewriter &rewriter, Operation *scope,
                       ColumnSums which) {
  for (LinalgOp op : collect<LinalgOp>(scope))
    if (op.getNumLoops() > 1 && !op->getParentOfType<scf::ForallOp>() &&
        (which == ColumnSums::All || !hasReducedRows(op)))
      tileColumnsOf(rewriter, op, op.getStaticLoopRanges().end()[-2],
                    Rows::Given);
}
