//===- fuse-consumer.cpp - tests fusion of norm ops as consumers ----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fuses every norm op of a file into the loops that make its operands, with
// scf::tileAndFuseConsumer, for which upstream has a transform op only in its
// own test library. Prints the module; a rejection is a remark.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "norm/IR/Norm.h"
#include "norm/InitAll.h"

using namespace mlir;

namespace {
struct FuseConsumer : PassWrapper<FuseConsumer, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FuseConsumer)

  StringRef getArgument() const override { return "test-fuse-consumer"; }

  void runOnOperation() override {
    SmallVector<norm::RMSNormOp> ops;
    getOperation()->walk([&](norm::RMSNormOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (norm::RMSNormOp op : ops)
      if (failed(fuse(rewriter, op)))
        op.emitRemark("not fused");
  }

  LogicalResult fuse(IRRewriter &rewriter, norm::RMSNormOp op) {
    for (Value operand : op->getOperands()) {
      auto loop = operand.getDefiningOp<LoopLikeOpInterface>();
      if (!loop)
        continue;
      SmallVector<LoopLikeOpInterface> loops{loop};
      return scf::tileAndFuseConsumer(rewriter, op, loops);
    }
    return failure();
  }
};
} // namespace

int main(int argc, char **argv) {
  DialectRegistry registry;
  registerAllDialects(registry);
  norm::registerAllDialects(registry);
  PassRegistration<FuseConsumer>();
  registerCanonicalizerPass();
  return asMainReturnCode(MlirOptMain(argc, argv, "fuse consumers", registry));
}
