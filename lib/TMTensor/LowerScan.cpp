//===- LowerScan.cpp - scans and scatters ---------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lower.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "norm/Rows/Rows.h"

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::tm_tensor;

/// Columns that are scanned together: four cache lines of f32.
static constexpr int64_t kColumns = 64;

//===----------------------------------------------------------------------===//
// Scan
//===----------------------------------------------------------------------===//

/// Builds `body` for each column of a part that has columns.
static SmallVector<Value> buildColumns(ImplicitLocOpBuilder &b, Value part,
                                       ValueRange values, PartBody body) {
  if (getTensorType(part).getRank() == 1)
    return body(b, {}, values);
  auto build = [&](ImplicitLocOpBuilder &b, Value column, ValueRange args) {
    return body(b, column, args);
  };
  return buildLoop(b, createIndex(b, 0), getExtent(b, part, 1),
                   createIndex(b, 1), values, build);
}

static SmallVector<Value> join(Value first, ValueRange others) {
  SmallVector<Value> joined{first};
  llvm::append_range(joined, others);
  return joined;
}

/// Scans `x` along its first dimension; returns y and the last y.
static SmallVector<Value> scanPart(ImplicitLocOpBuilder &b, ScanOp op, Value x,
                                   Value y, Value accumulator) {
  Value zero = createIndex(b, 0), one = createIndex(b, 1);
  Value extent = getExtent(b, x, 0);
  Value start = arith::MinUIOp::create(b, extent, one);
  bool inclusive = op.getInclusive();
  auto first = [&](ImplicitLocOpBuilder &b, Value i, ValueRange args) {
    return buildColumns(
        b, x, args, [&](ImplicitLocOpBuilder &b, ValueRange c, ValueRange to) {
          SmallVector<Value> place = join(i, c);
          return writeElements(b, to, place,
                               inclusive ? readElements(b, x, place)
                                         : readElements(b, accumulator, c));
        });
  };
  auto next = [&](ImplicitLocOpBuilder &b, Value i, ValueRange args) {
    Value previous = arith::SubIOp::create(b, i, one);
    return buildColumns(
        b, x, args, [&](ImplicitLocOpBuilder &b, ValueRange c, ValueRange to) {
          Value sum = readElements(b, to, join(previous, c))[0];
          Value element =
              readElements(b, x, join(inclusive ? i : previous, c))[0];
          return writeElements(b, to, join(i, c),
                               buildBody(b, op.getRegion(), {sum, element}));
        });
  };
  auto last = [&](ImplicitLocOpBuilder &b, Value, ValueRange args) {
    Value end = arith::SubIOp::create(b, extent, one);
    return buildColumns(
        b, x, args, [&](ImplicitLocOpBuilder &b, ValueRange c, ValueRange to) {
          return writeElements(b, to, c, readElements(b, y, join(end, c)));
        });
  };
  y = buildLoop(b, zero, start, one, y, first)[0];
  y = buildLoop(b, start, extent, one, y, next)[0];
  return {y, buildLoop(b, zero, start, one, accumulator, last)[0]};
}

SmallVector<Value> tm_tensor::lowerScan(ImplicitLocOpBuilder &b, ScanOp op) {
  Value x = op.getInputs()[0];
  int64_t dim = op.getDimension(), rank = getTensorType(x).getRank();
  SmallVector<int64_t> all = getAllDims(x), others = all;
  others.erase(others.begin() + dim);
  requireExtents(b, op, x, all, op.getOutputs()[0], all);
  requireExtents(b, op, x, others, op.getOutputs()[1],
                 getAllDims(op.getOutputs()[1]));
  if (isEmpty(x))
    return op.getOutputs();
  bool hasColumns = dim != rank - 1;
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, b.getLoc(), x);
  SmallVector<OpFoldResult> bounds, steps(rank - 1, b.getIndexAttr(1));
  for (int64_t other : others)
    bounds.push_back(sizes[other]);
  if (hasColumns)
    steps.back() = b.getIndexAttr(kColumns);
  auto getPart = [&](ImplicitLocOpBuilder &b, unsigned operand,
                     ValueRange ivs) {
    Part part;
    part.offsets = getAsOpFoldResult(ivs);
    part.sizes.assign(rank - 1, b.getIndexAttr(1));
    if (hasColumns) {
      part.sizes.back() =
          createBlockSize(b, b.getLoc(), part.offsets.back(),
                          b.getIndexAttr(kColumns), sizes.back());
      part.kept.push_back(operand == 2 ? rank - 2 : rank - 1);
    }
    if (operand == 2)
      return part;
    part.offsets.insert(part.offsets.begin() + dim, b.getIndexAttr(0));
    part.sizes.insert(part.sizes.begin() + dim, sizes[dim]);
    part.kept.insert(part.kept.begin(), dim);
    return part;
  };
  return buildParallel(
      b, bounds, steps, x, op.getOutputs(), getPart,
      [&](ImplicitLocOpBuilder &b, ValueRange ins, ValueRange outs) {
        return scanPart(b, op, ins[0], outs[0], outs[1]);
      });
}

//===----------------------------------------------------------------------===//
// Scatter
//===----------------------------------------------------------------------===//

