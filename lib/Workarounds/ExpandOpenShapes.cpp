//===- ExpandOpenShapes.cpp - shapes with several open extents ------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: expand-strided-metadata divides for the one open extent
// of a group and crashes on two; goes when it reads `output_shape`.

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "norm/Workarounds/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMEXPANDOPENSHAPES
#include "norm/Workarounds/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

/// Returns true if one dimension is divided into several of unknown extent.
static bool isOpen(memref::ExpandShapeOp op) {
  ArrayRef<int64_t> shape = op.getResultType().getShape();
  return llvm::any_of(op.getReassociationIndices(),
                      [&](ArrayRef<int64_t> dims) {
                        return llvm::count_if(dims, [&](int64_t dim) {
                                 return ShapedType::isDynamic(shape[dim]);
                               }) > 1;
                      });
}

/// Spells the view by its strides, which are products of the extents inside.
static void expand(IRRewriter &b, memref::ExpandShapeOp op) {
  b.setInsertionPoint(op);
  Location loc = op.getLoc();
  auto source = memref::ExtractStridedMetadataOp::create(b, loc, op.getSrc());
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  SmallVector<OpFoldResult> strides(sizes.size());
  AffineExpr product = b.getAffineSymbolExpr(0) * b.getAffineSymbolExpr(1);
  for (auto [dims, stride] : llvm::zip(op.getReassociationIndices(),
                                       source.getConstifiedMixedStrides()))
    for (int64_t dim : llvm::reverse(dims)) {
      strides[dim] = stride;
      stride = affine::makeComposedFoldedAffineApply(b, loc, product,
                                                     {stride, sizes[dim]});
    }
  b.replaceOpWithNewOp<memref::ReinterpretCastOp>(
      op, op.getResultType(), source.getBaseBuffer(),
      source.getConstifiedMixedOffset(), sizes, strides);
}

namespace {
struct NormExpandOpenShapes
    : norm::impl::NormExpandOpenShapesBase<NormExpandOpenShapes> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](memref::ExpandShapeOp op) {
      if (isOpen(op))
        expand(rewriter, op);
    });
  }
};
} // namespace
