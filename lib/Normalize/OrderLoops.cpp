//===- OrderLoops.cpp - the loop over neighbors in memory innermost -------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "norm/Normalize/Passes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMORDERLOOPS
#include "norm/Normalize/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using linalg::GenericOp;

/// A dynamic extent counts as this many elements, more than most static ones.
static constexpr uint64_t kDynamicExtent = 1 << 16;

static uint64_t countElements(RankedTensorType type) {
  uint64_t count = 1;
  for (int64_t extent : type.getShape())
    count = llvm::SaturatingMultiply<uint64_t>(
        count, ShapedType::isDynamic(extent) ? kDynamicExtent : extent);
  return count;
}

/// Returns per loop the elements of the operands that it reads or writes in
/// the order of memory.
static SmallVector<uint64_t> countInOrder(GenericOp op) {
  SmallVector<uint64_t> counts(op.getNumLoops(), 0);
  for (OpOperand &operand : op->getOpOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.get().getType());
    AffineMap map = op.getMatchingIndexingMap(&operand);
    if (!type || map.getNumResults() == 0)
      continue;
    if (auto dim = dyn_cast<AffineDimExpr>(map.getResults().back()))
      counts[dim.getPosition()] =
          llvm::SaturatingAdd(counts[dim.getPosition()], countElements(type));
  }
  return counts;
}

/// Returns the loop to make innermost, or nullopt if it is that already.
static std::optional<unsigned> findInnermost(GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumLoops() < 2)
    return std::nullopt;
  SmallVector<uint64_t> counts = countInOrder(op);
  auto *most = llvm::max_element(counts);
  if (*most <= counts.back())
    return std::nullopt;
  return most - counts.begin();
}

namespace {
struct NormOrderLoops : norm::impl::NormOrderLoopsBase<NormOrderLoops> {
  void runOnOperation() override {
    SmallVector<GenericOp> ops;
    getOperation().walk([&](GenericOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    for (GenericOp op : ops) {
      std::optional<unsigned> innermost = findInnermost(op);
      if (!innermost)
        continue;
      LDBG("norm-order-loops", 1)
          << "loop " << *innermost << " becomes innermost: " << op;
      SmallVector<unsigned> order;
      for (unsigned loop = 0, e = op.getNumLoops(); loop < e; ++loop)
        if (loop != *innermost)
          order.push_back(loop);
      order.push_back(*innermost);
      rewriter.setInsertionPoint(op);
      if (failed(linalg::interchangeGenericOp(rewriter, op, order)))
        return signalPassFailure();
    }
  }
};
} // namespace
