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
#include "norm/Transforms/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMVERIFYSHARDINGS
#include "norm/Transforms/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

static LogicalResult verifyEvenParts(shard::ShardOp op, shard::GridOp grid,
                                     shard::Sharding sharding) {
  auto type = cast<ShapedType>(op.getSrc().getType());
  for (auto [dim, axes] : llvm::enumerate(sharding.getSplitAxes())) {
    int64_t ranks = 1;
    for (shard::GridAxis axis : axes.asArrayRef())
      ranks *= grid.getShape()[axis];
    int64_t extent = type.getDimSize(dim);
    if (!ShapedType::isDynamic(extent) && !ShapedType::isDynamic(ranks) &&
        extent % ranks != 0)
      return op.emitOpError("has ")
             << extent << " elements along dimension " << dim << ", which the "
             << ranks << " ranks of its grid axes do not divide evenly";
  }
  return success();
}

namespace {
struct NormVerifyShardings
    : norm::impl::NormVerifyShardingsBase<NormVerifyShardings> {
  using NormVerifyShardingsBase::NormVerifyShardingsBase;

  void runOnOperation() override {
    if (ranks > 0 && failed(verifyGrid()))
      return signalPassFailure();
    SymbolTableCollection tables;
    WalkResult result = getOperation()->walk([&](shard::ShardOp op) {
      shard::Sharding sharding(op.getSharding());
      auto grid = tables.lookupNearestSymbolFrom<shard::GridOp>(
          op, sharding.getGridAttr());
      return failed(verifyEvenParts(op, grid, sharding))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  LogicalResult verifyGrid() {
    auto grids = getOperation().getOps<shard::GridOp>();
    if (grids.empty())
      return getOperation().emitError("has no shard.grid of ")
             << ranks.getValue() << " ranks";
    for (shard::GridOp grid : grids) {
      int64_t size = llvm::product_of(grid.getShape());
      if (ShapedType::isDynamicShape(grid.getShape()))
        return grid.emitError("has dynamic extents, not those of ")
               << ranks.getValue() << " ranks";
      if (size != ranks)
        return grid.emitError("is of ")
               << size << " ranks, not of " << ranks.getValue();
    }
    return success();
  }
};
} // namespace
