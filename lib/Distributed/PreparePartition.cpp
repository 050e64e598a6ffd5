//===- PreparePartition.cpp - what shard-partition does right -------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: shard-partition asserts what it expects, and a release
// build has no assertions; goes when it reports errors.

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/Dialect/Shard/Interfaces/ShardingInterface.h"
#include "mlir/Dialect/Shard/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/RegionUtils.h"
#include "norm/Distributed/Passes.h"
#include "norm/IR/Norm.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMPREPAREPARTITION
#include "norm/Distributed/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using linalg::LinalgOp;
using shard::GridAxis;
using shard::Sharding;
using shard::ShardOp;
/// The grid axes that split each dimension of a tensor, or each loop of an op.
using SplitAxes = SmallVector<SmallVector<GridAxis>>;

/// Returns true for what a sharding says something of.
static bool hasSharding(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getRank() > 0;
}

/// Returns the annotation of how the operand is used, or the result is made.
static ShardOp getAnnotation(OpOperand &operand) {
  return operand.get().getDefiningOp<ShardOp>();
}
static ShardOp getAnnotation(Value made) {
  return made.hasOneUse() ? dyn_cast<ShardOp>(*made.user_begin()) : ShardOp();
}

/// Returns the axes of each dimension; shardings leave out the last ones.
static SplitAxes getSplitAxes(ShardOp op) {
  SplitAxes axes(cast<RankedTensorType>(op.getType()).getRank());
  for (auto [all, split] :
       llvm::zip(axes, Sharding(op.getSharding()).getSplitAxes()))
    all = llvm::to_vector(split.asArrayRef());
  return axes;
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

/// Returns the op that combines a result of `op` with one more element; null
/// where the result is not made by one op.
static Operation *getCombiner(LinalgOp op, unsigned result) {
  SmallVector<Operation *> combiners;
  return matchReduction(op.getRegionOutputArgs(), result, combiners) &&
                 combiners.size() == 1
             ? combiners.front()
             : nullptr;
}

/// MPI orders all integers as signed ones, and the partition of arith.andi is a
/// sum.
static bool isReductionOfMPI(Operation *combiner) {
  return isa_and_present<arith::AddFOp, arith::MulFOp, arith::MaximumFOp,
                         arith::MinimumFOp, arith::AddIOp, arith::MulIOp,
                         arith::OrIOp, arith::XOrIOp, arith::MaxSIOp,
                         arith::MinSIOp>(combiner);
}

static bool hasDatatype(Type type, Operation *combiner) {
  if (isa<arith::MaximumFOp, arith::MinimumFOp>(combiner))
    return type.isF64() || type.isF32() || type.isF16() || type.isBF16();
  return isa<FloatType>(type) ? type.getIntOrFloatBitWidth() <= 64
                              : type.isInteger(8) || type.isInteger(16) ||
                                    type.isInteger(32) || type.isInteger(64);
}

static LogicalResult verifyReductions(LinalgOp op) {
  for (auto [i, result] : llvm::enumerate(op->getResults())) {
    Operation *combiner = getCombiner(op, i);
    if (!isReductionOfMPI(combiner))
      return op.emitOpError("reduces a dimension that ranks share to result ")
             << i << " in a way that MPI has no reduction for";
    Type type = getElementTypeOrSelf(result);
    if (!hasDatatype(type, combiner))
      return op.emitOpError("reduces elements of type ")
             << type << " over ranks, for which MPI has no datatype";
  }
  return success();
}

/// Clones constants into the body: the partition of a reduction forgets what
/// its body has from outside.
static LogicalResult sinkConstants(LinalgOp op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  Region &body = op->getRegion(0);
  auto b = OpBuilder::atBlockBegin(&body.front());
  for (Value value : captured) {
    if (!matchPattern(value, m_Constant()) || hasSharding(value))
      return op.emitOpError("reduces a dimension that ranks share with a value "
                            "from outside of its body");
    Operation *constant = b.clone(*value.getDefiningOp());
    replaceAllUsesInRegionWith(value, constant->getResult(0), body);
  }
  return success();
}

/// Returns what the body computes a result from.
static llvm::SetVector<Operation *> findOwnOps(linalg::GenericOp op,
                                               unsigned result) {
  Block *body = op.getBody();
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *other) { return other->getBlock() == body; };
  Value made = body->getTerminator()->getOperand(result);
  (void)getBackwardSlice(made, &slice, options);
  return slice;
}

