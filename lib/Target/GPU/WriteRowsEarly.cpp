//===- WriteRowsEarly.cpp - results before the reduction ------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrepareRows.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "norm/IR/Norm.h"
#include "llvm/Support/DebugLog.h"

using namespace mlir;

/// The last op of the loop that `write` needs; none for a row that nothing in
/// the loop computes, which has no statistic to wait for.
static Operation *findLastProducer(vector::TransferWriteOp write) {
  Operation *last = nullptr;
  for (Value operand : write->getOperands()) {
    Operation *op = operand.getDefiningOp();
    if (op && op->getBlock() == write->getBlock() &&
        (!last || last->isBeforeInBlock(op)))
      last = op;
  }
  return last;
}

static Operation *findReduction(Operation *last,
                                vector::TransferWriteOp write) {
  for (Operation *op = last->getNextNode(); op != write; op = op->getNextNode())
    if (isa<vector::ReductionOp>(op))
      return op;
  return nullptr;
}

/// A thread overwrites what it has read itself: the same part of the same row.
static bool readsSamePlaceBefore(Operation *op, vector::TransferWriteOp write,
                                 Operation *place) {
  auto read = dyn_cast<vector::TransferReadOp>(op);
  return read && read->getBlock() == place->getBlock() &&
         read->isBeforeInBlock(place) &&
         read.getIndices() == write.getIndices() &&
         read.getPermutationMap() == write.getPermutationMap() &&
         read.getVectorType().getShape() == write.getVectorType().getShape();
}

/// Whether `op` allows that `write` moves before `place`. Two results are two
/// buffers.
static bool allows(Operation *op, vector::TransferWriteOp write,
                   Operation *place) {
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
                  readsSamePlaceBefore(op, write, place);
         });
}

static bool canMove(vector::TransferWriteOp write, Operation *place) {
  auto loop = write->getParentOfType<scf::ForallOp>();
  return !norm::anyIn(loop,
                      [&](Operation *op) { return !allows(op, write, place); });
}

void norm::writeRowsEarly(scf::ForallOp loop) {
  SmallVector<vector::TransferWriteOp> writes(
      loop.getBody()->getOps<vector::TransferWriteOp>());
  for (vector::TransferWriteOp write : writes) {
    Operation *last = findLastProducer(write);
    Operation *reduction = last ? findReduction(last, write) : nullptr;
    if (!reduction)
      continue;
    // At best before the statistic's first op: among squares of a row ptxas
    // (13.0) keeps the squares and the row in registers.
    for (Operation *place : {last->getNextNode(), reduction}) {
      if (!canMove(write, place))
        continue;
      LDBG("norm-distribute-rows-to-gpu", 1)
          << "moves before " << *place << ": " << write;
      write->moveBefore(place);
      break;
    }
  }
}
