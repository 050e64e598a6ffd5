//===- HoistRowSums.cpp - sums over rows stay in registers ----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "norm/IR/Norm.h"
#include "norm/Rows/Passes.h"
#include "norm/Rows/Rows.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMHOISTROWSUMS
#include "norm/Rows/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

namespace {
struct NormHoistRowSums : norm::impl::NormHoistRowSumsBase<NormHoistRowSums> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    SmallVector<scf::ForOp> loops;
    getOperation().walk([&](scf::ForOp loop) {
      auto rows = dyn_cast<scf::ForallOp>(loop->getParentOp());
      if (rows && norm::getSchedule(rows) &&
          norm::getRole(loop) == norm::LoopRole::Rows)
        loops.push_back(loop);
    });
    for (scf::ForOp loop : loops)
      (void)hoistLoopInvariantSubsets(rewriter, loop);
    if (!loops.empty())
      dropStarts();
  }

  /// The neutral elements that sums start from need no memory any more.
  void dropStarts() {
    RewritePatternSet patterns(&getContext());
    norm::populateForwardMaskedRows(patterns);
    scf::ForOp::getCanonicalizationPatterns(patterns, &getContext());
    vector::TransferWriteOp::getCanonicalizationPatterns(patterns,
                                                         &getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
