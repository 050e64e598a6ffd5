//===- EmitStrips.cpp - loops over rows, strips and masks -----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowEmitter.h"
#include "Streams.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "norm/Floats/ValueOrigins.h"
#include "norm/Normalize/ElementStorage.h"

using namespace mlir;
using norm::RowEmitter;

void RowEmitter::run(RowEmitter *next) {
  if (next && streams && streams.getBeside() && !next->match.reductions.empty())
    statistic = next;
  isDone = true;
  b.setInsertionPoint(op);
  if (norm::getRole(op->getParentOp()) == norm::LoopRole::Rows)
    outerRole = norm::LoopRole::Block;
  for (Range range :
       cast<linalg::LinalgOp>(*op).createLoopRanges(b, b.getLoc()))
    extents.push_back(range.size);
  if (!distributed)
    findHalves();
  goesDown = isWorthReversing();
  noteStrips();
  buildOuterLoop(0);
}

bool RowEmitter::isOverOneRow() {
  return !distributed && match.hasVectorLoop && match.columns.empty() &&
         llvm::all_of(ArrayRef(extents).drop_back(), isOneInteger);
}

bool RowEmitter::hasIndependentStrips() {
  // Views of one buffer may have different columns where they overlap.
  return llvm::all_of(op.getDpsInits(), [&](Value init) {
    return llvm::all_of(op->getOperands(), [&](Value other) {
      return other == init || !norm::mayOverlap(other, init);
    });
  });
}

bool RowEmitter::isWorthReversing() {
  // Strips that are moved go up, beside the next row.
  bool isMoved = streams && streams.getMoved() && !norm::readsWhatItWrites(op);
  if (!isOverOneRow() || !match.reductions.empty() || isMoved)
    return false;
  std::optional<int64_t> length = getConstantIntValue(extents.back());
  int64_t bytes = 0;
  bool isReadAgain = false;
  for (OpOperand *row : norm::getRowsRead(op)) {
    bytes += norm::getElementBytes(row->get().getType());
    isReadAgain |= llvm::any_of(values.lastUp, [&](Value buffer) {
      return norm::mayOverlap(buffer, row->get());
    });
  }
  // Shorter rows stay in the cache anyway.
  return isReadAgain && length &&
         *length / lanes * lanes * bytes > target.level1Bytes &&
         hasIndependentStrips();
}

void RowEmitter::noteStrips() {
  if (!isOverOneRow() || getConstantIntValue(extents.back()) == lanes)
    return;
  values.lastUp.clear();
  for (OpOperand &operand : op->getOpOperands())
    if (!goesDown && isVector(op.getMatchingIndexingMap(&operand)))
      values.lastUp.push_back(operand.get());
}

//===----------------------------------------------------------------------===//
// Parts of strips
//===----------------------------------------------------------------------===//

/// Returns the values that are alive while `op` is computed on a lane: a
/// function is a polynomial, floats of a byte are put together from integers,
/// and what is rounded to bf16 is there in f32 too.
static int64_t countTemporaries(Operation &op) {
  auto isNarrow = [](Type type) { return type.getIntOrFloatBitWidth() < 16; };
  bool converts = isa<arith::ExtFOp, arith::TruncFOp>(op) &&
                  (isNarrow(op.getOperand(0).getType()) ||
                   isNarrow(op.getResult(0).getType()));
  if (converts)
    return 8;
  if (norm::isVectorFunction(op))
    return 4;
  return op.getNumResults() == 1 && op.getResult(0).getType().isBF16() ? 2 : 1;
}

int64_t RowEmitter::countLiveLanes() {
  // What differs from lane to lane.
  llvm::SmallSetVector<Value, 16> wide;
  for (OpOperand &operand : op->getOpOperands()) {
    BlockArgument arg = op.getMatchingBlockArgument(&operand);
    // Sums are carried, not read.
    if (isVector(op.getMatchingIndexingMap(&operand)) && !arg.use_empty() &&
        (op.isDpsInput(&operand) || getReductions().empty()))
      wide.insert(arg);
  }
  int64_t most = wide.size();
  for (Operation &bodyOp : *op.getBlock()) {
    int64_t live = llvm::count_if(wide, [&](Value v) {
      return llvm::any_of(v.getUsers(), [&](Operation *user) {
        return bodyOp.isBeforeInBlock(user);
      });
    });
    most = std::max(most, live + countTemporaries(bodyOp));
    if (isa<linalg::IndexOp>(bodyOp) ||
        llvm::any_of(bodyOp.getOperands(),
                     [&](Value v) { return wide.contains(v); }))
      wide.insert_range(bodyOp.getResults());
  }
  return most;
}

