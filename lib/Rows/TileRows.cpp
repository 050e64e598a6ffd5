//===- TileRows.cpp - tile rows and fuse their producers ------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "norm/IR/KnownExtents.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"
#include "norm/Rows/Passes.h"
#include "norm/Rows/Rows.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMTILEROWS
#include "norm/Rows/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using namespace mlir::norm;
using linalg::LinalgOp;

using LoopType = scf::SCFTilingOptions::LoopType;

/// Returns true if `user` is, or is in, `next` or a later op of its block.
static bool isFrom(Operation *next, Operation *user) {
  Operation *ancestor = next->getBlock()->findAncestorOpInBlock(*user);
  return ancestor && (ancestor == next || next->isBeforeInBlock(ancestor));
}

/// Returns true if the loop uses its rows for nothing but slices and the sizes
/// of blocks, of which the last one may be short.
static bool hasShortBlock(scf::ForOp blocks, int64_t block) {
  bool hasSize = false;
  for (Operation *user : blocks.getInductionVar().getUsers()) {
    auto min = dyn_cast<affine::AffineMinOp>(user);
    hasSize |= bool(min);
    if (min ? !llvm::is_contained(
                  min.getMap().getResults(),
                  getAffineConstantExpr(block, min.getContext()))
            : !isa<tensor::ExtractSliceOp, tensor::InsertSliceOp>(user))
      return false;
  }
  return hasSize;
}

/// Splits the loop into full blocks and single remaining rows, so that all
/// extents are known.
static void splitLastBlock(IRRewriter &b, scf::ForOp blocks, int64_t block) {
  scf::ForOp rest;
  if (!hasShortBlock(blocks, block) ||
      failed(scf::peelForLoopAndSimplifyBounds(b, blocks, rest)))
    return;
  b.setInsertionPoint(rest);
  Value one = arith::ConstantIndexOp::create(b, rest.getLoc(), 1);
  rest.setStep(one);
  for (Operation *user :
       llvm::make_early_inc_range(rest.getInductionVar().getUsers()))
    if (isa<affine::AffineApplyOp, affine::AffineMinOp>(user))
      b.replaceOp(user, one);
}

/// Returns what ops for which `updates` holds made `value` of, by writing to
/// it: ops with destinations, loops, and branches that made it of the same
/// tensor.
static Value findDestination(Value value,
                             llvm::function_ref<bool(Operation *)> updates) {
  auto result = dyn_cast<OpResult>(value);
  Operation *op = result ? result.getOwner() : nullptr;
  if (!op || !updates(op))
    return value;
  if (auto dps = dyn_cast<DestinationStyleOpInterface>(op))
    return findDestination(dps.getTiedOpOperand(result)->get(), updates);
  if (auto loop = dyn_cast<LoopLikeOpInterface>(op))
    return findDestination(loop.getTiedLoopInit(result)->get(), updates);
  auto choice = cast<scf::IfOp>(op);
  unsigned number = result.getResultNumber();
  Value dest = findDestination(choice.thenYield().getOperand(number), updates);
  return dest == findDestination(choice.elseYield().getOperand(number), updates)
             ? dest
             : value;
}

/// Takes an extent from the destination, because an op that was fused into a
/// loop would otherwise stay alive for its shape. Loops over rows keep extents.
/// Both versions of a product have one destination.
static void forwardDim(RewriterBase &rewriter, tensor::DimOp dim) {
  Value destination = findDestination(dim.getSource(), [](Operation *op) {
    return isa<DestinationStyleOpInterface, scf::IfOp>(op) ||
           (isa<LoopLikeOpInterface>(op) && getRole(op));
  });
  rewriter.modifyOpInPlace(dim,
                           [&] { dim.getSourceMutable().assign(destination); });
}

/// Does so with all extents of a group's results.
static void forwardDims(RewriterBase &rewriter, const RowGroup &group) {
  for (LinalgOp member : group.members)
    for (Operation *user : llvm::make_early_inc_range(member->getUsers()))
      if (auto dim = dyn_cast<tensor::DimOp>(user))
        forwardDim(rewriter, dim);
}

/// Returns the body of the innermost loop.
static Block *getBody(ArrayRef<LoopLikeOpInterface> loops) {
  return &loops.back()->getRegion(0).front();
}

