//===- MergeOps.cpp - one op with the results of two ----------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using linalg::GenericOp;
using utils::IteratorType;

/// The inputs of the merged op; what both read alike is one of them.
using MergedInputs = llvm::SetVector<std::pair<Value, AffineMap>>;

/// Returns the number of an input, which is added if it is new.
static unsigned add(MergedInputs &inputs, GenericOp op, OpOperand *input) {
  std::pair<Value, AffineMap> key = {input->get(),
                                     op.getMatchingIndexingMap(input)};
  inputs.insert(key);
  return llvm::find(inputs, key) - inputs.begin();
}

static bool isResultOf(OpOperand *operand, GenericOp op) {
  return operand->get().getDefiningOp() == op;
}

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
                            GenericOp second, MergedInputs &inputs,
                            ValueRange args) {
  SmallVector<Value> yielded;
  size_t init = inputs.size();
  for (GenericOp op : {first, second}) {
    IRMapping mapping;
    for (OpOperand *input : op.getDpsInputOperands())
      mapping.map(op.getMatchingBlockArgument(input),
                  isResultOf(input, first)
                      ? yielded[cast<OpResult>(input->get()).getResultNumber()]
                      : args[add(inputs, op, input)]);
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
  MergedInputs inputs;
  SmallVector<Value> values, inits;
  SmallVector<AffineMap> maps, initMaps;
  for (GenericOp op : {first, second}) {
    for (OpOperand *input : op.getDpsInputOperands())
      if (!isResultOf(input, first))
        add(inputs, op, input);
    for (OpOperand &init : op.getDpsInitsMutable()) {
      inits.push_back(init.get());
      initMaps.push_back(op.getMatchingIndexingMap(&init));
    }
  }
  for (auto [value, map] : inputs) {
    values.push_back(value);
    maps.push_back(map);
  }
  llvm::append_range(maps, initMaps);
  b.setInsertionPoint(first);
  auto merged = GenericOp::create(
      b, b.getFusedLoc({first.getLoc(), second.getLoc()}),
      TypeRange(ValueRange(inits)), values, inits, maps,
      mergeIterators(first, second),
      [&](OpBuilder &nested, Location loc, ValueRange args) {
        buildMergedBody(nested, loc, first, second, inputs, args);
      });
  // What both compute is one value, which may become a row of its own.
  DominanceInfo dominance(merged);
  eliminateCommonSubExpressions(b, dominance, merged);
  b.replaceOp(second, merged->getResults().drop_front(first->getNumResults()));
  b.replaceOp(first, merged->getResults().take_front(first->getNumResults()));
  return merged;
}
