//===- SingleRows.cpp - a row that is alone gets a loop -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"
#include "norm/Rows/Rows.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

using namespace mlir;
using linalg::LinalgOp;

/// All loops but the innermost have extent 1.
static bool isSingleRow(LinalgOp op) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  return op.hasPureTensorSemantics() &&
         llvm::all_of(ArrayRef(extents).drop_back(extents.empty() ? 0 : 1),
                      [](int64_t extent) { return extent == 1; });
}

/// The single-row ops of one block that pass values to each other and have the
/// extent of `seed`, or 1.
static llvm::SetVector<LinalgOp> collectGroup(LinalgOp seed) {
  llvm::SetVector<LinalgOp> group;
  group.insert(seed);
  auto join = [&](Operation *op) {
    auto member = dyn_cast_or_null<LinalgOp>(op);
    if (member && member->getBlock() == seed->getBlock() &&
        isSingleRow(member) &&
        (norm::getRowExtent(member) == norm::getRowExtent(seed) ||
         norm::getRowExtent(member) == 1))
      group.insert(member);
  };
  for (size_t i = 0; i < group.size(); ++i) {
    LinalgOp op = group[i];
    for (Value v : op->getOperands())
      join(v.getDefiningOp());
    for (Operation *user : op->getUsers())
      join(user);
  }
  auto members = group.takeVector();
  llvm::sort(members,
             [](LinalgOp a, LinalgOp b) { return a->isBeforeInBlock(b); });
  return {members.begin(), members.end()};
}

/// What else uses a result of the group before its last op, in order: ops that
/// can follow that op instead, such as a reshape of a result. Nothing where one
/// has to stay.
static std::optional<SmallVector<Operation *>>
collectOthersOnTheWay(const llvm::SetVector<LinalgOp> &group) {
  Operation *last = group.back();
  auto isOnTheWay = [&](Operation *user) {
    Operation *ancestor = last->getBlock()->findAncestorOpInBlock(*user);
    return ancestor && ancestor->isBeforeInBlock(last);
  };
  llvm::SetVector<Operation *> others;
  for (LinalgOp op : group)
    for (Operation *user : op->getUsers()) {
      if (!isOnTheWay(user) || group.contains(dyn_cast<LinalgOp>(user)))
        continue;
      bool canFollow = user->getBlock() == last->getBlock() && isPure(user) &&
                       user->getNumRegions() == 0 &&
                       llvm::none_of(user->getUsers(), [&](Operation *next) {
                         return isOnTheWay(next) || next == last;
                       });
      if (!canFollow)
        return std::nullopt;
      others.insert(user);
    }
  SmallVector<Operation *> ordered = others.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ordered;
}

/// Results that ops outside the group use, each with its op.
static SmallVector<OpResult>
collectResults(const llvm::SetVector<LinalgOp> &group) {
  SmallVector<OpResult> results;
  for (LinalgOp op : group)
    for (OpResult result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !group.contains(dyn_cast<LinalgOp>(user));
          }))
        results.push_back(result);
  return results;
}

/// Where the ops of the group that lead to `result` start to write.
static Value getDestination(const llvm::SetVector<LinalgOp> &group,
                            OpResult result) {
  auto op = cast<LinalgOp>(result.getOwner());
  Value init = op.getTiedOpOperand(result)->get();
  auto producer = init.getDefiningOp<LinalgOp>();
  return producer && group.contains(producer)
             ? getDestination(group, cast<OpResult>(init))
             : init;
}

static void wrap(IRRewriter &rewriter, const llvm::SetVector<LinalgOp> &group) {
  SmallVector<OpResult> results = collectResults(group);
  SmallVector<Value> destinations;
  for (OpResult result : results)
    destinations.push_back(getDestination(group, result));

  LinalgOp last = group.back();
  rewriter.setInsertionPointAfter(last);
  scf::ForallOp loop = norm::createBlockLoop(
      rewriter, last.getLoc(), {rewriter.getIndexAttr(1)}, destinations,
      /*schedule=*/{});
  rewriter.setInsertionPointToStart(loop.getBody());
  IRMapping map;
  SmallVector<norm::Slice> outputs;
  // Each output is the slice that bufferization takes for the one that is
  // inserted again: a copy of the row onto itself would race.
  for (auto [destination, arg] :
       llvm::zip(destinations, loop.getRegionIterArgs())) {
    auto type = cast<RankedTensorType>(arg.getType());
    Location loc = loop.getLoc();
    outputs.push_back(norm::Slice::getWhole(rewriter, loc, arg));
    map.map(destination, type.hasStaticShape() ? arg
                                               : outputs.back().extract(
                                                     rewriter, loc, type, arg));
  }
  for (LinalgOp op : group)
    rewriter.clone(*op, map);
  for (auto [result, output, arg] :
       llvm::zip(results, outputs, loop.getRegionIterArgs()))
    output.insert(rewriter, loop, map.lookup(Value(result)), arg);
  for (auto [from, to] : llvm::zip(results, loop.getResults()))
    rewriter.replaceUsesWithIf(from, to, [&](OpOperand &use) {
      return !group.contains(dyn_cast<LinalgOp>(use.getOwner()));
    });
  for (LinalgOp op : llvm::reverse(group.getArrayRef()))
    rewriter.eraseOp(op);
}

/// A reduction along a row that no loop has yet.
static bool isSeed(LinalgOp op) {
  return op.getNumReductionLoops() > 0 && isSingleRow(op) &&
         norm::getRowExtent(op) != 1;
}

void norm::wrapSingleRows(IRRewriter &rewriter, Block &block) {
  SmallVector<LinalgOp> seeds =
      llvm::filter_to_vector(block.getOps<LinalgOp>(), isSeed);
  llvm::DenseSet<Operation *> visited;
  for (LinalgOp op : seeds) {
    if (visited.contains(op))
      continue;
    llvm::SetVector<LinalgOp> group = collectGroup(op);
    visited.insert_range(group);
    if (!llvm::all_of(group, norm::canVectorizeRow))
      continue;
    auto others = collectOthersOnTheWay(group);
    if (!others)
      continue;
    for (Operation *other : llvm::reverse(*others))
      other->moveAfter(group.back());
    LDBG("norm-tile-rows", 1) << "a single row of " << group.size()
                              << " ops, up to " << *group.back();
    wrap(rewriter, group);
  }
}
