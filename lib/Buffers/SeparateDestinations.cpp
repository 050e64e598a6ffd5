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
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "norm/Buffers/Passes.h"
#include "norm/IR/KnownExtents.h"
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
static void copyOperand(OpBuilder &b, OpOperand &operand) {
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

//===----------------------------------------------------------------------===//
// What loops carry and branches yield
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: one-shot bufferization allocates a tensor per iteration
// where a loop yields a new one; goes when it copies into the buffer of the
// argument.

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
  for (OpOperand *value : llvm::make_first_range(writes))
    if (isPassedOn(value->get(), value->getOwner()))
      copyOperand(b, *value);
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

static void carryInPlace(Operation *scope) {
  OpBuilder b(scope->getContext());
  scope->walk([&](Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      carryInPlace(b, loop);
    else if (auto loop = dyn_cast<scf::WhileOp>(op))
      carryInPlace(b, loop);
    else if (isa<scf::IfOp, scf::IndexSwitchOp>(op))
      yieldInPlace(b, op);
  });
}

namespace {
struct NormSeparateDestinations
    : norm::impl::NormSeparateDestinationsBase<NormSeparateDestinations> {
  using NormSeparateDestinationsBase::NormSeparateDestinationsBase;

  void runOnOperation() override {
    if (carried)
      carryInPlace(getOperation());
    IRRewriter rewriter(&getContext());
    getOperation()->walk(
        [&](arith::ConstantOp constant) { fillInstead(rewriter, constant); });
    for (Operation *fill : norm::collect<Operation *>(getOperation(), isFill))
      separate(rewriter, fill);
    // This includes the empty tensors of new fills.
    for (auto empty : norm::collect<tensor::EmptyOp>(getOperation()))
      separate(rewriter, empty);
    localizeNestedWrites(rewriter, getOperation());
    getOperation()->walk(
        [&](func::CallOp call) { copyStridedArguments(rewriter, call); });
  }
};
} // namespace
