//===- PipelineRows.cpp - overlap a row with the next one -----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelineRows.h"
#include "StripLanes.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "norm/IR/Missed.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"
#include "norm/Rows/Vectors.h"
#include "norm/Target/CPU/Buffers.h"

using namespace mlir;
using norm::Missed;

namespace {
struct Pipeline {
  scf::ForOp reduction; // of the first row; a nest
  scf::ForOp inner;     // its innermost loop
  norm::RowStrips row;
  SmallVector<Operation *> slice; // what the reduction needs of the row's body
};
} // namespace

/// The nest of reductions, each level holding one loop.
static scf::ForOp getInnermost(scf::ForOp loop) {
  while (true) {
    auto nested = loop.getBody()->getOps<scf::ForOp>();
    if (nested.empty())
      return loop;
    if (std::next(nested.begin()) != nested.end())
      return {};
    loop = *nested.begin();
  }
}

/// Pure, but for vector reads of buffers that `rows` only reads.
static bool onlyReads(scf::ForOp reduction, Operation *rows) {
  auto result = reduction.walk([&](Operation *op) {
    bool isFine = isa<scf::ForOp, scf::YieldOp>(op) || isMemoryEffectFree(op);
    if (auto read = dyn_cast<vector::TransferReadOp>(op)) {
      Value base = read.getBase();
      isFine = isa<MemRefType>(base.getType()) &&
               !rows->isAncestor(base.getParentBlock()->getParentOp()) &&
               norm::isOnlyRead(base, rows);
    }
    return isFine ? WalkResult::advance() : WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

/// What the reduction uses of the row's body, in order; none where that has
/// effects.
static FailureOr<SmallVector<Operation *>> getSlice(scf::ForOp reduction) {
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.omitBlockArguments = true;
  options.omitUsesFromAbove = false;
  options.filter = [&](Operation *op) {
    return op->getBlock() == reduction->getBlock();
  };
  if (failed(getBackwardSlice(reduction, &slice, options)) ||
      !llvm::all_of(slice, [](Operation *op) {
        return isMemoryEffectFree(op) && op->getNumRegions() == 0;
      }))
    return failure();
  return SmallVector<Operation *>(slice.getArrayRef());
}

static bool isLong(scf::ForOp reduction, int64_t lanes) {
  std::optional<int64_t> from = getConstantIntValue(reduction.getLowerBound());
  std::optional<int64_t> to = getConstantIntValue(reduction.getUpperBound());
  return !from || !to ||
         *to - *from >= norm::getRowTarget(reduction).pipelinedStrips * lanes;
}

/// Narrow results are converted: such strips wait for arithmetic, not memory,
/// and have no registers left.
static bool writesNarrow(scf::ForOp strips) {
  return llvm::any_of(
      strips.getBody()->getOps<vector::StoreOp>(), [](vector::StoreOp store) {
        return store.getVectorType().getElementTypeBitWidth() < 32;
      });
}

/// Rows one by one from the first on: the next one is the next iteration.
static bool isOverSingleRows(Operation *rows) {
  if (norm::getRole(rows) != norm::LoopRole::Rows || rows->getNumResults() != 0)
    return false;
  auto forall = dyn_cast<scf::ForallOp>(rows);
  return forall ? forall.isNormalized()
                : isOneInteger(cast<scf::ForOp>(rows).getStep());
}

/// The plan for `rows`; nothing where there is no statistic, or a reason not
/// to.
static std::optional<Pipeline> plan(Operation *rows, norm::RowStrips strips) {
  auto statistics = llvm::make_filter_range(
      strips.strips->getBlock()->getOps<scf::ForOp>(), [](scf::ForOp loop) {
        return norm::getRole(loop) == norm::LoopRole::Statistic;
      });
  if (statistics.empty())
    return std::nullopt;
  scf::ForOp reduction = *statistics.begin();
  auto give = [&](Missed reason) {
    missed(reduction, reason);
    return std::nullopt;
  };
  if (!norm::findPlan(reduction).getPipeline())
    return give(Missed::NotPipelined);
  if (!isOverSingleRows(rows))
    return give(Missed::NotRowByRow);
  Pipeline result{reduction, {}, strips, {}};
  result.inner = getInnermost(reduction);
  std::optional<int64_t> lanes = getConstantIntValue(strips.strips.getStep());
  if (!reduction->isBeforeInBlock(strips.strips) ||
      !isEqualConstantIntOrValue(reduction.getLowerBound(), strips.from) ||
      !isEqualConstantIntOrValue(reduction.getUpperBound(), strips.to) ||
      !result.inner || !lanes ||
      getConstantIntValue(result.inner.getStep()) != lanes)
    return give(Missed::OtherColumns);
  if (!isLong(reduction, *lanes))
    return give(Missed::ShortRow);
  if (writesNarrow(strips.strips))
    return give(Missed::NarrowResult);
  if (!onlyReads(reduction, rows))
    return give(Missed::NotOnlyReads);
  auto slice = getSlice(reduction);
  if (failed(slice))
    return give(Missed::NeedsEffects);
  result.slice = std::move(*slice);
  return result;
}

namespace {
class RowPipeliner {
public:
  RowPipeliner(scf::ForOp rows, Pipeline found)
      : b(rows.getLoc(), rows), rows(rows), plan(std::move(found)) {}

  void run() {
    Value first = rows.getLowerBound(), end = rows.getUpperBound();
    // The first row is read before the loop: there must be one.
    Value hasRows =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, first, end);
    auto guard = scf::IfOp::create(b, hasRows);
    b.setInsertionPoint(guard.thenYield());
    dropFetchedReads();
    scf::ForOp started = cloneReduction(first);
    Value last = arith::SubIOp::create(b, end, index(1));
    auto loop = scf::ForOp::create(
        b, first, last, rows.getStep(), started.getResults(),
        [&](OpBuilder &, Location, Value row, ValueRange args) {
          scf::YieldOp::create(b, buildRow(row, args));
        });
    cloneRow(last, loop.getResults(), /*fused=*/{});
    rows.erase();
  }

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value add(Value x, Value y) { return arith::AddIOp::create(b, x, y); }

  /// The strips fetched the next row for its reduction, which now reads it.
  void dropFetchedReads() {
    llvm::DenseSet<Value> bases;
    plan.inner.walk(
        [&](vector::TransferReadOp read) { bases.insert(read.getBase()); });
    scf::ForOp strips = plan.row.strips;
    for (auto fetch : llvm::make_early_inc_range(
             strips.getBody()->getOps<memref::PrefetchOp>()))
      if (bases.contains(fetch.getMemref()))
        fetch.erase();
  }

  /// The reduction of row `row` and, where there are any, what `inLoop` adds to
  /// each iteration of its innermost loop.
  scf::ForOp cloneReduction(Value row,
                            function_ref<void(scf::ForOp)> inLoop = nullptr) {
    IRMapping map;
    map.map(rows.getInductionVar(), row);
    for (Operation *op : plan.slice)
      b.clone(*op, map);
    auto clone = cast<scf::ForOp>(b.clone(*plan.reduction, map));
    if (inLoop) {
      OpBuilder::InsertionGuard guard(b);
      auto inner = cast<scf::ForOp>(map.lookup(plan.inner.getOperation()));
      inLoop(inner);
    }
    return clone;
  }

  /// The body of a row whose reduction gave `reduced`; `strips` replaces the
  /// strips.
  void cloneRow(Value row, ValueRange reduced,
                function_ref<void(IRMapping &)> strips) {
    IRMapping map;
    map.map(rows.getInductionVar(), row);
    map.map(plan.reduction.getResults(), reduced);
    for (Operation &op : rows.getBody()->without_terminator()) {
      if (&op == plan.reduction)
        continue;
      if (&op == plan.row.strips && strips)
        strips(map);
      else
        b.clone(op, map);
    }
  }

  SmallVector<Value> buildRow(Value row, ValueRange reduced) {
    SmallVector<Value> next;
    cloneRow(row, reduced, [&](IRMapping &map) {
      Value lag = createLag(map);
      Value nextRow = add(row, index(1));
      scf::ForOp fused = cloneReduction(nextRow, [&](scf::ForOp inner) {
        b.setInsertionPointToStart(inner.getBody());
        fetchReads(inner);
        buildStrip(inner.getInductionVar(), lag, map);
      });
      next = llvm::to_vector(ValueRange(fused.getResults()));
      cloneLastStrips(lag, map);
    });
    return next;
  }

  /// Buffers often lie at the same place of a page, and a core takes a read for
  /// one of what was just stored there: a strip is written when the next row
  /// has been read past it. Moved strips lie up to two lines further.
  Value createLag(IRMapping &row) {
    int64_t lanes = getLanes();
    return arith::SelectOp::create(b, row.lookupOrDefault(plan.row.isMoved),
                                   index(2 * lanes), index(lanes));
  }

  int64_t getLanes() { return *getConstantIntValue(plan.row.strips.getStep()); }

  /// The strip of this row `lag` before column `column` of the next. It stands
  /// before the reads of the next row, or LLVM would keep their products open
  /// over the branch.
  void buildStrip(Value column, Value lag, IRMapping &row) {
    scf::ForOp strips = plan.row.strips;
    Value start = row.lookupOrDefault(strips.getLowerBound());
    Value offset =
        arith::SubIOp::create(b, column, row.lookupOrDefault(plan.row.from));
    Value at = arith::SubIOp::create(b, add(start, offset), lag);
    Value isStrip =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sge, offset, lag);
    auto choice = scf::IfOp::create(b, isStrip);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(choice.thenYield());
    // In pieces: the accumulators of the next row take half of the registers.
    int64_t piece = plan.row.lineLanes;
    for (int64_t i = 0, e = getLanes(); i < e; i += piece)
      norm::cloneStrip(b, strips, add(at, index(i)), piece, row);
    cloneFetches(at, row);
  }

  /// What the lag leaves: strips that were moved are one less, so always one.
  void cloneLastStrips(Value lag, IRMapping &row) {
    scf::ForOp strips = plan.row.strips;
    Value start = row.lookupOrDefault(strips.getLowerBound());
    Value length = arith::SubIOp::create(b, row.lookupOrDefault(plan.row.to),
                                         row.lookupOrDefault(plan.row.from));
    Value done = arith::SubIOp::create(b, length, lag);
    done = arith::MaxSIOp::create(b, done, index(0));
    auto last = cast<scf::ForOp>(b.clone(*strips, row));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(last);
    last.setLowerBound(add(start, done));
  }

  void cloneFetches(Value column, IRMapping map) {
    scf::ForOp strips = plan.row.strips;
    map.map(strips.getInductionVar(), column);
    for (Operation &op : strips.getBody()->without_terminator())
      if (isa<memref::PrefetchOp>(op) ||
          (op.getNumResults() == 1 && op.getResult(0).getType().isIndex()))
        b.clone(op, map);
  }

  /// Fetches what the loop reads some lines later; behind the end of a row
  /// lies the one that comes after it.
  void fetchReads(scf::ForOp inner) {
    for (auto read :
         llvm::to_vector(inner.getBody()->getOps<vector::TransferReadOp>())) {
      if (read.getIndices().back() != inner.getInductionVar() ||
          read.getIndices().size() < 2)
        continue; // the weight stays in the cache
      norm::createPrefetches(
          b, b.getLoc(), read.getBase(), SmallVector<Value>(read.getIndices()),
          read.getVectorType().getNumElements(), norm::CacheLevel::First,
          norm::getRowTarget(rows).prefetchBytes);
    }
  }

  ImplicitLocOpBuilder b;
  scf::ForOp rows;
  Pipeline plan;
};
} // namespace

/// Rows per iteration of `forall`, so few that there are enough iterations for
/// many threads.
static Value createRowsPerIteration(ImplicitLocOpBuilder &b, Value rows,
                                    const norm::RowTarget &target) {
  auto index = [&](int64_t value) {
    return arith::ConstantIndexOp::create(b, value).getResult();
  };
  Value share =
      arith::DivUIOp::create(b, rows, index(target.pipelinedIterations));
  Value most = arith::MinUIOp::create(b, share, index(target.pipelinedRows));
  return arith::MaxUIOp::create(b, most, index(1));
}

/// Splits the last dimension of `forall`: the rows of an iteration are a loop
/// of their own.
static scf::ForOp splitRows(scf::ForallOp forall) {
  ImplicitLocOpBuilder b(forall.getLoc(), forall);
  SmallVector<OpFoldResult> lower = forall.getMixedLowerBound(),
                            upper = forall.getMixedUpperBound();
  Value end = getValueOrCreateConstantIndexOp(b, b.getLoc(), upper.back());
  Value size = createRowsPerIteration(b, end, norm::getRowTarget(forall));
  upper.back() = arith::CeilDivUIOp::create(b, end, size).getResult();
  auto outer = scf::ForallOp::create(b, lower, upper, forall.getMixedStep(),
                                     ValueRange(), forall.getMapping());
  b.setInsertionPoint(outer.getTerminator());
  Value first = arith::MulIOp::create(b, outer.getInductionVars().back(), size);
  Value behind = arith::AddIOp::create(b, first, size);
  Value last = arith::MinUIOp::create(b, behind, end);
  Value one = arith::ConstantIndexOp::create(b, 1);
  auto rows = scf::ForOp::create(b, first, last, one);
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

void norm::pipelineRows(Operation *rows, RowStrips strips) {
  std::optional<Pipeline> found = plan(rows, strips);
  if (!found)
    return;
  auto loop = dyn_cast<scf::ForOp>(rows);
  if (!loop)
    loop = splitRows(cast<scf::ForallOp>(rows));
  RowPipeliner(loop, std::move(*found)).run();
}
