//===- TileRows.cpp - tile rows and fuse their producers ------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "norm/Transforms/Passes.h"
#include "norm/Transforms/Transforms.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/bit.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMTILEROWS
#include "norm/Transforms/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using linalg::LinalgOp;

/// Of a block of short rows: fewer gain nothing, more do not either.
static constexpr int64_t kLeastRowsPerBlock = 4, kMostRowsPerBlock = 16;

/// An op that can be part of a row group: on tensors, with maps of plain
/// dimensions and constants, and not a contraction, which rows would recompute.
static bool isRowWise(LinalgOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumLoops() == 0)
    return false;
  if (linalg::isaContractionOpInterface(op) ||
      linalg::isaConvolutionOpInterface(op))
    return false;
  auto isPlain = [](AffineExpr expr) {
    return isa<AffineDimExpr, AffineConstantExpr>(expr);
  };
  // Tiling needs results without constants; unit dims are folded before.
  for (OpOperand &init : op.getDpsInitsMutable())
    if (!op.getMatchingIndexingMap(&init).isProjectedPermutation())
      return false;
  return llvm::all_of(op.getIndexingMapsArray(), [&](AffineMap map) {
    return llvm::all_of(map.getResults(), isPlain);
  });
}

namespace {
/// The ops that are fused into the loop over `root`'s rows.
struct RowGroup {
  LinalgOp root;
  llvm::SetVector<Operation *> members; // root included
  int64_t numRowDims = 0;               // leading loops of root
  bool hasReduction = false;
  bool isOneVector =
      true; // beyond rows, each member has its innermost loop only
};

/// Where each loop of an op lies in the root's iteration space; -1: nowhere.
using LoopPositions = SmallVector<int64_t>;

class GroupFinder {
public:
  explicit GroupFinder(LinalgOp root)
      : root(root), rowDims(root.getNumLoops(), true) {
    group.root = root;
  }

  RowGroup find() {
    LoopPositions identity =
        llvm::to_vector(llvm::seq<int64_t>(0, root.getNumLoops()));
    // The leading dimensions that every reduction keeps can only shrink when a
    // producer joins, so producers are visited until that is stable.
    visit(root, identity);
    if (!sawReduction && root.getNumLoops() > 0)
      rowDims.reset(root.getNumLoops() - 1);
    while (group.numRowDims < static_cast<int64_t>(rowDims.size()) &&
           rowDims.test(group.numRowDims))
      ++group.numRowDims;
    group.hasReduction = sawReduction;
    if (group.numRowDims > 0)
      collect(root, identity);
    return group;
  }

private:
  /// Loops of the producer of `operand` seen from the root; nothing when that
  /// producer cannot be fused.
  std::optional<LoopPositions> follow(LinalgOp consumer, OpOperand &operand,
                                      const LoopPositions &positions) {
    auto result = dyn_cast<OpResult>(operand.get());
    auto producer = result ? dyn_cast<LinalgOp>(result.getOwner()) : LinalgOp();
    if (!producer || !isRowWise(producer) ||
        producer->getBlock() != root->getBlock())
      return std::nullopt;
    AffineMap use = consumer.getMatchingIndexingMap(&operand);
    AffineMap def = producer.getIndexingMapMatchingResult(result);
    LoopPositions found(producer.getNumLoops(), -1);
    for (auto [useExpr, defExpr] :
         llvm::zip(use.getResults(), def.getResults()))
      if (isa<AffineDimExpr>(useExpr) && isa<AffineDimExpr>(defExpr))
        found[cast<AffineDimExpr>(defExpr).getPosition()] =
            positions[cast<AffineDimExpr>(useExpr).getPosition()];
    return found;
  }

  void visit(LinalgOp op, const LoopPositions &positions) {
    if (!visited.insert(op).second)
      return;
    if (op.getNumReductionLoops() > 0) {
      llvm::SmallBitVector kept(rowDims.size());
      for (auto [loop, kind] : llvm::enumerate(op.getIteratorTypesArray()))
        if (kind == utils::IteratorType::parallel && positions[loop] >= 0)
          kept.set(positions[loop]);
      // A reduction that keeps no row is one of a weight: not fused, no limit.
      if (op != root && !kept.test(0))
        return;
      rowDims &= kept;
      sawReduction = true;
    }
    for (OpOperand &operand : op->getOpOperands())
      if (auto next = follow(op, operand, positions))
        visit(cast<LinalgOp>(operand.get().getDefiningOp()), *next);
  }

