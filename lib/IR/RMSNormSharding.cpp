//===- RMSNormSharding.cpp - ShardingInterface of the ops -----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The loops are x's dimensions, and all of them can be sharded. A rank that has
// whole rows runs the op on them. A rank that has parts of rows runs the op's
// decomposition, in which each sum over a row is added over the ranks, one
// value a row in the accumulator's type; n stays that of the whole row. So is
// dw where ranks have different rows.
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/Dialect/Shard/Interfaces/ShardingInterface.h"
#include "mlir/IR/IRMapping.h"
#include "norm/IR/Norm.h"
#include "norm/IR/ShardingInterfaceImpl.h"

using namespace mlir;
using namespace mlir::norm;
using shard::GridAxis;
using shard::Sharding;

/// Returns the grid axes that split each dimension of x among several ranks.
static SmallVector<SmallVector<GridAxis>>
getSplitAxes(RMSNormOpInterface op, Sharding sharding, shard::GridOp grid) {
  SmallVector<SmallVector<GridAxis>> axes(op.getInputType().getRank());
  for (auto [split, all] : llvm::zip(sharding.getSplitAxes(), axes))
    all = llvm::filter_to_vector(split.asArrayRef(), [&](GridAxis axis) {
      return grid.getShape()[axis] != 1;
    });
  return axes;
}

static SmallVector<GridAxis> joinAxes(ArrayRef<SmallVector<GridAxis>> axes,
                                      ArrayRef<int64_t> dims) {
  SmallVector<GridAxis> joined;
  for (int64_t dim : dims)
    llvm::append_range(joined, axes[dim]);
  return joined;
}

LogicalResult norm::verifyEvenParts(Operation *op, ShapedType type,
                                    shard::GridOp grid, Sharding sharding) {
  if (!sharding.getStaticHaloSizes().empty())
    return op->emitOpError("has halo sizes, which are not supported");
  if (!sharding.getStaticShardedDimsOffsets().empty())
    return op->emitOpError("has offsets of parts, which are not supported");
  for (auto [dim, axes] : llvm::enumerate(sharding.getSplitAxes())) {
    if (axes.empty())
      continue;
    if (!type.hasRank() || int64_t(dim) >= type.getRank())
      return op->emitOpError("has no dimension ") << dim << " to split";
    int64_t ranks = 1, extent = type.getDimSize(dim);
    for (GridAxis axis : axes.asArrayRef()) {
      if (axis < 0 || axis >= int64_t(grid.getShape().size()))
        return op->emitOpError("is split over axis ")
               << axis << ", which the grid @" << grid.getSymName()
               << " does not have";
      int64_t here = grid.getShape()[axis];
      ranks = ShapedType::isDynamic(here) || ShapedType::isDynamic(ranks)
                  ? ShapedType::kDynamic
                  : ranks * here;
    }
    if (!ShapedType::isDynamic(extent) && !ShapedType::isDynamic(ranks) &&
        extent % ranks != 0)
      return op->emitOpError("has ")
             << extent << " elements along dimension " << dim << ", which the "
             << ranks << " ranks of its grid axes do not divide evenly";
  }
  return success();
}

static LogicalResult verifyKnownCount(RMSNormOpInterface op,
                                      ArrayRef<SmallVector<GridAxis>> axes) {
  for (int64_t dim : op.getDims())
    if (!axes[dim].empty() && op.getInputType().isDynamicDim(dim))
      return op.emitOpError("cannot be sharded along the dynamic dimension ")
             << dim << ", because the n of S1 must be that of the whole row";
  return success();
}

namespace {
/// Builds an op of one rank from its parts of the operands.
class Partition {
public:
  Partition(OpBuilder &b, RMSNormOpInterface op, Sharding sharding,
            shard::GridOp grid)
      : b(b), op(op), grid(grid), axes(getSplitAxes(op, sharding, grid)) {}