/// Returns the slices of `source` in the innermost loop's body, in order. A
/// value that this loop updates is sliced through the loop's argument.
static SmallVector<tensor::ExtractSliceOp>
findSlices(Value source, ArrayRef<LoopLikeOpInterface> loops) {
  LoopLikeOpInterface inner = loops.back();
  return llvm::filter_to_vector(
      getBody(loops)->getOps<tensor::ExtractSliceOp>(),
      [&](tensor::ExtractSliceOp slice) {
        auto carried = dyn_cast<BlockArgument>(slice.getSource());
        OpOperand *init = carried ? inner.getTiedLoopInit(carried) : nullptr;
        return slice.getSource() == source || (init && init->get() == source);
      });
}

static bool isEqual(OpFoldResult x, OpFoldResult y) {
  return x == y || areKnownEqual(x, y);
}

/// Merges slices of one source. All slices of a member are of the same rows,
/// even if the extents are spelled differently.
static void mergeSlices(IRRewriter &rewriter,
                        SmallVectorImpl<tensor::ExtractSliceOp> &slices) {
  SmallVector<tensor::ExtractSliceOp> kept;
  for (tensor::ExtractSliceOp slice : slices) {
    auto *same = llvm::find_if(kept, [&](tensor::ExtractSliceOp first) {
      return first.getSource() == slice.getSource() &&
             first.getType() == slice.getType() &&
             llvm::equal(first.getMixedOffsets(), slice.getMixedOffsets(),
                         isEqual);
    });
    if (same == kept.end())
      kept.push_back(slice);
    else
      rewriter.replaceOp(slice, *same);
  }
  slices = std::move(kept);
}

/// Returns the results of `op` that are used after the group, from `next` on.
static SmallVector<unsigned> findUsedBehind(LinalgOp op, Operation *next) {
  SmallVector<unsigned> numbers;
  for (OpResult result : op->getResults())
    if (llvm::any_of(result.getUsers(),
                     [&](Operation *user) { return isFrom(next, user); }))
      numbers.push_back(result.getResultNumber());
  return numbers;
}

/// Lets `next` and all that is behind it use `to` instead of `from`.
static void replaceBehind(IRRewriter &rewriter, ValueRange from, ValueRange to,
                          Operation *next) {
  rewriter.replaceUsesWithIf(
      from, to, [&](OpOperand &use) { return isFrom(next, use.getOwner()); });
}

/// Computes a member's row once for all its readers in the loops, and yields
/// results that are used after them.
static void fuseMember(IRRewriter &rewriter,
                       MutableArrayRef<LoopLikeOpInterface> loops,
                       LinalgOp member, Operation *next) {
  SmallVector<unsigned> behind = findUsedBehind(member, next);
  for (OpResult result : member->getResults()) {
    SmallVector<tensor::ExtractSliceOp> slices = findSlices(result, loops);
    mergeSlices(rewriter, slices);
    for (tensor::ExtractSliceOp slice : slices) {
      std::optional<scf::SCFFuseProducerOfSliceResult> fused =
          scf::tileAndFuseProducerOfSlice(rewriter, slice, loops);
      if (!fused || behind.empty() ||
          failed(scf::yieldReplacementForFusedProducer(rewriter, slice, *fused,
                                                       loops, behind)))
        continue;
      SmallVector<Value> from = llvm::map_to_vector(
          behind, [&](unsigned i) -> Value { return member->getResult(i); });
      replaceBehind(rewriter, from,
                    loops.front()->getResults().take_back(behind.size()), next);
      behind.clear();
    }
  }
}

/// Returns true if no two iterations of `loops`, which have tiles of the size
/// of their steps, write to one place.
static bool isOfEachIteration(tensor::ExtractSliceOp place,
                              ArrayRef<LoopLikeOpInterface> loops) {
  return llvm::all_of(loops, [&](LoopLikeOpInterface loop) {
    return llvm::all_of(*loop.getLoopInductionVars(), [&](Value number) {
      return llvm::any_of(place.getMixedOffsets(), [&](OpFoldResult offset) {
        return isEqual(offset, number);
      });
    });
  });
}

/// Reads the rows that an iteration overwrites from the tensor that the loop
/// carries, where they still are. Bufferization takes any read of what the loop
/// started from for one of rows that are overwritten, and copies all of it.
static void readOwnRows(IRRewriter &rewriter,
                        ArrayRef<LoopLikeOpInterface> loops) {
  LoopLikeOpInterface inner = loops.back(), outer = loops.front();
  for (auto [argument, start] :
       llvm::zip_equal(inner.getRegionIterArgs(), outer.getInits())) {
    SmallVector<tensor::ExtractSliceOp> own = findSlices(argument, loops);
    // Of an empty tensor nothing is read: each op that writes it has its own.
    if (own.empty() || start.getDefiningOp<tensor::EmptyOp>())
      continue;
    for (tensor::ExtractSliceOp read : findSlices(start, loops))
      if (read.getSource() == start &&
          cast<OffsetSizeAndStrideOpInterface>(*read).isSameAs(own.front(),
                                                               isEqual) &&
          isOfEachIteration(read, loops))
        rewriter.modifyOpInPlace(
            read, [&, to = argument] { read.getSourceMutable().assign(to); });
  }
}

