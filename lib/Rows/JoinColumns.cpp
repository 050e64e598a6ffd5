//===- JoinColumns.cpp - sums over rows in the loop that computes them ----===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"
#include "norm/Normalize/ElementStorage.h"
#include "norm/Rows/Rows.h"
#include "llvm/Support/DebugLog.h"

using namespace mlir;
using linalg::LinalgOp;
using norm::Slice;

//===----------------------------------------------------------------------===//
// What can be joined
//===----------------------------------------------------------------------===//

static bool isOverRows(scf::ForallOp loop) {
  return norm::getRole(loop) == norm::LoopRole::Rows &&
         !norm::getSchedule(loop) && loop.getRank() == 1 &&
         loop.isNormalized() &&
         llvm::all_of(loop.getOps<LinalgOp>(), norm::canShareRow);
}

/// Returns the op that puts the loop's slices into its result `number`.
static tensor::ParallelInsertSliceOp getInsertion(scf::ForallOp loop,
                                                  unsigned number) {
  SmallVector<Operation *> found =
      loop.getCombiningOps(loop.getRegionIterArgs()[number]);
  return found.size() == 1 ? dyn_cast<tensor::ParallelInsertSliceOp>(found[0])
                           : tensor::ParallelInsertSliceOp();
}

/// Whether a slice is row `row` of a tensor, all of it.
template <typename SliceOp>
static bool isWholeRow(SliceOp slice, RankedTensorType whole,
                       RankedTensorType part, Value row) {
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets();
  if (offsets.empty() || offsets.front() != OpFoldResult(row) ||
      whole.getRank() != part.getRank() || part.getDimSize(0) != 1 ||
      !slice.hasUnitStride())
    return false;
  return llvm::all_of(llvm::drop_begin(offsets), isZeroInteger) &&
         whole.getShape().drop_front() == part.getShape().drop_front();
}

static bool hasRowsFirst(AffineMap map) {
  return map.getNumResults() > 0 &&
         map.getResult(0) == getAffineDimExpr(0, map.getContext());
}

/// Whether an input of a reduction over rows exists where the loop over these
/// rows stands, or the loop makes its rows.
static bool isAvailable(OpOperand &input, LinalgOp op, scf::ForallOp loop,
                        DominanceInfo &dominance) {
  if (dominance.properlyDominates(input.get(), loop))
    return true;
  auto result = dyn_cast<OpResult>(input.get());
  if (!result || result.getOwner() != loop)
    return false;
  tensor::ParallelInsertSliceOp row =
      getInsertion(loop, result.getResultNumber());
  return row &&
         isWholeRow(row, row.getDestType(), row.getSourceType(),
                    loop.getInductionVar(0)) &&
         hasRowsFirst(op.getMatchingIndexingMap(&input));
}

/// Whether the loop reads the rows of an input along which it has columns.
static bool isReadByLoop(OpOperand &input, LinalgOp op, scf::ForallOp loop) {
  return op.getMatchingIndexingMap(&input).isIdentity() &&
         llvm::any_of(input.get().getUsers(), [&](Operation *user) {
           auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
           return slice && loop->isProperAncestor(slice) &&
                  isWholeRow(slice, slice.getSourceType(), slice.getType(),
                             loop.getInductionVar(0));
         });
}

static bool hasRowsOfLoop(OpOperand &input, scf::ForallOp loop) {
  FailureOr<bool> same = ValueBoundsConstraintSet::areEqual(
      {input.get(), 0}, loop.getMixedUpperBound().front());
  return succeeded(same) && *same;
}

static bool canJoin(LinalgOp op, scf::ForallOp loop, DominanceInfo &dominance) {
  if (op.getNumLoops() != 2 || !loop->isBeforeInBlock(op) ||
      op.hasIndexSemantics() || !norm::matchColumnReductions(op))
    return false;
  auto isRowOfColumns = [&](OpOperand &init) {
    AffineMap map = op.getMatchingIndexingMap(&init);
    return map.getNumResults() == 1 && map.isFunctionOfDim(1);
  };
  if (!llvm::all_of(op.getDpsInitsMutable(), isRowOfColumns))
    return false;
  bool isShared = false;
  for (OpOperand *input : op.getDpsInputOperands()) {
    if (!isAvailable(*input, op, loop, dominance))
      return false;
    isShared |= isReadByLoop(*input, op, loop) && hasRowsOfLoop(*input, loop);
  }
  return isShared;
}

