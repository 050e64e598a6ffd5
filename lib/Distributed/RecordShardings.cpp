//===- RecordShardings.cpp - what parts of tensors a rank has -------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Shard/IR/ShardDialect.h"
#include "mlir/Dialect/Shard/IR/ShardOps.h"
#include "mlir/IR/Builders.h"
#include "norm/Distributed/Passes.h"
#include "norm/IR/Norm.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMRECORDSHARDINGS
#include "norm/Distributed/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using shard::ShardOp;

/// Returns the annotation of which shard-partition makes the argument's type.
static ShardOp getSharding(BlockArgument argument) {
  return argument.hasOneUse() ? dyn_cast<ShardOp>(*argument.user_begin())
                              : ShardOp();
}

/// Returns the axes of each dimension; shardings leave out the last ones.
static ArrayAttr getSplitAxes(ShardOp op) {
  Builder b(op.getContext());
  SmallVector<Attribute> dims(cast<RankedTensorType>(op.getType()).getRank(),
                              b.getDenseI64ArrayAttr({}));
  for (auto [dim, axes] :
       llvm::zip(dims, shard::Sharding(op.getSharding()).getSplitAxes()))
    dim = b.getDenseI64ArrayAttr(llvm::map_to_vector(
        axes.asArrayRef(), [](auto axis) -> int64_t { return axis; }));
  return b.getArrayAttr(dims);
}

namespace {
struct NormRecordShardings
    : norm::impl::NormRecordShardingsBase<NormRecordShardings> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isExternal())
        record(function);
  }

private:
  void record(func::FuncOp function) {
    removeRecords(function);
    for (BlockArgument argument : function.getArguments())
      if (ShardOp op = getSharding(argument)) {
        function.setArgAttr(argument.getArgNumber(), norm::splitAxesAttrName,
                            getSplitAxes(op));
        recordGrid(function, op);
      }
    auto ret = dyn_cast<func::ReturnOp>(function.back().getTerminator());
    if (!ret)
      return;
    for (auto [i, value] : llvm::enumerate(ret.getOperands()))
      if (auto op = value.getDefiningOp<ShardOp>()) {
        function.setResultAttr(i, norm::splitAxesAttrName, getSplitAxes(op));
        recordGrid(function, op);
      }
  }

  /// What the input says of parts that it does not have yet is not true.
  static void removeRecords(func::FuncOp function) {
    function->removeAttr(norm::gridAttrName);
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      function.removeArgAttr(i, norm::splitAxesAttrName);
    auto name = StringAttr::get(function.getContext(), norm::splitAxesAttrName);
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      function.removeResultAttr(i, name);
  }

  void recordGrid(func::FuncOp function, ShardOp op) {
    auto grid = SymbolTable::lookupNearestSymbolFrom<shard::GridOp>(
        op, shard::Sharding(op.getSharding()).getGridAttr());
    function->setAttr(
        norm::gridAttrName,
        Builder(op.getContext()).getDenseI64ArrayAttr(grid.getShape()));
  }
};
} // namespace
