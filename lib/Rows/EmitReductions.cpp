//===- EmitReductions.cpp - sums and maxima along rows --------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using linalg::LinalgOp;
using norm::Place;
using norm::Reduction;
using norm::RowEmitter;

Value RowEmitter::neutralVector(const Reduction &reduction, int64_t width) {
  auto type = VectorType::get(width, reduction.neutral.getType());
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, Attribute(reduction.neutral)));
}

RowEmitter::State RowEmitter::createNeutralVectors(int64_t width) {
  return llvm::map_to_vector(getReductions(), [&](const Reduction &reduction) {
    return neutralVector(reduction, width);
  });
}

void RowEmitter::combineAll(State &sums, ValueRange values) {
  for (auto [reduction, sum, value] : llvm::zip(getReductions(), sums, values))
    sum = combine(reduction, sum, value);
}

void RowEmitter::addStrip(const Strip &at, State &sums) {
  IRMapping map = buildBody(at);
  for (auto [reduction, sum] : llvm::zip(getReductions(), sums)) {
    Value v = broadcast(map.lookupOrDefault(reduction.contribution), at.width);
    // Nothing writes the sums of columns that the mask excludes.
    if (at.mask && match.columns.empty())
      v = arith::SelectOp::create(b, at.mask, v,
                                  neutralVector(reduction, at.width));
    sum = combine(reduction, sum, v);
  }
}

Value RowEmitter::foldHalves(const Reduction &reduction, Value v,
                             int64_t width) {
  int64_t size = cast<VectorType>(v.getType()).getDimSize(0);
  while (size > width) {
    size /= 2;
    Value low = vector::ExtractStridedSliceOp::create(b, v, {0}, {size}, {1});
    Value high =
        vector::ExtractStridedSliceOp::create(b, v, {size}, {size}, {1});
    v = combine(reduction, low, high);
  }
  return v;
}

Value RowEmitter::foldToScalar(const Reduction &reduction, Value wide,
                               Value narrow) {
  // Upstream: LLVM 22.1: of what is folded by halves of i32, x86's patterns for
  // vpdpbusd and psadbw leave out lanes; goes when they add all.
  if (isa<IntegerType>(reduction.neutral.getType()))
    return combine(reduction, reduceWhole(reduction, wide),
                   reduceWhole(reduction, narrow));
  Value total = combine(reduction, foldHalves(reduction, wide, tail), narrow);
  total = foldHalves(reduction, total, 1);
  return vector::ExtractOp::create(b, total, ArrayRef<int64_t>{0});
}

Value RowEmitter::reduceWhole(const Reduction &reduction, Value v) {
  vector::CombiningKind kind = *linalg::getCombinerOpKind(reduction.combiner);
  return vector::ReductionOp::create(b, kind, v, arith::FastMathFlags::reassoc);
}

int64_t RowEmitter::getBlockLevels(std::optional<int64_t> count) {
  // The error of a sum grows with each addition.
  if (llvm::none_of(getReductions(), [](const Reduction &reduction) {
        return isa<arith::AddFOp, arith::MulFOp>(reduction.combiner);
      }))
    return 0;
  if (!count)
    return target.sumLevels;
  int64_t levels = 0;
  for (; *count > target.stripsPerSum && levels < target.sumLevels;
       *count /= target.stripsPerSum)
    ++levels;
  return levels;
}

int64_t RowEmitter::getBlockSize(int64_t count, int64_t level) {
  while (level-- > 0)
    count *= target.stripsPerSum;
  return count;
}

void RowEmitter::buildBlocks(int64_t level, Value from, Value to, State &sums,
                             StripFn strip) {
  if (level == 0)
    return buildStrips(from, to, lanes, sums, strip);
  int64_t step = getBlockSize(lanes, level);
  auto build = [&](Value begin, State &sums) {
    Value end = createBlockEnd(begin, step, to, getConstantIntValue(to));
    State block = createNeutralVectors(lanes);
    buildBlocks(level - 1, begin, end, block, strip);
    combineAll(sums, block);
  };
  sums =
      buildLoop(norm::LoopRole::Statistic, from, to, index(step), sums, build);
}

bool RowEmitter::isNeutral(Value start, const Reduction &reduction) {
  Attribute constant;
  return start && matchPattern(start, m_Constant(&constant)) &&
         constant == reduction.neutral;
}

Value RowEmitter::createBlockEnd(Value begin, int64_t step, Value to,
                                 std::optional<int64_t> extent) {
  Value end = arith::AddIOp::create(b, begin, index(step));
  return extent && *extent % step == 0
             ? end
             : arith::MinSIOp::create(b, end, to).getResult();
}

void RowEmitter::forwardFills() {
  // An outer reduction's iterations continue from the last one's result.
  if (op.getNumReductionLoops() != 1)
    return;
  for (auto [start, init] : llvm::zip(starts, op.getDpsInitsMutable())) {
    LinalgOp fill = norm::findFill(init);
    start = fill ? norm::getFilled(fill) : Value();
    if (start)
      forwarded.push_back(fill);
  }
}

void RowEmitter::simplifyNeutrals() {
  for (auto [reduction, start] : llvm::zip(match.reductions, starts)) {
    APFloat constant(0.0);
    if (isa<arith::AddFOp>(reduction.combiner) && start &&
        matchPattern(start, m_ConstantFloat(&constant)) &&
        !constant.isNegZero())
      reduction.neutral = b.getZeroAttr(reduction.neutral.getType());
  }
}

void RowEmitter::buildReducedRow() {
  State wide = createNeutralVectors(lanes), narrow = createNeutralVectors(tail);
  auto strip = [&](const Strip &at, State &sums) { addStrip(at, sums); };
  // One state is enough if both strips have the same width.
  std::optional<int64_t> extent = getConstantIntValue(extents.back());
  if (distributed)
    forEachStrip(wide, wide, strip);
  else
    forEachStrip(
        wide, narrow, strip,
        getBlockLevels(extent ? std::optional(*extent / lanes) : extent));

  for (auto [i, reduction] : llvm::enumerate(match.reductions)) {
    Value total = distributed ? reduceWhole(reduction, wide[i])
                              : foldToScalar(reduction, wide[i], narrow[i]);
    Place place = getPlace(*op.getDpsInitOperand(i), Strip());
    Value init = distributed || !starts[i] ? read(place) : starts[i];
    write(combine(reduction, init, total), place);
  }
}
