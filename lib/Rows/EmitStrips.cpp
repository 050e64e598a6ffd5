//===- EmitStrips.cpp - loops over rows, strips and masks -----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowEmitter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "norm/Normalize/ElementStorage.h"

using namespace mlir;
using norm::RowEmitter;

void RowEmitter::run(RowEmitter *statistic) {
  this->statistic = statistic;
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

llvm::SetVector<Value> RowEmitter::getRowsRead() {
  llvm::SetVector<Value> rows;
  for (OpOperand &operand : op->getOpOperands())
    if (isVector(op.getMatchingIndexingMap(&operand)) &&
        !op.getMatchingBlockArgument(&operand).use_empty())
      rows.insert(operand.get());
  return rows;
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
  bool isMoved = streams && streams.getMoved() && !readsWhatItWrites();
  if (!isOverOneRow() || !match.reductions.empty() || values.last.goesDown ||
      isMoved)
    return false;
  std::optional<int64_t> length = getConstantIntValue(extents.back());
  int64_t bytes = 0;
  bool isReadAgain = false;
  for (Value row : getRowsRead()) {
    bytes += norm::getElementBytes(getElementTypeOrSelf(row.getType()));
    isReadAgain |= llvm::any_of(values.last.buffers, [&](Value buffer) {
      return norm::mayOverlap(buffer, row);
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
  values.last = {{}, goesDown};
  for (OpOperand &operand : op->getOpOperands())
    if (isVector(op.getMatchingIndexingMap(&operand)))
      values.last.buffers.push_back(operand.get());
}

SmallVector<Value> RowEmitter::buildLoop(
    norm::LoopRole role, Value lower, Value upper, Value step, ValueRange inits,
    function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop =
      scf::ForOp::create(b, lower, upper, step, inits,
                         [&](OpBuilder &, Location, Value iv, ValueRange args) {
                           scf::YieldOp::create(b, body(iv, args));
                         });
  norm::setRole(loop, role);
  return loop.getResults();
}

void RowEmitter::buildOuterLoop(int64_t depth) {
  if (depth == numOuterLoops())
    return buildInnermost();
  if (depth + 1 == numOuterLoops() && !match.columns.empty())
    return distributed ? buildSharedColumns() : buildColumns();
  if (depth + 1 == numOuterLoops() && distributed && match.hasVectorLoop &&
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
            [&](Value iv, ValueRange) -> SmallVector<Value> {
              buildAt(iv);
              return {};
            });
}

void RowEmitter::buildInnermost() {
  if (!match.hasVectorLoop)
    return buildScalar();
  loadRowScalars();
  match.reductions.empty() ? buildParallelRow() : buildReducedRow();
}

SmallVector<Value> RowEmitter::buildStrips(Value from, Value to, int64_t width,
                                           ValueRange inits, StripFn strip) {
  std::optional<int64_t> first = getConstantIntValue(from),
                         end = getConstantIntValue(to);
  if (first && end && *end - *first == width)
    return strip(from, width, Value(), inits);
  Value ends;
  if (goesDown) {
    Value last = b.createOrFold<arith::SubIOp>(to, index(width));
    ends = b.createOrFold<arith::AddIOp>(from, last);
  }
  return buildLoop(getStripRole(), from, to, index(width), inits,
                   [&](Value iv, ValueRange args) {
                     Value column =
                         ends ? arith::SubIOp::create(b, ends, iv) : iv;
                     return strip(column, width, Value(), args);
                   });
}

void RowEmitter::forEachStrip(SmallVector<Value> &lanesState,
                              SmallVector<Value> &tailState, StripFn strip,
                              int64_t levels) {
  OpFoldResult extent = extents.back();
  AffineExpr n = b.getAffineSymbolExpr(0);
  auto floorTo = [&](int64_t width) {
    return affine::makeComposedFoldedAffineApply(
        b, b.getLoc(), n.floorDiv(width) * width, {extent});
  };
  OpFoldResult mainEnd = floorTo(lanes), tailEnd = floorTo(tail);
  bool hasStrips = !isZeroInteger(mainEnd);
  auto fetching = [&](Value column, int64_t width, Value mask,
                      ValueRange args) {
    fetchRows(column, width);
    return strip(column, width, mask, args);
  };
  if (hasStrips && isStreamed())
    buildStreamedStrips(index(0), asValue(mainEnd), lanes, strip);
  else if (hasStrips)
    lanesState =
        buildBlocks(levels, index(0), asValue(mainEnd), lanesState, fetching);
  if (!isEqualConstantIntOrValue(mainEnd, tailEnd)) {
    if (!hasStrips && isStreamed())
      buildStreamedStrips(asValue(mainEnd), asValue(tailEnd), tail, strip);
    else
      tailState = buildStrips(asValue(mainEnd), asValue(tailEnd), tail,
                              tailState, strip);
  }
  if (isEqualConstantIntOrValue(tailEnd, extent))
    return;
  buildMaskedStrip(tailEnd, extent, tailState, strip);
}

void RowEmitter::buildMaskedStrip(OpFoldResult from, OpFoldResult extent,
                                  SmallVector<Value> &state, StripFn strip) {
  AffineExpr s0 = b.getAffineSymbolExpr(0), s1 = b.getAffineSymbolExpr(1);
  OpFoldResult rest = affine::makeComposedFoldedAffineApply(
      b, b.getLoc(), s0 - s1, {extent, from});
  auto maskType = VectorType::get(tail, b.getI1Type());
  auto masked = [&](Value column, ValueRange args) {
    Value mask = vector::CreateMaskOp::create(b, maskType, asValue(rest));
    return strip(column, tail, mask, args);
  };
  if (getConstantIntValue(rest)) {
    state = masked(asValue(from), state);
    return;
  }
  // This loop has at most one iteration, so nothing is read past a row.
  state = buildLoop(getStripRole(), asValue(from), asValue(extent), index(tail),
                    state, masked);
}

void RowEmitter::buildParallelRow() {
  buildWholeRow([&](Value column, int64_t width, Value mask) {
    writeResults(buildBody(column, width, mask), column, width, mask);
  });
}

void RowEmitter::buildWholeRow(WriteFn write) {
  if (distributed && isOneStrip())
    return buildOneStrip(write);
  SmallVector<Value> none;
  forEachStrip(none, none,
               [&](Value column, int64_t width, Value mask,
                   ValueRange) -> SmallVector<Value> {
                 write(column, width, mask);
                 return {};
               });
}

void RowEmitter::buildParallelRows() {
  Value extent = asValue(extents[numOuterLoops() - 1]);
  std::optional<int64_t> rows = getConstantIntValue(extent);
  Value full = extent;
  if (!rows || *rows % target.rowsAhead != 0) {
    Value rest = arith::RemUIOp::create(b, extent, index(target.rowsAhead));
    full = arith::SubIOp::create(b, extent, rest);
  }
  auto build = [&](int64_t step) {
    return [this, step](Value begin, ValueRange) -> SmallVector<Value> {
      buildOneStrip([&](Value column, int64_t width, Value mask) {
        buildRowsAt(begin, step, column, width, mask);
      });
      return {};
    };
  };
  buildLoop(norm::LoopRole::Block, index(0), full, index(target.rowsAhead), {},
            build(target.rowsAhead));
  if (full != extent)
    buildLoop(norm::LoopRole::Block, full, extent, index(1), {}, build(1));
}

void RowEmitter::buildRowsAt(Value begin, int64_t count, Value column,
                             int64_t width, Value mask) {
  SmallVector<Value> rows;
  SmallVector<IRMapping> maps;
  for (int64_t i = 0; i < count; ++i) {
    rows.push_back(i == 0 ? begin : arith::AddIOp::create(b, begin, index(i)));
    indices.push_back(rows.back());
    maps.push_back(buildBody(column, width, mask));
    indices.pop_back();
  }
  for (auto [row, map] : llvm::zip(rows, maps)) {
    indices.push_back(row);
    writeResults(map, column, width, mask);
    indices.pop_back();
  }
}

bool RowEmitter::isOneStrip() {
  std::optional<int64_t> columns = norm::getUpperBound(extents.back());
  return columns && *columns <= lanes;
}

void RowEmitter::buildOneStrip(WriteFn write) {
  OpFoldResult extent = extents.back();
  Value mask;
  if (getConstantIntValue(extent) != lanes)
    mask = vector::CreateMaskOp::create(
        b, VectorType::get(lanes, b.getI1Type()), asValue(extent));
  write(index(0), lanes, mask);
}