namespace {
/// Reads the windows of a scatter.
struct Windows {
  explicit Windows(ScatterOp op)
      : op(op), updates(op.getInputs()[0]), indices(op.getInputs()[1]),
        rank(getTensorType(op.getOutputs()[0]).getRank()),
        offset(rank - (getTensorType(updates).getRank() - 1)) {}

  /// Returns how many elements of dimension `dim` a window has.
  Value getExtent(ImplicitLocOpBuilder &b, int64_t dim) {
    return dim < offset ? createIndex(b, 1)
                        : tm_tensor::getExtent(b, updates, dim - offset + 1);
  }

  /// Returns where the window of `update` starts, which is verified.
  SmallVector<Value> buildStarts(ImplicitLocOpBuilder &b, Value update);
  /// Combines the window of `update` that starts at `starts` with `into`.
  Value combine(ImplicitLocOpBuilder &b, Value update, ArrayRef<Value> starts,
                Value into);

  ScatterOp op;
  Value updates, indices;
  int64_t rank, offset;
};
} // namespace

SmallVector<Value> Windows::buildStarts(ImplicitLocOpBuilder &b, Value update) {
  SmallVector<Value> starts(rank, createIndex(b, 0));
  Value within = arith::ConstantIntOp::create(b, 1, 1);
  for (auto [column, dim] : llvm::enumerate(op.getDimensionMap())) {
    Value index = readElements(b, indices, {update, createIndex(b, column)})[0];
    if (!isa<IndexType>(index.getType()))
      index = arith::IndexCastOp::create(b, b.getIndexType(), index);
    Value extent = tm_tensor::getExtent(b, op.getOutputs()[0], dim);
    // torch.index_put, which is most of these, counts negative ones from the
    // end.
    Value isNegative =
        arith::CmpIOp::create(b, arith::CmpIPredicate::slt, index, starts[dim]);
    index = arith::SelectOp::create(
        b, isNegative, arith::AddIOp::create(b, index, extent), index);
    Value room = arith::SubIOp::create(b, extent, getExtent(b, dim));
    Value isPositive =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sge, index, starts[dim]);
    Value hasRoom =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sle, index, room);
    within = b.createOrFold<arith::AndIOp>(
        within, arith::AndIOp::create(b, isPositive, hasRoom));
    starts[dim] = index;
  }
  buildAssert(b, op, within, ": index out of bounds");
  return starts;
}

Value Windows::combine(ImplicitLocOpBuilder &b, Value update,
                       ArrayRef<Value> starts, Value into) {
  SmallVector<Value> lower, upper, steps;
  SmallVector<int64_t> loopOf(rank, -1);
  for (int64_t dim = offset; dim < rank; ++dim) {
    if (getTensorType(updates).getDimSize(dim - offset + 1) == 1)
      continue;
    loopOf[dim] = lower.size();
    lower.push_back(createIndex(b, 0));
    upper.push_back(getExtent(b, dim));
    steps.push_back(createIndex(b, 1));
  }
  auto body = [&](OpBuilder &nested, Location loc, ValueRange ivs,
                  ValueRange args) -> scf::ValueVector {
    ImplicitLocOpBuilder inner(loc, nested);
    SmallVector<Value> source{update}, place;
    for (int64_t dim = 0; dim < rank; ++dim) {
      Value iv = loopOf[dim] < 0 ? createIndex(inner, 0) : ivs[loopOf[dim]];
      if (dim >= offset)
        source.push_back(iv);
      place.push_back(inner.createOrFold<arith::AddIOp>(starts[dim], iv));
    }
    Value element = readElements(inner, updates, source)[0];
    Value current = readElements(inner, args, place)[0];
    Value combined = buildBody(inner, op.getRegion(), {element, current});
    return writeElements(inner, args, place, combined);
  };
  return scf::buildLoopNest(b, b.getLoc(), lower, upper, steps, into, body)
      .results.front();
}

SmallVector<Value> tm_tensor::lowerScatter(ImplicitLocOpBuilder &b,
                                           ScatterOp op) {
  Windows windows(op);
  Value into = op.getOutputs()[0];
  requireExtents(b, op, windows.updates, 0, windows.indices, 0);
  for (int64_t dim = windows.offset; dim < windows.rank; ++dim) {
    if (llvm::is_contained(op.getDimensionMap(), dim) ||
        (!getTensorType(into).isDynamicDim(dim) &&
         !getTensorType(windows.updates)
              .isDynamicDim(dim - windows.offset + 1)))
      continue;
    Value fits = arith::CmpIOp::create(b, arith::CmpIPredicate::ule,
                                       windows.getExtent(b, dim),
                                       getExtent(b, into, dim));
    buildAssert(b, op, fits, ": a window exceeds its destination");
  }
  if (isEmpty(windows.updates))
    return op.getOutputs();
  auto body = [&](ImplicitLocOpBuilder &b, Value update, ValueRange args) {
    SmallVector<Value> starts = windows.buildStarts(b, update);
    return SmallVector<Value>{windows.combine(b, update, starts, args[0])};
  };
  return buildLoop(b, createIndex(b, 0), getExtent(b, windows.updates, 0),
                   createIndex(b, 1), into, body);
}
