//===- WriteRowsEarly.cpp - results before the reduction ------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowBuffers.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "norm/Target/GPU/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMWRITEROWSEARLY
#include "norm/Target/GPU/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

/// The first reduction between what `write` needs and `write`.
static Operation *findReduction(vector::TransferWriteOp write) {
  Operation *last = nullptr;
  for (Value operand : write->getOperands()) {
    Operation *op = operand.getDefiningOp();
    if (op && op->getBlock() == write->getBlock() &&
        (!last || last->isBeforeInBlock(op)))
      last = op;
  }
  // A row that nothing in the loop computes has no statistic to wait for.
  if (!last)
    return nullptr;
  for (Operation *op = last->getNextNode(); op != write; op = op->getNextNode())
    if (isa<vector::ReductionOp>(op))
      return op;
  return nullptr;
}

/// A thread overwrites what it has read itself: the same part of the same row.
static bool readsSamePlaceBefore(Operation *op, vector::TransferWriteOp write,
                                 Operation *reduction) {
  auto read = dyn_cast<vector::TransferReadOp>(op);
  return read && read->getBlock() == reduction->getBlock() &&
         read->isBeforeInBlock(reduction) &&
         read.getIndices() == write.getIndices() &&
         read.getPermutationMap() == write.getPermutationMap() &&
         read.getVectorType().getShape() == write.getVectorType().getShape();
}

/// Whether `op` allows that `write` moves before `reduction`. Two results are
/// two buffers.
static bool allows(Operation *op, vector::TransferWriteOp write,
                   Operation *reduction) {
  if (op == write || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
      isMemoryEffectFree(op))
    return true;
  auto effects = getEffectsRecursively(op);
  return effects && llvm::all_of(*effects, [&](const auto &effect) {
           Value buffer = effect.getValue();
           if (!buffer)
             return false;
           if (!isa<MemoryEffects::Read>(effect.getEffect()))
             return norm::getRootBuffer(buffer) !=
                    norm::getRootBuffer(write.getBase());
           return !norm::maySee(buffer, write.getBase()) ||
                  readsSamePlaceBefore(op, write, reduction);
         });
}

static void writeEarly(scf::ForallOp loop) {
  SmallVector<vector::TransferWriteOp> writes(
      loop.getBody()->getOps<vector::TransferWriteOp>());
  for (vector::TransferWriteOp write : writes) {
    Operation *reduction = findReduction(write);
    if (!reduction)
      continue;
    WalkResult result = loop.getBody()->walk([&](Operation *op) {
      return allows(op, write, reduction) ? WalkResult::advance()
                                          : WalkResult::interrupt();
    });
    if (!result.wasInterrupted())
      write->moveBefore(reduction);
  }
}

namespace {
struct NormWriteRowsEarly
    : norm::impl::NormWriteRowsEarlyBase<NormWriteRowsEarly> {
  void runOnOperation() override { getOperation().walk(writeEarly); }
};
} // namespace
