//===- SinkDeinterleaves.cpp - take vectors apart where they are narrow ---===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "norm/Floats/ValueOrigins.h"
#include "norm/Rows/Passes.h"
#include "norm/Rows/Vectors.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMSINKDEINTERLEAVES
#include "norm/Rows/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

namespace {
/// The same operation on the even and on the odd elements of a vector.
struct Step {
  Operation *even, *odd;
  unsigned operand; ///< The one with these elements.
};
} // namespace

/// Returns the ops that follow on both halves if they are the same, and nothing
/// else uses these.
static std::optional<Step> matchStep(Value even, Value odd) {
  if (!even.hasOneUse() || !odd.hasOneUse())
    return std::nullopt;
  OpOperand &x = *even.use_begin(), &y = *odd.use_begin();
  Operation *a = x.getOwner(), *b = y.getOwner();
  if (a == b || a->getBlock() != b->getBlock() ||
      a->getName() != b->getName() || a->getAttrs() != b->getAttrs() ||
      a->getResultTypes() != b->getResultTypes() ||
      x.getOperandNumber() != y.getOperandNumber() ||
      !OpTrait::hasElementwiseMappableTraits(a) || a->getNumResults() != 1 ||
      !isMemoryEffectFree(a))
    return std::nullopt;
  for (auto [p, q] : llvm::zip(a->getOpOperands(), b->getOpOperands()))
    if (p.getOperandNumber() != x.getOperandNumber() &&
        (p.get() != q.get() || !norm::getUniform(p.get())))
      return std::nullopt;
  return Step{a, b, x.getOperandNumber()};
}

/// Below bytes, vectors are shuffled as bytes.
static unsigned getShuffledBits(Value v) {
  return std::max(8u,
                  getElementTypeOrSelf(v.getType()).getIntOrFloatBitWidth());
}

/// Returns the steps to the last one of the narrowest elements, none if these
/// are no narrower than those of `parts`.
static SmallVector<Step> findSteps(vector::DeinterleaveOp parts) {
  SmallVector<Step> steps;
  Value even = parts.getRes1(), odd = parts.getRes2();
  if (!getElementTypeOrSelf(even.getType()).isIntOrFloat())
    return steps;
  unsigned least = getShuffledBits(even);
  size_t kept = 0;
  while (std::optional<Step> step = matchStep(even, odd)) {
    steps.push_back(*step);
    even = step->even->getResult(0);
    odd = step->odd->getResult(0);
    unsigned bits = getShuffledBits(even);
    if (bits < least || (bits == least && kept > 0)) {
      least = bits;
      kept = steps.size();
    }
  }
  steps.truncate(kept);
  return steps;
}

static void sink(RewriterBase &b, vector::DeinterleaveOp parts,
                 ArrayRef<Step> steps) {
  Value whole = parts.getSource();
  int64_t lanes = parts.getSourceVectorType().getNumElements();
  for (const Step &step : steps) {
    b.setInsertionPoint(step.even->isBeforeInBlock(step.odd) ? step.even
                                                             : step.odd);
    SmallVector<Value> operands;
    for (OpOperand &operand : step.even->getOpOperands())
      operands.push_back(
          operand.getOperandNumber() == step.operand
              ? whole
              : norm::createUniform(b, operand.get(), lanes, IRMapping()));
    whole = norm::cloneAtWidth(b, step.even, lanes, operands)->getResult(0);
  }
  const Step &last = steps.back();
  auto narrow = vector::DeinterleaveOp::create(b, parts.getLoc(), whole);
  b.replaceOp(last.even, narrow.getRes1());
  b.replaceOp(last.odd, narrow.getRes2());
  for (const Step &step : llvm::reverse(steps.drop_back())) {
    b.eraseOp(step.even);
    b.eraseOp(step.odd);
  }
  b.eraseOp(parts);
}

namespace {
struct NormSinkDeinterleaves
    : norm::impl::NormSinkDeinterleavesBase<NormSinkDeinterleaves> {
  void runOnOperation() override {
    SmallVector<vector::DeinterleaveOp> found;
    getOperation().walk(
        [&](vector::DeinterleaveOp parts) { found.push_back(parts); });
    IRRewriter rewriter(&getContext());
    for (vector::DeinterleaveOp parts : found) {
      SmallVector<Step> steps = findSteps(parts);
      if (!steps.empty())
        sink(rewriter, parts, steps);
    }
  }
};
} // namespace