  bool hasOneVector(LinalgOp op, const LoopPositions &positions) {
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    for (int64_t loop = 0, e = op.getNumLoops() - 1; loop < e; ++loop)
      if ((positions[loop] < 0 || positions[loop] >= group.numRowDims) &&
          extents[loop] != 1)
        return false;
    return norm::canVectorizeRow(op);
  }

  /// Members are the producers that every row needs only its own part of.
  void collect(LinalgOp op, const LoopPositions &positions) {
    group.members.insert(op);
    group.isOneVector &= hasOneVector(op, positions);
    for (OpOperand &operand : op->getOpOperands()) {
      auto next = follow(op, operand, positions);
      if (!next || group.members.contains(operand.get().getDefiningOp()))
        continue;
      auto producer = cast<LinalgOp>(operand.get().getDefiningOp());
      bool onePerRow = llvm::all_of(
          llvm::seq<int64_t>(0, group.numRowDims), [&](int64_t dim) {
            auto *loop = llvm::find(*next, dim);
            return loop != next->end() &&
                   producer.getIteratorTypesArray()[loop - next->begin()] ==
                       utils::IteratorType::parallel;
          });
      if (onePerRow)
        collect(producer, *next);
    }
  }

  LinalgOp root;
  llvm::SmallBitVector rowDims;
  bool sawReduction = false;
  llvm::DenseSet<Operation *> visited;
  RowGroup group;
};
} // namespace

/// Whether `user` is, or is nested in, `next` or an op after it in its block.
static bool isFrom(Operation *next, Operation *user) {
  Operation *ancestor = next->getBlock()->findAncestorOpInBlock(*user);
  return ancestor && (ancestor == next || next->isBeforeInBlock(ancestor));
}

/// Rows that one turn works on: several where they are short, for then their
/// reductions do not wait for each other. A divisor of the extent where that is
/// known, so that every block is full.
static int64_t getRowsPerBlock(RowGroup &group, int64_t elements,
                               bool parallel) {
  SmallVector<int64_t> extents = group.root.getStaticLoopRanges();
  uint64_t length = 1;
  for (int64_t extent : ArrayRef(extents).drop_front(group.numRowDims)) {
    if (ShapedType::isDynamic(extent))
      return 1;
    length = llvm::SaturatingMultiply<uint64_t>(length, extent);
  }
  if (!group.hasReduction || length == 0)
    return 1;
  int64_t most = std::min<int64_t>(kMostRowsPerBlock, elements / length);
  if (most < kLeastRowsPerBlock)
    return 1;
  most = llvm::bit_floor(static_cast<uint64_t>(most));
  int64_t rows = extents[group.numRowDims - 1];
  if (!ShapedType::isDynamic(rows))
    for (int64_t block = most; block >= kLeastRowsPerBlock; block /= 2)
      if (rows % block == 0)
        return block;
  // What is left of a parallel loop has no loop of its own.
  bool canPeel = !parallel && (ShapedType::isDynamic(rows) || rows >= most);
  return canPeel ? most : 1;
}

/// The sizes of the last block, which may be short; nothing where the loop uses
/// its rows for more than slices.
static std::optional<SmallVector<affine::AffineMinOp>>
findBlockSizes(scf::ForOp blocks, int64_t block) {
  SmallVector<affine::AffineMinOp> sizes;
  for (Operation *user : blocks.getInductionVar().getUsers()) {
    auto min = dyn_cast<affine::AffineMinOp>(user);
    if (!min && !isa<tensor::ExtractSliceOp, tensor::InsertSliceOp>(user))
      return std::nullopt;
    if (!min)
      continue;
    if (!llvm::is_contained(min.getMap().getResults(),
                            getAffineConstantExpr(block, min.getContext())))
      return std::nullopt;
    sizes.push_back(min);
  }
  return sizes;
}

