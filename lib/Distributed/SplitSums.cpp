//===- SplitSums.cpp - sums whose order no grid of ranks changes ----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sum over a dimension is one over parts of it, whose number does not depend
// on the ranks, and then one of the parts' sums in their order. A rank has some
// of the parts: the all-reduce adds zeros to them, which changes no bit.
//
//===----------------------------------------------------------------------===//

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/Dialect/Shard/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "norm/Distributed/Passes.h"
#include "norm/IR/Norm.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMSPLITSUMS
#include "norm/Distributed/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using linalg::GenericOp;
using shard::AllReduceOp;
using utils::IteratorType;

//===----------------------------------------------------------------------===//
// Which sums are split
//===----------------------------------------------------------------------===//

/// Returns true for a sum of floats from zero on, of expanded operands.
static bool isPlainSum(GenericOp op) {
  if (!op || !op.hasPureTensorSemantics() || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0 || op.hasIndexSemantics() ||
      linalg::isaContractionOpInterface(op) ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return false;
  auto fill = op.getDpsInits().front().getDefiningOp<linalg::FillOp>();
  SmallVector<Operation *> combiners;
  return fill && matchPattern(fill.value(), m_AnyZeroFloat()) &&
         matchReduction(op.getRegionOutputArgs(), 0, combiners) &&
         combiners.size() == 1 && isa<arith::AddFOp>(combiners.front());
}

namespace {
/// A sum, and the ranks that have parts of what is summed.
struct SplitSum {
  GenericOp op;
  AllReduceOp allReduce;     // null: this rank has all
  SmallVector<int64_t> grid; // the extents of the all-reduce's axes
  unsigned loop = 0;         // which the parts divide

  int64_t getNumRanks() const { return llvm::product_of(grid); }
};
} // namespace

/// Returns the op that adds the sums of ranks, and nothing else; or null.
static AllReduceOp getAllReduce(GenericOp op) {
  Value sum = op.getResult(0);
  auto user = sum.hasOneUse() ? dyn_cast<AllReduceOp>(*sum.user_begin())
                              : AllReduceOp();
  bool adds = user && user.getReduction() == shard::ReductionKind::Sum &&
              user.getType() == sum.getType();
  return adds ? user : AllReduceOp();
}

/// Returns the loop that the ranks of an all-reduce split; nullopt if nothing
/// says which.
static std::optional<unsigned> findRankLoop(GenericOp op,
                                            AllReduceOp allReduce) {
  if (auto dim = allReduce->getAttrOfType<IntegerAttr>(norm::splitDimAttrName))
    return dim.getInt();
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  if (loops.size() == 1 && allReduce.getGridAxes().size() == 1)
    return loops.front();
  return std::nullopt;
}

/// Chooses the first summed loop whose extent on all ranks has that many parts:
/// the choice is the same on every grid.
static std::optional<unsigned> chooseLoop(const SplitSum &sum,
                                          std::optional<unsigned> rankLoop,
                                          int64_t parts) {
  GenericOp op = sum.op;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  for (unsigned loop : loops) {
    int64_t ranks = rankLoop == loop ? sum.getNumRanks() : 1;
    if (!ShapedType::isDynamic(extents[loop]) && extents[loop] > 0 &&
        extents[loop] * ranks % parts == 0)
      return loop;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

namespace {
/// Replaces one sum by the sums of its parts and their sum.
class SumSplitter {
public:
  SumSplitter(const SplitSum &sum, int64_t parts)
      : b(sum.op->getLoc(), sum.op), sum(sum), op(sum.op),
        allReduce(sum.allReduce), parts(parts), own(parts / sum.getNumRanks()) {
  }

  void run() {
    Value each = sumParts();
    if (!allReduce)
      return replace(op, addParts(each));
    replace(allReduce, addParts(gatherParts(each)));
    op.erase();
  }

private:
  static void replace(Operation *op, Value by) {
    op->replaceAllUsesWith(ValueRange(by));
    op->erase();
  }

  /// Returns the map with a loop more, that over the parts, before the one they
  /// divide, and with its index before the result `at`.
  AffineMap shift(AffineMap map, std::optional<unsigned> at) {
    SmallVector<AffineExpr> exprs;
    for (AffineExpr expr : map.getResults()) {
      unsigned loop = cast<AffineDimExpr>(expr).getPosition();
      exprs.push_back(b.getAffineDimExpr(loop < sum.loop ? loop : loop + 1));
    }
    if (at)
      exprs.insert(exprs.begin() + *at, b.getAffineDimExpr(sum.loop));
    return AffineMap::get(map.getNumDims() + 1, 0, exprs, b.getContext());
  }

  /// Returns the operand with its dimension `dim` as parts and what they hold.
  Value expand(Value operand, int64_t dim) {
    auto type = cast<RankedTensorType>(operand.getType());
    SmallVector<int64_t> shape(type.getShape());
    shape[dim] /= own;
    shape.insert(shape.begin() + dim, own);
    SmallVector<ReassociationIndices> groups;
    for (int64_t i = 0, e = type.getRank(); i < e; ++i)
      groups.push_back(i < dim    ? ReassociationIndices{i}
                       : i == dim ? ReassociationIndices{i, i + 1}
                                  : ReassociationIndices{i + 1});
    return tensor::ExpandShapeOp::create(b, type.clone(shape), operand, groups);
  }

  /// Returns zeros for `count` parts, each of the sum's shape.
  Value createZeros(int64_t count) {
    Value init = op.getDpsInits().front();
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(b, b.getLoc(), init);
    sizes.insert(sizes.begin(), b.getIndexAttr(count));
    Type type = getElementTypeOrSelf(init.getType());
    Value zero = arith::ConstantOp::create(b, b.getZeroAttr(type));
    Value empty = tensor::EmptyOp::create(b, sizes, type);
    return linalg::FillOp::create(b, zero, empty).getResult(0);
  }

  Value sumParts() {
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(operand);
      auto dim = map.getResultPosition(b.getAffineDimExpr(sum.loop));
      inputs.push_back(dim ? expand(operand->get(), *dim) : operand->get());
      maps.push_back(shift(map, dim));
    }
    maps.push_back(shift(op.getIndexingMapsArray().back(), 0));
    SmallVector<IteratorType> loops = op.getIteratorTypesArray();
    loops.insert(loops.begin() + sum.loop, IteratorType::parallel);
    Value zeros = createZeros(own);
    auto split =
        GenericOp::create(b, zeros.getType(), inputs, zeros, maps, loops);
    IRMapping map;
    op.getRegion().cloneInto(&split.getRegion(), map);
    return split.getResult(0);
  }

  /// Puts the rank's parts between zeros, to which the others add theirs.
  Value gatherParts(Value each) {
    Value zeros = createZeros(parts);
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(b, b.getLoc(), each);
    SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
    offsets.front() = getFirstPart();
    Value whole =
        tensor::InsertSliceOp::create(b, each, zeros, offsets, sizes, strides);
    auto all =
        AllReduceOp::create(b, whole, allReduce.getGrid(),
                            allReduce.getGridAxes(), allReduce.getReduction());
    return all.getResult();
  }

  OpFoldResult getFirstPart() {
    Value rank = shard::createProcessLinearIndex(allReduce.getGrid(),
                                                 allReduce.getGridAxes(), b);
    return affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), b.getAffineDimExpr(0) * own, {rank});
  }

  /// Adds the parts in one body: the order of a reduction's loop is not fixed.
  Value addParts(Value all) {
    Value init = op.getDpsInits().front();
    auto type = cast<RankedTensorType>(init.getType());
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), all);
    SmallVector<OpFoldResult> offsets(sizes.size(), b.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(sizes.size(), b.getIndexAttr(1));
    sizes.front() = b.getIndexAttr(1);
    SmallVector<Value> inputs;
    for (int64_t part = 0; part < parts; ++part) {
      offsets.front() = b.getIndexAttr(part);
      inputs.push_back(tensor::ExtractSliceOp::create(b, type, all, offsets,
                                                      sizes, strides));
    }
    SmallVector<AffineMap> maps(parts + 1,
                                b.getMultiDimIdentityMap(type.getRank()));
    SmallVector<IteratorType> loops(type.getRank(), IteratorType::parallel);
    auto add = GenericOp::create(
        b, type, inputs, init, maps, loops,
        [&](OpBuilder &, Location, ValueRange args) {
          Value total = args.front();
          for (Value part : args.take_front(parts).drop_front())
            total = arith::AddFOp::create(b, total, part);
          linalg::YieldOp::create(b, total);
        });
    return add.getResult(0);
  }

  ImplicitLocOpBuilder b;
  const SplitSum &sum;
  GenericOp op;
  AllReduceOp allReduce;
  int64_t parts, own; // of all ranks and of this one
};

