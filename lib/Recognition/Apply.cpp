//===- Apply.cpp - put norm.rmsnorm into the program
//------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Apply.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace mlir::norm;

//===----------------------------------------------------------------------===//
// A part of a linalg body as an op of its own
//===----------------------------------------------------------------------===//

namespace {
/// Values of a body that the program now holds in tensors, over the space of
/// the reader.
struct HeldValue {
  Value scalar, tensor;
  AffineMap map; // from the loops of the op
};
using Held = SmallVector<HeldValue, 2>;

/// A linalg.generic that computes some values of `op`'s body.
struct BodyPart {
  linalg::LinalgOp op;
  const Held &held;
  SmallVector<Value> yields;
  SmallVector<Value> inits;
  SmallVector<AffineMap> initMaps;
  SmallVector<utils::IteratorType> iterators;
  bool keepsInits; // `inits` are those of `op`

  linalg::GenericOp create(RewriterBase &rewriter);

private:
  SmallVector<Operation *> collectOps();
};
} // namespace

/// The ops that the yields need, in order; what is held is not computed again.
SmallVector<Operation *> BodyPart::collectOps() {
  llvm::DenseSet<Operation *> needed;
  SmallVector<Value> worklist(yields);
  while (!worklist.empty()) {
    Value value = worklist.pop_back_val();
    Operation *producer = value.getDefiningOp();
    if (!producer || producer->getBlock() != op.getBlock() ||
        llvm::any_of(
            held,
            [&](const HeldValue &each) { return each.scalar == value; }) ||
        !needed.insert(producer).second)
      continue;
    llvm::append_range(worklist, producer->getOperands());
  }
  SmallVector<Operation *> ops;
  for (Operation &each : op.getBlock()->without_terminator())
    if (needed.contains(&each))
      ops.push_back(&each);
  return ops;
}

static bool coversLoops(ArrayRef<AffineMap> maps, unsigned numLoops) {
  llvm::SmallBitVector seen(numLoops);
  for (AffineMap map : maps)
    for (AffineExpr expr : map.getResults())
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        seen.set(dim.getPosition());
  return seen.all();
}

linalg::GenericOp BodyPart::create(RewriterBase &rewriter) {
  SmallVector<Operation *> ops = collectOps();
  auto isUsed = [&](Value argument) {
    return llvm::is_contained(yields, argument) ||
           llvm::any_of(ops, [&](Operation *each) {
             return llvm::is_contained(each->getOperands(), argument);
           });
  };
  SmallVector<Value> inputs, arguments; // of the new op, of the old body
  SmallVector<AffineMap> maps;
  for (const HeldValue &each : held)
    if (isUsed(each.scalar)) {
      inputs.push_back(each.tensor);
      arguments.push_back(each.scalar);
      maps.push_back(each.map);
    }
  SmallVector<Value> heldInputs(inputs), heldArguments(arguments);
  SmallVector<AffineMap> heldMaps(maps);
  auto addInputs = [&](bool all) {
    for (OpOperand &operand : op->getOpOperands()) {
      BlockArgument argument = op.getMatchingBlockArgument(&operand);
      if ((keepsInits && op.isDpsInit(&operand)) ||
          llvm::is_contained(heldArguments, argument) ||
          (!all && !isUsed(argument)))
        continue;
      inputs.push_back(operand.get());
      arguments.push_back(argument);
      maps.push_back(op.getMatchingIndexingMap(&operand));
    }
  };
  addInputs(/*all=*/false);
  SmallVector<AffineMap> covering(maps);
  llvm::append_range(covering, initMaps);
  if (keepsInits && !coversLoops(covering, op.getNumLoops())) {
    // Some loop is known from an operand only that nothing reads any more.
    inputs = heldInputs;
    arguments = heldArguments;
    maps = heldMaps;
    addInputs(/*all=*/true);
  }
  llvm::append_range(maps, initMaps);
  return linalg::GenericOp::create(
      rewriter, op->getLoc(), TypeRange(ValueRange(inits)), inputs, inits, maps,
      iterators, [&](OpBuilder &b, Location loc, ValueRange args) {
        IRMapping mapping;
        mapping.map(arguments, args.take_front(arguments.size()));
        if (keepsInits)
          mapping.map(op.getRegionOutputArgs(),
                      args.drop_front(arguments.size()));
        for (Operation *each : ops)
          b.clone(*each, mapping);
        SmallVector<Value> results;
        for (Value value : yields)
          results.push_back(mapping.lookupOrDefault(value));
        linalg::YieldOp::create(b, loc, results);
      });
}

