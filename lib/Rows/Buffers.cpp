//===- Buffers.cpp - extents of buffers at run time -----------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Rows/Buffers.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "norm/Normalize/ElementStorage.h"

using namespace mlir;

llvm::SetVector<Value> norm::getOuterBuffers(Operation *loop) {
  llvm::SetVector<Value> buffers;
  loop->walk([&](Operation *op) {
    for (Value operand : op->getOperands())
      if (isa<BaseMemRefType>(operand.getType()) &&
          !loop->isAncestor(operand.getParentBlock()->getParentOp()))
        buffers.insert(operand);
  });
  return buffers;
}

bool norm::hasCountableBytes(Value memref) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  return type && type.getElementType().isIntOrFloat();
}

norm::Lanes norm::createByteCount(ImplicitLocOpBuilder &b,
                                  ArrayRef<Value> buffers) {
  // It wraps where no memory has so many.
  Lanes total(b, arith::ConstantIndexOp::create(b, 0));
  for (Value buffer : buffers) {
    Lanes count = total.like(1);
    for (OpFoldResult extent : memref::getMixedSizes(b, b.getLoc(), buffer))
      count = count * getValueOrCreateConstantIndexOp(b, b.getLoc(), extent);
    total = total + count * getElementBytes(buffer.getType());
  }
  return total;
}

SmallVector<Operation *> norm::getOutermostLoops(Operation *scope) {
  SmallVector<Operation *> loops;
  scope->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<LoopLikeOpInterface, linalg::LinalgOp>(op))
      return WalkResult::advance();
    loops.push_back(op);
    return WalkResult::skip();
  });
  return loops;
}