/// Full blocks first, then row by row what is left, so that all extents are
/// known.
static void splitLastBlock(IRRewriter &b, scf::ForOp blocks, int64_t block) {
  auto sizes = findBlockSizes(blocks, block);
  if (!sizes || sizes->empty())
    return;
  Location loc = blocks.getLoc();
  b.setInsertionPoint(blocks);
  Value end = blocks.getUpperBound();
  Value split = affine::AffineApplyOp::create(
      b, loc,
      AffineMap::get(0, 1, b.getAffineSymbolExpr(0).floorDiv(block) * block),
      end);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value full = arith::ConstantIndexOp::create(b, loc, block);
  IRMapping mapping;
  b.setInsertionPointAfter(blocks);
  auto rest = cast<scf::ForOp>(b.clone(*blocks, mapping));
  for (auto [from, to] : llvm::zip(blocks.getResults(), rest.getResults()))
    b.replaceAllUsesExcept(from, to, rest);
  rest.getInitArgsMutable().assign(blocks.getResults());
  rest.setLowerBound(split);
  rest.setStep(one);
  blocks.setUpperBound(split);
  for (affine::AffineMinOp size : *sizes) {
    b.replaceAllUsesWith(mapping.lookup(size.getResult()), one);
    b.replaceAllUsesWith(size.getResult(), full);
  }
}

/// Tiles the group's rows and fuses its members; the root is replaced.
static LogicalResult tileGroup(IRRewriter &rewriter, RowGroup &group,
                               bool parallel, int64_t blockElements) {
  OpFoldResult zero = rewriter.getIndexAttr(0), one = rewriter.getIndexAttr(1);
  SmallVector<OpFoldResult> sizes(group.root.getNumLoops(), zero);
  std::fill_n(sizes.begin(), group.numRowDims, one);
  int64_t block = getRowsPerBlock(group, blockElements, parallel);
  sizes[group.numRowDims - 1] = rewriter.getIndexAttr(block);

  scf::SCFTileAndFuseOptions options;
  options.tilingOptions.setTileSizes(sizes);
  options.tilingOptions.setLoopType(
      parallel ? scf::SCFTilingOptions::LoopType::ForallOp
               : scf::SCFTilingOptions::LoopType::ForOp);
  // The loop is inserted before `next`, which its results dominate.
  Operation *next = group.root->getNextNode();
  llvm::DenseSet<Value> yielded;
  options.setFusionControlFn(
      [&](tensor::ExtractSliceOp, OpResult producer,
          bool) -> std::optional<scf::SCFTileAndFuseOptions::ControlFnResult> {
        if (!group.members.contains(producer.getOwner()))
          return std::nullopt;
        bool usedOutside =
            llvm::any_of(producer.getUsers(),
                         [&](Operation *user) { return isFrom(next, user); });
        scf::SCFTileAndFuseOptions::ControlFnResult result;
        result.yieldProducerReplacement =
            usedOutside && yielded.insert(producer).second;
        return result;
      });

  rewriter.setInsertionPoint(group.root);
  auto tiling = cast<TilingInterface>(group.root.getOperation());
  FailureOr<scf::SCFTileAndFuseResult> tiled =
      scf::tileConsumerAndFuseProducersUsingSCF(rewriter, tiling, options);
  if (failed(tiled))
    return failure();
  for (auto [from, to] : tiled->replacements)
    rewriter.replaceUsesWithIf(
        from, to, [&](OpOperand &use) { return isFrom(next, use.getOwner()); });
  if (auto loop = dyn_cast<scf::ForOp>(tiled->loops.back().getOperation()))
    splitLastBlock(rewriter, loop, block);
  return success();
}

/// Extents of a result are those of its destination; asking the destination
/// keeps an op that was fused into a loop from staying alive for its shape.
static void forwardDims(IRRewriter &rewriter, LinalgOp op) {
  for (OpResult result : op->getResults())
    for (Operation *user : llvm::make_early_inc_range(result.getUsers()))
      if (auto dim = dyn_cast<tensor::DimOp>(user))
        rewriter.modifyOpInPlace(dim, [&] {
          dim.getSourceMutable().assign(op.getTiedOpOperand(result)->get());
        });
}

/// An op over a static extent of zero runs no iteration: its results are its
/// destinations. Slices of empty rows would not verify.
static void eraseEmptyOps(IRRewriter &rewriter, Operation *scope) {
  scope->walk([&](LinalgOp op) {
    if (op.hasPureTensorSemantics() &&
        llvm::is_contained(op.getStaticLoopRanges(), 0))
      rewriter.replaceOp(op, op.getDpsInits());
  });
}

