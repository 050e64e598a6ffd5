//===- MergeRowSums.cpp - sums over rows, made where rows are read --------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergeOps.h"
#include "RowPlan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "norm/IR/Norm.h"
#include "norm/Rows/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMMERGEROWSUMS
#include "norm/Rows/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using linalg::GenericOp;

static bool isSumOverRows(GenericOp op) {
  return op.hasPureTensorSemantics() && norm::matchRowSums(op);
}

/// Whether `sum` reads elements of `op` only where `op` yields them; a sum is
/// whole after the last row.
static bool readsOwnElements(GenericOp sum, GenericOp op) {
  return llvm::all_of(sum->getOpOperands(), [&](OpOperand &operand) {
    auto result = dyn_cast<OpResult>(operand.get());
    if (!result || result.getOwner() != op)
      return true;
    AffineMap map = op.getIndexingMapMatchingResult(result);
    return sum.isDpsInput(&operand) && map.isPermutation() &&
           sum.getMatchingIndexingMap(&operand) == map;
  });
}

static bool isRead(GenericOp reader, GenericOp op) {
  return llvm::is_contained(op->getUsers(), reader.getOperation());
}

/// Returns true if the loops of both are the same ones, at the ends of rows.
static bool canMerge(GenericOp op, GenericOp sum) {
  if (op == sum || op->getBlock() != sum->getBlock() ||
      op.getNumLoops() != sum.getNumLoops() || isRead(op, sum))
    return false;
  bool isSum = isSumOverRows(op) &&
               op.getIteratorTypesArray() == sum.getIteratorTypesArray();
  return (isSum || norm::isEndOfRows(op, sum)) && readsOwnElements(sum, op) &&
         (isRead(sum, op) || norm::readSameElements(op, sum));
}

/// Returns the ops that read what `sum` reads, or that it reads itself, in the
/// order of the block.
static SmallVector<GenericOp> findCandidates(GenericOp sum) {
  SmallVector<GenericOp> found;
  auto add = [&](Operation *op) {
    auto generic = dyn_cast_or_null<GenericOp>(op);
    if (generic && !llvm::is_contained(found, generic) &&
        canMerge(generic, sum))
      found.push_back(generic);
  };
  for (Value input : sum.getInputs()) {
    add(input.getDefiningOp());
    for (Operation *user : input.getUsers())
      add(user);
  }
  llvm::sort(found,
             [](GenericOp a, GenericOp b) { return a->isBeforeInBlock(b); });
  return found;
}

namespace {
struct NormMergeRowSums : norm::impl::NormMergeRowSumsBase<NormMergeRowSums> {
  void runOnOperation() override {
    // Beside other ops, sums are added in another order than alone.
    if (getOperation()->hasAttr(norm::sumPartsAttrName))
      return;
    SmallVector<GenericOp> sums;
    getOperation().walk([&](GenericOp op) {
      if (isSumOverRows(op))
        sums.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    while (!sums.empty()) {
      GenericOp sum = sums.pop_back_val();
      if (auto merged = mergeOne(rewriter, sum))
        llvm::replace(sums, merged->second, merged->first);
    }
  }

  /// Returns the new op and the one that `sum` is merged with.
  std::optional<std::pair<GenericOp, GenericOp>> mergeOne(IRRewriter &rewriter,
                                                          GenericOp sum) {
    for (GenericOp op : findCandidates(sum)) {
      GenericOp first = op, second = sum;
      if (sum->isBeforeInBlock(op))
        std::swap(first, second);
      if (GenericOp merged = norm::mergeInto(rewriter, first, second))
        return std::pair(merged, op);
    }
    return std::nullopt;
  }
};
} // namespace
