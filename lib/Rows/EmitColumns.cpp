//===- EmitColumns.cpp - sums over rows -----------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using norm::Place;
using norm::Reduction;
using norm::RowEmitter;

void RowEmitter::buildColumns() {
  OpFoldResult rows = extents[numOuterLoops() - 1];
  SumRows results;
  for (OpOperand &init : op.getDpsInitsMutable())
    results.push_back({init.get(), op.getMatchingIndexingMap(&init)});
  // Blocks of the lowest level are added to the result itself.
  int64_t levels =
      std::max<int64_t>(getBlockLevels(distributed ? norm::getUpperBound(rows)
                                                   : getConstantIntValue(rows)),
                        1);
  if (!distributed)
    return buildRowBlocks(levels, index(0), asValue(rows), results);
  addStrips(results, [&](const Strip &at, State &sums) {
    sumRowBlocks(levels, index(0), asValue(rows), at, sums);
  });
}

void RowEmitter::buildRowBlocks(int64_t level, Value from, Value to,
                                const SumRows &outs) {
  int64_t step = getBlockSize(1, level);
  // Blocks of blocks end where blocks do.
  std::optional<int64_t> rows =
      getConstantIntValue(extents[numOuterLoops() - 1]);
  auto build = [&](Value begin, State &) {
    Value end = createBlockEnd(begin, step, to, rows);
    SumRows partial;
    if (level > 1) {
      partial = createNeutralRows();
      buildRowBlocks(level - 1, begin, end, partial);
    }
    addStrips(outs, [&](const Strip &at, State &sums) {
      if (level == 1)
        return sumRows(begin, end, /*step=*/1, at, sums);
      for (auto [sum, row] : llvm::zip(sums, partial))
        sum = read(getPlace(row.buffer, row.map, at));
    });
  };
  buildLoop(std::exchange(outerRole, norm::LoopRole::Rows), from, to,
            index(step), {}, build);
}

RowEmitter::SumRows RowEmitter::createNeutralRows() {
  unsigned loops = op.getNumLoops();
  AffineMap map =
      AffineMap::get(loops, 0, b.getAffineDimExpr(loops - 1), b.getContext());
  SmallVector<Value> dynamic;
  SmallVector<int64_t> shape;
  dispatchIndexOpFoldResults({extents.back()}, dynamic, shape);
  SumRows neutral;
  for (const Reduction &reduction : match.columns) {
    Value row = memref::AllocOp::create(
        b, MemRefType::get(shape, reduction.neutral.getType()), dynamic,
        b.getI64IntegerAttr(target.lineBytes));
    forEachStrip([&](const Strip &at, State &) {
      write(neutralVector(reduction, at.width), getPlace(row, map, at));
    });
    neutral.push_back({row, map});
  }
  return neutral;
}

void RowEmitter::sumRows(Value from, Value to, int64_t step, const Strip &at,
                         State &sums) {
  auto build = [&](Value begin, State &sums) {
    for (int64_t i = 0; i < step; ++i) {
      indices.push_back(b.createOrFold<arith::AddIOp>(begin, index(i)));
      // A mask has the lanes of a whole strip.
      buildParts(at, at.mask ? 1 : countParts(at.width), sums,
                 [&](const Strip &part, State &sums) { addStrip(part, sums); });
      indices.pop_back();
    }
  };
  sums =
      buildLoop(norm::LoopRole::Statistic, from, to, index(step), sums, build);
}

void RowEmitter::sumRowBlocks(int64_t level, Value from, Value to,
                              const Strip &at, State &sums) {
  std::optional<int64_t> rows =
      getConstantIntValue(extents[numOuterLoops() - 1]);
  int64_t step = getBlockSize(1, level);
  bool isLowest = level == 1;
  Value full = isLowest ? roundDown(from, to, target.stripsPerSum, rows) : to;
  // A load under a mask is a branch, which others do not pass.
  bool loadsAhead = !at.mask && target.stripsPerSum % target.rowsAhead == 0;
  int64_t ahead = loadsAhead ? target.rowsAhead : 1;
  auto build = [&](Value begin, State &sums) {
    Value end = isLowest ? arith::AddIOp::create(b, begin, index(step))
                         : createBlockEnd(begin, step, to, rows);
    State block = createNeutralVectors(at.width);
    isLowest ? sumRows(begin, end, ahead, at, block)
             : sumRowBlocks(level - 1, begin, end, at, block);
    combineAll(sums, block);
  };
  sums = buildLoop(norm::LoopRole::Statistic, from, full, index(step), sums,
                   build);
  if (full == to)
    return;
  State rest = createNeutralVectors(at.width);
  sumRows(full, to, /*step=*/1, at, rest);
  combineAll(sums, rest);
}

Value RowEmitter::roundDown(Value from, Value to, int64_t block,
                            std::optional<int64_t> extent) {
  if (extent && *extent % block == 0)
    return to;
  Value count = b.createOrFold<arith::SubIOp>(to, from);
  Value rest = arith::RemUIOp::create(b, count, index(block));
  return arith::SubIOp::create(b, to, rest);
}

void RowEmitter::addStrips(const SumRows &outs, StripFn compute) {
  forEachStrip([&](const Strip &at, State &) {
    State sums = createNeutralVectors(at.width);
    compute(at, sums);
    for (auto [reduction, start, sum, out] :
         llvm::zip(match.columns, starts, sums, outs)) {
      Place place = getPlace(out.buffer, out.map, at);
      if (!isNeutral(start, reduction)) {
        Value old = start ? broadcast(start, at.width) : read(place);
        sum = combine(reduction, old, sum);
      }
      write(sum, place);
    }
  });
}