/// Returns true if all that an op does beside its results is to assert, which
/// its copy in the loop does for each row.
static bool onlyAsserts(LinalgOp op) {
  return op.hasPureTensorSemantics() &&
         llvm::all_of(*op.getBlock(), [](Operation &each) {
           return isa<cf::AssertOp>(each) || isMemoryEffectFree(&each);
         });
}

/// Erases fused ops, users first, unless something keeps them alive.
static void eraseMembers(IRRewriter &rewriter, RowGroup &group) {
  forwardDims(rewriter, group);
  for (LinalgOp member : group.members) {
    for (Operation *slice : llvm::make_early_inc_range(member->getUsers()))
      if (isOpTriviallyDead(slice))
        rewriter.eraseOp(slice);
    if (isOpTriviallyDead(member) ||
        (member->use_empty() && onlyAsserts(member)))
      rewriter.eraseOp(member);
  }
}

/// Fuses the group's members into loops over tiles of its root.
static void fuseMembers(IRRewriter &rewriter, const RowGroup &group,
                        MutableArrayRef<LoopLikeOpInterface> loops,
                        Operation *next, RowPlanAttr plan) {
  for (LinalgOp member : ArrayRef(group.members).drop_front())
    fuseMember(rewriter, loops, member, next);
  for (LoopLikeOpInterface each : loops) {
    setRole(each, LoopRole::Rows, getSchedule(each));
    if (plan.getLanes())
      each->setAttr(planAttrName, plan.getOfLoop());
  }
}

/// Moves the ops of a row that is alone into a loop of one iteration.
static void wrapGroup(IRRewriter &rewriter, RowGroup &group) {
  forwardDims(rewriter, group);
  Operation *next = group.root->getNextNode();
  SmallVector<Value> results, destinations;
  for (LinalgOp op : llvm::reverse(group.members))
    for (unsigned number : findUsedBehind(op, next)) {
      results.push_back(op->getResult(number));
      destinations.push_back(
          findDestination(results.back(), [&](Operation *each) {
            return llvm::is_contained(group.members, dyn_cast<LinalgOp>(each));
          }));
    }
  Location loc = group.root.getLoc();
  rewriter.setInsertionPoint(next);
  scf::ForallOp loop =
      createBlockLoop(rewriter, loc, {rewriter.getIndexAttr(1)}, destinations,
                      /*schedule=*/{});
  for (LinalgOp op : llvm::reverse(group.members))
    rewriter.moveOpBefore(op, loop.getTerminator());
  replaceBehind(rewriter, results, loop.getResults(), next);
  rewriter.setInsertionPointToStart(loop.getBody());
  // Each output is the slice that bufferization takes for the one that is
  // inserted again: a copy of the row onto itself would race.
  for (auto [result, destination, arg] :
       llvm::zip(results, destinations, loop.getRegionIterArgs())) {
    Slice place = Slice::getWhole(rewriter, loc, arg);
    Value own = place.extract(rewriter, loc,
                              cast<RankedTensorType>(arg.getType()), arg);
    rewriter.replaceUsesWithIf(destination, own, [&](OpOperand &use) {
      return loop->isProperAncestor(use.getOwner());
    });
    place.insert(rewriter, loop, result, arg);
  }
}

/// Tiles the group's rows and fuses its members; the root is replaced.
static LogicalResult tileGroup(IRRewriter &rewriter, RowGroup &group,
                               RowPlanAttr plan, LoopType loopType,
                               RowWorkers workers) {
  OpFoldResult zero = rewriter.getIndexAttr(0), one = rewriter.getIndexAttr(1);
  SmallVector<OpFoldResult> sizes(group.root.getNumLoops(), zero);
  std::fill_n(sizes.begin(), group.numRowDims, one);
  int64_t block = plan.getRowsPerBlock();
  sizes[group.numRowDims - 1] = rewriter.getIndexAttr(block);
  scf::SCFTilingOptions options;
  options.setTileSizes(sizes);
  options.setLoopType(loopType);
  group.root->removeAttr(planAttrName);

  // Loops after this one may only ask for extents.
  forwardDims(rewriter, group);
  // The loop is inserted before `next`, which its results dominate.
  Operation *next = group.root->getNextNode();
  rewriter.setInsertionPoint(group.root);
  FailureOr<scf::SCFTilingResult> tiled = scf::tileUsingSCF(
      rewriter, cast<TilingInterface>(group.root.getOperation()), options);
  if (failed(tiled))
    return failure();
  SmallVector<LoopLikeOpInterface> &loops = tiled->loops;
  replaceBehind(rewriter, group.root->getResults(), loops.front()->getResults(),
                next);
  fuseMembers(rewriter, group, loops, next, plan);
  // Kernels read back no buffer that they write.
  if (workers != RowWorkers::GPU)
    readOwnRows(rewriter, loops);
  if (auto inner = dyn_cast<scf::ForOp>(loops.back().getOperation())) {
    if (group.sums && workers != RowWorkers::GPU)
      addByBlocks(rewriter, inner, *group.sums);
    splitLastBlock(rewriter, inner, block);
  }
  eraseMembers(rewriter, group);
  return success();
}

