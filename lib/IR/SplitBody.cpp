//===- SplitBody.cpp - ops of their own from parts of a body --------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/IR/SplitBody.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::norm;

/// The part of a body that becomes an op: one value, or everything that is not
/// held, with the same inits and effects.
enum class BodyPart { Value, Rest };

static bool hasEffects(Operation &op) { return !wouldOpBeTriviallyDead(&op); }

/// Collects the ops that compute `used`, in reverse order, and adds their
/// operands to it; held values are not recomputed.
static SmallVector<Operation *> collectOps(Block *body, BodyPart part,
                                           const Held &held,
                                           llvm::DenseSet<Value> &used) {
  SmallVector<Operation *> ops;
  for (Operation &op : llvm::reverse(body->without_terminator())) {
    auto isComputed = [&](Value value) {
      return used.contains(value) && !held.contains(value);
    };
    if (!llvm::any_of(op.getResults(), isComputed) &&
        (part == BodyPart::Value || !hasEffects(op)))
      continue;
    ops.push_back(&op);
    op.walk([&](Operation *user) { used.insert_range(user->getOperands()); });
  }
  return ops;
}

/// Creates an op that computes `yields`, from held values, into `inits`.
static linalg::GenericOp createBodyPart(RewriterBase &rewriter,
                                        linalg::LinalgOp op, BodyPart part,
                                        const Held &held, ValueRange yields,
                                        ValueRange inits,
                                        ArrayRef<AffineMap> initMaps) {
  llvm::DenseSet<Value> used(yields.begin(), yields.end());
  SmallVector<Operation *> ops = collectOps(op.getBlock(), part, held, used);
  Held inputs;
  auto addInputs = [&] {
    for (auto &[scalar, value] : held)
      if (used.contains(scalar))
        inputs.insert({scalar, value});
    for (OpOperand &operand : op->getOpOperands()) {
      BlockArgument argument = op.getMatchingBlockArgument(&operand);
      if (used.contains(argument) &&
          (part == BodyPart::Value || !op.isDpsInit(&operand)))
        inputs.insert(
            {argument, {operand.get(), op.getMatchingIndexingMap(&operand)}});
    }
    auto maps = llvm::map_to_vector(
        inputs, [](const auto &input) { return input.second.map; });
    llvm::append_range(maps, initMaps);
    return maps;
  };
  SmallVector<AffineMap> maps = addInputs();
  if (part == BodyPart::Rest &&
      !inversePermutation(concatAffineMaps(maps, op->getContext()))) {
    // A loop may be known only from an operand that is no longer read.
    used.insert_range(op.getBlock()->getArguments());
    maps = addInputs();
  }
  SmallVector<utils::IteratorType> iterators = op.getIteratorTypesArray();
  if (part == BodyPart::Value)
    llvm::fill(iterators, utils::IteratorType::parallel);
  return linalg::GenericOp::create(
      rewriter, op->getLoc(), TypeRange(inits),
      llvm::map_to_vector(
          inputs, [](const auto &input) { return input.second.tensor; }),
      inits, maps, iterators, [&](OpBuilder &b, Location loc, ValueRange args) {
        IRMapping mapping;
        mapping.map(llvm::make_first_range(inputs),
                    args.drop_back(inits.size()));
        if (part == BodyPart::Rest)
          mapping.map(op.getRegionOutputArgs(), args.take_back(inits.size()));
        for (Operation *each : llvm::reverse(ops))
          b.clone(*each, mapping);
        auto get = [&](Value value) { return mapping.lookupOrDefault(value); };
        linalg::YieldOp::create(b, loc, llvm::map_to_vector(yields, get));
      });
}

/// Drops loops that no output and no used input depends on.
static void dropUnusedLoops(RewriterBase &rewriter, linalg::GenericOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  llvm::SmallBitVector unused = getUnusedDimsBitVector(maps);
  maps.push_back(rewriter.getMultiDimIdentityMap(op.getNumLoops()));
  for (AffineMap &map : maps)
    map = compressDims(map, unused);
  AffineMap loops = maps.pop_back_val();
  op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  op.setIteratorTypesAttr(rewriter.getArrayAttr(
      op.getIteratorTypes().getValue().drop_back(unused.count())));
  // Index ops of an op inside the body refer to that op's loops.
  for (linalg::IndexOp index :
       llvm::make_early_inc_range(op.getBody()->getOps<linalg::IndexOp>())) {
    rewriter.setInsertionPoint(index);
    if (auto loop = dyn_cast<AffineDimExpr>(loops.getResult(index.getDim())))
      index.setDim(loop.getPosition());
    else // it has one iteration
      rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(index, 0);
  }
}

ValueRange norm::outline(RewriterBase &rewriter, linalg::LinalgOp op,
                         ValueRange scalars, AffineMap map, const Held &held) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  SmallVector<OpFoldResult> sizes;
  for (AffineExpr expr : map.getResults()) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    Value operand;
    unsigned dim;
    sizes.push_back(
        loop && succeeded(op.mapIterationSpaceDimToOperandDim(
                    loop.getPosition(), operand, dim))
            ? tensor::getMixedSize(rewriter, op->getLoc(), operand, dim)
            : rewriter.getIndexAttr(1)); // a constant: a unit dimension
  }
  SmallVector<Value> inits;
  for (Value scalar : scalars)
    inits.push_back(tensor::EmptyOp::create(rewriter, op->getLoc(), sizes,
                                            scalar.getType()));
  linalg::GenericOp outlined =
      createBodyPart(rewriter, op, BodyPart::Value, held, scalars, inits,
                     SmallVector<AffineMap>(scalars.size(), map));
  dropUnusedLoops(rewriter, outlined);
  return outlined->getResults();
}

/// Returns true if the tensor of the only yielded value is the op's result.
static bool isHeldResult(linalg::LinalgOp op, const Held &held) {
  if (op.getNumReductionLoops() > 0 || op->getNumResults() != 1)
    return false;
  HeldValue found = held.lookup(op.getBlock()->getTerminator()->getOperand(0));
  return found.map == op.getIndexingMapMatchingResult(op->getResult(0));
}

SmallVector<Value> norm::createRest(RewriterBase &rewriter, linalg::LinalgOp op,
                                    const Held &held) {
  OperandRange yields = op.getBlock()->getTerminator()->getOperands();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  ArrayRef<AffineMap> inputs = ArrayRef(maps).take_front(op.getNumDpsInputs());
  bool acts = llvm::any_of(op.getBlock()->without_terminator(), hasEffects);
  // Effects alone need an op without results, whose loops the inputs determine.
  bool isHeld =
      isHeldResult(op, held) &&
      (!acts || inversePermutation(concatAffineMaps(inputs, op->getContext())));
  if (!isHeld)
    return createBodyPart(rewriter, op, BodyPart::Rest, held, yields,
                          op.getDpsInits(),
                          ArrayRef(maps).take_back(op.getNumDpsInits()))
        ->getResults();
  if (acts)
    createBodyPart(rewriter, op, BodyPart::Rest, held, {}, {}, {});
  return {rewriter.createOrFold<tensor::CastOp>(
      op->getLoc(), op->getResult(0).getType(),
      held.lookup(yields.front()).tensor)};
}
