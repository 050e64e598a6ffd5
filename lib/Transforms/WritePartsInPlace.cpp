//===- WritePartsInPlace.cpp - parts of a result in the caller's buffer ---===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowJoins.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "norm/Transforms/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMWRITEPARTSINPLACE
#include "norm/Transforms/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using namespace mlir::norm;
using bufferization::MaterializeInDestinationOp;

/// Returns the slices that make up what is written, if nothing else reads it.
static SmallVector<tensor::InsertSliceOp>
findParts(MaterializeInDestinationOp write) {
  auto last = write.getSource().getDefiningOp<tensor::InsertSliceOp>();
  if (!last || !last->hasOneUse() || !matchRowJoin(last))
    return {};
  SmallVector<tensor::InsertSliceOp> parts;
  while (last) {
    parts.push_back(last);
    last = last.getDest().getDefiningOp<tensor::InsertSliceOp>();
  }
  return parts;
}

/// Writes each part into its view of the buffer.
static void writeParts(IRRewriter &b, MaterializeInDestinationOp write,
                       ArrayRef<tensor::InsertSliceOp> parts) {
  Value buffer = write.getDest();
  for (tensor::InsertSliceOp part : llvm::reverse(parts)) {
    // The view comes before whatever computes the part.
    b.setInsertionPointAfterValue(buffer);
    SmallVector<OpFoldResult> sizes =
        memref::getMixedSizes(b, part.getLoc(), buffer);
    sizes.back() = part.getMixedSizes().back();
    Value view = memref::SubViewOp::create(b, part.getLoc(), buffer,
                                           part.getMixedOffsets(), sizes,
                                           part.getMixedStrides());
    b.setInsertionPoint(write);
    MaterializeInDestinationOp::create(b, write.getLoc(), /*result=*/Type(),
                                       part.getSource(), view,
                                       /*restrict=*/true, /*writable=*/true);
  }
  b.eraseOp(write);
  for (tensor::InsertSliceOp part : parts)
    b.eraseOp(part);
}

namespace {
struct NormWritePartsInPlace
    : norm::impl::NormWritePartsInPlaceBase<NormWritePartsInPlace> {
  void runOnOperation() override {
    SmallVector<MaterializeInDestinationOp> writes;
    getOperation().walk([&](MaterializeInDestinationOp write) {
      if (isa<MemRefType>(write.getDest().getType()) && write.getRestrict())
        writes.push_back(write);
    });
    IRRewriter rewriter(&getContext());
    for (MaterializeInDestinationOp write : writes)
      if (SmallVector<tensor::InsertSliceOp> parts = findParts(write);
          !parts.empty())
        writeParts(rewriter, write, parts);
  }
};
} // namespace
