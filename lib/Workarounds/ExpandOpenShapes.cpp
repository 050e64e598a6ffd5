//===- ExpandOpenShapes.cpp - shapes with several open extents ------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: expand-strided-metadata divides for the one open extent
// of a group and crashes on two; goes when it reads `output_shape`.

#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
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

/// Returns `values`, with constants where the type has them.
static SmallVector<OpFoldResult> foldByType(OpBuilder &b, ValueRange values,
                                            ArrayRef<int64_t> known) {
  SmallVector<OpFoldResult> folded(values);
  for (auto [value, constant] : llvm::zip(folded, known))
    if (!ShapedType::isDynamic(constant))
      value = b.getIndexAttr(constant);
  return folded;
}

/// Spells the view by its strides, which are products of the extents inside.
static void expand(IRRewriter &b, memref::ExpandShapeOp op) {
  b.setInsertionPoint(op);
  Location loc = op.getLoc();
  auto source = memref::ExtractStridedMetadataOp::create(b, loc, op.getSrc());
  SmallVector<OpFoldResult> sizes = op.getMixedOutputShape();
  SmallVector<Value> strides(sizes.size());
  for (auto [group, dims] : llvm::enumerate(op.getReassociationIndices())) {
    Value stride = source.getStrides()[group];
    for (int64_t dim : llvm::reverse(dims)) {
      strides[dim] = stride;
      stride = b.createOrFold<arith::MulIOp>(
          loc, stride, getValueOrCreateConstantIndexOp(b, loc, sizes[dim]));
    }
  }
  auto [knownStrides, knownOffset] = op.getResultType().getStridesAndOffset();
  b.replaceOpWithNewOp<memref::ReinterpretCastOp>(
      op, op.getResultType(), source.getBaseBuffer(),
      foldByType(b, source.getOffset(), knownOffset).front(), sizes,
      foldByType(b, strides, knownStrides));
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
