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
#include "norm/IR/Missed.h"
#include "norm/Rows/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMMERGESIBLINGS
#include "norm/Rows/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using linalg::GenericOp;

/// Returns true if `op` uses what another linalg op behind `first` computes:
/// that one stays, because sums are added in another order beside other ops.
static bool needsLaterOp(GenericOp op, GenericOp first) {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    Operation *def = operand.getDefiningOp();
    return def && def->getNumRegions() != 0 &&
           def->getBlock() == first->getBlock() && first->isBeforeInBlock(def);
  });
}

/// The ops that may merge with later ones, by what they read.
using Readers = llvm::DenseMap<Value, SmallVector<GenericOp>>;

/// Merges `op` into one of `readers` that reads the same elements. Returns that
/// one, which is erased, and the merged op; nulls if there is none.
static std::pair<GenericOp, GenericOp> merge(IRRewriter &b, GenericOp op,
                                             const Readers &readers) {
  for (Value input : op.getInputs())
    for (GenericOp first : readers.lookup(input))
      if (first->getBlock() == op->getBlock() &&
          first.getNumLoops() == op.getNumLoops() &&
          norm::readSameElements(first, op) && !needsLaterOp(op, first))
        if (GenericOp merged = norm::mergeInto(b, first, op))
          return {first, merged};
  return {};
}

static void explain(GenericOp op, GenericOp first) {
  if (first->getBlock() == op->getBlock())
    missed(op, norm::readSameElements(first, op)
                   ? norm::Missed::SiblingNeedsLater
                   : norm::Missed::SiblingsDiffer);
}

namespace {
struct NormMergeSiblings
    : norm::impl::NormMergeSiblingsBase<NormMergeSiblings> {
  void runOnOperation() override {
    Readers readers;
    SmallVector<GenericOp> ops;
    getOperation().walk([&](GenericOp op) {
      if (norm::isEndOfRows(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (GenericOp op : ops) {
      if (auto [sibling, merged] = merge(rewriter, op, readers); merged) {
        for (Value input : merged.getInputs())
          llvm::erase(readers[input], sibling);
        op = merged;
      }
      for (Value input : op.getInputs())
        if (!llvm::is_contained(readers[input], op)) {
          if (!readers[input].empty())
            explain(op, readers[input].front());
          readers[input].push_back(op);
        }
    }
  }
};
} // namespace