/// The extent of a loop of `op`, from an operand that it walks along.
static OpFoldResult getLoopSize(RewriterBase &rewriter, linalg::LinalgOp op,
                                AffineExpr loop) {
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [i, expr] : llvm::enumerate(map.getResults()))
      if (expr == loop)
        return tensor::getMixedSize(rewriter, op->getLoc(), operand.get(), i);
  }
  return rewriter.getIndexAttr(1); // a constant: a unit dimension
}

/// Without the loops that no output walks along, and no used input either.
static void dropUnusedLoops(RewriterBase &rewriter, linalg::GenericOp op) {
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  llvm::SmallBitVector unused = getUnusedDimsBitVector(maps);
  SmallVector<Attribute> iterators;
  for (auto [i, iterator] : llvm::enumerate(op.getIteratorTypes()))
    if (!unused.test(i))
      iterators.push_back(iterator);
  if (unused.none())
    return;
  for (AffineMap &map : maps)
    map = compressDims(map, unused);
  op.setIndexingMapsAttr(rewriter.getAffineMapArrayAttr(maps));
  op.setIteratorTypesAttr(rewriter.getArrayAttr(iterators));
  // Those of an op within the body count that op's loops.
  for (linalg::IndexOp index :
       llvm::make_early_inc_range(op.getBody()->getOps<linalg::IndexOp>())) {
    unsigned loop = index.getDim();
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPoint(index);
    if (unused.test(loop)) // one turn only
      rewriter.replaceOpWithNewOp<arith::ConstantIndexOp>(index, 0);
    else
      index.setDim(loop - llvm::count_if(unused.set_bits(), [&](unsigned each) {
                     return each < loop;
                   }));
  }
}

/// A tensor that holds `scalar` of the body of `op`, in front of `op`; `map`
/// says how from the loops.
static Value outline(RewriterBase &rewriter, linalg::LinalgOp op, Value scalar,
                     AffineMap map) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(op);
  SmallVector<OpFoldResult> sizes;
  for (AffineExpr loop : map.getResults())
    sizes.push_back(getLoopSize(rewriter, op, loop));
  Value init =
      tensor::EmptyOp::create(rewriter, op->getLoc(), sizes, scalar.getType());
  Held held;
  BodyPart part{op,
                held,
                {scalar},
                {init},
                {map},
                SmallVector<utils::IteratorType>(op.getNumLoops(),
                                                 utils::IteratorType::parallel),
                /*keepsInits=*/false};
  linalg::GenericOp outlined = part.create(rewriter);
  dropUnusedLoops(rewriter, outlined);
  return outlined.getResult(0);
}

//===----------------------------------------------------------------------===//
// The op
//===----------------------------------------------------------------------===//

/// `weightExpr` is indexed by the reader's dimensions.
static Value materializeWeight(RewriterBase &rewriter, Location loc,
                               Value input, const ExprReader &reader,
                               const RMSNormMatch &match) {
  SmallVector<int64_t> dims;
  SmallVector<OpFoldResult> sizes;
  for (int64_t dim : match.weightDims) {
    dims.push_back(match.order[dim]);
    sizes.push_back(tensor::getMixedSize(rewriter, loc, input, dim));
  }
  return materialize(rewriter, loc, match.weightExpr, reader, dims, sizes);
}

Value norm::createEmpty(RewriterBase &rewriter, Location loc,
                        ArrayRef<OpFoldResult> sizes, RankedTensorType type) {
  Value empty =
      tensor::EmptyOp::create(rewriter, loc, sizes, type.getElementType());
  return empty.getType() == type
             ? empty
             : tensor::CastOp::create(rewriter, loc, type, empty).getResult();
}