int64_t RowEmitter::choosePart() {
  if (countLiveLanes() * lanes <= target.liveLanes)
    return lanes;
  // Two bf16 are computed in the words of even and of odd elements.
  bool hasPairs = llvm::any_of(op->getOperands(), [&](Value operand) {
    return getElementTypeOrSelf(operand.getType()).isBF16();
  });
  return std::min(lanes, hasPairs ? 2 * target.partLanes : target.partLanes);
}

void RowEmitter::buildParts(const Strip &at, int64_t parts, State &state,
                            StripFn strip) {
  if (parts == 1)
    return strip(at, state);
  State before(state);
  int64_t width = at.width / parts;
  for (int64_t from = 0; from < at.width; from += width) {
    Value column = b.createOrFold<arith::AddIOp>(at.column, index(from));
    State partial = llvm::map_to_vector(before, [&](Value v) -> Value {
      return vector::ExtractStridedSliceOp::create(b, v, {from}, {width}, {1});
    });
    strip({column, width}, partial);
    for (auto [whole, part] : llvm::zip(state, partial))
      whole = vector::InsertStridedSliceOp::create(
          b, part, whole, ArrayRef{from}, ArrayRef<int64_t>{1});
  }
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

RowEmitter::State
RowEmitter::buildLoop(norm::LoopRole role, Value lower, Value upper, Value step,
                      ValueRange inits,
                      function_ref<void(Value, State &)> body) {
  auto loop =
      scf::ForOp::create(b, lower, upper, step, inits,
                         [&](OpBuilder &, Location, Value iv, ValueRange args) {
                           State state(args);
                           body(iv, state);
                           scf::YieldOp::create(b, state);
                         });
  norm::setRole(loop, role);
  return loop.getResults();
}

void RowEmitter::buildOuterLoop(int64_t depth) {
  if (depth == numOuterLoops())
    return buildInnermost();
  if (depth + 1 == numOuterLoops() && !match.columns.empty())
    return buildColumns();
  if (depth + 1 == numOuterLoops() && match.hasVectorLoop &&
      match.reductions.empty() && !isOneInteger(extents[depth]) && isOneStrip())
    return buildParallelRows();
  auto buildAt = [&](Value row) {
    indices.push_back(row);
    buildOuterLoop(depth + 1);
    indices.pop_back();
  };
  if (isOneInteger(extents[depth]))
    return buildAt(index(0));
  // Only the outermost loop is over the rows of a block.
  buildLoop(std::exchange(outerRole, norm::LoopRole::Rows), index(0),
            asValue(extents[depth]), index(1), {},
            [&](Value iv, State &) { buildAt(iv); });
}

void RowEmitter::buildInnermost() {
  // A unit innermost loop was an outer one: its index is on the stack.
  if (!match.hasVectorLoop)
    return writeResults(buildBody(Strip()), Strip());
  loadRowScalars();
  if (!match.reductions.empty())
    return buildReducedRow();
  forEachStrip(
      [&](const Strip &at, State &) { writeResults(buildBody(at), at); });
}

void RowEmitter::buildStrips(Value from, Value to, int64_t width, State &state,
                             StripFn strip) {
  std::optional<int64_t> first = getConstantIntValue(from),
                         end = getConstantIntValue(to);
  bool isOne = first && end && *end - *first == width;
  // A strip of sums over rows is a loop, which has parts itself.
  int64_t parts = isOne || !match.columns.empty() ? 1 : countParts(width);
  auto build = [&](Value column, State &state) {
    if (width == lanes || passesCaches)
      fetchRows(column, width);
    if (beside && width == lanes) {
      fetchAhead(column);
      beside(column);
    }
    buildParts({column, width}, parts, state, strip);
  };
  if (isOne)
    return build(from, state);
  Value ends;
  if (goesDown) {
    Value last = b.createOrFold<arith::SubIOp>(to, index(width));
    ends = b.createOrFold<arith::AddIOp>(from, last);
  }
  auto buildAt = [&](Value iv, State &state) {
    build(ends ? arith::SubIOp::create(b, ends, iv) : iv, state);
  };
  state = buildLoop(getStripRole(), from, to, index(width), state, buildAt);
}

void RowEmitter::forEachStrip(State &lanesState, State &tailState,
                              StripFn strip, int64_t levels) {
  OpFoldResult extent = extents.back();
  if (isOneStrip() && !getConstantIntValue(extent))
    return buildMaskedStrip(b.getIndexAttr(0), extent, tailState, strip);
  AffineExpr n = b.getAffineSymbolExpr(0);
  auto floorTo = [&](int64_t width) {
    return affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), n.floorDiv(width) * width, {extent});
  };
  OpFoldResult mainEnd = floorTo(lanes), tailEnd = floorTo(tail);
  bool hasStrips = !isZeroInteger(mainEnd);
  if (hasStrips && isStreamed())
    buildStreamedStrips(index(0), asValue(mainEnd), lanes, strip);
  else if (hasStrips)
    buildBlocks(levels, index(0), asValue(mainEnd), lanesState, strip);
  if (!isEqualConstantIntOrValue(mainEnd, tailEnd)) {
    if (!hasStrips && isStreamed())
      buildStreamedStrips(asValue(mainEnd), asValue(tailEnd), tail, strip);
    else
      buildStrips(asValue(mainEnd), asValue(tailEnd), tail, tailState, strip);
  }
  if (isEqualConstantIntOrValue(tailEnd, extent))
    return;
  buildMaskedStrip(tailEnd, extent, tailState, strip);
}

