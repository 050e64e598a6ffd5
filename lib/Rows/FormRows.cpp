//===- FormRows.cpp - ops that one loop over rows is to compute -----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"
#include "RowMatch.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "norm/IR/Missed.h"
#include "norm/IR/Norm.h"
#include "norm/Normalize/Recompute.h"
#include "norm/Rows/Passes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMFORMROWS
#include "norm/Rows/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using namespace mlir::norm;
using bufferization::MaterializeInDestinationOp;
using linalg::GenericOp;
using linalg::LinalgOp;

static bool isElementwise(GenericOp op) {
  return op && op.hasPureTensorSemantics() && op.isAllParallelLoops();
}

static bool isSumOverRows(GenericOp op) {
  return op.hasPureTensorSemantics() && matchRowSums(op);
}

/// Returns true for an op that writes an element of a result per iteration.
static bool writesRows(GenericOp op) {
  return op.hasPureTensorSemantics() &&
         llvm::any_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
           return op.getMatchingIndexingMap(&init).isPermutation();
         });
}

static bool isRead(GenericOp reader, GenericOp op) {
  return llvm::is_contained(op->getUsers(), reader.getOperation());
}

//===----------------------------------------------------------------------===//
// Ends of rows: two that read the same elements become one op
//===----------------------------------------------------------------------===//

/// Whether sums over rows may join other ops, beside which they are added in
/// another order than alone. Those of a GPU join rows that threads hold.
enum class Sums { Apart, Joined, Held };

/// Returns true for sums over rows, which are whole after the last one, and
/// elementwise ops whose results no row loop computes with but that of
/// `besides`; others join the loop of their user.
static bool isEndOfRows(GenericOp op, GenericOp besides) {
  if (!isElementwise(op))
    return isSumOverRows(op);
  return llvm::none_of(op->getUsers(), [&](Operation *user) {
    auto generic = dyn_cast<GenericOp>(user);
    return generic && generic != besides && !isContraction(generic);
  });
}