struct NormSplitSums : norm::impl::NormSplitSumsBase<NormSplitSums> {
  using NormSplitSumsBase::NormSplitSumsBase;

  void runOnOperation() override {
    func::FuncOp function = getOperation();
    if (parts < 1) {
      function.emitError("the number of parts must be positive");
      return signalPassFailure();
    }
    SymbolTableCollection tables;
    SmallVector<SplitSum> sums;
    WalkResult found = function.walk(
        [&](GenericOp op) { return WalkResult(find(op, tables, sums)); });
    if (found.wasInterrupted() || failed(verifyOthers(sums)))
      return signalPassFailure();
    for (const SplitSum &sum : sums)
      SumSplitter(sum, parts).run();
    function->setAttr(norm::sumPartsAttrName,
                      Builder(function).getI64IntegerAttr(parts));
  }

private:
  LogicalResult find(GenericOp op, SymbolTableCollection &tables,
                     SmallVectorImpl<SplitSum> &sums) {
    if (!isPlainSum(op))
      return success();
    SplitSum sum{op, getAllReduce(op), {}, 0};
    std::optional<unsigned> rankLoop;
    if (sum.allReduce) {
      auto grid = tables.lookupNearestSymbolFrom<shard::GridOp>(
          op, sum.allReduce.getGridAttr());
      for (shard::GridAxis axis : sum.allReduce.getGridAxes())
        sum.grid.push_back(grid.getShape()[axis]);
      rankLoop = findRankLoop(op, sum.allReduce);
      if (!rankLoop)
        return op.emitError("is a sum over several dimensions or grid axes, of "
                            "which it is not known what the ranks have");
      // A rank with one part would have no loop over parts: other passes then
      // fuse the sum with other loops, in another order.
      if (int64_t ranks = sum.getNumRanks(); parts % (2 * ranks) != 0)
        return op.emitError("is shared by ")
               << ranks << " ranks: the number of parts must be a multiple of "
               << 2 * ranks << ", two of each rank, not " << parts.getValue();
    }
    std::optional<unsigned> loop = chooseLoop(sum, rankLoop, parts);
    if (sum.allReduce && loop != rankLoop)
      return op.emitError("is split over ranks along a dimension that is not "
                          "the first one with ")
             << parts.getValue() << " equal parts";
    if (!loop)
      return success();
    sum.loop = *loop;
    sums.push_back(std::move(sum));
    return success();
  }

  /// The order in which MPI adds is not known.
  LogicalResult verifyOthers(ArrayRef<SplitSum> sums) {
    llvm::SmallPtrSet<Operation *, 8> known;
    for (const SplitSum &sum : sums)
      known.insert(sum.allReduce);
    auto depends = [&](AllReduceOp op) {
      auto kind = op.getReduction();
      return !known.contains(op) &&
             isa<FloatType>(getElementTypeOrSelf(op.getType())) &&
             (kind == shard::ReductionKind::Sum ||
              kind == shard::ReductionKind::Product);
    };
    WalkResult found = getOperation().walk([&](AllReduceOp op) {
      if (!depends(op))
        return WalkResult::advance();
      return WalkResult(
          op.emitError("adds over ranks what is not a sum from zero on; its "
                       "order depends on the ranks"));
    });
    return failure(found.wasInterrupted());
  }
};
} // namespace
