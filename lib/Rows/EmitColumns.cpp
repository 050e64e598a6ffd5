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
  SumRows results{SmallVector<Value>(op.getDpsInits()), {}};
  for (OpOperand &init : op.getDpsInitsMutable())
    results.maps.push_back(op.getMatchingIndexingMap(&init));
  // Blocks of the lowest level are added to the result itself.
  int64_t levels =
      std::max<int64_t>(getBlockLevels(distributed ? norm::getUpperBound(rows)
                                                   : getConstantIntValue(rows)),
                        1);
  if (!distributed)
    return buildRowBlocks(levels, index(0), asValue(rows), results);
  addStrips(results, [&](const Strip &at) {
    return sumRowBlocks(levels, index(0), asValue(rows), at);
  });
}

void RowEmitter::buildRowBlocks(int64_t level, Value from, Value to,
                                const SumRows &outs) {
  int64_t step = getBlockSize(1, level);
  // Blocks of blocks end where blocks do.
  std::optional<int64_t> rows =
      getConstantIntValue(extents[numOuterLoops() - 1]);
  auto build = [&](Value begin, ValueRange) -> SmallVector<Value> {
    Value end = createBlockEnd(begin, step, to, rows);
    SumRows partial;
    if (level > 1) {
      partial = createNeutralRows();
      buildRowBlocks(level - 1, begin, end, partial);
    }
    addStrips(outs, [&](const Strip &at) {
      if (level == 1)
        return sumRows(begin, end, /*step=*/1, at);
      SmallVector<Value> sums;
      for (auto [row, map] : llvm::zip(partial.rows, partial.maps))
        sums.push_back(read(getPlace(row, map, at)));
      return sums;
    });
    return {};
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
    buildWholeRow([&](const Strip &at) {
      write(neutralVector(reduction, at.width), getPlace(row, map, at));
    });
    neutral.rows.push_back(row);
    neutral.maps.push_back(map);
  }
  return neutral;
}

SmallVector<Value> RowEmitter::addRow(Value row, const Strip &at,
                                      ValueRange sums) {
  indices.push_back(row);
  IRMapping map = buildBody(at);
  indices.pop_back();
  SmallVector<Value> results;
  for (auto [reduction, sum] : llvm::zip(match.columns, sums)) {
    Value v = map.lookupOrDefault(reduction.contribution);
    results.push_back(combine(reduction, sum, broadcast(v, at.width)));
  }
  return results;
}

SmallVector<Value> RowEmitter::sumRows(Value from, Value to, int64_t step,
                                       const Strip &at) {
  auto build = [&](Value begin, ValueRange args) {
    SmallVector<Value> sums(args);
    for (int64_t i = 0; i < step; ++i) {
      Value row = b.createOrFold<arith::AddIOp>(begin, index(i));
      // A mask has the lanes of a whole strip.
      sums = buildParts(at, at.mask ? 1 : countParts(at.width), sums,
                        [&](const Strip &part, ValueRange sums) {
                          return addRow(row, part, sums);
                        });
    }
    return sums;
  };
  return buildLoop(norm::LoopRole::Statistic, from, to, index(step),
                   createNeutralVectors(at.width), build);
}

SmallVector<Value> RowEmitter::sumRowBlocks(int64_t level, Value from, Value to,
                                            const Strip &at) {
  std::optional<int64_t> rows =
      getConstantIntValue(extents[numOuterLoops() - 1]);
  int64_t step = getBlockSize(1, level);
  bool isLowest = level == 1;
  Value full = isLowest ? roundDown(from, to, target.stripsPerSum, rows) : to;
  // A load under a mask is a branch, which others do not pass.
  bool loadsAhead = !at.mask && target.stripsPerSum % target.rowsAhead == 0;
  int64_t ahead = loadsAhead ? target.rowsAhead : 1;
  auto build = [&](Value begin, ValueRange args) {
    Value end = isLowest ? arith::AddIOp::create(b, begin, index(step))
                         : createBlockEnd(begin, step, to, rows);
    return combineAll(args, isLowest ? sumRows(begin, end, ahead, at)
                                     : sumRowBlocks(level - 1, begin, end, at));
  };
  SmallVector<Value> sums =
      buildLoop(norm::LoopRole::Statistic, from, full, index(step),
                createNeutralVectors(at.width), build);
  if (full == to)
    return sums;
  return combineAll(sums, sumRows(full, to, /*step=*/1, at));
}

Value RowEmitter::roundDown(Value from, Value to, int64_t block,
                            std::optional<int64_t> extent) {
  if (extent && *extent % block == 0)
    return to;
  Value count = b.createOrFold<arith::SubIOp>(to, from);
  Value rest = arith::RemUIOp::create(b, count, index(block));
  return arith::SubIOp::create(b, to, rest);
}

void RowEmitter::addStrips(
    const SumRows &outs,
    function_ref<SmallVector<Value>(const Strip &at)> compute) {
  buildWholeRow([&](const Strip &at) {
    SmallVector<Value> values = compute(at);
    for (auto [reduction, start, value, row, map] :
         llvm::zip(match.columns, starts, values, outs.rows, outs.maps)) {
      Place place = getPlace(row, map, at);
      if (!isNeutral(start, reduction)) {
        Value old = start ? broadcast(start, at.width) : read(place);
        value = combine(reduction, old, value);
      }
      write(value, place);
    }
  });
}