//===----------------------------------------------------------------------===//
// Schedule
//===----------------------------------------------------------------------===//

static int64_t countWords(Type type) {
  int64_t bytes = norm::getElementBytes(getElementTypeOrSelf(type));
  return llvm::divideCeil(std::max<int64_t>(bytes, 1), 4);
}

/// The rows that the loop reads, in elements of 32 bits: as such they are held.
static int64_t countRows(scf::ForallOp loop) {
  llvm::SmallDenseSet<Value> sources;
  int64_t words = 0;
  loop.walk([&](tensor::ExtractSliceOp slice) {
    bool isInput = llvm::any_of(slice->getUses(), [](OpOperand &use) {
      auto user = dyn_cast<LinalgOp>(use.getOwner());
      return user && user.isDpsInput(&use);
    });
    if (isInput && slice.getSourceType().getRank() > 1 &&
        sources.insert(slice.getSource()).second)
      words += countWords(slice.getType());
  });
  return words;
}

static int64_t countSums(ArrayRef<LinalgOp> sums) {
  int64_t words = 0;
  for (LinalgOp op : sums)
    for (Type type : op->getResultTypes())
      words += countWords(type);
  return words;
}

static std::optional<norm::RowSchedule> chooseSchedule(scf::ForallOp loop,
                                                       ArrayRef<LinalgOp> sums,
                                                       int64_t leastThreads) {
  norm::RowForm form;
  loop.walk([&](LinalgOp op) { form.join(op); });
  for (LinalgOp op : sums)
    form.join(op);
  norm::SummedRow row{form.extent, form.pitch, form.bytes};
  row.rows = std::max<int64_t>(1, countRows(loop));
  row.sums = countSums(sums);
  row.leastThreads = leastThreads;
  return norm::chooseSummedRowSchedule(norm::getRowTarget(loop), row);
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

namespace {
/// Builds the loop over parts that replaces a loop over rows and reductions.
class PartLoop {
public:
  PartLoop(IRRewriter &rewriter, scf::ForallOp rows, ArrayRef<LinalgOp> sums)
      : rewriter(rewriter), rows(rows), sums(sums), loc(rows.getLoc()),
        rowCount(rows.getMixedUpperBound().front()) {}

  /// Returns false, and leaves all as it was, where no schedule holds the rows.
  bool run() {
    if (isZeroInteger(rowCount) ||
        ShapedType::isDynamic(sums.front().getStaticLoopRanges().back()))
      return false;
    rewriter.setInsertionPoint(rows);
    divideRows();
    if (getConstantIntValue(partCount) == 1)
      return false;
    // Rows that share a warp have to iterate equally often.
    int64_t leastThreads = hasEqualParts() ? 1 : norm::kWarpSize;
    std::optional<norm::RowSchedule> schedule =
        chooseSchedule(rows, sums, leastThreads);
    if (!schedule)
      return false;
    build(*schedule);
    return true;
  }

private:
  OpFoldResult index(int64_t v) { return rewriter.getIndexAttr(v); }

  void divideRows() {
    int64_t columns = sums.front().getStaticLoopRanges().back();
    norm::RowDivision parts =
        norm::chooseRowDivision(norm::getRowTarget(sums.front()), columns);
    MLIRContext *context = rewriter.getContext();
    AffineExpr count = getAffineSymbolExpr(0, context);
    auto constant = [&](int64_t v) {
      return getAffineConstantExpr(v, context);
    };
    OpFoldResult most = affine::makeComposedFoldedAffineMin(
        rewriter, loc,
        AffineMap::get(0, 1, {count.ceilDiv(parts.parts), constant(parts.most)},
                       context),
        {rowCount});
    rowsPerPart = affine::makeComposedFoldedAffineMax(
        rewriter, loc,
        AffineMap::get(0, 1, {count, constant(parts.least)}, context), {most});
    partCount = norm::countBlocks(rewriter, loc, rowCount, rowsPerPart);
  }

  /// Whether something else than the joined reductions needs a result.
  bool isNeeded(OpResult result) {
    BlockArgument arg = rows.getRegionIterArgs()[result.getResultNumber()];
    auto isSliced = [](Operation *user) {
      return isa<tensor::ExtractSliceOp, tensor::ParallelInsertSliceOp>(user);
    };
    return !llvm::all_of(arg.getUsers(), isSliced) ||
           llvm::any_of(result.getUsers(), [&](Operation *user) {
             auto op = dyn_cast<LinalgOp>(user);
             return !op || !llvm::is_contained(sums, op);
           });
  }

  SmallVector<Value> createDestinations() {
    SmallVector<Value> destinations;
    for (OpResult result : rows.getResults())
      if (isNeeded(result)) {
        kept.push_back(result.getResultNumber());
        destinations.push_back(rows.getOutputs()[kept.back()]);
      }
    for (LinalgOp op : sums)
      for (unsigned i = 0, e = op->getNumResults(); i < e; ++i)
        destinations.push_back(norm::PartialSums::ofColumns(op).createParts(
            rewriter, i, {partCount}));
    return destinations;
  }

  void build(const norm::RowSchedule &schedule) {
    scf::ForallOp loop = norm::createBlockLoop(rewriter, loc, {partCount},
                                               createDestinations(), schedule);
    {
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(loop.getBody());
      buildPart(loop);
    }
    replaceAll(loop);
  }

  bool hasEqualParts() {
    std::optional<int64_t> all = getConstantIntValue(rowCount),
                           each = getConstantIntValue(rowsPerPart);
    return all && each && *all % *each == 0;
  }

  /// All rows of a part, and the insertion of its results.
  void buildPart(scf::ForallOp loop) {
    Value part = loop.getInductionVar(0);
    AffineExpr number = rewriter.getAffineDimExpr(0),
               each = rewriter.getAffineSymbolExpr(0);
    OpFoldResult first = affine::makeComposedFoldedAffineApply(
        rewriter, loc, number * each, {OpFoldResult(part), rowsPerPart});
    OpFoldResult size =
        norm::createBlockSize(rewriter, loc, first, rowsPerPart, rowCount);
    SmallVector<Value> state(loop.getRegionIterArgs().take_front(kept.size()));
    llvm::append_range(state, startSums(loop, part));
    scf::ForOp iterations = buildIterations(first, size, state);
    for (auto [i, number] : llvm::enumerate(kept))
      insertRows(loop, i, iterations.getResult(i), first, size);
    for (unsigned i = kept.size(); i < iterations.getNumResults(); ++i)
      getSumSlice(loop, i, part)
          .insert(rewriter, loop, iterations.getResult(i),
                  loop.getRegionIterArgs()[i]);
  }

  scf::ForOp buildIterations(OpFoldResult first, OpFoldResult size,
                             ValueRange state) {
    auto asValue = [&](OpFoldResult v) {
      return getValueOrCreateConstantIndexOp(rewriter, loc, v);
    };
    Value begin = asValue(first);
    auto iterations =
        scf::ForOp::create(rewriter, loc, asValue(index(0)), asValue(size),
                           asValue(index(1)), state);
    norm::setRole(iterations, norm::LoopRole::Rows);
    OpBuilder::InsertionGuard guard(rewriter);
    rewriter.setInsertionPointToStart(iterations.getBody());
    AffineExpr number = rewriter.getAffineDimExpr(0),
               start = rewriter.getAffineSymbolExpr(0);
    Value row = affine::AffineApplyOp::create(
        rewriter, loc, AffineMap::get(1, 1, number + start),
        ValueRange{iterations.getInductionVar(), begin});
    scf::YieldOp::create(rewriter, loc, buildRow(iterations, row));
    return iterations;
  }

  Slice getSumSlice(scf::ForallOp loop, unsigned i, Value part) {
    auto type = cast<RankedTensorType>(loop.getRegionIterArgs()[i].getType());
    return {{OpFoldResult(part), index(0)},
            {index(1), index(type.getDimSize(1))}};
  }

  /// Inserts the rows of a part of `v`.
  void insertRows(scf::ForallOp loop, unsigned i, Value v, OpFoldResult first,
                  OpFoldResult size) {
    auto type = cast<RankedTensorType>(v.getType());
    auto slice = Slice::getWhole(rewriter, loc, v);
    slice.offsets.front() = first;
    slice.sizes.front() = size;
    RankedTensorType part =
        tensor::ExtractSliceOp::inferResultType(type, slice.sizes);
    slice.insert(rewriter, loop, slice.extract(rewriter, loc, part, v),
                 loop.getRegionIterArgs()[i]);
  }

  /// Neutral elements in the part's rows of sums.
  SmallVector<Value> startSums(scf::ForallOp loop, Value part) {
    SmallVector<Value> starts;
    for (LinalgOp op : sums) {
      auto parts = norm::PartialSums::ofColumns(op);
      for (auto [number, type] : llvm::enumerate(op->getResultTypes())) {
        unsigned i = kept.size() + starts.size();
        Value place = getSumSlice(loop, i, part)
                          .extract(rewriter, loc, cast<RankedTensorType>(type),
                                   loop.getRegionIterArgs()[i]);
        starts.push_back(parts.start(rewriter, number, place));
      }
    }
    return starts;
  }

  //===--------------------------------------------------------------------===//
  // One row
  //===--------------------------------------------------------------------===//

  /// Moves the row's ops here and adds it to the sums; returns what
  /// `iterations` yields.
  SmallVector<Value> buildRow(scf::ForOp iterations, Value row) {
    ValueRange carried = iterations.getRegionIterArgs();
    scf::InParallelOp insertions = rows.getTerminator();
    SmallVector<unsigned> numbers;
    for (auto each : insertions.getOps<tensor::ParallelInsertSliceOp>())
      numbers.push_back(cast<BlockArgument>(each.getDest()).getArgNumber() -
                        rows.getRank());
    rewriter.inlineBlockBefore(rows.getBody(), iterations.getBody(),
                               iterations.getBody()->end(),
                               getPlaces(carried, row));
    rewriter.setInsertionPoint(insertions);
    SmallVector<Value> state(carried.take_front(kept.size()));
    for (auto [each, number] : llvm::zip_equal(
             insertions.getOps<tensor::ParallelInsertSliceOp>(), numbers)) {
      madeRows[rows.getResult(number)] = each.getSource();
      auto *at = llvm::find(kept, number);
      if (at == kept.end())
        continue;
      Value &whole = state[at - kept.begin()];
      whole = tensor::InsertSliceOp::create(
          rewriter, loc, each.getSource(), whole, each.getMixedOffsets(),
          each.getMixedSizes(), each.getMixedStrides());
    }
    for (LinalgOp op : sums) {
      ValueRange old =
          carried.drop_front(state.size()).take_front(op->getNumResults());
      llvm::append_range(state, addRow(op, row, old));
    }
    rewriter.eraseOp(insertions);
    return state;
  }

  /// The arguments of the loop over rows. What only the joined reductions read
  /// needs no memory for all rows: slices of an empty tensor are empty rows.
  SmallVector<Value> getPlaces(ValueRange carried, Value row) {
    SmallVector<Value> places = {row};
    for (Value output : rows.getOutputs())
      places.push_back(tensor::EmptyOp::create(
          rewriter, loc, tensor::getMixedSizes(rewriter, loc, output),
          getElementTypeOrSelf(output.getType())));
    for (auto [i, number] : llvm::enumerate(kept))
      places[rows.getRank() + number] = carried[i];
    return places;
  }

  /// Row `row` of an input, with a row dimension of one element.
  Value getRowOf(OpOperand &input, LinalgOp op, Value row) {
    if (Value made = madeRows.lookup(input.get()))
      return made;
    AffineMap indexing = op.getMatchingIndexingMap(&input);
    auto type = dyn_cast<RankedTensorType>(input.get().getType());
    if (!type || !indexing.isFunctionOfDim(0))
      return input.get();
    auto slice = Slice::getWhole(rewriter, loc, input.get());
    for (auto [i, expr] : llvm::enumerate(indexing.getResults()))
      if (expr.isFunctionOfDim(0)) {
        slice.offsets[i] = row;
        slice.sizes[i] = index(1);
      }
    return slice.extract(
        rewriter, loc,
        tensor::ExtractSliceOp::inferResultType(type, slice.sizes),
        input.get());
  }

  /// Adds one row to the sums of `op`: the op over columns alone.
  SmallVector<Value> addRow(LinalgOp op, Value row, ValueRange old) {
    SmallVector<AffineExpr> dims = {rewriter.getAffineConstantExpr(0),
                                    rewriter.getAffineDimExpr(0)};
    SmallVector<AffineMap> maps;
    for (AffineMap indexing : op.getIndexingMapsArray())
      maps.push_back(indexing.replaceDimsAndSymbols(dims, {}, 1, 0));
    SmallVector<Value> inputs;
    for (OpOperand *input : op.getDpsInputOperands())
      inputs.push_back(getRowOf(*input, op, row));
    auto add = linalg::GenericOp::create(
        rewriter, op.getLoc(), op->getResultTypes(), inputs, old, maps,
        SmallVector<utils::IteratorType>{utils::IteratorType::parallel},
        [&](OpBuilder &b, Location, ValueRange args) {
          IRMapping body;
          body.map(op.getBlock()->getArguments(), args);
          for (Operation &each : *op.getBlock())
            b.clone(each, body);
        });
    return SmallVector<Value>(add.getResults());
  }

  //===--------------------------------------------------------------------===//
  // Afterwards
  //===--------------------------------------------------------------------===//

  void replaceAll(scf::ForallOp loop) {
    ValueRange parts = loop.getResults().drop_front(kept.size());
    for (LinalgOp op : sums) {
      rewriter.setInsertionPoint(op);
      LinalgOp sum = norm::PartialSums::ofColumns(op).add(
          rewriter, parts.take_front(op->getNumResults()));
      parts = parts.drop_front(op->getNumResults());
      rewriter.replaceOp(op, sum->getResults());
    }
    for (auto [i, number] : llvm::enumerate(kept))
      rewriter.replaceAllUsesWith(rows.getResult(number), loop.getResult(i));
    rewriter.eraseOp(rows);
  }

  IRRewriter &rewriter;
  scf::ForallOp rows;
  SmallVector<LinalgOp> sums;
  Location loc;
  OpFoldResult rowCount, rowsPerPart, partCount;
  SmallVector<unsigned> kept;            // results of the loop over rows
  llvm::DenseMap<Value, Value> madeRows; // in an iteration, by these results
};
} // namespace

static bool hasColumnsOf(LinalgOp op, ArrayRef<LinalgOp> others) {
  return others.empty() ||
         LinalgOp(others.front()).getStaticLoopRanges().back() ==
             op.getStaticLoopRanges().back();
}

void norm::joinColumns(IRRewriter &rewriter, Operation *scope) {
  SmallVector<scf::ForallOp> loops;
  scope->walk([&](scf::ForallOp loop) {
    if (isOverRows(loop))
      loops.push_back(loop);
  });
  for (scf::ForallOp loop : loops) {
    DominanceInfo dominance(scope);
    SmallVector<LinalgOp> sums;
    for (auto op : loop->getBlock()->getOps<LinalgOp>())
      if (canJoin(op, loop, dominance) && hasColumnsOf(op, sums))
        sums.push_back(op);
    LDBG("norm-tile-rows", 1)
        << sums.size() << " sums over rows join " << *loop;
    if (!sums.empty())
      PartLoop(rewriter, loop, sums).run();
  }
}