/// Creates an op of one of the results.
static linalg::GenericOp createPart(linalg::GenericOp op, unsigned result) {
  llvm::SetVector<Operation *> ownOps = findOwnOps(op, result);
  Block *body = op.getBody();
  int64_t inputs = op.getNumDpsInputs();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps[inputs] = maps[inputs + result];
  maps.truncate(inputs + 1);
  OpBuilder b(op);
  return linalg::GenericOp::create(
      b, op.getLoc(), op.getResultTypes()[result], op.getInputs(),
      op.getOutputs()[result], maps, op.getIteratorTypesArray(),
      [&](OpBuilder &inner, Location loc, ValueRange args) {
        IRMapping map;
        map.map(body->getArguments().take_front(inputs), args.drop_back());
        map.map(body->getArgument(inputs + result), args.back());
        for (Operation &other : body->without_terminator())
          if (ownOps.contains(&other))
            inner.clone(other, map);
        Value made = body->getTerminator()->getOperand(result);
        linalg::YieldOp::create(inner, loc, map.lookupOrDefault(made));
      });
}

/// Makes an op of each result: the partition adds the first one over ranks.
/// None needs another, because each is made by one op that nothing else reads.
static void separateResults(linalg::GenericOp op) {
  for (OpResult result : op.getResults())
    result.replaceAllUsesWith(
        createPart(op, result.getResultNumber()).getResult(0));
  op.erase();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct NormPreparePartition
    : norm::impl::NormPreparePartitionBase<NormPreparePartition> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    auto annotations = function.getOps<ShardOp>();
    if (annotations.empty())
      return;
    grid = SymbolTable::lookupNearestSymbolFrom<shard::GridOp>(
        function, Sharding((*annotations.begin()).getSharding()).getGridAttr());
    if (!function.getBody().hasOneBlock()) {
      function.emitOpError("has shardings and several blocks");
      return signalPassFailure();
    }
    Block &block = function.front();
    wrapConstants(block);
    annotateValues(block);
    for (Operation &op : llvm::make_early_inc_range(block))
      if (failed(prepare(op)))
        return signalPassFailure();
    for (ShardOp op : llvm::make_early_inc_range(block.getOps<ShardOp>()))
      moveInSteps(op);
  }

