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
  addStrips(results, [&](Value column, int64_t width, Value mask) {
    return sumRowBlocks(levels, index(0), asValue(rows), column, width, mask);
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
    addStrips(outs, [&](Value column, int64_t width, Value mask) {
      if (level == 1)
        return sumRows(begin, end, /*step=*/1, column, width, mask);
      SmallVector<Value> sums;
      for (auto [row, map] : llvm::zip(partial.rows, partial.maps))
        sums.push_back(read(getPlace(row, map, column, width, mask)));
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
    buildWholeRow([&](Value column, int64_t width, Value mask) {
      write(neutralVector(reduction, width),
            getPlace(row, map, column, width, mask));
    });
    neutral.rows.push_back(row);
    neutral.maps.push_back(map);
  }
  return neutral;
}

SmallVector<Value> RowEmitter::addRow(Value row, Value column, int64_t width,
                                      Value mask, ValueRange sums) {
  indices.push_back(row);
  IRMapping map = buildBody(column, width, mask);
  indices.pop_back();
  SmallVector<Value> results;
  for (auto [reduction, sum] : llvm::zip(match.columns, sums)) {
    Value v = map.lookupOrDefault(reduction.contribution);
    results.push_back(combine(reduction, sum, broadcast(v, width)));
  }
  return results;
}

SmallVector<Value> RowEmitter::sumRows(Value from, Value to, int64_t step,
                                       Value column, int64_t width,
                                       Value mask) {
  auto build = [&](Value begin, ValueRange args) {
    SmallVector<Value> sums(args);
    for (int64_t i = 0; i < step; ++i) {
      Value row = b.createOrFold<arith::AddIOp>(begin, index(i));
      sums =
          buildParts(column, width, countParts(width), sums,
                     [&](Value column, int64_t width, Value, ValueRange sums) {
                       return addRow(row, column, width, mask, sums);
                     });
    }
    return sums;
  };
  return buildLoop(norm::LoopRole::Statistic, from, to, index(step),
                   createNeutralVectors(width), build);
}

SmallVector<Value> RowEmitter::sumRowBlocks(int64_t level, Value from, Value to,
                                            Value column, int64_t width,
                                            Value mask) {
  std::optional<int64_t> rows =
      getConstantIntValue(extents[numOuterLoops() - 1]);
  int64_t step = getBlockSize(1, level);
  bool isLowest = level == 1;
  Value full = isLowest ? roundDown(from, to, target.stripsPerSum, rows) : to;
  // A load under a mask is a branch, which others do not pass.
  int64_t ahead = mask ? 1 : target.rowsAhead;
  auto build = [&](Value begin, ValueRange args) {
    Value end = isLowest ? arith::AddIOp::create(b, begin, index(step))
                         : createBlockEnd(begin, step, to, rows);
    return combineAll(
        args, isLowest
                  ? sumRows(begin, end, ahead, column, width, mask)
                  : sumRowBlocks(level - 1, begin, end, column, width, mask));
  };
  SmallVector<Value> sums =
      buildLoop(norm::LoopRole::Statistic, from, full, index(step),
                createNeutralVectors(width), build);
  if (full == to)
    return sums;
  return combineAll(sums, sumRows(full, to, /*step=*/1, column, width, mask));
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
    function_ref<SmallVector<Value>(Value column, int64_t width, Value mask)>
        compute) {
  buildWholeRow([&](Value column, int64_t width, Value mask) {
    SmallVector<Value> values = compute(column, width, mask);
    for (auto [reduction, start, value, row, map] :
         llvm::zip(match.columns, starts, values, outs.rows, outs.maps)) {
      Place place = getPlace(row, map, column, width, mask);
      if (!isNeutral(start, reduction)) {
        Value old = start ? broadcast(start, width) : read(place);
        value = combine(reduction, old, value);
      }
      write(value, place);
    }
  });
}
