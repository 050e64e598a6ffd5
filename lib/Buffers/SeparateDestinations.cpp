//===- SeparateDestinations.cpp - a tensor.empty and a fill for each use --===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/BufferizableOpInterface.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "norm/Buffers/Passes.h"
#include "norm/IR/Norm.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMSEPARATEDESTINATIONS
#include "norm/Buffers/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

/// Returns true for a fill, also a generalized one: it reads no tensor but the
/// one that it overwrites, so that repeating it is cheaper than a copy.
static bool isFill(Operation *op) {
  auto fill = dyn_cast_or_null<linalg::LinalgOp>(op);
  return fill && fill.hasPureTensorSemantics() && fill->getNumResults() == 1 &&
         fill.isAllParallelLoops() &&
         llvm::none_of(
             fill.getDpsInputs(),
             [](Value input) { return isa<ShapedType>(input.getType()); }) &&
         !fill.payloadUsesValueFromOperand(fill.getDpsInitOperand(0));
}

/// Returns true if this use overwrites the tensor or makes it a result, which
/// is in the result's buffer; other uses only read it.
static bool isDestination(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<bufferization::MaterializeInDestinationOp>(user) ||
      user->hasTrait<OpTrait::IsTerminator>())
    return true;
  if (auto dps = dyn_cast<DestinationStyleOpInterface>(user))
    return dps.isDpsInit(&use);
  if (auto loop = dyn_cast<LoopLikeOpInterface>(user))
    return loop.getTiedLoopRegionIterArg(&use) != BlockArgument();
  return false;
}

/// Returns the place of the copy of `op` for `user`: a fill is right before it,
/// because each iteration of a loop around the user needs it anew, and an empty
/// tensor is in the block of `op`, so that no loop allocates it, but for those
/// that become kernels.
static Operation *getPlace(Operation *op, Operation *user) {
  if (isFill(op))
    return user;
  Operation *place = op->getBlock()->findAncestorOpInBlock(*user);
  return place != user && norm::getSchedule(place)
             ? &place->getRegion(0).front().front()
             : place;
}

/// Returns the one of `copies`, by their users, that `user` shares, because the
/// other user is in another branch; null if there is none.
static Operation *
findShared(ArrayRef<std::pair<Operation *, Operation *>> copies,
           Operation *user) {
  const auto *it = llvm::find_if(copies, [&](auto copy) {
    return insideMutuallyExclusiveRegions(copy.first, user);
  });
  return it == copies.end() ? nullptr : it->second;
}

/// Gives each destination a copy of `op`, of which one of two branches has one.
static void separate(IRRewriter &rewriter, Operation *op) {
  if (op->hasOneUse()) {
    Operation *user = *op->user_begin();
    if (isFill(op) || getPlace(op, user)->getBlock() == op->getBlock())
      return;
  }
  SmallVector<OpOperand *> uses;
  for (OpOperand &use : op->getUses())
    if (isDestination(use))
      uses.push_back(&use);
  SmallVector<std::pair<Operation *, Operation *>> copies;
  for (OpOperand *use : uses) {
    Operation *own = isFill(op) ? nullptr : findShared(copies, use->getOwner());
    if (!own) {
      rewriter.setInsertionPoint(getPlace(op, use->getOwner()));
      own = rewriter.clone(*op);
      copies.emplace_back(use->getOwner(), own);
    }
    rewriter.modifyOpInPlace(use->getOwner(),
                             [&] { use->set(own->getResult(0)); });
  }
  if (op->use_empty())
    rewriter.eraseOp(op);
}

/// Returns true if this use starts from a value that it then overwrites, or
/// gives it to the caller.
static bool startsFrom(OpOperand &use) {
  Operation *user = use.getOwner();
  return isDestination(use) && (!user->hasTrait<OpTrait::IsTerminator>() ||
                                isa<func::ReturnOp>(user));
}