void RowEmitter::forEachStrip(StripFn strip) {
  State none;
  forEachStrip(none, none, strip);
}

void RowEmitter::buildMaskedStrip(OpFoldResult from, OpFoldResult extent,
                                  State &state, StripFn strip) {
  AffineExpr s0 = b.getAffineSymbolExpr(0), s1 = b.getAffineSymbolExpr(1);
  OpFoldResult rest = affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), s0 - s1, {extent, from});
  auto maskType = VectorType::get(tail, b.getI1Type());
  auto masked = [&](Value column, State &state) {
    Value mask = vector::CreateMaskOp::create(b, maskType, asValue(rest));
    strip({column, tail, mask}, state);
  };
  if (getConstantIntValue(rest) || isOneStrip())
    return masked(asValue(from), state);
  // This loop has at most one iteration, so nothing is read past a row.
  state = buildLoop(getStripRole(), asValue(from), asValue(extent), index(tail),
                    state, masked);
}

void RowEmitter::buildParallelRows() {
  Value extent = asValue(extents[numOuterLoops() - 1]);
  std::optional<int64_t> rows = getConstantIntValue(extent);
  Value full = roundDown(index(0), extent, target.rowsAhead, rows);
  auto build = [&](Value from, Value to, int64_t step) {
    buildLoop(norm::LoopRole::Block, from, to, index(step), {},
              [&](Value begin, State &) {
                forEachStrip([&](const Strip &at, State &) {
                  buildRowsAt(begin, step, at);
                });
              });
  };
  build(index(0), full, target.rowsAhead);
  if (full != extent)
    build(full, extent, 1);
}

void RowEmitter::buildRowsAt(Value begin, int64_t count, const Strip &at) {
  SmallVector<Value> rows;
  SmallVector<IRMapping> maps;
  for (int64_t i = 0; i < count; ++i) {
    rows.push_back(i == 0 ? begin : arith::AddIOp::create(b, begin, index(i)));
    indices.push_back(rows.back());
    maps.push_back(buildBody(at));
    indices.pop_back();
  }
  for (auto [row, map] : llvm::zip(rows, maps)) {
    indices.push_back(row);
    writeResults(map, at);
    indices.pop_back();
  }
}

bool RowEmitter::isOneStrip() {
  if (!distributed)
    return false;
  std::optional<int64_t> columns = norm::getUpperBound(extents.back());
  return columns && *columns <= lanes;
}
