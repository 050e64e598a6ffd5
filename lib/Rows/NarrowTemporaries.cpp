//===- NarrowTemporaries.cpp - buffers of what was narrow before ----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A model rounds a normalized row to bf16 and widens it again for what comes
// next. Fusion has put the widening before a temporary that lies between: the
// row takes twice the cache, and the rounding is not seen to end in bf16.
//
//===----------------------------------------------------------------------===//

#include "RowEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "norm/Floats/ValueOrigins.h"
#include "llvm/Support/DebugLog.h"

using namespace mlir;

static bool isView(Operation *op) {
  return isa<memref::SubViewOp, memref::ExpandShapeOp, memref::CollapseShapeOp>(
      op);
}

/// Sets `narrow` to the 16-bit float that all that is written into `buffer` is
/// widened from; returns false if there are others, or if others than ops that
/// become vectors see the buffer.
static bool findNarrowElement(Value buffer, Type &narrow) {
  return llvm::all_of(buffer.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isView(user))
      return findNarrowElement(user->getResult(0), narrow);
    auto op = dyn_cast<linalg::GenericOp>(user);
    if (!op || !norm::matchRow(op))
      return isa<memref::DimOp>(user);
    if (op.isDpsInput(&use))
      return true;
    Value written = op.getMatchingYieldValue(&use)->get();
    auto extend = written.getDefiningOp<arith::ExtFOp>();
    if (!extend)
      return false;
    Type element = extend.getIn().getType();
    if (!narrow)
      narrow = element;
    return element == narrow && (element.isBF16() || element.isF16());
  });
}

/// Lets the body widen what it reads and write what it widens.
static void narrowOperand(OpOperand &use, Type element) {
  auto op = cast<linalg::GenericOp>(use.getOwner());
  BlockArgument arg = op.getMatchingBlockArgument(&use);
  Type wide = arg.getType();
  arg.setType(element);
  if (!arg.use_empty()) {
    auto b = OpBuilder::atBlockBegin(op.getBody());
    auto extend = arith::ExtFOp::create(b, arg.getLoc(), wide, arg);
    arg.replaceAllUsesExcept(extend, extend);
  }
  if (!op.isDpsInit(&use))
    return;
  OpOperand *yielded = op.getMatchingYieldValue(&use);
  auto extend = yielded->get().getDefiningOp<arith::ExtFOp>();
  yielded->set(extend.getIn());
  if (extend->use_empty())
    extend->erase();
}

static void setElement(Value buffer, Type element) {
  buffer.setType(norm::withElement(buffer.getType(), element));
  for (OpOperand &use : buffer.getUses()) {
    if (isView(use.getOwner()))
      setElement(use.getOwner()->getResult(0), element);
    else if (isa<linalg::GenericOp>(use.getOwner()))
      narrowOperand(use, element);
  }
}

void norm::narrowTemporaries(Operation *root) {
  root->walk([](memref::AllocOp alloc) {
    Type narrow;
    if (!alloc.getType().getElementType().isF32() ||
        !findNarrowElement(alloc, narrow) || !narrow)
      return;
    LDBG("norm-vectorize-rows", 1) << "narrows to " << narrow << ": " << alloc;
    setElement(alloc, narrow);
  });
}
