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

SmallVector<Value> RowEmitter::run() {
  b.setInsertionPoint(op);
  if (norm::getRole(op->getParentOp()) == norm::LoopRole::Rows)
    outerRole = norm::LoopRole::Block;
  for (Range range :
       cast<linalg::LinalgOp>(*op).createLoopRanges(b, b.getLoc()))
    extents.push_back(range.size);
  if (!distributed)
    shortenStrips();
  findHalves();
  goesDown = isWorthReversing();
  noteStrips();
  SmallVector<Value> inits(op.getDpsInits());
  return buildOuterLoop(0, inits);
}

bool RowEmitter::isOverOneRow() {
  return !distributed && match.hasVectorLoop && match.columns.empty() &&
         llvm::all_of(ArrayRef(extents).drop_back(), isOneInteger);
}

llvm::SetVector<Value> RowEmitter::getRowsRead() {
  llvm::SetVector<Value> rows;
  for (OpOperand &operand : op->getOpOperands())
    if (isBuffer(operand.get()) &&
        isVector(op.getMatchingIndexingMap(&operand)) &&
        !op.getMatchingBlockArgument(&operand).use_empty())
      rows.insert(operand.get());
  return rows;
}

bool RowEmitter::hasIndependentStrips() {
  // Views of one buffer may have different columns where they overlap.
  return llvm::all_of(op.getDpsInits(), [&](Value init) {
    return isBuffer(init) && llvm::all_of(op->getOperands(), [&](Value other) {
             return other == init || !norm::mayOverlap(other, init);
           });
  });
}