/// Returns true if both ops read a tensor alike that has all their loops, which
/// then have the same extents.
static bool readSameElements(GenericOp first, GenericOp second) {
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

/// Returns true if `reader` reads elements of `op` only where `op` yields them.
static bool readsOwnElements(GenericOp reader, GenericOp op) {
  return llvm::all_of(reader->getOpOperands(), [&](OpOperand &operand) {
    if (operand.get().getDefiningOp() != op)
      return true;
    AffineMap map =
        op.getIndexingMapMatchingResult(cast<OpResult>(operand.get()));
    return reader.isDpsInput(&operand) && map.isPermutation() &&
           reader.getMatchingIndexingMap(&operand) == map;
  });
}

/// Returns true if `op` uses what another linalg op behind `first` computes:
/// that one stays, because sums are added in another order beside other ops.
static bool needsLaterOp(GenericOp op, GenericOp first) {
  return llvm::any_of(op->getOperands(), [&](Value operand) {
    Operation *def = operand.getDefiningOp();
    return def && def->getNumRegions() != 0 &&
           def->getBlock() == first->getBlock() && first->isBeforeInBlock(def);
  });
}

/// Returns true if the loops of both, of which `second` is later, are the same
/// ones.
static bool canMerge(GenericOp first, GenericOp second) {
  if (first.getNumLoops() != second.getNumLoops() ||
      !isEndOfRows(first, second) || !isEndOfRows(second, first))
    return false;
  if (isElementwise(first) && isElementwise(second))
    return !isRead(second, first) && readSameElements(first, second) &&
           !needsLaterOp(second, first);
  if (!isElementwise(first) && !isElementwise(second) &&
      first.getIteratorTypesArray() != second.getIteratorTypesArray())
    return false;
  if (!isRead(second, first))
    return readSameElements(first, second);
  return !isElementwise(second) && readsOwnElements(second, first);
}

/// Returns the earlier ops that read what `op` reads, or that it reads itself,
/// in the order of the block.
static SmallVector<GenericOp> findEarlier(GenericOp op) {
  llvm::SetVector<GenericOp> found;
  auto insert = [&](Operation *other) {
    auto generic = dyn_cast_or_null<GenericOp>(other);
    if (generic && generic->getBlock() == op->getBlock() &&
        generic->isBeforeInBlock(op))
      found.insert(generic);
  };
  for (OpOperand *input : op.getDpsInputOperands()) {
    insert(input->get().getDefiningOp());
    if (op.getMatchingIndexingMap(input).isPermutation())
      llvm::for_each(input->get().getUsers(), insert);
  }
  SmallVector<GenericOp> sorted = found.takeVector();
  llvm::sort(sorted,
             [](GenericOp a, GenericOp b) { return a->isBeforeInBlock(b); });
  return sorted;
}

/// Says why an elementwise op has a loop of its own beside another one that
/// reads the same tensor.
static void explain(GenericOp op, ArrayRef<GenericOp> earlier) {
  if (!isElementwise(op) || !isEndOfRows(op, {}))
    return;
  const auto *sibling = llvm::find_if(earlier, [](GenericOp first) {
    return isElementwise(first) && isEndOfRows(first, {});
  });
  if (sibling != earlier.end())
    missed(op, readSameElements(*sibling, op) ? Missed::SiblingNeedsLater
                                              : Missed::SiblingsDiffer);
}

/// Returns true if the threads of a GPU that go through the rows of `first` can
/// hold the sums of `op` as well. Sums of rows that no op reduces are faster by
/// columns.
static bool canHoldSums(GenericOp first, GenericOp op) {
  LinalgOp ops[] = {first, op};
  return writesRows(first) && canVectorizeRow(first) &&
         matchColumnReductions(op) && hasReducedRows(op) &&
         !op.hasIndexSemantics() && scheduleSums(ops);
}

/// Merges an end of rows into the first one that it can join.
static void mergeEnd(IRRewriter &rewriter, GenericOp op, Sums sums) {
  auto isCandidate = [&](GenericOp each) {
    return isElementwise(each) || sums != Sums::Apart;
  };
  if (!isCandidate(op))
    return;
  SmallVector<GenericOp> earlier = findEarlier(op);
  for (GenericOp first : earlier)
    if (isCandidate(first) && canMerge(first, op) &&
        (sums != Sums::Held || canHoldSums(first, op)) &&
        mergeInto(rewriter, first, op))
      return;
  explain(op, earlier);
}

//===----------------------------------------------------------------------===//
// Results that are read again are written by their last reader
//===----------------------------------------------------------------------===//

/// Returns true for an op whose result is its first operand elsewhere, or in
/// another shape.
static bool passesOn(Operation *op) {
  return isa_and_nonnull<tensor::ExpandShapeOp, tensor::CollapseShapeOp,
                         MaterializeInDestinationOp>(op);
}

/// Returns true if `v` ends in a buffer.
static bool isWritten(Value v) {
  return llvm::any_of(v.getUsers(), [](Operation *user) {
    auto write = dyn_cast<MaterializeInDestinationOp>(user);
    return (write && write->getNumResults() == 0) ||
           (passesOn(user) && isWritten(user->getResult(0)));
  });
}

/// Returns the ops from the one that reads a computed value to its write into a
/// buffer, which is the first.
static SmallVector<Operation *> findWay(MaterializeInDestinationOp write) {
  SmallVector<Operation *> way = {write};
  Operation *def = write.getSource().getDefiningOp();
  for (; passesOn(def) && def->hasOneUse();
       def = def->getOperand(0).getDefiningOp())
    way.push_back(def);
  return way;
}

/// Returns the last reader of `v` if it has a written result, and reads each
/// element of `v` at the element's own place.
static GenericOp findLastReader(Value v) {
  GenericOp last;
  bool isReduced = false, readsInPlace = false;
  for (OpOperand &use : v.getUses()) {
    auto reader = dyn_cast<GenericOp>(use.getOwner());
    if (!reader || reader->getBlock() != v.getParentBlock())
      continue;
    isReduced |= reader.getNumReductionLoops() > 0;
    if (!last || last->isBeforeInBlock(reader)) {
      last = reader;
      readsInPlace = false;
    }
    readsInPlace |= last == reader && reader.isDpsInput(&use) &&
                    reader.getMatchingIndexingMap(&use).isIdentity();
  }
  return isReduced && readsInPlace && writesRows(last) &&
                 llvm::any_of(last->getResults(), isWritten)
             ? last
             : GenericOp();
}

/// Lets an op that does not read its destination write to a tensor of its own.
static void detachDestination(IRRewriter &rewriter, LinalgOp op) {
  OpOperand *init = op.getDpsInitOperand(0);
  Location loc = op.getLoc();
  rewriter.setInsertionPoint(op);
  Value own = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, init->get()),
      getElementTypeOrSelf(init->get().getType()));
  rewriter.modifyOpInPlace(op, [&] { init->set(own); });
}

