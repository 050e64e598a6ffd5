//===- WritePartsInPlace.cpp - parts of a result in the caller's buffer ---===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: one-shot bufferization copies a part where one loop
// writes several slices of a chain; goes when it knows that they are disjoint.

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "norm/Buffers/Passes.h"
#include "norm/Normalize/RowJoins.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMWRITEPARTSINPLACE
#include "norm/Buffers/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using namespace mlir::norm;
using bufferization::MaterializeInDestinationOp;

/// Returns what is inserted, with the unit dimensions that folding dropped.
static Value getPart(tensor::InsertSliceOp insert) {
  auto collapse = insert.getSource().getDefiningOp<tensor::CollapseShapeOp>();
  // The dropped dimension may be another one than that of the insertion.
  bool isView = collapse && llvm::equal(collapse.getSrcType().getShape(),
                                        insert.getStaticSizes());
  return isView ? collapse.getSrc() : insert.getSource();
}

/// Builds the view of `buffer` that `part` is inserted into, before whatever
/// computes the part.
static Value createView(OpBuilder &b, tensor::InsertSliceOp insert, Value part,
                        Value buffer) {
  b.setInsertionPointAfterValue(buffer);
  Location loc = insert.getLoc();
  SmallVector<OpFoldResult> offsets = insert.getMixedOffsets(),
                            sizes = memref::getMixedSizes(b, loc, buffer),
                            strides = insert.getMixedStrides();
  sizes.back() = insert.getMixedSizes().back();
  auto type = memref::SubViewOp::inferRankReducedResultType(
      cast<RankedTensorType>(part.getType()).getShape(),
      cast<MemRefType>(buffer.getType()), offsets, sizes, strides);
  return memref::SubViewOp::create(b, loc, type, buffer, offsets, sizes,
                                   strides);
}

/// Writes each part into its view of the buffer.
static void writeParts(IRRewriter &b, MaterializeInDestinationOp write,
                       ArrayRef<tensor::InsertSliceOp> inserts) {
  for (tensor::InsertSliceOp insert : inserts) {
    Value part = getPart(insert);
    Value view = createView(b, insert, part, write.getDest());
    b.setInsertionPoint(write);
    MaterializeInDestinationOp::create(b, write.getLoc(), /*result=*/Type(),
                                       part, view, /*restrict=*/true,
                                       /*writable=*/true);
  }
  b.eraseOp(write);
  for (tensor::InsertSliceOp insert : llvm::reverse(inserts))
    b.eraseOp(insert);
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
    for (MaterializeInDestinationOp write : writes) {
      auto last = write.getSource().getDefiningOp<tensor::InsertSliceOp>();
      if (!last || !last->hasOneUse())
        continue;
      if (SmallVector<tensor::InsertSliceOp> inserts = matchRowInsertions(last);
          !inserts.empty())
        writeParts(rewriter, write, inserts);
    }
  }
};
} // namespace
