//===- RowEmitter.h - loops and vectors of an op over rows ------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_ROWS_ROWEMITTER_H
#define NORM_LIB_ROWS_ROWEMITTER_H

#include "RowMatch.h"
#include "RowValues.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"
#include "llvm/ADT/MapVector.h"
#include <functional>

namespace mlir::norm {

/// Lets temporaries hold 16 bits per element where ops write nothing else into
/// them than f32 that were widened from such. Bodies widen what they read.
void narrowTemporaries(Operation *root);

/// Does what follows alike on the even and on the odd elements of a vector, up
/// to the narrowest elements, on the whole one, of which fewer registers are
/// then shuffled. Equal ops are one op.
void sinkDeinterleaves(IRRewriter &b, Operation *scope);

/// Builds the loops of one op.
class RowEmitter {
public:
  /// Looks at the ops before, which must not have been rewritten.
  RowEmitter(IRRewriter &b, linalg::LinalgOp op, RowMatch match,
             RowValues &values);

  /// The fills whose values reductions start from: nothing reads what they
  /// write.
  ArrayRef<Operation *> getForwarded() const { return forwarded; }

  linalg::LinalgOp getOp() { return op; }

  /// Builds the loops; runs `next`, the emitter of the op behind, too, if that
  /// is a statistic beside which this op's strips are written.
  void run(RowEmitter *next = nullptr);
  bool hasRun() { return isDone; }

private:
  /// Elements of a row: `width` from `column` on, under `mask` if there is one.
  struct Strip {
    Value column;
    int64_t width = 0;
    Value mask = {};
  };
  /// What a loop carries, such as sums, before an iteration and after it.
  using State = SmallVector<Value>;
  /// A function that computes a strip.
  using StripFn = function_ref<void(const Strip &at, State &state)>;

  //===--------------------------------------------------------------------===//
  // Parts of strips
  //===--------------------------------------------------------------------===//

  /// Returns how many values of the body are alive at once in each lane.
  int64_t countLiveLanes();
  /// Returns the elements of a strip that are computed at once: all of them, or
  /// fewer where registers would run out.
  int64_t choosePart();
  int64_t countParts(int64_t width) {
    return std::max(width / part, int64_t(1));
  }
  /// Builds a strip in parts, each with the same part of the state.
  void buildParts(const Strip &at, int64_t parts, State &state, StripFn strip);

  //===--------------------------------------------------------------------===//
  // Loops and strips
  //===--------------------------------------------------------------------===//

  int64_t numOuterLoops() {
    return op.getNumLoops() - (match.hasVectorLoop ? 1 : 0);
  }

  LoopRole getStripRole() {
    return match.reductions.empty() ? LoopRole::Strips : LoopRole::Statistic;
  }

  /// Builds a loop that starts from `inits`, and returns what it carries.
  State buildLoop(LoopRole role, Value lower, Value upper, Value step,
                  ValueRange inits, function_ref<void(Value, State &)> body);
  void buildOuterLoop(int64_t depth);
  void buildInnermost();
  /// Returns true if the op's strips are all in the block that it stands in.
  bool isOverOneRow();
  /// Returns true if the op before has read the row too, so that its last
  /// strips are in the cache, and this op may start with them.
  bool isWorthReversing();
  /// Returns true if what a strip writes no other one reads or writes.
  bool hasIndependentStrips();
  /// Tells the ops that follow which rows this one has gone over.
  void noteStrips();
  /// Builds whole strips of `width` elements in [from, to).
  void buildStrips(Value from, Value to, int64_t width, State &state,
                   StripFn strip);
  /// Runs `strip` over the row: `lanes` at a time, then `tail`, then a masked
  /// `tail`. The loops carry `lanesState` and `tailState`, and the first one
  /// has `levels` of blocks (see buildBlocks).
  void forEachStrip(State &lanesState, State &tailState, StripFn strip,
                    int64_t levels = 0);
  /// The same without a state.
  void forEachStrip(StripFn strip);
  void buildMaskedStrip(OpFoldResult from, OpFoldResult extent, State &state,
                        StripFn strip);
  /// Rows of an elementwise op that the same threads share, one strip each:
  /// several are loaded before the first of them is written.
  void buildParallelRows();
  void buildRowsAt(Value begin, int64_t count, const Strip &at);
  /// Returns true for a row that the threads that share it hold as one vector:
  /// nothing has to ask whether there is a strip.
  bool isOneStrip();

  //===--------------------------------------------------------------------===//
  // Strips that pass the caches
  //===--------------------------------------------------------------------===//