/// Fills the destinations that start from a constant of equal elements, which
/// would be copied from a global of that size.
static void fillInstead(IRRewriter &rewriter, arith::ConstantOp constant) {
  auto value = dyn_cast<SplatElementsAttr>(constant.getValue());
  auto type = dyn_cast<RankedTensorType>(constant.getType());
  if (!value || !type || !type.getElementType().isIntOrIndexOrFloat())
    return;
  Location loc = constant.getLoc();
  for (OpOperand &use : llvm::make_early_inc_range(constant->getUses())) {
    if (!startsFrom(use))
      continue;
    rewriter.setInsertionPoint(use.getOwner());
    Value element = arith::ConstantOp::create(
        rewriter, loc, cast<TypedAttr>(value.getSplatValue<Attribute>()));
    Value empty = tensor::EmptyOp::create(rewriter, loc, type, ValueRange());
    auto fill = linalg::FillOp::create(rewriter, loc, element, empty);
    rewriter.modifyOpInPlace(use.getOwner(),
                             [&] { use.set(fill.getResult(0)); });
  }
  if (constant->use_empty())
    rewriter.eraseOp(constant);
}

//===----------------------------------------------------------------------===//
// Tensors that bodies write
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: one-shot bufferization lets the body of a linalg op
// write an outer tensor in place; goes when its analysis knows that a body runs
// once per element.

/// Returns the op around `op` whose body runs once per element, or null.
static Operation *getElementwiseParent(Operation *op) {
  do
    op = op->getParentOp();
  while (op && !isa<linalg::LinalgOp, tensor::GenerateOp, tensor::PadOp>(op));
  return op;
}

/// Lets an op use a copy of an operand.
static void copyOperand(IRRewriter &b, OpOperand &operand) {
  b.setInsertionPoint(operand.getOwner());
  operand.set(norm::createCopy(b, operand.getOwner()->getLoc(), operand.get()));
}

/// Gives bodies their own copies of outer tensors that they write.
static void localizeNestedWrites(IRRewriter &b, Operation *scope) {
  bufferization::BufferizationOptions options;
  bufferization::AnalysisState state(options);
  SmallVector<OpOperand *> writes;
  scope->walk([&](Operation *op) {
    Operation *body = getElementwiseParent(op);
    for (OpOperand &operand : op->getOpOperands())
      if (body && isa<TensorType>(operand.get().getType()) &&
          !body->isAncestor(operand.get().getParentRegion()->getParentOp()) &&
          state.bufferizesToMemoryWrite(operand))
        writes.push_back(&operand);
  });
  for (OpOperand *write : writes) {
    b.setInsertionPoint(write->getOwner());
    if (auto empty = write->get().getDefiningOp<tensor::EmptyOp>())
      write->set(b.clone(*empty)->getResult(0));
    else
      copyOperand(b, *write);
  }
}

//===----------------------------------------------------------------------===//
// Arguments of calls
//===----------------------------------------------------------------------===//

/// Copies arguments of calls whose buffer would not be as the callee takes it,
/// such as every other row.
// Upstream: LLVM 22.1: one-shot bufferization casts strides that are not known
// to those of a row-major buffer, although neither implies the other; goes when
// castOrReallocMemRefValue copies there.
static void copyStridedArguments(IRRewriter &rewriter, func::CallOp call) {
  bufferization::OneShotBufferizationOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.setFunctionBoundaryTypeConversion(
      bufferization::LayoutMapOption::IdentityLayoutMap);
  bufferization::BufferizationState state;
  for (OpOperand &operand : call->getOpOperands()) {
    if (!isa<RankedTensorType>(operand.get().getType()))
      continue;
    auto buffer = bufferization::getBufferType(operand.get(), options, state);
    auto ranked = succeeded(buffer) ? dyn_cast<MemRefType>(*buffer) : nullptr;
    if (ranked && !ranked.getLayout().isIdentity())
      copyOperand(rewriter, operand);
  }
}

namespace {
struct NormSeparateDestinations
    : norm::impl::NormSeparateDestinationsBase<NormSeparateDestinations> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk(
        [&](arith::ConstantOp constant) { fillInstead(rewriter, constant); });
    SmallVector<Operation *> fills, empties;
    getOperation()->walk([&](Operation *op) {
      if (isFill(op))
        fills.push_back(op);
    });
    for (Operation *fill : fills)
      separate(rewriter, fill);
    // This includes the empty tensors of new fills.
    getOperation()->walk(
        [&](tensor::EmptyOp empty) { empties.push_back(empty); });
    for (Operation *empty : empties)
      separate(rewriter, empty);
    localizeNestedWrites(rewriter, getOperation());
    getOperation()->walk(
        [&](func::CallOp call) { copyStridedArguments(rewriter, call); });
  }
};
} // namespace
