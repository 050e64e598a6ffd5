//===- NestedIndicesToLoops.cpp - linalg.index within another body --------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: CSE merges a nested linalg.index with that of the
// enclosing body; goes when linalg.index names its loop by an operand.

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
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
  AffineMap map = op.getMatchingIndexingMap(&operand);
  SmallVector<OpFoldResult> iteration = getAsOpFoldResult(ivs);
  SmallVector<Value> place;
  for (unsigned dim = 0; dim < map.getNumResults(); ++dim) {
    OpFoldResult index = affine::makeComposedFoldedAffineApply(
        b, op.getLoc(), map.getSubMap({dim}), iteration);
    place.push_back(getValueOrCreateConstantIndexOp(b, op.getLoc(), index));
  }
  return place;
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

/// Maps the arguments of the body of `op` to elements, where they are used.
static IRMapping readElements(OpBuilder &b, linalg::LinalgOp op, ValueRange ivs,
                              ArrayRef<Value> outputs) {
  IRMapping mapping;
  auto read = [&](BlockArgument argument, OpOperand &operand, Value from) {
    if (!argument.use_empty())
      mapping.map(argument, readElement(b, op, operand, from, ivs));
  };
  for (auto [argument, operand] :
       llvm::zip(op.getRegionInputArgs(), op.getDpsInputOperands()))
    read(argument, *operand, operand->get());
  for (auto [argument, operand, from] :
       llvm::zip(op.getRegionOutputArgs(), op.getDpsInitsMutable(), outputs))
    read(argument, operand, from);
  return mapping;
}

/// Emits one innermost iteration; `carried` are the tensors written so far.
static scf::ValueVector emitIteration(OpBuilder &b, linalg::LinalgOp op,
                                      ValueRange ivs, ValueRange carried) {
  // Only tensors are carried.
  auto next = carried.begin();
  SmallVector<Value> outputs;
  for (Value init : op.getDpsInits())
    outputs.push_back(isa<MemRefType>(init.getType()) ? init : *next++);
  IRMapping mapping = readElements(b, op, ivs, outputs);
  for (Operation &bodyOp : op.getBlock()->without_terminator()) {
    if (auto index = dyn_cast<linalg::IndexOp>(bodyOp))
      mapping.map(index.getResult(), ivs[index.getDim()]);
    else
      b.clone(bodyOp, mapping);
  }

  scf::ValueVector written;
  ValueRange yielded = op.getBlock()->getTerminator()->getOperands();
  for (auto [init, output, value] :
       llvm::zip_equal(op.getDpsInitsMutable(), outputs, yielded)) {
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
  Location loc = op.getLoc();
  SmallVector<Value> lower, upper, step;
  for (Range range : op.createLoopRanges(b, loc)) {
    lower.push_back(getValueOrCreateConstantIndexOp(b, loc, range.offset));
    upper.push_back(getValueOrCreateConstantIndexOp(b, loc, range.size));
    step.push_back(getValueOrCreateConstantIndexOp(b, loc, range.stride));
  }
  SmallVector<Value> tensors = llvm::filter_to_vector(
      op.getDpsInits(), [](Value v) { return isa<TensorType>(v.getType()); });
  scf::LoopNest nest = scf::buildLoopNest(
      b, loc, lower, upper, step, tensors,
      [&](OpBuilder &inner, Location, ValueRange ivs, ValueRange carried) {
        return emitIteration(inner, op, ivs, carried);
      });
  op->replaceAllUsesWith(nest.results);
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
