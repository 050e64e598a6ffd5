//===- BufferUses.cpp - what a function does to a buffer ------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BufferUses.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/VectorInterfaces.h"
#include "norm/IR/Norm.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using norm::BufferUses;

static bool isMemRef(Type type) { return isa<BaseMemRefType>(type); }

static void collect(Value buffer, BufferUses &uses) {
  for (Operation *op : llvm::SmallSetVector<Operation *, 8>(
           buffer.user_begin(), buffer.user_end())) {
    // Taken where buffers are apart, as it finds itself.
    if (norm::isStreamedVersion(op))
      continue;
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    bool isPassedOn =
        op->hasTrait<OpTrait::IsTerminator>() && !isa<func::ReturnOp>(op);
    bool isUnknown = !effects || isPassedOn;
    if (isUnknown || effects.getEffectOnValue<MemoryEffects::Read>(buffer))
      uses.reads.push_back(op);
    if (isUnknown || effects.getEffectOnValue<MemoryEffects::Write>(buffer))
      uses.writes.push_back(op);
    for (Value view : op->getResults())
      if (!isUnknown && isMemRef(view.getType()))
        collect(view, uses);
  }
}

BufferUses norm::getBufferUses(Value buffer) {
  BufferUses uses;
  collect(buffer, uses);
  return uses;
}

/// Returns the ops in one block that are or contain `x` and `y`.
static std::pair<Operation *, Operation *> getSiblings(Operation *x,
                                                       Operation *y) {
  for (; x; x = x->getParentOp())
    if (Operation *other = x->getBlock()->findAncestorOpInBlock(*y))
      return {x, other};
  return {nullptr, nullptr};
}

static ValueRange getIndices(Operation *op) {
  if (auto transfer = dyn_cast<VectorTransferOpInterface>(op))
    return transfer.getIndices();
  if (auto load = dyn_cast<memref::LoadOp>(op))
    return load.getIndices();
  if (auto store = dyn_cast<memref::StoreOp>(op))
    return store.getIndices();
  return {};
}

static bool isAfter(Operation *read, Operation *write,
                    const BufferUses &output) {
  auto [first, second] = getSiblings(write, read);
  if (!first || first == second || !first->isBeforeInBlock(second))
    return false;
  // The remainder of a row is read after the loop that writes what precedes it.
  if (second == read && !getIndices(read).empty())
    return first == write && getIndices(read) == getIndices(write);
  Operation *later = second;
  return llvm::none_of(output.writes, [&](Operation *other) {
    return later->isAncestor(other);
  });
}

bool norm::isReadAfterWrite(const BufferUses &input, const BufferUses &output) {
  return llvm::any_of(input.reads, [&](Operation *read) {
    return llvm::any_of(output.writes, [&](Operation *write) {
      return isAfter(read, write, output);
    });
  });
}