  /// Strips that start at the first line that begins in a row.
  struct Lines {
    Value from, to;              // all columns
    Value start, end;            // the strips
    Value lastLine;              // where the last line of these columns begins
    Value isMoved;               // whether strips do not start at `from`
    int64_t width = 0, line = 0; // elements of a strip, and of a line
  };

  /// Returns true if results of the op are stored past the caches.
  bool isStreamed() { return streams && !streams.getResults().empty(); }
  bool isStreamed(Value buffer);
  OpOperand &getStreamedResult() {
    return *op.getDpsInitOperand(streams.getResults()[0]);
  }
  /// Returns the elements from a column of the row to an aligned address.
  Value createHead(Value column);
  /// Builds the strips of [from, to), a multiple of `width`, and what is left
  /// of a line on both sides, each element once: a line that is streamed and
  /// written by ordinary stores too costs more than either.
  void buildStreamedStrips(Value from, Value to, int64_t width, StripFn strip);
  Lines createLines(Value from, Value to, int64_t width);
  /// Builds strips that are stored past the caches.
  void buildPast(Value from, Value to, int64_t width, StripFn strip);
  /// Writes less than a line of columns: quarters of a line, then elements.
  void buildEdge(Value from, Value to, int64_t line, StripFn strip);
  void buildPieces(Value from, Value to, int64_t width, StripFn strip);
  /// Writes the strips of this row where the next one has been reduced.
  void buildBeside(const Lines &lines, StripFn strip);
  void storePast(Value vector, const Place &place);
  /// Fetches `width` elements at a column of the rows that the op fetches.
  void fetchRows(Value column, int64_t width);
  /// Fetches what a strip of a statistic reads some lines later; behind the end
  /// of a row lies the one that comes after it.
  void fetchAhead(Value column);

  //===--------------------------------------------------------------------===//
  // Operands and bodies
  //===--------------------------------------------------------------------===//

  bool isVector(AffineMap map) {
    return match.hasVectorLoop && map.getNumResults() > 0 &&
           map.isFunctionOfDim(op.getNumLoops() - 1);
  }

  /// Returns true where ops that follow in the block see what is built.
  bool isInBlock() { return b.getInsertionBlock() == op->getBlock(); }

  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }

  Value asValue(OpFoldResult v) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), v);
  }

  /// Loads what all strips of the row share, once.
  void loadRowScalars();
  /// Returns what a strip has of a buffer in the rows of the open loops.
  Place getPlace(Value buffer, AffineMap map, const Strip &at);
  Place getPlace(OpOperand &operand, const Strip &at) {
    return getPlace(operand.get(), op.getMatchingIndexingMap(&operand), at);
  }
  /// Reads a vector, or a scalar, unless it is still in a register.
  Value read(const Place &place);
  /// Returns true if iterations of this op's loops may write `buffer`.
  bool isWrittenHere(Value buffer);
  Value createRead(const Place &place);
  void write(Value value, const Place &place);
  /// Returns the length of an access to a part of a row, if it goes in pieces.
  std::optional<int64_t> getLengthOfPieces(const Place &place);
  /// Builds pieces of a part of a row, whose sizes are powers of two, the
  /// largest first: each is one load or store.
  using PieceFn = function_ref<void(int64_t from, const Place &piece)>;
  void forEachPiece(const Place &place, int64_t length, PieceFn build);
  void createWrite(Value vector, const Place &place);
  /// A read under the mask of the write would have zeros behind its end.
  void noteWrite(Value v, const Place &place);
  Value broadcast(Value v, int64_t width);
  Value buildIndex(linalg::IndexOp indexOp, Value column, int64_t width);
  /// Clones one op; on vectors of the strip if any operand is one.
  void cloneBodyOp(Operation &bodyOp, IRMapping &map, const Strip &at);
  /// Builds the body at one position without the combiners of vector
  /// reductions. `outs` are read only if the body uses them.
  IRMapping buildBody(const Strip &at);
  bool isCombiner(Operation &bodyOp);
  void writeResults(const IRMapping &map, const Strip &at);

  //===--------------------------------------------------------------------===//
  // Every other element
  //===--------------------------------------------------------------------===//

  /// The even or the odd elements of a row.
  struct Half {
    Value pairs; // the row
    int64_t parity = 0;
  };

  /// Finds the operands that are every other element of a row.
  void findHalves();
  bool isOtherHalf(OpOperand &x, OpOperand &y);
  /// Returns the place of the pairs around elements of a half.
  Place getPairs(const Place &half);
  /// Writes `v` and `otherV`, that of the buffer with the other half, as pairs.
  void writePairs(Value v, const Place &place, Value otherV, Value other);

  //===--------------------------------------------------------------------===//
  // Reductions
  //===--------------------------------------------------------------------===//

  Value combine(const Reduction &reduction, Value accumulator, Value value) {
    return createCombined(b, b.getLoc(), reduction, accumulator, value);
  }

  /// Returns those of elements of a row, or of rows.
  ArrayRef<Reduction> getReductions() {
    return match.reductions.empty() ? match.columns : match.reductions;
  }

  Value neutralVector(const Reduction &reduction, int64_t width);
  State createNeutralVectors(int64_t width);
  void combineAll(State &sums, ValueRange values);
  /// Adds a strip to sums of the row, or of its columns.
  void addStrip(const Strip &at, State &sums);
  /// Adds the upper half of a vector to its lower half until `width` is left.
  Value foldHalves(const Reduction &reduction, Value v, int64_t width);
  Value foldToScalar(const Reduction &reduction, Value wide, Value narrow);
  /// The distribution chooses the order, which `reassoc` allows on this op.
  Value reduceWhole(const Reduction &reduction, Value v);
  /// Returns the levels of blocks above `count` strips or rows, if the number
  /// is known; 0 for one block. Each level adds few numbers.
  int64_t getBlockLevels(std::optional<int64_t> count);
  /// Returns the size of a block of this level, which has `count` elements on
  /// level 0.
  int64_t getBlockSize(int64_t count, int64_t level);
  /// Reduces [from, to) into `sums` by blocks of strips or blocks, each of
  /// which starts with the neutral elements.
  void buildBlocks(int64_t level, Value from, Value to, State &sums,
                   StripFn strip);
  /// Affine ops cannot be used, because the new loop has no parent yet.
  Value createBlockEnd(Value begin, int64_t step, Value to,
                       std::optional<int64_t> extent);
  /// Drops reads of a destination that was filled with a known value.
  void forwardFills();
  /// Replaces -0, which is a constant in memory, by +0, which a register can
  /// make. Neither changes a sum that starts from another number than -0.
  void simplifyNeutrals();
  void buildReducedRow();
  static bool isNeutral(Value start, const Reduction &reduction);

  //===--------------------------------------------------------------------===//
  // Sums over rows
  //===--------------------------------------------------------------------===//

  /// A row that sums are added to: a result of the op, or a temporary.
  struct SumRow {
    Value buffer;
    AffineMap map;
  };
  using SumRows = SmallVector<SumRow>;

  /// Adds the rows of the loop around the innermost one to the op's results.
  /// Where threads share the columns, each column's sum stays with its thread,
  /// and the destination is touched once.
  void buildColumns();
  void buildRowBlocks(int64_t level, Value from, Value to, const SumRows &outs);
  /// Returns a row of neutral elements per reduction.
  SumRows createNeutralRows();
  /// Adds rows [from, to), a multiple of `step` rows, at one strip of columns.
  /// The loads of `step` rows do not wait for each other.
  void sumRows(Value from, Value to, int64_t step, const Strip &at,
               State &sums);
  /// The same by `level` levels of blocks, all of whose sums are in registers.
  /// Rows that fill no block are added last, one after another.
  void sumRowBlocks(int64_t level, Value from, Value to, const Strip &at,
                    State &sums);
  /// Returns where the last whole block of rows of [from, to) ends; `extent`,
  /// of all rows, says that all are whole where it is a multiple.
  Value roundDown(Value from, Value to, int64_t block,
                  std::optional<int64_t> extent);
  /// Combines each strip of `outs` with what `compute` makes of the neutral
  /// elements.
  void addStrips(const SumRows &outs, StripFn compute);

  ImplicitLocOpBuilder b;
  linalg::LinalgOp op;
  RowMatch match;
  RowValues &values;
  RowTarget target;
  int64_t lanes, tail;
  int64_t part;                    // elements that are computed at once
  RowStreamsAttr streams;          // null: all in the caches
  bool passesCaches = false;       // where strips of whole lines are built
  RowEmitter *statistic = nullptr; // of the next row
  std::function<void(Value column)> beside; // what else a strip of lanes does
  LoopRole outerRole = LoopRole::Rows;
  bool distributed = false; // lanes are those of a later distribution
  bool goesDown = false;    // the last strip comes first
  bool isDone = false;
  SmallVector<Value> starts; // of reductions whose destination was filled
  SmallVector<Operation *> forwarded;
  llvm::SmallMapVector<Value, Half, 4> halves;
  llvm::DenseMap<Value, Value> rowScalars; // of the row that is open
  SmallVector<OpFoldResult> extents;
  SmallVector<Value> indices; // of the open loops
};

} // namespace mlir::norm

#endif // NORM_LIB_ROWS_ROWEMITTER_H
