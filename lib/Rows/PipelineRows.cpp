//===- PipelineRows.cpp - overlap a row with the next one -----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowMatch.h"
#include "Streams.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "norm/Floats/Lanes.h"
#include "norm/IR/Missed.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"
#include "norm/Rows/Buffers.h"

using namespace mlir;
using namespace mlir::norm;
using linalg::LinalgOp;

//===----------------------------------------------------------------------===//
// Which rows
//===----------------------------------------------------------------------===//

/// Returns the first op of the block that reduces rows.
static LinalgOp findStatistic(Block &block) {
  for (auto op : block.getOps<LinalgOp>())
    if (std::optional<RowMatch> match = matchRow(op))
      if (!match->reductions.empty())
        return op;
  return {};
}

/// Rows one by one from the first on: the next one is the next iteration.
static bool isOverSingleRows(Operation *rows, LinalgOp statistic) {
  if (getRole(rows) != LoopRole::Rows || hasRowsOfBlock(statistic))
    return false;
  auto forall = dyn_cast<scf::ForallOp>(rows);
  return forall ? forall.isNormalized()
                : isOneInteger(cast<scf::ForOp>(rows).getStep());
}

static int64_t getLanes(LinalgOp op) {
  return chooseStripLanes(op, *matchRow(op)).lanes;
}

static bool isLong(LinalgOp statistic) {
  int64_t columns = statistic.getStaticLoopRanges().back();
  return ShapedType::isDynamic(columns) ||
         columns / getLanes(statistic) >=
             getRowTarget(statistic).pipelinedStrips;
}

/// Returns true if the op only reads what `rows` does not write, under no other
/// name either.
static bool onlyReads(LinalgOp statistic, Operation *rows,
                      Operation *outermost) {
  return llvm::all_of(statistic.getDpsInputs(), [&](Value input) {
    if (!isa<MemRefType>(input.getType()))
      return true;
    Value root = getRootIn(rows, input);
    return !rows->isAncestor(root.getParentBlock()->getParentOp()) &&
           hasKnownRoot(outermost, root) && isOnlyReadIn(rows, root);
  });
}

/// Returns the fills of the statistic's results, temporaries of the row that
/// nothing behind `writer` reads; none where it starts from something else.
static SmallVector<Operation *> findFills(LinalgOp statistic, LinalgOp writer) {
  Block *block = statistic->getBlock();
  SmallVector<Operation *> fills;
  for (OpOperand &init : statistic.getDpsInitsMutable()) {
    auto alloc = init.get().getDefiningOp<memref::AllocOp>();
    // What writes it first may be a copy of what a program starts from.
    LinalgOp fill = findFill(init);
    Value filled = fill ? getFilled(fill) : Value();
    bool isTemporary =
        alloc && alloc->getBlock() == block && filled &&
        llvm::all_of(alloc->getUsers(), [&](Operation *user) {
          return user->getBlock() == block &&
                 (user == writer || user->isBeforeInBlock(writer));
        });
    if (!isTemporary || !alloc.getType().hasStaticShape() ||
        filled.getParentBlock() == block)
      return {};
    fills.push_back(fill);
  }
  return fills;
}

std::optional<RowPipeline> norm::planPipeline(LinalgOp writer,
                                              Operation *outermost) {
  Operation *rows = writer->getParentOp();
  LinalgOp statistic = findStatistic(*writer->getBlock());
  if (!statistic)
    return std::nullopt;
  auto give = [&](Missed reason) {
    missed(statistic, reason);
    return std::nullopt;
  };
  if (!findPlan(statistic).getPipeline())
    return give(Missed::NotPipelined);
  if (!isOverSingleRows(rows, statistic) || hasRowsOfBlock(writer))
    return give(Missed::NotRowByRow);
  if (!statistic->isBeforeInBlock(writer) ||
      !haveSameColumns(statistic, writer) ||
      getLanes(statistic) != getLanes(writer))
    return give(Missed::OtherColumns);
  if (!isLong(statistic))
    return give(Missed::ShortRow);
  // Such strips wait for arithmetic, not memory, and have no registers left.
  if (llvm::any_of(writer.getDpsInits(), [](Value init) {
        return getElementTypeOrSelf(init.getType()).getIntOrFloatBitWidth() <
               32;
      }))
    return give(Missed::NarrowResult);
  if (!onlyReads(statistic, rows, outermost))
    return give(Missed::NotOnlyReads);
  SmallVector<Operation *> fills = findFills(statistic, writer);
  std::optional<SmallVector<Operation *>> views =
      findSources(rows, statistic.getDpsInputs());
  if (fills.empty() || !views)
    return give(Missed::NeedsEffects);
  return RowPipeline{writer, statistic, std::move(*views), std::move(fills)};
}

