//===- NestedIndicesToLoops.cpp - linalg.index within another body --------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: CSE merges a nested linalg.index with that of the
// enclosing body; goes when linalg.index names its loop by an operand.

#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Linalg/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "norm/Normalize/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMNESTEDINDICESTOLOOPS
#include "norm/Normalize/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

/// Computes the place of one element of `operand` in the iteration `ivs`.
static SmallVector<Value> computePlace(OpBuilder &b, linalg::LinalgOp op,
                                       OpOperand &operand, ValueRange ivs) {
  return SmallVector<Value>(*affine::expandAffineMap(
      b, op.getLoc(), op.getMatchingIndexingMap(&operand), ivs));
}

/// Reads the body's element of `operand`, whose current value is `from`.
static Value readElement(OpBuilder &b, linalg::LinalgOp op, OpOperand &operand,
                         Value from, ValueRange ivs) {
  if (op.isScalar(&operand))
    return from;
  SmallVector<Value> place = computePlace(b, op, operand, ivs);
  if (isa<MemRefType>(from.getType()))
    return memref::LoadOp::create(b, op.getLoc(), from, place);
  return tensor::ExtractOp::create(b, op.getLoc(), from, place);
}

/// Emits one innermost iteration on the current values of the operands.
static scf::ValueVector emitIteration(OpBuilder &b, linalg::LinalgOp op,
                                      ValueRange ivs, ValueRange operands) {
  IRMapping mapping;
  for (auto [operand, from] : llvm::zip(op->getOpOperands(), operands))
    if (BlockArgument argument = op.getMatchingBlockArgument(&operand);
        !argument.use_empty())
      mapping.map(argument, readElement(b, op, operand, from, ivs));
  for (Operation &bodyOp : op.getBlock()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(bodyOp))
      mapping.map(index.getResult(), ivs[index.getDim()]);
    else
      b.clone(bodyOp, mapping);
  }

  scf::ValueVector written;
  for (auto [init, value] :
       llvm::zip(op.getDpsInitsMutable(),
                 op.getBlock()->getTerminator()->getOperands())) {
    Value output = operands[init.getOperandNumber()];
    SmallVector<Value> place = computePlace(b, op, init, ivs);
    Value element = mapping.lookupOrDefault(value);
    if (isa<MemRefType>(output.getType()))
      memref::StoreOp::create(b, op.getLoc(), element, output, place);
    else
      written.push_back(
          tensor::InsertOp::create(b, op.getLoc(), element, output, place));
  }
  return written;
}

static void convertToLoops(linalg::LinalgOp op) {
  OpBuilder b(op);
  linalg::GenerateLoopNest<scf::ForOp>::doit(
      b, op.getLoc(), op.createLoopRanges(b, op.getLoc()), op,
      op.getIteratorTypesArray(),
      [&](OpBuilder &inner, Location, ValueRange ivs, ValueRange operands) {
        return emitIteration(inner, op, ivs, operands);
      });
  op->replaceAllUsesWith(op->getPrevNode()->getResults());
  op->erase();
}

namespace {
struct NormNestedIndicesToLoops
    : norm::impl::NormNestedIndicesToLoopsBase<NormNestedIndicesToLoops> {
  void runOnOperation() override {
    // Inner ops come first, so that outer ones clone loops.
    getOperation()->walk([](linalg::LinalgOp op) {
      if (op.hasIndexSemantics() && op->getParentOfType<linalg::LinalgOp>())
        convertToLoops(op);
    });
  }
};
} // namespace
