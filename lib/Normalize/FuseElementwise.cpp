//===- FuseElementwise.cpp - fuse what is not computed anew ---------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: linalg-fuse-elementwise-ops has no option for its
// control function; goes when it keeps producers out of products of matrices.

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "norm/Normalize/Passes.h"
#include "norm/Normalize/Recompute.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMFUSEELEMENTWISE
#include "norm/Normalize/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using linalg::GenericOp;

/// A product of matrices reads each element of an operand once for each row or
/// column of the other.
static bool isMatrixProduct(GenericOp op) {
  if (op.getNumReductionLoops() == 0)
    return false;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  return succeeded(dims) && !dims->m.empty() && !dims->n.empty() &&
         !dims->k.empty();
}

/// Returns true if the consumer has one use for the producer, and does not
/// compute its elements many times over.
static bool canFuse(OpOperand *use) {
  Operation *producer = use->get().getDefiningOp();
  if (!producer || !producer->hasOneUse())
    return false;
  auto source = dyn_cast<GenericOp>(producer);
  auto reader = dyn_cast<GenericOp>(use->getOwner());
  return !source || !reader || !isMatrixProduct(reader) ||
         norm::isCheaperToRecompute(source, norm::KeptFor::Product);
}

namespace {
struct NormFuseElementwise
    : norm::impl::NormFuseElementwiseBase<NormFuseElementwise> {
  /// The patterns of linalg-fuse-elementwise-ops, which has no option for what
  /// is fused.
  void runOnOperation() override {
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    linalg::populateElementwiseOpsFusionPatterns(patterns, canFuse);
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, canFuse);
    tensor::populateBubbleUpExpandShapePatterns(patterns);
    affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
    GenericOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    context->getLoadedDialect<linalg::LinalgDialect>()
        ->getCanonicalizationPatterns(patterns);
    linalg::populateConstantFoldLinalgOperations(patterns, canFuse);
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal();
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