//===----------------------------------------------------------------------===//
// Rows per iteration
//===----------------------------------------------------------------------===//

/// Rows per iteration of `forall`, so few that there are enough iterations for
/// many threads.
static Lanes createRowsPerIteration(Lanes rows, const RowTarget &target) {
  return rows.apply<arith::DivUIOp>(target.pipelinedIterations)
      .apply<arith::MinUIOp>(target.pipelinedRows)
      .apply<arith::MaxUIOp>(1);
}

/// Splits the last dimension of `forall`: the rows of an iteration are a loop
/// of their own.
static scf::ForOp splitRows(scf::ForallOp forall) {
  ImplicitLocOpBuilder b(forall.getLoc(), forall);
  SmallVector<OpFoldResult> upper = forall.getMixedUpperBound();
  Lanes end(b, getValueOrCreateConstantIndexOp(b, b.getLoc(), upper.back()));
  Lanes size = createRowsPerIteration(end, getRowTarget(forall));
  upper.back() = Value(end.apply<arith::CeilDivUIOp>(size));
  auto outer =
      scf::ForallOp::create(b, upper, ValueRange(), forall.getMapping());
  b.setInsertionPoint(outer.getTerminator());
  Lanes first = Lanes(b, outer.getInductionVars().back()) * size;
  Lanes last = (first + size).apply<arith::MinUIOp>(end);
  auto rows = scf::ForOp::create(b, first, last, first.like(1));
  SmallVector<Value> ivs(outer.getInductionVars());
  ivs.back() = rows.getInductionVar();
  for (auto [from, to] : llvm::zip(forall.getInductionVars(), ivs))
    from.replaceAllUsesWith(to);
  auto &ops = forall.getBody()->getOperations();
  rows.getBody()->getOperations().splice(
      rows.getBody()->getTerminator()->getIterator(), ops, ops.begin(),
      std::prev(ops.end()));
  forall.erase();
  return rows;
}

//===----------------------------------------------------------------------===//
// The loop
//===----------------------------------------------------------------------===//

/// Computes the statistic of each row beside what writes the one before it: the
/// first one before the loop, and the last row behind it.
static void computeAhead(scf::ForOp rows, const RowPipeline &pipeline) {
  ImplicitLocOpBuilder b(rows.getLoc(), rows);
  LinalgOp statistic = pipeline.statistic, writer = pipeline.writer;
  SmallVector<Operation *> own(pipeline.fills);
  own.push_back(statistic);
  auto clone = [&](auto &&ops, Value row) {
    IRMapping map;
    map.map(rows.getInductionVar(), row);
    for (Operation *op : ops)
      b.clone(*op, map);
  };
  SmallVector<Operation *> ofStatistic(pipeline.views), ofRow;
  llvm::append_range(ofStatistic, own);
  for (Operation &op : rows.getBody()->without_terminator())
    if (!llvm::is_contained(own, &op))
      ofRow.push_back(&op);
  for (Value init : statistic.getDpsInits()) {
    llvm::erase(ofRow, init.getDefiningOp());
    init.getDefiningOp()->moveBefore(rows);
  }
  Lanes first(b, rows.getLowerBound()), end(b, rows.getUpperBound());
  // The first row is read before the loop: there must be one.
  Value hasRows = first.is(arith::CmpIPredicate::slt, end);
  rows->moveBefore(scf::IfOp::create(b, hasRows).thenYield());
  b.setInsertionPoint(rows);
  clone(ofStatistic, first);
  Lanes last = end - 1;
  rows.setUpperBound(last);
  rows->setDiscardableAttrs(ArrayRef<NamedAttribute>());
  b.setInsertionPointAfter(rows);
  clone(ofRow, last);
  auto streams = writer->getAttrOfType<RowStreamsAttr>(streamsAttrName);
  writer->setAttr(streamsAttrName,
                  RowStreamsAttr::get(b.getContext(), streams.getResults(),
                                      streams.getMoved(), streams.getFetched(),
                                      streams.getNear(), /*beside=*/true));
  b.setInsertionPointAfter(writer);
  clone(ofStatistic, Lanes(b, rows.getInductionVar()) + 1);
  for (Operation *op : llvm::reverse(own))
    op->erase();
}

void norm::pipelineRows(const RowPipeline &pipeline) {
  Operation *rows = LinalgOp(pipeline.writer)->getParentOp();
  // Not all that is built is in a loop with the plan.
  if (rows->hasAttr(planAttrName))
    for (auto op : rows->getRegion(0).getOps<LinalgOp>())
      op->setAttr(planAttrName, findPlan(op));
  auto loop = dyn_cast<scf::ForOp>(rows);
  if (!loop)
    loop = splitRows(cast<scf::ForallOp>(rows));
  computeAhead(loop, pipeline);
}
