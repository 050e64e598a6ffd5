//===- Buffers.cpp - extents of buffers at run time -----------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Rows/Buffers.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/Transforms.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "norm/Normalize/ElementStorage.h"

using namespace mlir;

llvm::SetVector<Value> norm::getOuterBuffers(Operation *loop) {
  llvm::SetVector<Value> used(loop->operand_begin(), loop->operand_end());
  getUsedValuesDefinedAbove(loop->getRegions(), used);
  used.remove_if([](Value v) { return !isa<BaseMemRefType>(v.getType()); });
  return used;
}

bool norm::hasCountableBytes(Value memref) {
  auto type = dyn_cast<MemRefType>(memref.getType());
  return type && type.getElementType().isIntOrFloat();
}

norm::Lanes norm::createByteCount(ImplicitLocOpBuilder &b,
                                  ArrayRef<Value> buffers) {
  // It wraps where no memory has so many.
  Lanes total(b, arith::ConstantIndexOp::create(b, 0));
  for (Value buffer : buffers) {
    Lanes count = total.like(1);
    for (OpFoldResult extent : memref::getMixedSizes(b, b.getLoc(), buffer))
      count = count * getValueOrCreateConstantIndexOp(b, b.getLoc(), extent);
    total = total + count * getElementBytes(buffer.getType());
  }
  return total;
}

std::optional<SmallVector<Operation *>> norm::findSources(Operation *loop,
                                                          ValueRange values) {
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *op) { return loop->isAncestor(op); };
  for (Value v : values)
    if (failed(getBackwardSlice(v, &slice, options)))
      return std::nullopt;
  return llvm::all_of(slice, isMemoryEffectFree)
             ? std::optional(slice.takeVector())
             : std::nullopt;
}

SmallVector<Operation *> norm::getOutermostLoops(Operation *scope) {
  SmallVector<Operation *> loops;
  scope->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!isa<LoopLikeOpInterface, linalg::LinalgOp>(op))
      return WalkResult::advance();
    loops.push_back(op);
    return WalkResult::skip();
  });
  return loops;
}

LogicalResult norm::serializeLoop(RewriterBase &rewriter, Operation *loop) {
  if (loop->getNumResults() > 0)
    return failure();
  rewriter.setInsertionPoint(loop);
  auto forall = dyn_cast<scf::ForallOp>(loop);
  if (!forall)
    return parallelForToNestedFors(rewriter, cast<scf::ParallelOp>(loop));
  DictionaryAttr attributes = loop->getDiscardableAttrDictionary();
  SmallVector<Operation *> loops;
  if (failed(scf::forallToForLoop(rewriter, forall, &loops)))
    return failure();
  for (Operation *each : loops)
    each->setDiscardableAttrs(attributes);
  return success();
}