bool RowEmitter::isWorthReversing() {
  if (!isOverOneRow() || !match.reductions.empty() || values.last.goesDown)
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

void RowEmitter::shortenStrips() {
  bool isElementwise = match.reductions.empty() && match.columns.empty();
  std::optional<int64_t> extent =
      match.hasVectorLoop ? getConstantIntValue(extents.back()) : std::nullopt;
  if (isElementwise && extent && *extent >= target.leastLanes &&
      *extent < tail && llvm::isPowerOf2_64(*extent))
    lanes = tail = *extent;
}

SmallVector<Value> RowEmitter::buildLoop(
    norm::LoopRole role, Value lower, Value upper, Value step, ValueRange inits,
    function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto isCarried = [](Value v) { return !isa<MemRefType>(v.getType()); };
  auto drop = [&](ValueRange all) {
    return llvm::filter_to_vector(all, isCarried);
  };
  auto complete = [&](ValueRange carried) {
    SmallVector<Value> all(inits);
    for (Value &v : all)
      if (isCarried(v)) {
        v = carried.front();
        carried = carried.drop_front();
      }
    return all;
  };
  auto loop = scf::ForOp::create(
      b, lower, upper, step, drop(inits),
      [&](OpBuilder &, Location, Value iv, ValueRange args) {
        scf::YieldOp::create(b, drop(body(iv, complete(args))));
      });
  norm::setRole(loop, role);
  return complete(loop.getResults());
}

SmallVector<Value> RowEmitter::buildOuterLoop(int64_t depth, ValueRange outs) {
  if (depth == numOuterLoops())
    return buildInnermost(outs);
  if (depth + 1 == numOuterLoops() && !match.columns.empty())
    return distributed ? buildSharedColumns(outs) : buildColumns(outs);
  if (depth + 1 == numOuterLoops() && distributed && match.hasVectorLoop &&
      match.reductions.empty() && !isOneInteger(extents[depth]) && isOneStrip())
    return buildParallelRows(outs);
  if (isOneInteger(extents[depth])) {
    indices.push_back(index(0));
    SmallVector<Value> results = buildOuterLoop(depth + 1, outs);
    indices.pop_back();
    return results;
  }
  // Only the outermost loop is over the rows of a block.
  return buildLoop(std::exchange(outerRole, norm::LoopRole::Rows), index(0),
                   asValue(extents[depth]), index(1), outs,
                   [&](Value iv, ValueRange args) {
                     indices.push_back(iv);
                     auto results = buildOuterLoop(depth + 1, args);
                     indices.pop_back();
                     return results;
                   });
}

SmallVector<Value> RowEmitter::buildInnermost(ValueRange outs) {
  if (!match.hasVectorLoop)
    return buildScalar(outs);
  loadRowScalars();
  return match.reductions.empty() ? buildParallelRow(outs)
                                  : buildReducedRow(outs);
}

SmallVector<Value> RowEmitter::buildStrips(Value from, Value to, int64_t width,
                                           ValueRange inits, StripFn strip) {
  std::optional<int64_t> first = getConstantIntValue(from),
                         end = getConstantIntValue(to);
  if (!distributed && first && end && *end - *first == width)
    return strip(from, width, Value(), inits);
  Value ends =
      goesDown && first && end ? index(*first + *end - width) : Value();
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
  if (!isZeroInteger(mainEnd))
    lanesState =
        buildBlocks(levels, index(0), asValue(mainEnd), lanesState, strip);
  if (!isEqualConstantIntOrValue(mainEnd, tailEnd))
    tailState =
        buildStrips(asValue(mainEnd), asValue(tailEnd), tail, tailState, strip);
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

SmallVector<Value> RowEmitter::buildParallelRow(ValueRange outs) {
  SmallVector<Value> state(outs);
  // The outputs form a chain: each strip writes into the last one's result.
  auto strip = [&](Value column, int64_t width, Value mask, ValueRange args) {
    IRMapping map = buildBody(args, column, width, mask);
    return writeResults(map, args, column, width, mask);
  };
  return buildWholeRow(state, strip);
}

SmallVector<Value> RowEmitter::buildWholeRow(SmallVector<Value> &state,
                                             StripFn strip) {
  if (distributed && isOneStrip())
    return buildOneStrip(state, strip);
  forEachStrip(state, state, strip);
  return state;
}

SmallVector<Value> RowEmitter::buildParallelRows(ValueRange outs) {
  Value extent = asValue(extents[numOuterLoops() - 1]);
  std::optional<int64_t> rows = getConstantIntValue(extent);
  Value full = extent;
  if (!rows || *rows % target.rowsAhead != 0) {
    Value rest = arith::RemUIOp::create(b, extent, index(target.rowsAhead));
    full = arith::SubIOp::create(b, extent, rest);
  }
  auto build = [&](int64_t step) {
    return [this, step](Value begin, ValueRange args) {
      return buildOneStrip(
          args, [&](Value column, int64_t width, Value mask, ValueRange outs) {
            return buildRowsAt(begin, step, column, width, mask, outs);
          });
    };
  };
  SmallVector<Value> state =
      buildLoop(norm::LoopRole::Block, index(0), full, index(target.rowsAhead),
                outs, build(target.rowsAhead));
  if (full == extent)
    return state;
  return buildLoop(norm::LoopRole::Block, full, extent, index(1), state,
                   build(1));
}

SmallVector<Value> RowEmitter::buildRowsAt(Value begin, int64_t count,
                                           Value column, int64_t width,
                                           Value mask, ValueRange outs) {
  SmallVector<Value> rows;
  SmallVector<IRMapping> maps;
  for (int64_t i = 0; i < count; ++i) {
    rows.push_back(i == 0 ? begin : arith::AddIOp::create(b, begin, index(i)));
    indices.push_back(rows.back());
    maps.push_back(buildBody(outs, column, width, mask));
    indices.pop_back();
  }
  SmallVector<Value> state(outs);
  for (auto [row, map] : llvm::zip(rows, maps)) {
    indices.push_back(row);
    state = writeResults(map, state, column, width, mask);
    indices.pop_back();
  }
  return state;
}

bool RowEmitter::isOneStrip() {
  std::optional<int64_t> columns = norm::getUpperBound(extents.back());
  return columns && *columns <= lanes;
}

SmallVector<Value> RowEmitter::buildOneStrip(ValueRange state, StripFn strip) {
  OpFoldResult extent = extents.back();
  Value mask;
  if (getConstantIntValue(extent) != lanes)
    mask = vector::CreateMaskOp::create(
        b, VectorType::get(lanes, b.getI1Type()), asValue(extent));
  return strip(index(0), lanes, mask, state);
}