/// Extents that tiling asked for, and slices of producers that were fused, use
/// the old ops; without them those die instead of being computed again.
static void cleanUp(IRRewriter &rewriter, Block &block) {
  for (Operation &op : llvm::reverse(block))
    if (auto linalgOp = dyn_cast<LinalgOp>(op))
      forwardDims(rewriter, linalgOp);
  block.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
    bool ownsBlocks = op->getNumRegions() > 0 && !isa<LinalgOp>(op);
    if (!ownsBlocks && isOpTriviallyDead(op))
      rewriter.eraseOp(op);
  });
}

static void tileBlock(IRRewriter &rewriter, Block &block, bool parallel,
                      bool oneVector, int64_t blockElements) {
  cleanUp(rewriter, block);
  llvm::DenseSet<Operation *> visited;
  for (Operation *op = block.empty() ? nullptr : &block.back(); op;) {
    auto root = dyn_cast<LinalgOp>(op);
    if (!root || !isRowWise(root) || !visited.insert(op).second) {
      op = op->getPrevNode();
      continue;
    }
    RowGroup group = GroupFinder(root).find();
    op = op->getPrevNode();
    if (group.numRowDims == 0 || (oneVector && !group.isOneVector) ||
        failed(tileGroup(rewriter, group, parallel, blockElements)))
      continue;
    cleanUp(rewriter, block); // may erase any op of the block
    op = &block.back();
  }
}

/// A temporary of a fused producer needs one row, not all of them.
static void shrinkTemporaries(Operation *scope) {
  RewritePatternSet patterns(scope->getContext());
  tensor::populateFoldTensorEmptyPatterns(patterns);
  (void)applyPatternsGreedily(scope, std::move(patterns));
}

/// The same computation, into destinations that it does not read.
static bool isSameComputation(LinalgOp a, LinalgOp b) {
  auto readsInit = [](LinalgOp op) {
    return llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
      return op.payloadUsesValueFromOperand(&init);
    });
  };
  return a->getName() == b->getName() &&
         a->getResultTypes() == b->getResultTypes() &&
         a->getAttrDictionary() == b->getAttrDictionary() &&
         a.getDpsInputs() == b.getDpsInputs() && !readsInit(a) &&
         !readsInit(b) &&
         OperationEquivalence::isRegionEquivalentTo(
             &a->getRegion(0), &b->getRegion(0),
             OperationEquivalence::IgnoreLocations);
}

/// A producer that several members use is fused once for each of them; the one
/// that is computed into the loop's own destination serves all.
static void mergeProducersOf(IRRewriter &rewriter, Block &body) {
  SmallVector<LinalgOp> ops(body.getOps<LinalgOp>());
  for (auto [i, kept] : llvm::enumerate(ops)) {
    auto isOwn = [&](Value init) {
      auto slice = init.getDefiningOp<tensor::ExtractSliceOp>();
      auto arg = slice ? dyn_cast<BlockArgument>(slice.getSource()) : nullptr;
      return arg && arg.getOwner() == &body;
    };
    if (!kept || !llvm::all_of(kept.getDpsInits(), isOwn))
      continue;
    for (LinalgOp &other : MutableArrayRef(ops).drop_front(i + 1)) {
      if (!other || !isSameComputation(kept, other))
        continue;
      rewriter.replaceOp(other, kept->getResults());
      other = nullptr;
    }
  }
}

static void mergeFusedProducers(IRRewriter &rewriter, Operation *scope) {
  // Each was fused with slices of its own: equal ones must be one value first.
  DominanceInfo dominance(scope);
  eliminateCommonSubExpressions(rewriter, dominance, scope);
  scope->walk([&](LoopLikeOpInterface loop) {
    for (Region *region : loop.getLoopRegions())
      mergeProducersOf(rewriter, region->front());
  });
}

namespace {
struct NormTileRows : norm::impl::NormTileRowsBase<NormTileRows> {
  using NormTileRowsBase::NormTileRowsBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    eraseEmptyOps(rewriter, getOperation());
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) {
      // Bodies of linalg ops hold scalars, nothing to tile.
      if (!isa<LinalgOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    for (Block *block : blocks)
      tileBlock(rewriter, *block, parallel, oneVector, blockElements);
    shrinkTemporaries(getOperation());
    mergeFusedProducers(rewriter, getOperation());
  }
};
} // namespace
