//===- MergeOps.cpp - one op with the results of two ----------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MergeOps.h"
#include "RowPlan.h"
#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using linalg::GenericOp;
using utils::IteratorType;

bool norm::isEndOfRows(GenericOp op, GenericOp besides) {
  if (!op.hasPureTensorSemantics() || !op.isAllParallelLoops())
    return false;
  return llvm::none_of(op->getUsers(), [&](Operation *user) {
    auto generic = dyn_cast<GenericOp>(user);
    return generic && generic != besides && !isContraction(generic);
  });
}

bool norm::readSameElements(GenericOp first, GenericOp second) {
  for (OpOperand *input : first.getDpsInputOperands()) {
    AffineMap map = first.getMatchingIndexingMap(input);
    if (!map.isPermutation())
      continue;
    for (OpOperand *other : second.getDpsInputOperands())
      if (other->get() == input->get() &&
          second.getMatchingIndexingMap(other) == map)
        return true;
  }
  return false;
}

namespace {
/// The operands of the merged op, without what `second` reads of `first`.
struct MergedOperands {
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> inputMaps, initMaps;

  void add(GenericOp op, GenericOp first) {
    for (OpOperand *input : op.getDpsInputOperands()) {
      if (input->get().getDefiningOp() == first)
        continue;
      inputs.push_back(input->get());
      inputMaps.push_back(op.getMatchingIndexingMap(input));
    }
    for (OpOperand &init : op.getDpsInitsMutable()) {
      inits.push_back(init.get());
      initMaps.push_back(op.getMatchingIndexingMap(&init));
    }
  }
};
} // namespace

static SmallVector<IteratorType> mergeIterators(GenericOp first,
                                                GenericOp second) {
  SmallVector<IteratorType> kinds = first.getIteratorTypesArray();
  for (auto [kind, other] : llvm::zip(kinds, second.getIteratorTypesArray()))
    if (other != IteratorType::parallel)
      kind = other;
  return kinds;
}

/// Clones the body of both ops; `second` gets what `first` yields.
static void buildMergedBody(OpBuilder &b, Location loc, GenericOp first,
                            GenericOp second, ValueRange args) {
  SmallVector<Value> yielded;
  size_t input = 0,
         init = args.size() - first.getNumDpsInits() - second.getNumDpsInits();
  for (GenericOp op : {first, second}) {
    IRMapping mapping;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      auto result = dyn_cast<OpResult>(operand->get());
      bool isOfFirst = result && result.getOwner() == first;
      mapping.map(op.getMatchingBlockArgument(operand),
                  isOfFirst ? yielded[result.getResultNumber()]
                            : args[input++]);
    }
    for (BlockArgument arg : op.getRegionOutputArgs())
      mapping.map(arg, args[init++]);
    for (Operation &each : op.getBody()->without_terminator())
      b.clone(each, mapping);
    for (Value value : op.getBody()->getTerminator()->getOperands())
      yielded.push_back(mapping.lookupOrDefault(value));
  }
  linalg::YieldOp::create(b, loc, yielded);
}

/// Moves all that `second` uses but results of `first` before `first`.
static LogicalResult moveOperands(IRRewriter &b, GenericOp first,
                                  GenericOp second) {
  llvm::SetVector<Value> used;
  for (Value operand : second->getOperands())
    if (operand.getDefiningOp() != first)
      used.insert(operand);
  // A body may read elements of other tensors, which must not be of `first`.
  getUsedValuesDefinedAbove(second.getRegion(), used);
  return moveValueDefinitions(b, used.takeVector(), first);
}

GenericOp norm::mergeInto(IRRewriter &b, GenericOp first, GenericOp second) {
  if (failed(moveOperands(b, first, second)))
    return {};
  MergedOperands operands;
  operands.add(first, first);
  operands.add(second, first);
  SmallVector<AffineMap> maps = operands.inputMaps;
  llvm::append_range(maps, operands.initMaps);
  b.setInsertionPoint(first);
  auto merged =
      GenericOp::create(b, b.getFusedLoc({first.getLoc(), second.getLoc()}),
                        TypeRange(ValueRange(operands.inits)), operands.inputs,
                        operands.inits, maps, mergeIterators(first, second),
                        [&](OpBuilder &nested, Location loc, ValueRange args) {
                          buildMergedBody(nested, loc, first, second, args);
                        });
  b.replaceOp(second, merged->getResults().drop_front(first->getNumResults()));
  b.replaceOp(first, merged->getResults().take_front(first->getNumResults()));
  return merged;
}
