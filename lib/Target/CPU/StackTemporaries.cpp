//===- StackTemporaries.cpp - small temporaries on the stack --------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: promote-buffers-to-stack puts an alloca into the body of
// an scf.forall, where convert-scf-to-cf lets it fill the stack, and does not
// see buffers of linalg bodies; goes when convert-scf-to-cf keeps the scope.

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "norm/IR/RowTarget.h"
#include "norm/Rows/Buffers.h"
#include "norm/Target/CPU/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMSTACKTEMPORARIES
#include "norm/Target/CPU/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

static bool isSmall(memref::AllocOp op) {
  MemRefType type = op.getType();
  return type.hasStaticShape() && type.getLayout().isIdentity() &&
         norm::hasCountableBytes(op) &&
         type.getNumElements() * norm::getElementBytes(op) <=
             norm::getRowTarget(op).stackBytes;
}

namespace {
struct NormStackTemporaries
    : norm::impl::NormStackTemporariesBase<NormStackTemporaries> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    SmallVector<memref::AllocOp> ops;
    getOperation().walk([&](memref::AllocOp op) {
      // Each thread needs its own, and an iteration does not free its stack.
      if (isSmall(op) && !op->getParentOfType<scf::ForallOp>() &&
          !op->getParentOfType<scf::ParallelOp>())
        ops.push_back(op);
    });
    OpBuilder b(&getContext());
    for (memref::AllocOp op : ops) {
      // Its one end must be in the block where it begins.
      std::optional<Operation *> dealloc = memref::findDealloc(op);
      if (!dealloc || !*dealloc || (*dealloc)->getBlock() != op->getBlock())
        continue;
      // The first op of the entry block may have been erased in the last
      // iteration, so the insertion point is set in each.
      b.setInsertionPointToStart(&getOperation().front());
      auto onStack = memref::AllocaOp::create(b, op.getLoc(), op.getType(),
                                              op.getAlignmentAttr());
      (*dealloc)->erase();
      op.replaceAllUsesWith(onStack.getResult());
      op.erase();
    }
  }
};
} // namespace