static LogicalResult tileBlock(IRRewriter &rewriter, Block &block,
                               RowWorkers workers);

/// Tiles a group that sums its rows into parts, and then the rows of a part.
static LogicalResult tileParts(IRRewriter &rewriter, RowGroup &group,
                               RowPlanAttr plan, LoopType loopType,
                               RowWorkers workers) {
  forwardDims(rewriter, group);
  Operation *next = group.root->getNextNode();
  SmallVector<OpFoldResult> sizes(group.numRowDims, rewriter.getIndexAttr(1));
  sizes.back() = rewriter.getIndexAttr(plan.getRowsPerPart());
  GPUScheduleAttr schedule;
  if (workers == RowWorkers::GPU) {
    schedule = scheduleSums(group.members);
    if (!schedule)
      schedule = scheduleSums(group.root);
    rewriter.setInsertionPoint(group.root);
    sizes.back() = createRowsPerPart(rewriter, group.root);
  }
  // The rows of a part are tiled by the rest of the plan.
  group.root->setAttr(planAttrName,
                      plan.getOfLoop().completeBy(RowPlanAttr::get(
                          plan.getContext(), plan.getRowsPerBlock())));
  RowLoops parts =
      buildPartLoops(rewriter, *group.sums, sizes, loopType, schedule);
  replaceBehind(rewriter, group.root->getResults(), parts.results, next);
  fuseMembers(rewriter, group, parts.loops, next, plan);
  eraseMembers(rewriter, group);
  Block *body = getBody(parts.loops);
  if (failed(tileBlock(rewriter, *body, workers)))
    return failure();
  // A sum alone gets no loop over the rows of a part, and has no use for
  // blocks.
  for (LinalgOp op : body->getOps<LinalgOp>())
    if (auto left = op->getAttrOfType<RowPlanAttr>(planAttrName))
      op->setAttr(planAttrName, left.getOfLoop());
  return success();
}

/// Replaces the results of an op over a static extent of zero by its
/// destinations, because slices of empty rows would not verify.
static void eraseEmptyOps(RewriterBase &rewriter, Operation *scope) {
  scope->walk([&](LinalgOp op) {
    if (op.hasPureTensorSemantics() &&
        llvm::is_contained(op.getStaticLoopRanges(), 0))
      rewriter.replaceOp(op, op.getDpsInits());
  });
}

/// Folds extents that tiling created and slices of fused producers, which would
/// otherwise keep the old ops alive.
static void cleanUp(RewriterBase &rewriter, Block &block) {
  block.walk([&](tensor::DimOp dim) { forwardDim(rewriter, dim); });
  block.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
    bool ownsBlocks = op->getNumRegions() > 0 && !isa<LinalgOp>(op);
    if (!ownsBlocks && isOpTriviallyDead(op))
      rewriter.eraseOp(op);
  });
}

static LogicalResult tileBlock(IRRewriter &rewriter, Block &block,
                               RowWorkers workers) {
  cleanUp(rewriter, block);
  RowShape shape =
      workers == RowWorkers::GPU ? RowShape::OneVector : RowShape::Any;
  for (RowGroup &group : findRowGroups(block, shape)) {
    LDBG("norm-tile-rows", 1) << "a loop over rows of " << group.members.size()
                              << " ops, up to " << group.root;
    RowPlanAttr plan = planGroup(group, workers);
    if (plan.getRowsPerPart() && !group.sums)
      return group.root.emitError("norm-tile-rows: has a plan with parts of "
                                  "rows that it does not sum");
    bool isParallel = group.isSharedBy(workers) && plan.getParallel() &&
                      !group.root->getParentOfType<scf::ForallOp>();
    LoopType loopType = isParallel ? LoopType::ForallOp : LoopType::ForOp;
    if (failed(group.isDivided()
                   ? tileParts(rewriter, group, plan, loopType, workers)
                   : tileGroup(rewriter, group, plan, loopType, workers)))
      return failure();
  }
  cleanUp(rewriter, block);
  return success();
}

