//===- VerifyShardings.cpp - parts that ranks can have --------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// shard-partition gives 4 ranks one row each of 7 and drops the others.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "norm/Distributed/Passes.h"
#include "norm/IR/ShardingInterfaceImpl.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMVERIFYSHARDINGS
#include "norm/Distributed/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

namespace {
struct NormVerifyShardings
    : norm::impl::NormVerifyShardingsBase<NormVerifyShardings> {
  using NormVerifyShardingsBase::NormVerifyShardingsBase;

  void runOnOperation() override {
    if (failed(verifyGrids()))
      return signalPassFailure();
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(verify(function)))
        return signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  LogicalResult verify(func::FuncOp function) {
    shard::ShardingOp first;
    WalkResult result = function->walk([&](Operation *op) {
      if (auto sharding = dyn_cast<shard::ShardingOp>(op)) {
        first = first ? first : sharding;
        return WalkResult(verify(sharding, first));
      }
      auto shard = dyn_cast<shard::ShardOp>(op);
      return shard ? WalkResult(verify(shard)) : WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

  static LogicalResult verify(shard::ShardingOp op, shard::ShardingOp first) {
    if (op.getGridAttr() != first.getGridAttr())
      return op.emitOpError("is of ")
             << op.getGridAttr() << " in a function with shardings of "
             << first.getGridAttr() << ": a function has one grid";
    return success();
  }

  static LogicalResult verify(shard::ShardOp op) {
    // A block argument or a branch may give any sharding.
    if (!op.getSharding().getDefiningOp<shard::ShardingOp>())
      return op.emitOpError("has a sharding that is not known here");
    shard::Sharding sharding(op.getSharding());
    auto grid = SymbolTable::lookupNearestSymbolFrom<shard::GridOp>(
        op, sharding.getGridAttr());
    return norm::verifyEvenParts(op, cast<ShapedType>(op.getSrc().getType()),
                                 grid, sharding);
  }

  LogicalResult verifyGrids() {
    auto grids = getOperation().getOps<shard::GridOp>();
    if (ranks > 0 && grids.empty())
      return getOperation().emitError("has no shard.grid of ")
             << ranks.getValue() << " ranks";
    for (shard::GridOp grid : grids)
      if (failed(verify(grid)))
        return failure();
    return success();
  }

  LogicalResult verify(shard::GridOp grid) {
    if (ranks > 0 && ShapedType::isDynamicShape(grid.getShape()))
      return grid.emitError("has dynamic extents, not those of ")
             << ranks.getValue() << " ranks";
    // MPI counts ranks by an int.
    int64_t size = 1;
    for (int64_t extent : grid.getShape()) {
      if (ShapedType::isDynamic(extent))
        continue;
      if (extent < 1)
        return grid.emitError("has the extent ") << extent << ": no rank";
      if (extent > std::numeric_limits<int32_t>::max() / size)
        return grid.emitError("is of more ranks than MPI has");
      size *= extent;
    }
    if (ranks > 0 && size != ranks)
      return grid.emitError("is of ")
             << size << " ranks, not of " << ranks.getValue();
    return success();
  }
};
} // namespace