  LogicalResult run(ValueRange operands, IRMapping &map) {
    if (failed(verifyKnownCount(op, axes)))
      return failure();
    RankSums ranks = findSums();
    if (op.getCount() && ranks.overRow)
      return op.emitOpError("S7: rows with a count cannot be sharded along "
                            "their normalized dimension");
    auto types =
        llvm::to_vector(operands.take_back(op->getNumResults()).getTypes());
    Operation *part = clone(b, op, types, operands);
    SmallVector<Value> results(part->getResults());
    if (ranks.overRow || ranks.overRows) {
      results = decompose(b, cast<RMSNormOpInterface>(part), ranks);
      part->erase();
    }
    map.map(op->getResults(), results);
    return success();
  }

private:
  RankSums findSums() {
    RankSums ranks;
    auto isSplit = [&](int64_t dim) { return !axes[dim].empty(); };
    // Where dw sums over no rows, the op reduces the normalized dims alone.
    auto isSummedByDw = [&](int64_t dim) {
      return isSplit(dim) &&
             !llvm::is_contained(op.getEffectiveWeightDims(), dim);
    };
    auto row = llvm::filter_to_vector(op.getDims(), isSplit);
    auto rows = llvm::filter_to_vector(op.getReducedDims(), isSummedByDw);
    if (!row.empty()) {
      ranks.overRow = makeSum(row);
      ranks.count = 1;
      for (int64_t dim : op.getDims())
        *ranks.count *= op.getInputType().getDimSize(dim);
    }
    if (isa<RMSNormBackwardOp>(*op) && !rows.empty())
      ranks.overRows = makeSum(rows);
    return ranks;
  }

  /// `dims` are those that the ranks of the axes split.
  RankSums::Sum makeSum(ArrayRef<int64_t> dims) {
    return [this, dims = llvm::to_vector(dims)](Value value) -> Value {
      auto sum = shard::AllReduceOp::create(
          b, op.getLoc(), value, grid.getSymName(), joinAxes(axes, dims),
          shard::ReductionKind::Sum);
      if (dims.size() == 1)
        sum->setAttr(splitDimAttrName, b.getI64IntegerAttr(dims.front()));
      return sum.getResult();
    };
  }

  OpBuilder &b;
  RMSNormOpInterface op;
  shard::GridOp grid;
  SmallVector<SmallVector<GridAxis>> axes;
};

template <typename OpTy>
struct RowSharding
    : shard::ShardingInterface::ExternalModel<RowSharding<OpTy>, OpTy> {
  /// No loop is a reduction here: the dimensions that are summed are those of x
  /// and dx too, and the parts add what they sum.
  SmallVector<utils::IteratorType> getLoopIteratorTypes(Operation *op) const {
    auto rows = cast<RMSNormOpInterface>(op);
    return SmallVector<utils::IteratorType>(rows.getInputType().getRank(),
                                            utils::IteratorType::parallel);
  }

  SmallVector<AffineMap> getIndexingMaps(Operation *op) const {
    auto rows = cast<RMSNormOpInterface>(op);
    auto getMap = [&](ArrayRef<int64_t> dims) {
      return AffineMap::getMultiDimMapWithTargets(rows.getInputType().getRank(),
                                                  SmallVector<unsigned>(dims),
                                                  op->getContext());
    };
    SmallVector<AffineMap> maps;
    for (OpOperand &operand : op->getOpOperands())
      maps.push_back(getMap(rows.getOperandDims(operand)));
    for (OpResult result : op->getResults())
      maps.push_back(getMap(rows.getResultDims(result.getResultNumber())));
    return maps;
  }

  LogicalResult partition(Operation *op, ArrayRef<Value> operands,
                          ArrayRef<Sharding> operandShardings,
                          ArrayRef<Sharding>, IRMapping &map,
                          SymbolTableCollection &symbols, OpBuilder &b) const {
    auto rows = cast<RMSNormOpInterface>(op);
    size_t x = llvm::find(op->getOperands(), rows.getInput()).getIndex();
    Sharding sharding = operandShardings[x];
    if (!sharding)
      return op->emitOpError("has an x without a sharding");
    auto grid = symbols.lookupNearestSymbolFrom<shard::GridOp>(
        op, sharding.getGridAttr());
    if (failed(verifyEvenParts(op, rows.getInputType(), grid, sharding)))
      return failure();
    return Partition(b, rows, sharding, grid).run(operands, map);
  }
};
} // namespace

void norm::registerShardingInterfaceExternalModels(DialectRegistry &registry) {
  registry.addExtension(
      +[](MLIRContext *context, NormDialect *, shard::ShardDialect *) {
        RMSNormOp::attachInterface<RowSharding<RMSNormOp>>(*context);
        RMSNormBackwardOp::attachInterface<RowSharding<RMSNormBackwardOp>>(
            *context);
      });
}
