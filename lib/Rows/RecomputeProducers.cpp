//===- RecomputeProducers.cpp - cheap rows are not kept -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "norm/IR/RowTarget.h"
#include "norm/Rows/Passes.h"
#include "norm/Rows/Rows.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMRECOMPUTEPRODUCERS
#include "norm/Rows/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using linalg::GenericOp;

static bool isWide(Type type) {
  return type.isIntOrFloat() && type.getIntOrFloatBitWidth() >= 32;
}

/// Returns the ops of the body that each element of a row repeats. The others
/// use values of the row alone, and loops over the row compute them once.
static SmallVector<Operation *> getOpsOfElements(GenericOp op) {
  unsigned innermost = op.getNumLoops() - 1;
  llvm::DenseSet<Value> ofElements;
  for (OpOperand &operand : op->getOpOperands())
    if (op.getMatchingIndexingMap(&operand).isFunctionOfDim(innermost))
      ofElements.insert(op.getMatchingBlockArgument(&operand));
  SmallVector<Operation *> found;
  for (Operation &each : op.getBody()->without_terminator()) {
    bool isOfRow = each.getNumRegions() == 0 && isMemoryEffectFree(&each) &&
                   llvm::none_of(each.getOperands(), [&](Value operand) {
                     return ofElements.contains(operand);
                   });
    if (isOfRow && !isa<linalg::IndexOp>(each))
      continue;
    found.push_back(&each);
    ofElements.insert_range(each.getResults());
  }
  return found;
}

/// Returns true where some ops are computed once a row, which is most of the
/// work of a short one: rows that norm-tile-rows puts into blocks lie in level
/// 1 with their temporaries.
static bool hasCostlyRows(GenericOp op, size_t opsOfElements) {
  auto computes = [](Operation &each) { return !isa<arith::ConstantOp>(each); };
  auto body = op.getBody()->without_terminator();
  size_t ops = llvm::count_if(body, computes);
  int64_t length = op.getStaticLoopRanges().back();
  return ops > opsOfElements && !ShapedType::isDynamic(length) &&
         length <= norm::getRowTarget(op).getShortRow();
}

/// Operations of a cheap producer on each element.
static constexpr size_t kMaxOps = 3;

/// Returns true for a few sums and products of wide elements without casts.
static bool isCheap(GenericOp op) {
  if (op.getNumLoops() == 0)
    return false;
  SmallVector<Operation *> ops = getOpsOfElements(op);
  return ops.size() <= kMaxOps && !hasCostlyRows(op, ops.size()) &&
         llvm::all_of(op.getBody()->getArgumentTypes(), isWide) &&
         llvm::all_of(ops, [](Operation *each) {
           return isa<arith::AddFOp, arith::SubFOp, arith::MulFOp,
                      arith::NegFOp>(each);
         });
}

/// Returns true if only reductions and one elementwise op read it, which become
/// one loop over rows. The sum of a residual stream is kept, because the next
/// layer reads it too and would otherwise add up all layers before it.
static bool isReadByRows(GenericOp producer) {
  bool hasReduction = false;
  GenericOp elementwise;
  for (OpOperand &use : producer->getUses()) {
    if (isa<tensor::DimOp>(use.getOwner()))
      continue;
    auto reader = dyn_cast<GenericOp>(use.getOwner());
    if (!reader || !reader.isDpsInput(&use) ||
        !linalg::areElementwiseOpsFusable(&use))
      return false;
    if (reader.getNumReductionLoops() > 0)
      hasReduction = true;
    else if (elementwise && elementwise != reader)
      return false;
    else
      elementwise = reader;
  }
  return hasReduction && elementwise;
}

bool norm::fuseCopyOfProducer(IRRewriter &rewriter, OpOperand &use) {
  Operation *user = use.getOwner();
  auto result = cast<OpResult>(use.get());
  rewriter.setInsertionPoint(user);
  // A producer with other users would stay a second result of the fusion.
  Operation *copy = rewriter.clone(*result.getOwner());
  rewriter.modifyOpInPlace(
      user, [&] { use.set(copy->getResult(result.getResultNumber())); });
  FailureOr<linalg::ElementwiseOpFusionResult> fused =
      linalg::fuseElementwiseOps(rewriter, &use);
  if (failed(fused))
    return false;
  for (auto [from, to] : fused->replacements)
    rewriter.replaceAllUsesWith(from, to);
  rewriter.eraseOp(user);
  rewriter.eraseOp(copy);
  return true;
}

namespace {
struct NormRecomputeProducers
    : norm::impl::NormRecomputeProducersBase<NormRecomputeProducers> {
  void runOnOperation() override {
    SmallVector<GenericOp> ops;
    getOperation().walk([&](GenericOp op) { ops.push_back(op); });
    IRRewriter rewriter(&getContext());
    // In reverse order, producers are visited after their users.
    for (GenericOp op : llvm::reverse(ops))
      if (op.hasPureTensorSemantics() && op->getNumResults() == 1 &&
          op.isAllParallelLoops() && isCheap(op) && isReadByRows(op))
        recompute(rewriter, op);
  }

  void recompute(IRRewriter &rewriter, GenericOp producer) {
    LDBG("norm-recompute-producers", 1) << "recomputes " << producer;
    while (!producer->use_empty()) {
      OpOperand &use = *producer->use_begin();
      Operation *reader = use.getOwner();
      if (isa<tensor::DimOp>(reader)) {
        rewriter.modifyOpInPlace(
            reader, [&] { use.set(producer.getDpsInits().front()); });
        continue;
      }
      norm::fuseCopyOfProducer(rewriter, use);
    }
    rewriter.eraseOp(producer);
  }
};
} // namespace
