//===- NarrowTemporaries.cpp - buffers of what was narrow before ----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "norm/Floats/ValueOrigins.h"
#include "norm/Target/CPU/Passes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMNARROWTEMPORARIES
#include "norm/Target/CPU/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

/// The 16-bit float that `stored` was widened from, or null.
static Type getNarrowElement(Value stored) {
  auto extend = stored.getDefiningOp<arith::ExtFOp>();
  if (!extend)
    return Type();
  Type element = getElementTypeOrSelf(extend.getIn().getType());
  return element.isBF16() || element.isF16() ? element : Type();
}

/// What `op` stores into `buffer`, or null.
static Value getStored(Operation *op, Value buffer) {
  if (auto write = dyn_cast<vector::TransferWriteOp>(op))
    return write.getBase() == buffer ? write.getValueToStore() : Value();
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return store.getMemRef() == buffer ? store.getValueToStore() : Value();
  return Value();
}

static bool isRead(Operation *op) {
  auto read = dyn_cast<vector::TransferReadOp>(op);
  return isa<memref::LoadOp>(op) ||
         (read && matchPattern(read.getPadding(), m_PosZeroFloat()));
}

/// The type that all that is stored into the buffer was widened from; null if
/// there is none, or if others than plain reads and writes see the buffer.
static Type findNarrowElement(memref::AllocOp alloc) {
  if (!alloc.getType().getElementType().isF32())
    return Type();
  Type narrow;
  for (Operation *user : alloc->getUsers()) {
    if (isa<memref::DeallocOp>(user) || isRead(user))
      continue;
    Value stored = getStored(user, alloc);
    Type element = stored ? getNarrowElement(stored) : Type();
    if (!element || (narrow && narrow != element))
      return Type();
    narrow = element;
  }
  return narrow;
}

static void storeNarrow(Operation *write, Value stored) {
  write->replaceUsesOfWith(stored,
                           stored.getDefiningOp<arith::ExtFOp>().getIn());
}

/// Reads narrow numbers and widens them where the wide ones were read.
static void readNarrow(Operation *read, Type narrow) {
  OpBuilder b(read);
  Location loc = read->getLoc();
  if (auto transfer = dyn_cast<vector::TransferReadOp>(read)) {
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(narrow));
    transfer.getPaddingMutable().assign(zero);
  }
  Value result = read->getResult(0);
  Type wide = result.getType();
  result.setType(norm::withElement(wide, narrow));
  b.setInsertionPointAfter(read);
  auto extend = arith::ExtFOp::create(b, loc, wide, result);
  result.replaceAllUsesExcept(extend, extend);
}

static void narrowBuffer(memref::AllocOp alloc, Type narrow) {
  LDBG("norm-narrow-temporaries", 1)
      << "narrows to " << narrow << ": " << alloc;
  SmallVector<Operation *> users(alloc->getUsers());
  alloc.getResult().setType(
      cast<MemRefType>(norm::withElement(alloc.getType(), narrow)));
  for (Operation *user : users) {
    if (Value stored = getStored(user, alloc))
      storeNarrow(user, stored);
    else if (isRead(user))
      readNarrow(user, narrow);
  }
}

namespace {
struct NormNarrowTemporaries
    : norm::impl::NormNarrowTemporariesBase<NormNarrowTemporaries> {
  void runOnOperation() override {
    getOperation().walk([](memref::AllocOp alloc) {
      if (Type narrow = findNarrowElement(alloc))
        narrowBuffer(alloc, narrow);
    });
  }
};
} // namespace
