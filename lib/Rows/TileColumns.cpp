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
#include <numeric>

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

namespace {
/// Builds the loops of one op over [outer dims, rows, columns].
class ColumnTiler {
public:
  explicit ColumnTiler(IRRewriter &rewriter) : rewriter(rewriter) {}

  /// Replaces `op`, and the sum of its parts while that has several. `mostRows`
  /// bounds its rows.
  void run(LinalgOp op, int64_t mostRows) {
    // A tile of nothing would have no slices.
    if (!norm::matchColumnReductions(op) ||
        llvm::is_contained(op.getStaticLoopRanges(), 0))
      return;
    begin(op);
    int64_t parts = chooseMostParts(mostRows);
    if (parts == 1) {
      buildWhole();
      return;
    }
    SmallVector<Value> results = buildParts(parts);
    auto sum = results.front().getDefiningOp<LinalgOp>();
    rewriter.replaceOp(op, results);
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
  void begin(LinalgOp op) {
    this->op = op;
    loc = op.getLoc();
    rewriter.setInsertionPoint(op);
    extents =
        llvm::map_to_vector(op.createLoopRanges(rewriter, loc),
                            [](const Range &range) { return range.size; });
    schedule = chooseSchedule({op});
  }

  unsigned getRowLoop() { return op.getNumLoops() - 2; }

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
    // Of a sum in parts each rank has some: their number must not change bits.
    bool isInParts = op->getParentOfType<FunctionOpInterface>()->hasAttr(
        norm::sumPartsAttrName);
    int64_t groups = 1;
    for (int64_t extent : ArrayRef(shape).drop_back(2))
      if (!ShapedType::isDynamic(extent) && !isInParts)
        groups = llvm::SaturatingMultiply<uint64_t>(
            groups, std::max<int64_t>(extent, 1));
    return norm::chooseMostParts(norm::getRowTarget(op), mostRows, shape.back(),
                                 groups, getForm({op}).bytes);
  }

  //===--------------------------------------------------------------------===//
  // Loops
  //===--------------------------------------------------------------------===//

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

  /// Reduces at most `mostParts` parts of the rows, and returns their sums.
  SmallVector<Value> buildParts(int64_t mostParts) {
    SmallVector<norm::LoopBlocks> blocks;
    for (unsigned loop = 0; loop < getRowLoop(); ++loop)
      blocks.push_back({loop, rewriter.getIndexAttr(1)});
    blocks.push_back({getRowLoop(), getRowsPerPart(mostParts)});
    blocks.push_back(
        {getRowLoop() + 1, rewriter.getIndexAttr(schedule.getLanes())});
    return norm::buildPartLoops(
               rewriter, norm::PartialSums::ofColumns(op), blocks,
               scf::SCFTilingOptions::LoopType::ForallOp, schedule)
        .results;
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
  /// thread goes through a second time, or in one of its own.
  void buildWhole() {
    llvm::SmallDenseSet<Operation *> members = {op};
    LinalgOp root = op;
    llvm::SmallBitVector shared(op.getNumLoops(), true);
    shared.reset(getRowLoop());
    for (bool isLast = false; !isLast; isLast = !shared.all()) {
      auto [user, loops] = findConsumer(root);
      if (!user || (isSumOfParts && !loops.all()))
        break;
      members.insert(user);
      std::tie(root, shared) = std::pair(user, loops);
    }
    buildFused(root, shared, members);
  }

  void buildFused(LinalgOp root, const llvm::SmallBitVector &shared,
                  const llvm::SmallDenseSet<Operation *> &members) {
    schedule = chooseSchedule(members);
    SmallVector<OpFoldResult> sizes;
    for (unsigned loop = 0; loop + 1 < root.getNumLoops(); ++loop)
      sizes.push_back(rewriter.getIndexAttr(shared.test(loop) ? 1 : 0));
    sizes.push_back(rewriter.getIndexAttr(schedule.getLanes()));
    scf::SCFTileAndFuseOptions options;
    options.tilingOptions.setLoopType(scf::SCFTilingOptions::LoopType::ForallOp)
        .setTileSizes(sizes)
        .setMapping(norm::getBlockMapping(rewriter, shared.count()).getValue());
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
    if (failed(fused))
      return;
    norm::setSchedule(fused->loops.front(), schedule);
    for (OpResult result : root->getResults())
      rewriter.replaceAllUsesWith(result, fused->replacements.lookup(result));
  }

  IRRewriter &rewriter;
  LinalgOp op;
  Location loc = UnknownLoc::get(rewriter.getContext());
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
  }
}