/// Shrinks a temporary of a fused producer from all rows to one, and folds the
/// number of a row, which tiling adds to the one of its tile.
static LogicalResult shrinkTemporaries(Operation *scope) {
  RewritePatternSet patterns(scope->getContext());
  tensor::populateFoldTensorEmptyPatterns(patterns);
  affine::AffineApplyOp::getCanonicalizationPatterns(patterns,
                                                     scope->getContext());
  return applyPatternsGreedily(scope, std::move(patterns));
}

/// Returns the blocks of `scope` that hold rows: bodies of linalg ops hold
/// scalars, and a loop with a schedule or over blocks of a product its tiles.
static SmallVector<Block *> findBlocks(Operation *scope) {
  return collect<Block *>(scope, [](Block *block) {
    Operation *parent = block->getParentOp();
    return !isa<LinalgOp>(parent) && !norm::getSchedule(parent) &&
           norm::getRole(parent) != LoopRole::Product;
  });
}

static LogicalResult tileBlocks(IRRewriter &rewriter, Operation *scope,
                                RowWorkers workers) {
  for (Block *block : findBlocks(scope))
    if (failed(tileBlock(rewriter, *block, workers)))
      return failure();
  return success();
}

/// Makes the loops of a GPU's kernels. Sums over rows that other ops go through
/// as well wait for the loops of those.
static LogicalResult tileForThreads(IRRewriter &rewriter, func::FuncOp function,
                                    int64_t maxCluster) {
  tileColumns(rewriter, function, ColumnSums::Alone);
  if (failed(tileBlocks(rewriter, function, RowWorkers::GPU)))
    return failure();
  tileColumns(rewriter, function, ColumnSums::All);
  for (Block &block : function.getBody())
    for (RowGroup &group : findRowGroups(block, RowShape::Alone))
      wrapGroup(rewriter, group);
  if (failed(shrinkTemporaries(function)))
    return failure();
  scheduleRows(function, maxCluster);
  return success();
}

/// Fails if an op has a plan that no loop over rows will follow, or did take
/// over: the threads of a GPU follow schedules.
static LogicalResult verifyPlansAreUsed(Operation *scope, RowWorkers workers) {
  auto result = scope->walk([&](LinalgOp op) {
    auto plan = op->getAttrOfType<RowPlanAttr>(planAttrName);
    if (!plan || (workers != RowWorkers::GPU && plan == plan.getOfLoop()))
      return WalkResult::advance();
    op.emitError("norm-tile-rows: has the plan of a ")
        << (workers == RowWorkers::GPU
                ? "CPU"
                : "loop over rows, but no such loop ends with it");
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

SmallVector<Operation *> norm::planRows(RewriterBase &rewriter,
                                        Operation *scope, RowWorkers workers) {
  eraseEmptyOps(rewriter, scope);
  SmallVector<Operation *> roots;
  for (Block *block : findBlocks(scope)) {
    cleanUp(rewriter, *block);
    for (RowGroup &group : findRowGroups(*block, RowShape::Any)) {
      group.root->setAttr(planAttrName, planGroup(group, workers));
      roots.push_back(group.root);
    }
  }
  return roots;
}

LogicalResult norm::tileRows(func::FuncOp function, RowWorkers workers,
                             int64_t maxCluster) {
  IRRewriter rewriter(function.getContext());
  eraseEmptyOps(rewriter, function);
  if (workers == RowWorkers::GPU)
    return success(succeeded(verifyPlansAreUsed(function, workers)) &&
                   succeeded(tileForThreads(rewriter, function, maxCluster)));
  return success(succeeded(tileBlocks(rewriter, function, workers)) &&
                 succeeded(verifyPlansAreUsed(function, workers)) &&
                 succeeded(shrinkTemporaries(function)));
}

namespace {
struct NormTileRows : norm::impl::NormTileRowsBase<NormTileRows> {
  using NormTileRowsBase::NormTileRowsBase;

  void runOnOperation() override {
    RowWorkers workers = scheduled  ? RowWorkers::GPU
                         : parallel ? RowWorkers::Threads
                                    : RowWorkers::Thread;
    if (failed(tileRows(getOperation(), workers, maxCluster)))
      signalPassFailure();
  }
};
} // namespace
