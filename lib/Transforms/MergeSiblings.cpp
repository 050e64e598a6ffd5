//===- MergeSiblings.cpp - ops that read the same tensor, as one ----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergeOps.h"
#include "RowPlan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Transforms/RegionUtils.h"
#include "norm/Transforms/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMMERGESIBLINGS
#include "norm/Transforms/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using linalg::GenericOp;

/// Returns true for elementwise ops whose results no row loop computes with;
/// others join the loop of their user.
static bool isEndOfRows(GenericOp op) {
  if (!op.hasPureTensorSemantics() || !op.isAllParallelLoops())
    return false;
  return llvm::none_of(op->getUsers(), [](Operation *user) {
    auto generic = dyn_cast<GenericOp>(user);
    return generic && !norm::isContraction(generic);
  });
}

/// Returns true if `value` is known at `place`, or can be made there.
static bool isKnownAt(Value value, Operation *place) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != place->getBlock() || op->isBeforeInBlock(place))
    return true;
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         llvm::all_of(op->getOperands(), [&](Value operand) {
           Operation *def = operand.getDefiningOp();
           return !def || def->getBlock() != place->getBlock() ||
                  def->isBeforeInBlock(place);
         });
}

/// Returns the operands and what the body uses from outside.
static llvm::SetVector<Value> getUsedValues(GenericOp op) {
  llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
  getUsedValuesDefinedAbove(op->getRegions(), used);
  return used;
}

/// Builds one op with the results of both, in place of the first.
static GenericOp merge(IRRewriter &b, GenericOp first, GenericOp second) {
  for (Value operand : getUsedValues(second))
    if (Operation *op = operand.getDefiningOp();
        op && op->getBlock() == first->getBlock() && first->isBeforeInBlock(op))
      op->moveBefore(first);
  return norm::mergeInto(b, first, second);
}

/// Returns the op of `earlier` that `op` merges with, or null.
static GenericOp findSibling(GenericOp op, ArrayRef<GenericOp> earlier) {
  for (GenericOp first : earlier)
    if (first->getBlock() == op->getBlock() &&
        first.getNumLoops() == op.getNumLoops() &&
        norm::readSameElements(first, op) &&
        llvm::all_of(getUsedValues(op),
                     [&](Value value) { return isKnownAt(value, first); }))
      return first;
  return nullptr;
}

namespace {
struct NormMergeSiblings
    : norm::impl::NormMergeSiblingsBase<NormMergeSiblings> {
  void runOnOperation() override {
    // Only ops that share an operand can merge.
    llvm::DenseMap<Value, SmallVector<GenericOp>> readers;
    SmallVector<GenericOp> ops;
    getOperation().walk([&](GenericOp op) {
      if (isEndOfRows(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (GenericOp op : ops) {
      GenericOp sibling;
      for (Value input : op.getInputs())
        if (!sibling)
          sibling = findSibling(op, readers[input]);
      if (sibling) {
        for (Value input : sibling.getInputs())
          llvm::erase(readers[input], sibling);
        op = merge(rewriter, sibling, op);
      }
      for (Value input : op.getInputs())
        if (!llvm::is_contained(readers[input], op))
          readers[input].push_back(op);
    }
  }
};
} // namespace