/// Lets the last reader of a result that is read again, such as a residual sum,
/// write it: a buffer that is read back cannot be written past the caches.
static void writeLast(IRRewriter &rewriter, MaterializeInDestinationOp write) {
  SmallVector<Operation *> way = findWay(write);
  Value v = way.back()->getOperand(0);
  auto producer = v.getDefiningOp<GenericOp>();
  if (!producer || !isElementwise(producer) || producer->getNumResults() != 1 ||
      producer.payloadUsesValueFromOperand(producer.getDpsInitOperand(0)))
    return;
  GenericOp reader = findLastReader(v);
  if (!reader || reader->getBlock() != write->getBlock() ||
      !reader->isBeforeInBlock(write))
    return;
  LDBG("norm-form-rows", 1) << "writes " << v << " in " << reader;
  Value destination = producer.getDpsInits()[0];
  detachDestination(rewriter, cast<LinalgOp>(*producer));
  rewriter.setInsertionPointAfter(reader);
  GenericOp copy = *linalg::generalizeNamedOp(
      rewriter, linalg::CopyOp::create(rewriter, v.getLoc(), v, destination));
  for (Operation *op : llvm::reverse(ArrayRef(way).drop_front()))
    rewriter.moveOpBefore(op, write);
  rewriter.modifyOpInPlace(
      way.back(), [&] { way.back()->setOperand(0, copy->getResult(0)); });
  mergeInto(rewriter, reader, copy);
}

//===----------------------------------------------------------------------===//
// Cheap rows are not kept
//===----------------------------------------------------------------------===//

/// Returns true if only reductions and one end of rows read it, which become
/// one loop over rows. The sum of a residual stream is kept, because the next
/// layer reads it too and would otherwise add up all layers before it.
static bool isReadByRows(GenericOp producer) {
  bool hasReduction = false;
  GenericOp end;
  for (OpOperand &use : producer->getUses()) {
    if (isa<tensor::DimOp>(use.getOwner()))
      continue;
    auto reader = dyn_cast<GenericOp>(use.getOwner());
    if (!reader || !reader.isDpsInput(&use) ||
        !linalg::areElementwiseOpsFusable(&use))
      return false;
    hasReduction |= reader.getNumReductionLoops() > 0;
    if (!writesRows(reader))
      continue;
    if (end && end != reader)
      return false;
    end = reader;
  }
  return hasReduction && end;
}

/// Returns true if the loop of the one op that reads the result can write it,
/// too: each element is read at its own place.
static bool isWrittenByReader(LinalgOp op) {
  Value result = op->getResult(0);
  auto reads = llvm::make_filter_range(
      llvm::make_pointer_range(result.getUses()),
      [](OpOperand *use) { return isa<LinalgOp>(use->getOwner()); });
  if (!llvm::hasSingleElement(reads) || !isWritten(result))
    return false;
  OpOperand *read = *reads.begin();
  auto reader = cast<LinalgOp>(read->getOwner());
  return reader->getBlock() == op->getBlock() && reader.isDpsInput(read) &&
         reader.getMatchingIndexingMap(read).isIdentity();
}

/// Copies an op, to a tensor of its own if it does not read its destination.
static LinalgOp copyOp(IRRewriter &rewriter, LinalgOp op) {
  auto copy = cast<LinalgOp>(rewriter.clone(*op));
  if (!copy.payloadUsesValueFromOperand(copy.getDpsInitOperand(0)))
    detachDestination(rewriter, copy);
  return copy;
}

/// Returns true if more than branches are around `user` and not around `op`,
/// such as a loop, which would compute a copy again and again.
static bool isRepeated(Operation *user, Operation *op) {
  for (Operation *up = user->getParentOp(); !up->isAncestor(op);
       up = up->getParentOp())
    if (!isa<scf::IfOp, scf::IndexSwitchOp>(up))
      return true;
  return false;
}