private:
  enum class Says { HowMade, HowUsed };

  ShardOp annotate(OpBuilder &b, Value value, const SplitAxes &axes,
                   Says says) {
    auto split = llvm::map_to_vector(axes, [&](ArrayRef<GridAxis> dim) {
      return shard::GridAxesAttr::get(&getContext(), dim);
    });
    Location loc = value.getLoc();
    auto sharding = shard::ShardingOp::create(
        b, loc, FlatSymbolRefAttr::get(grid.getSymNameAttr()), split);
    return ShardOp::create(b, loc, value, sharding,
                           /*annotate_for_users=*/says == Says::HowUsed);
  }

  SplitAxes getWhole(Value value) const {
    return SplitAxes(cast<RankedTensorType>(value.getType()).getRank());
  }

  int64_t getNumRanks(ArrayRef<GridAxis> axes) {
    int64_t ranks = 1;
    for (GridAxis axis : axes)
      ranks *= grid.getShape()[axis];
    return ranks;
  }

  /// Hides constants of several values, which the partition cannot split or
  /// even copy, in ops that it copies; canonicalization inlines those.
  void wrapConstants(Block &block) {
    for (auto op :
         llvm::make_early_inc_range(block.getOps<arith::ConstantOp>())) {
      auto elements = dyn_cast<ElementsAttr>(op.getValue());
      if (!elements || elements.isSplat() || !hasSharding(op))
        continue;
      OpBuilder b(op);
      auto wrapper =
          scf::ExecuteRegionOp::create(b, op.getLoc(), TypeRange(op.getType()));
      op.getResult().replaceAllUsesWith(wrapper.getResult(0));
      b.createBlock(&wrapper.getRegion());
      op->moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
      scf::YieldOp::create(b, op.getLoc(), op.getResult());
      OpBuilder after(wrapper);
      after.setInsertionPointAfter(wrapper);
      auto whole =
          annotate(after, wrapper.getResult(0), getWhole(op), Says::HowMade);
      wrapper.getResult(0).replaceAllUsesExcept(whole, whole);
    }
  }

  /// Makes one annotation the only use of each value.
  void annotateValues(Block &block) {
    for (BlockArgument argument : block.getArguments())
      annotateValue(argument);
    for (Operation &op : llvm::make_early_inc_range(block))
      if (!isa<ShardOp>(op))
        for (Value result : op.getResults())
          if (!result.use_empty())
            annotateValue(result);
  }

  void annotateValue(Value value) {
    if (!hasSharding(value) || getAnnotation(value))
      return;
    SplitAxes axes = getWhole(value);
    for (Operation *user : value.getUsers())
      if (auto op = dyn_cast<ShardOp>(user)) {
        axes = getSplitAxes(op);
        if (!op.getAnnotateForUsers())
          break;
      }
    OpBuilder b(value.getContext());
    b.setInsertionPointAfterValue(value);
    auto made = annotate(b, value, axes, Says::HowMade);
    value.replaceAllUsesExcept(made, made);
  }

  LogicalResult prepare(Operation &op) {
    if (isa<ShardOp, shard::ShardingOp, shard::GetShardingOp, func::ReturnOp,
            scf::ExecuteRegionOp>(op))
      return success();
    if (llvm::none_of(op.getOperands(), hasSharding) &&
        llvm::none_of(op.getResults(), hasSharding) && op.getNumRegions() == 0)
      return success();
    if (!isa<LinalgOp, arith::ConstantOp, tensor::EmptyOp, tensor::SplatOp,
             norm::RMSNormOpInterface>(op) ||
        !isa<shard::ShardingInterface>(op))
      return op.emitOpError("is not known to be right on parts of tensors");
    SplitAxes loops;
    if (failed(findLoops(op, loops)))
      return failure();
    annotateUnused(op, loops);
    if (auto empty = dyn_cast<tensor::EmptyOp>(op))
      return verifyExtents(empty, loops);
    auto linalgOp = dyn_cast<LinalgOp>(op);
    return linalgOp ? prepareLoops(linalgOp, loops) : success();
  }

  /// Finds the axes that split each loop: those of the results, and then those
  /// of the operands. Moves the parts of operands that have others.
  LogicalResult findLoops(Operation &op, SplitAxes &loops) {
    auto sharded = cast<shard::ShardingInterface>(op);
    SmallVector<AffineMap> maps = sharded.getIndexingMaps();
    SmallVector<bool> known(sharded.getLoopIteratorTypes().size(), false);
    loops.resize(known.size());
    SmallVector<GridAxis> used;
    // Takes the axes of loops that are not known, and returns all.
    auto join = [&](SplitAxes axes, AffineMap map) {
      for (auto [own, expr] : llvm::zip_equal(axes, map.getResults())) {
        unsigned loop = cast<AffineDimExpr>(expr).getPosition();
        bool isFree = llvm::none_of(
            own, [&](GridAxis axis) { return llvm::is_contained(used, axis); });
        if (!known[loop] && isFree) {
          loops[loop] = own;
          llvm::append_range(used, own);
        }
        known[loop] = true;
        own = loops[loop];
      }
      return axes;
    };
    for (AffineMap map : maps)
      if (!map.isProjectedPermutation())
        return op.emitOpError("reads other elements than those of its loops, "
                              "of which a rank may not have all");
    for (OpResult result : op.getResults())
      if (ShardOp annotation = getAnnotation(result)) {
        SplitAxes axes = getSplitAxes(annotation);
        if (join(axes, maps[op.getNumOperands() + result.getResultNumber()]) !=
            axes)
          return op.emitOpError("has results with parts that do not belong "
                                "together");
      }
    OpBuilder b(&op);
    for (OpOperand &operand : op.getOpOperands())
      if (hasSharding(operand.get())) {
        SplitAxes axes = getSplitAxes(getAnnotation(operand));
        SplitAxes joined = join(axes, maps[operand.getOperandNumber()]);
        if (joined != axes)
          operand.set(annotate(b, operand.get(), joined, Says::HowUsed));
      }
    return success();
  }

  void annotateUnused(Operation &op, const SplitAxes &loops) {
    auto maps = cast<shard::ShardingInterface>(op).getIndexingMaps();
    OpBuilder b(op.getContext());
    b.setInsertionPointAfter(&op);
    for (OpResult result : op.getResults()) {
      if (!result.use_empty() || !hasSharding(result))
        continue;
      AffineMap map = maps[op.getNumOperands() + result.getResultNumber()];
      SplitAxes axes;
      for (AffineExpr expr : map.getResults())
        axes.push_back(loops[cast<AffineDimExpr>(expr).getPosition()]);
      annotate(b, result, axes, Says::HowMade);
    }
  }

  LogicalResult verifyExtents(tensor::EmptyOp op, const SplitAxes &loops) {
    for (auto [dim, axes] : llvm::enumerate(loops))
      if (!axes.empty() && op.getType().isDynamicDim(dim))
        return op.emitOpError("is split along dimension ")
               << dim << ", whose extent is that of all ranks";
    return success();
  }

  LogicalResult prepareLoops(LinalgOp op, const SplitAxes &loops) {
    gatherCaptured(op);
    if (failed(offsetIndices(op, loops)))
      return failure();
    auto isShared = [&](unsigned loop) {
      return op.getIteratorTypesArray()[loop] ==
                 utils::IteratorType::reduction &&
             !loops[loop].empty();
    };
    if (llvm::none_of(llvm::seq<unsigned>(0, loops.size()), isShared))
      return success();
    if (failed(sinkConstants(op)) || failed(verifyReductions(op)))
      return failure();
    if (op.getNumDpsInits() == 1)
      return success();
    auto generic = dyn_cast<linalg::GenericOp>(op.getOperation());
    if (!generic)
      return op.emitOpError("reduces to several results over ranks");
    separateResults(generic);
    return success();
  }

  /// A body may read any element of a tensor from outside.
  void gatherCaptured(LinalgOp op) {
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    OpBuilder b(op);
    for (Value value : captured)
      if (hasSharding(value)) {
        auto whole = annotate(b, value, getWhole(value), Says::HowUsed);
        replaceAllUsesInRegionWith(value, whole, op->getRegion(0));
      }
  }

  /// The index of a rank's loop begins at zero, that of all ranks at its part.
  LogicalResult offsetIndices(LinalgOp op, const SplitAxes &loops) {
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    SmallVector<linalg::IndexOp> indices;
    op->walk([&](linalg::IndexOp index) {
      if (index->getParentOp() == op && !loops[index.getDim()].empty())
        indices.push_back(index);
    });
    for (linalg::IndexOp index : indices) {
      ArrayRef<GridAxis> axes = loops[index.getDim()];
      int64_t extent = extents[index.getDim()];
      if (ShapedType::isDynamic(extent) ||
          !isa<linalg::GenericOp, linalg::MapOp>(op))
        return op.emitOpError("uses the index of dimension ")
               << index.getDim()
               << ", which ranks share, and where a rank's part begins is not "
                  "known";
      ImplicitLocOpBuilder b(index.getLoc(), index);
      b.setInsertionPointAfter(index);
      Value rank = shard::createProcessLinearIndex(grid.getSymName(), axes, b);
      Value size =
          arith::ConstantIndexOp::create(b, extent / getNumRanks(axes));
      Value begin = arith::MulIOp::create(b, rank, size);
      auto all = arith::AddIOp::create(b, begin, index);
      index.getResult().replaceAllUsesExcept(all, all);
    }
    return success();
  }

  /// The partition gathers one axis or splits by one more: a move from one
  /// dimension to another is both, for which MPI's dialect has operations.
  void moveInSteps(ShardOp op) {
    auto source = op.getSrc().getDefiningOp<ShardOp>();
    if (!source)
      return;
    SplitAxes axes = getSplitAxes(source), target = getSplitAxes(op);
    SmallVector<SplitAxes> steps;
    for (auto [from, to] : llvm::zip_equal(axes, target)) {
      auto [end, other] = llvm::mismatch(from, to);
      for (size_t kept = end - from.begin(); from.size() > kept;) {
        from.pop_back();
        steps.push_back(axes);
      }
    }
    for (auto [from, to] : llvm::zip_equal(axes, target))
      while (from.size() < to.size()) {
        from.push_back(to[from.size()]);
        steps.push_back(axes);
      }
    OpBuilder b(op);
    for (const SplitAxes &step : ArrayRef(steps).drop_back(!steps.empty())) {
      auto moved = annotate(b, op.getSrc(), step, Says::HowUsed);
      op.getSrcMutable().assign(moved);
    }
  }

  shard::GridOp grid;
};
} // namespace
