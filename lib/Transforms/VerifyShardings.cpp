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
#include "norm/IR/ShardingInterfaceImpl.h"
#include "norm/Transforms/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMVERIFYSHARDINGS
#include "norm/Transforms/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

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
      return failed(norm::verifyEvenParts(
                 op, cast<ShapedType>(op.getSrc().getType()), grid, sharding))
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