static RMSNormOp createNorm(RewriterBase &rewriter, Location loc, Value input,
                            Type elementType, const ExprReader &reader,
                            const RMSNormMatch &match) {
  auto typeAttr = [](FloatType t) { return t ? TypeAttr::get(t) : TypeAttr(); };
  auto inputType = cast<RankedTensorType>(input.getType());
  auto type = RankedTensorType::get(inputType.getShape(), elementType);
  Value init = createEmpty(rewriter, loc,
                           tensor::getMixedSizes(rewriter, loc, input), type);
  Value weight = match.weight;
  if (match.weightExpr)
    weight = materializeWeight(rewriter, loc, input, reader, match);
  auto inputElement = cast<FloatType>(inputType.getElementType());
  FloatType usual = inputElement.getWidth() == 16
                        ? cast<FloatType>(rewriter.getF32Type())
                        : inputElement;
  bool usualWeight = !weight || match.weightDims == match.dims;
  return RMSNormOp::create(
      rewriter, loc, TypeRange(type), input, weight, init,
      /*inv_rms_init=*/Value(), rewriter.getDenseI64ArrayAttr(match.dims),
      FloatAttr::get(match.computeType, match.epsilon),
      EpsilonModeAttr::get(rewriter.getContext(), match.mode),
      match.computeType == usual ? TypeAttr() : typeAttr(match.computeType),
      typeAttr(match.scaleType), typeAttr(match.normalizedType),
      usualWeight ? DenseI64ArrayAttr()
                  : rewriter.getDenseI64ArrayAttr(match.weightDims),
      match.count ? rewriter.getI64IntegerAttr(*match.count) : IntegerAttr(),
      RootFormAttr::get(rewriter.getContext(), match.rootForm),
      typeAttr(match.sumType));
}

static bool isExtent(Operation *user) { return isa<tensor::DimOp>(user); }

void norm::forwardExtents(RewriterBase &rewriter, Operation *op) {
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return;
  for (OpResult result : op->getResults()) {
    Value init = linalgOp.getDpsInitOperand(result.getResultNumber())->get();
    rewriter.replaceUsesWithIf(
        result, init, [](OpOperand &use) { return isExtent(use.getOwner()); });
  }
}

void norm::eraseDead(RewriterBase &rewriter,
                     SmallVector<Operation *> worklist) {
  llvm::DenseSet<Operation *> erased;
  while (!worklist.empty()) {
    Operation *next = worklist.pop_back_val();
    if (!next || erased.contains(next))
      continue;
    if (llvm::all_of(next->getUsers(), isExtent))
      forwardExtents(rewriter, next);
    if (!isOpTriviallyDead(next))
      continue;
    for (Value operand : next->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        worklist.push_back(producer);
    erased.insert(next);
    rewriter.eraseOp(next);
  }
}

Applied norm::apply(RewriterBase &rewriter, linalg::LinalgOp op,
                    unsigned resultNumber, Value scalar,
                    const ExprReader &reader, const RMSNormMatch &match) {
  rewriter.setInsertionPoint(op);
  Held held;
  Value input = match.input;
  if (match.isInputInBody()) {
    input = outline(rewriter, match.inputOp, match.input, match.inputMap);
    if (match.inputOp == op)
      held.push_back({match.input, input, match.inputMap});
  }
  RMSNormOp normOp = createNorm(rewriter, op->getLoc(), input, scalar.getType(),
                                reader, match);
  Value norm = normOp.getResult(0);
  // Also those that the body captures, by tensor.extract.
  SmallVector<Operation *> producers;
  op->walk([&](Operation *user) {
    for (Value operand : user->getOperands())
      if (Operation *producer = operand.getDefiningOp())
        if (!op->isProperAncestor(producer) &&
            !llvm::is_contained(producers, producer))
          producers.push_back(producer);
  });

  OpResult result = op->getResult(resultNumber);
  bool isWhole = llvm::is_sorted(match.order) &&
                 op.getNumReductionLoops() == 0 && op->getNumResults() == 1 &&
                 op.getBlock()->getTerminator()->getOperand(0) == scalar;
  linalg::LinalgOp rest;
  if (isWhole) {
    if (norm.getType() != result.getType())
      norm = tensor::CastOp::create(rewriter, op->getLoc(), result.getType(),
                                    norm);
    rewriter.replaceOp(op, norm);
  } else {
    SmallVector<AffineExpr> results;
    for (int64_t dim : match.order)
      results.push_back(reader.getSpaceMap().getResult(dim));
    held.push_back(
        {scalar, norm,
         AffineMap::get(op.getNumLoops(), 0, results, op->getContext())});
    BodyPart part{
        op,
        held,
        llvm::to_vector(op.getBlock()->getTerminator()->getOperands()),
        llvm::to_vector(op.getDpsInits()),
        {},
        op.getIteratorTypesArray(),
        /*keepsInits=*/true};
    for (OpOperand &init : op.getDpsInitsMutable())
      part.initMaps.push_back(op.getMatchingIndexingMap(&init));
    rest = part.create(rewriter);
    rewriter.replaceOp(op, rest->getResults());
  }
  eraseDead(rewriter, std::move(producers));
  return {normOp, rest};
}
