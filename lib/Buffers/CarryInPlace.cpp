//===- CarryInPlace.cpp - one buffer for what loops and branches yield ----===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: one-shot bufferization allocates a tensor per iteration
// where a loop yields a new one; goes when it copies into the buffer of the
// argument.

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "norm/Buffers/Passes.h"
#include "norm/IR/KnownExtents.h"
#include "norm/IR/Norm.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMCARRYINPLACE
#include "norm/Buffers/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

/// Returns true if two tensors always have the same extents.
static bool haveSameExtents(Value x, Value y) {
  auto type = dyn_cast<RankedTensorType>(x.getType());
  if (!type || type != y.getType())
    return false;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim) && !norm::areKnownEqual({x, dim}, {y, dim}))
      return false;
  return true;
}

/// Returns true if a copy may overwrite `v`, which `terminator` yields: it was
/// carried into this iteration or comes from a branch.
static bool isPassedOn(Value v, Operation *terminator) {
  if (auto argument = dyn_cast<BlockArgument>(v))
    return argument.getOwner() == terminator->getBlock();
  return isa<scf::IfOp, scf::IndexSwitchOp, scf::ExecuteRegionOp>(
      v.getDefiningOp());
}

/// A yielded value and the tensor that is to hold it.
using Write = std::pair<OpOperand *, Value>;

/// Returns the elementwise op beside the terminator that computes what is
/// yielded, and that alone, if it may overwrite the destination: it reads each
/// element of it at the element's place.
static linalg::GenericOp getElementwiseProducer(const Write &write) {
  OpOperand *yielded = write.first;
  Value v = yielded->get();
  auto op = v.getDefiningOp<linalg::GenericOp>();
  if (!op || op->getBlock() != yielded->getOwner()->getBlock() ||
      !v.hasOneUse() || !op.isAllParallelLoops() ||
      !op.hasPureTensorSemantics())
    return {};
  OpOperand *init = op.getDpsInitOperand(cast<OpResult>(v).getResultNumber());
  bool isApart = llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
    return input->get() == write.second
               ? op.getMatchingIndexingMap(input).isIdentity()
               : !isa_and_present<tensor::ExtractSliceOp,
                                  tensor::CollapseShapeOp,
                                  tensor::ExpandShapeOp>(
                     input->get().getDefiningOp());
  });
  bool isEmpty = init->get().getDefiningOp<tensor::EmptyOp>() &&
                 !op.payloadUsesValueFromOperand(init) &&
                 op.getMatchingIndexingMap(init).isIdentity();
  return isApart && isEmpty ? op : linalg::GenericOp();
}

/// A copy of rows of unknown length is no linalg op, because a kernel cannot
/// read back what the same row loop has written to memory.
static Value copyInto(OpBuilder &b, Location loc, Value v, Value destination) {
  auto type = cast<RankedTensorType>(v.getType());
  if (type.getRank() > 0 && type.isDynamicDim(type.getRank() - 1))
    return bufferization::MaterializeInDestinationOp::create(b, loc, type, v,
                                                             destination)
        ->getResult(0);
  return linalg::CopyOp::create(b, loc, v, destination)->getResult(0);
}

/// Copies values that are passed on before it overwrites any tensor.
static void writeInPlace(OpBuilder &b, ArrayRef<Write> writes) {
  for (auto [value, destination] : writes) {
    Value v = value->get();
    if (!isPassedOn(v, value->getOwner()))
      continue;
    b.setInsertionPoint(value->getOwner());
    value->set(norm::createCopy(b, value->getOwner()->getLoc(), v));
  }
  for (const Write &write : writes) {
    auto [value, destination] = write;
    // A copy, in the row loop of its producer, would read back what that wrote.
    if (linalg::GenericOp op = getElementwiseProducer(write)) {
      op.getDpsInitOperand(cast<OpResult>(value->get()).getResultNumber())
          ->set(destination);
      continue;
    }
    b.setInsertionPoint(value->getOwner());
    value->set(
        copyInto(b, value->getOwner()->getLoc(), value->get(), destination));
  }
}

/// Returns true if `v` is `argument` with elements or slices written to it.
/// Bufferization does this in place, and each copy would cost the whole tensor.
static bool isWrittenInto(Value v, Value argument) {
  while (v != argument) {
    Operation *op = v.getDefiningOp();
    if (auto loop = dyn_cast_if_present<scf::ForOp>(op))
      v = loop.getTiedLoopInit(cast<OpResult>(v))->get();
    else if (isa_and_present<tensor::InsertOp, tensor::InsertSliceOp>(op))
      v = cast<DestinationStyleOpInterface>(op)
              .getTiedOpOperand(cast<OpResult>(v))
              ->get();
    else
      return false;
  }
  return true;
}

static void carryInPlace(OpBuilder &b, MutableArrayRef<OpOperand> yielded,
                         ValueRange carried) {
  SmallVector<Write> writes;
  for (auto [value, argument] : llvm::zip_equal(yielded, carried))
    if (!isWrittenInto(value.get(), argument) &&
        haveSameExtents(value.get(), argument))
      writes.emplace_back(&value, argument);
  writeInPlace(b, writes);
}

static void carryInPlace(OpBuilder &b, scf::ForOp loop) {
  if (std::optional<MutableArrayRef<OpOperand>> yielded =
          loop.getYieldedValuesMutable())
    carryInPlace(b, *yielded, ValueRange(loop.getRegionIterArgs()));
}

static void carryInPlace(OpBuilder &b, scf::WhileOp loop) {
  scf::ConditionOp condition = loop.getConditionOp();
  if (condition.getArgs().getTypes() != loop.getInits().getTypes())
    return;
  carryInPlace(b, condition.getArgsMutable(),
               ValueRange(loop.getBeforeArguments()));
  carryInPlace(b, loop.getYieldOp().getResultsMutable(),
               ValueRange(loop.getAfterArguments()));
}

/// Gives each tensor that the regions of `branch` compute one buffer.
static void yieldInPlace(OpBuilder &b, Operation *branch) {
  // An scf.if without results may have no else.
  if (branch->getNumResults() == 0)
    return;
  SmallVector<Value> buffers(branch->getNumResults());
  for (OpResult result : branch->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    bool isComputed = llvm::any_of(branch->getRegions(), [&](Region &region) {
      Value value =
          region.front().getTerminator()->getOperand(result.getResultNumber());
      return region.isAncestor(value.getParentRegion());
    });
    if (!type || !type.hasStaticShape() || !isComputed)
      continue;
    b.setInsertionPoint(branch);
    buffers[result.getResultNumber()] = tensor::EmptyOp::create(
        b, branch->getLoc(), type.getShape(), type.getElementType());
  }
  for (Region &region : branch->getRegions()) {
    SmallVector<Write> writes;
    for (OpOperand &value : region.front().getTerminator()->getOpOperands())
      if (Value buffer = buffers[value.getOperandNumber()])
        writes.emplace_back(&value, buffer);
    writeInPlace(b, writes);
  }
}

namespace {
struct NormCarryInPlace : norm::impl::NormCarryInPlaceBase<NormCarryInPlace> {
  void runOnOperation() override {
    OpBuilder b(&getContext());
    getOperation().walk([&](Operation *op) {
      if (auto loop = dyn_cast<scf::ForOp>(op))
        carryInPlace(b, loop);
      else if (auto loop = dyn_cast<scf::WhileOp>(op))
        carryInPlace(b, loop);
      else if (isa<scf::IfOp, scf::IndexSwitchOp>(op))
        yieldInPlace(b, op);
    });
  }
};
} // namespace
