//===- NestedIndicesToLoops.cpp - linalg.index within another body --------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: CSE merges a nested linalg.index with that of the
// enclosing body; goes when linalg.index names its loop by an operand.

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "norm/Normalize/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMNESTEDINDICESTOLOOPS
#include "norm/Normalize/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

/// Makes each iteration an op of its own, in loops around it. Its indices are
/// then those of the loops.
static LogicalResult convertToLoops(linalg::LinalgOp op) {
  IRRewriter rewriter(op);
  FailureOr<linalg::TiledLinalgOp> iteration =
      linalg::tileLinalgOp(rewriter, op,
                           linalg::LinalgTilingOptions().setTileSizes(
                               SmallVector<int64_t>(op.getNumLoops(), 1)));
  if (failed(iteration))
    return op.emitError("norm-nested-indices-to-loops: cannot tile this");
  rewriter.replaceOp(op, iteration->tensorResults);
  for (auto index : llvm::make_early_inc_range(
           iteration->op.getBlock()->getOps<linalg::IndexOp>())) {
    rewriter.setInsertionPoint(index);
    rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(index, 0);
  }
  return success();
}

namespace {
struct NormNestedIndicesToLoops
    : norm::impl::NormNestedIndicesToLoopsBase<NormNestedIndicesToLoops> {
  void runOnOperation() override {
    // Inner ops come first, so that outer ones clone loops.
    WalkResult result = getOperation()->walk([](linalg::LinalgOp op) {
      return WalkResult(op.hasIndexSemantics() &&
                                op->getParentOfType<linalg::LinalgOp>()
                            ? convertToLoops(op)
                            : success());
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