/// Gives each reader a copy of the producer, which its loop will compute.
/// Returns the copies.
static SmallVector<Operation *> copyForReaders(IRRewriter &rewriter,
                                               LinalgOp producer) {
  LDBG("norm-form-rows", 1) << "copies for each reader " << producer;
  SmallVector<Operation *> copies;
  llvm::SetVector<Operation *> users(llvm::from_range, producer->getUsers());
  for (Operation *user : users) {
    if (!isa<LinalgOp>(user) || isRepeated(user, producer))
      continue;
    if (user->getBlock() == producer->getBlock())
      rewriter.setInsertionPointAfter(producer);
    else
      rewriter.setInsertionPoint(user);
    copies.push_back(copyOp(rewriter, producer));
    rewriter.replaceOpUsesWithIf(
        producer, copies.back()->getResults(),
        [&](OpOperand &use) { return use.getOwner() == user; });
  }
  if (producer->use_empty())
    rewriter.eraseOp(producer);
  return copies;
}

/// Lets readers compute again what is cheaper than to keep. What one loop reads
/// is a row for it. The inputs of a copy are kept, so that no chain is computed
/// per path.
static void recompute(IRRewriter &rewriter, ArrayRef<LinalgOp> ops) {
  llvm::DenseSet<Operation *> copies;
  // In reverse order, producers are visited after their users.
  for (LinalgOp op : llvm::reverse(ops)) {
    auto generic = dyn_cast<GenericOp>(*op);
    if (!op.hasPureTensorSemantics() || op->getNumResults() != 1)
      continue;
    if (generic && isReadByRows(generic)) {
      if (isCheaperToRecompute(op, KeptFor::Row))
        fuseIntoReaders(rewriter, op);
    } else if (!op->hasOneUse() && isCheaperToRecompute(op, KeptFor::Loops) &&
               !isWrittenByReader(op) &&
               llvm::none_of(op->getUsers(), [&](Operation *user) {
                 return copies.contains(user);
               })) {
      copies.insert_range(copyForReaders(rewriter, op));
    }
  }
}

//===----------------------------------------------------------------------===//
// Sums of rows that threads hold
//===----------------------------------------------------------------------===//

/// Moves `op` to where it is needed, so that what others compute of the same
/// rows is before it.
static void sinkToUsers(Operation *op) {
  Operation *first = nullptr;
  for (Operation *user : op->getUsers()) {
    if (user->getBlock() == op->getBlock() && isMemoryEffectFree(user))
      sinkToUsers(user);
    Operation *at = op->getBlock()->findAncestorOpInBlock(*user);
    if (at && (!first || at->isBeforeInBlock(first)))
      first = at;
  }
  if (first)
    op->moveBefore(first);
}

static void joinSums(IRRewriter &rewriter, Operation *scope) {
  for (LinalgOp op : collect<LinalgOp>(scope))
    if (matchColumnReductions(op) && hasReducedRows(op))
      sinkToUsers(op);
  for (GenericOp op : collect<GenericOp>(scope))
    if (isSumOverRows(op))
      mergeEnd(rewriter, op, Sums::Held);
}

void norm::formRows(Operation *scope, RowWorkers workers) {
  IRRewriter rewriter(scope->getContext());
  bool isApart = workers == RowWorkers::GPU || scope->hasAttr(sumPartsAttrName);
  for (GenericOp op : collect<GenericOp>(scope))
    mergeEnd(rewriter, op, isApart ? Sums::Apart : Sums::Joined);
  for (auto write : collect<MaterializeInDestinationOp>(scope))
    if (write->getNumResults() == 0)
      writeLast(rewriter, write);
  recompute(rewriter, collect<LinalgOp>(scope));
  if (workers == RowWorkers::GPU)
    return joinSums(rewriter, scope);
  for (GenericOp op : collect<GenericOp>(scope))
    if (isElementwise(op) && writesRows(op) && !op.hasIndexSemantics())
      splitRowScalars(rewriter, op);
}

namespace {
struct NormFormRows : norm::impl::NormFormRowsBase<NormFormRows> {
  using NormFormRowsBase::NormFormRowsBase;

  void runOnOperation() override {
    formRows(getOperation(), scheduled ? RowWorkers::GPU : RowWorkers::Threads);
  }
};
} // namespace
