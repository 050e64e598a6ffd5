//===- LocalizeNestedWrites.cpp - tensors that bodies write ---------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: one-shot bufferization lets the body of a linalg op
// write an outer tensor in place; goes when its analysis knows that a body runs
// once per element.

#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "norm/Buffers/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMLOCALIZENESTEDWRITES
#include "norm/Buffers/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

/// Returns the op around `op` whose body runs once per element, or null.
static Operation *getElementwiseParent(Operation *op) {
  do
    op = op->getParentOp();
  while (op && !isa<linalg::LinalgOp, tensor::GenerateOp, tensor::PadOp>(op));
  return op;
}

/// Returns the outer tensors that `op`, in such a body, writes to.
static SmallVector<OpOperand *>
collectOutsideWrites(Operation *op, bufferization::AnalysisState &state) {
  SmallVector<OpOperand *> writes;
  Operation *body = getElementwiseParent(op);
  if (!body)
    return writes;
  for (OpOperand &operand : op->getOpOperands())
    if (isa<TensorType>(operand.get().getType()) &&
        !body->isAncestor(operand.get().getParentRegion()->getParentOp()) &&
        state.bufferizesToMemoryWrite(operand))
      writes.push_back(&operand);
  return writes;
}

static void localize(OpBuilder &b, OpOperand &operand) {
  b.setInsertionPoint(operand.getOwner());
  auto alloc = operand.get().getDefiningOp<bufferization::AllocTensorOp>();
  if (alloc && !alloc.getCopy()) {
    operand.set(b.clone(*alloc)->getResult(0));
    return;
  }
  auto copy = bufferization::AllocTensorOp::create(
      b, operand.getOwner()->getLoc(),
      cast<RankedTensorType>(operand.get().getType()), ValueRange(),
      operand.get());
  operand.set(copy.getResult());
}

namespace {
struct NormLocalizeNestedWrites
    : norm::impl::NormLocalizeNestedWritesBase<NormLocalizeNestedWrites> {
  void runOnOperation() override {
    bufferization::BufferizationOptions options;
    bufferization::AnalysisState state(options);
    SmallVector<OpOperand *> writes;
    getOperation()->walk([&](Operation *op) {
      llvm::append_range(writes, collectOutsideWrites(op, state));
    });
    OpBuilder b(&getContext());
    for (OpOperand *write : writes)
      localize(b, *write);
  }
};
} // namespace
