//===- LowerSort.cpp - sorts and the first elements in an order -----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lower.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::tm_tensor;

/// Above it, inserting into k places costs more than sorting.
static constexpr int64_t kMaxInserted = 64;

/// Builds whether the elements `first` come strictly before `second`.
using IsBefore = function_ref<Value(ImplicitLocOpBuilder &, ValueRange first,
                                    ValueRange second)>;

static SmallVector<Value> select(ImplicitLocOpBuilder &b, Value condition,
                                 ValueRange first, ValueRange second) {
  SmallVector<Value> selected;
  for (auto [x, y] : llvm::zip_equal(first, second))
    selected.push_back(arith::SelectOp::create(b, condition, x, y));
  return selected;
}

static Value buildNot(ImplicitLocOpBuilder &b, Value condition) {
  return arith::XOrIOp::create(b, condition,
                               arith::ConstantIntOp::create(b, 1, 1));
}

/// Builds `body` for each row along `dim`, in parallel.
static SmallVector<Value> buildRows(ImplicitLocOpBuilder &b, int64_t dim,
                                    ValueRange ins, ValueRange outs,
                                    PartBody body) {
  int64_t rank = getTensorType(outs[0]).getRank();
  SmallVector<OpFoldResult> bounds =
      tensor::getMixedSizes(b, b.getLoc(), outs[0]);
  bounds.erase(bounds.begin() + dim);
  SmallVector<OpFoldResult> steps(rank - 1, b.getIndexAttr(1));
  auto getPart = [&](ImplicitLocOpBuilder &b, unsigned operand,
                     ValueRange ivs) {
    Value tensor =
        operand < ins.size() ? ins[operand] : outs[operand - ins.size()];
    Part part;
    part.kept = {dim};
    part.offsets = getAsOpFoldResult(ivs);
    part.offsets.insert(part.offsets.begin() + dim, b.getIndexAttr(0));
    part.sizes.assign(rank, b.getIndexAttr(1));
    part.sizes[dim] = tensor::getMixedSize(b, b.getLoc(), tensor, dim);
    return part;
  };
  return buildParallel(b, bounds, steps, ins, outs, getPart, body);
}

static SmallVector<Value> createEmpty(ImplicitLocOpBuilder &b, ValueRange rows,
                                      OpFoldResult extent) {
  return llvm::map_to_vector(rows, [&](Value row) -> Value {
    return tensor::EmptyOp::create(b, ArrayRef<OpFoldResult>(extent),
                                   getTensorType(row).getElementType());
  });
}

/// Copies elements 0 to `count` of `from` to those of `to` from `offset` on.
static SmallVector<Value> copyRows(ImplicitLocOpBuilder &b, ValueRange from,
                                   ValueRange to, Value count, Value offset) {
  return buildLoop(b, createIndex(b, 0), count, createIndex(b, 1), to,
                   [&](ImplicitLocOpBuilder &b, Value i, ValueRange rows) {
                     Value place = arith::AddIOp::create(b, i, offset);
                     return writeElements(b, rows, place,
                                          readElements(b, from, i));
                   });
}

/// Merges each two adjacent sorted runs of `width` elements into `to`.
static SmallVector<Value> buildMerge(ImplicitLocOpBuilder &b, ValueRange from,
                                     ValueRange to, Value extent, Value width,
                                     IsBefore isBefore) {
  Value one = createIndex(b, 1);
  Value last = arith::SubIOp::create(b, extent, one);
  Value step = arith::AddIOp::create(b, width, width);
  auto mergePair = [&](ImplicitLocOpBuilder &b, Value start, ValueRange rows) {
    Value middle = arith::AddIOp::create(b, start, width);
    Value leftEnd = arith::MinUIOp::create(b, middle, extent);
    Value end = arith::MinUIOp::create(
        b, arith::AddIOp::create(b, middle, width), extent);
    SmallVector<Value> carried{start, leftEnd};
    llvm::append_range(carried, rows);
    auto mergeOne = [&](ImplicitLocOpBuilder &b, Value k, ValueRange args) {
      Value left = args[0], right = args[1];
      // A run at its end is read too, from any valid place.
      SmallVector<Value> first =
          readElements(b, from, {arith::MinUIOp::create(b, left, last)});
      SmallVector<Value> second =
          readElements(b, from, {arith::MinUIOp::create(b, right, last)});
      auto lessThan = arith::CmpIPredicate::ult;
      Value hasLeft = arith::CmpIOp::create(b, lessThan, left, leftEnd);
      Value hasRight = arith::CmpIOp::create(b, lessThan, right, end);
      Value takesRight = arith::AndIOp::create(
          b, hasRight,
          arith::OrIOp::create(b, buildNot(b, hasLeft),
                               isBefore(b, second, first)));
      Value moved =
          arith::IndexCastUIOp::create(b, b.getIndexType(), takesRight);
      SmallVector<Value> next{
          arith::AddIOp::create(b, left, arith::SubIOp::create(b, one, moved)),
          arith::AddIOp::create(b, right, moved)};
      llvm::append_range(next,
                         writeElements(b, args.drop_front(2), {k},
                                       select(b, takesRight, second, first)));
      return next;
    };
    SmallVector<Value> merged =
        buildLoop(b, start, end, one, carried, mergeOne);
    return SmallVector<Value>(llvm::drop_begin(merged, 2));
  };
  return buildLoop(b, createIndex(b, 0), extent, step, to, mergePair);
}

/// Sorts rows together: each step merges runs of w into a buffer, and runs of
/// 2w back.
static SmallVector<Value> buildSort(ImplicitLocOpBuilder &b, ValueRange rows,
                                    IsBefore isBefore) {
  OpFoldResult size = tensor::getMixedSize(b, b.getLoc(), rows[0], 0);
  Value extent = getExtent(b, rows[0], 0);
  // The steps are half of the bits of the largest place, rounded up.
  Type i64 = b.getI64Type();
  Value one = createIndex(b, 1);
  Value largest =
      arith::SubIOp::create(b, arith::MaxUIOp::create(b, extent, one), one);
  Value zeros = math::CountLeadingZerosOp::create(
      b, arith::IndexCastOp::create(b, i64, largest));
  Value bits = arith::SubIOp::create(
      b, createIndex(b, 65),
      arith::IndexCastOp::create(b, b.getIndexType(), zeros));
  Value steps = arith::ShRUIOp::create(b, bits, one);
  size_t count = rows.size();
  SmallVector<Value> carried(rows);
  llvm::append_range(carried, createEmpty(b, rows, size));
  auto sortStep = [&](ImplicitLocOpBuilder &b, Value step, ValueRange args) {
    Value width =
        arith::ShLIOp::create(b, one, arith::AddIOp::create(b, step, step));
    Value doubled = arith::AddIOp::create(b, width, width);
    SmallVector<Value> there =
        buildMerge(b, args.take_front(count), args.drop_front(count), extent,
                   width, isBefore);
    SmallVector<Value> next =
        buildMerge(b, there, args.take_front(count), extent, doubled, isBefore);
    llvm::append_range(next, there);
    return next;
  };
  SmallVector<Value> results =
      buildLoop(b, createIndex(b, 0), steps, one, carried, sortStep);
  results.truncate(count);
  return results;
}

/// Whether the region says `first` before `second`, and not the reverse.
static Value buildStrictOrder(ImplicitLocOpBuilder &b, Region &region,
                              ValueRange first, ValueRange second) {
  SmallVector<Value> forward, backward;
  for (auto [x, y] : llvm::zip_equal(first, second)) {
    forward.append({x, y});
    backward.append({y, x});
  }
  Value before = buildBody(b, region, forward, NaNOrder::Greatest);
  Value after = buildBody(b, region, backward, NaNOrder::Greatest);
  return arith::AndIOp::create(b, before, buildNot(b, after));
}

SmallVector<Value> tm_tensor::lowerSort(ImplicitLocOpBuilder &b, SortOp op) {
  int64_t dim = op.getDimension();
  int64_t rank = getTensorType(op.getOutputs()[0]).getRank();
  SmallVector<int64_t> all = getAllDims(op.getOutputs()[0]);
  for (Value out : op.getOutputs().drop_front())
    requireExtents(b, op, op.getOutputs()[0], all, out, all);
  if (isEmpty(op.getOutputs()[0]))
    return op.getOutputs();
  auto isBefore = [&](ImplicitLocOpBuilder &b, ValueRange first,
                      ValueRange second) {
    return buildStrictOrder(b, op.getRegion(), first, second);
  };
  auto sortRow = [&](ImplicitLocOpBuilder &b, ValueRange,
                     ValueRange rows) -> SmallVector<Value> {
    if (dim == rank - 1)
      return buildSort(b, rows, isBefore);
    // Merging reads elements many times: those of a column are copied.
    OpFoldResult size = tensor::getMixedSize(b, b.getLoc(), rows[0], 0);
    SmallVector<Value> copies =
        copyRows(b, rows, createEmpty(b, rows, size), getExtent(b, rows[0], 0),
                 createIndex(b, 0));
    return buildSort(b, copies, isBefore);
  };
  return buildRows(b, dim, {}, op.getOutputs(), sortRow);
}

//===----------------------------------------------------------------------===//
// The first k
//===----------------------------------------------------------------------===//

/// Returns the value that comes last in the order that the region compares by:
/// +infinity or the largest one where small values come first.
static bool isLastOfAll(Region &region, Attribute value) {
  Operation *yield = region.front().getTerminator();
  Operation *compare = yield->getOperand(0).getDefiningOp();
  if (!compare || compare->getOperands() != region.getArguments())
    return false;
  if (auto op = dyn_cast<arith::CmpFOp>(compare)) {
    using Predicate = arith::CmpFPredicate;
    bool smallFirst = llvm::is_contained(
        {Predicate::OLT, Predicate::OLE, Predicate::ULT, Predicate::ULE},
        op.getPredicate());
    bool largeFirst = llvm::is_contained(
        {Predicate::OGT, Predicate::OGE, Predicate::UGT, Predicate::UGE},
        op.getPredicate());
    APFloat number = cast<FloatAttr>(value).getValue();
    bool isExtreme =
        number.isInfinity() || number.isLargest() || (-number).isLargest();
    return isExtreme && (number.isNegative() ? largeFirst : smallFirst);
  }
  auto op = dyn_cast<arith::CmpIOp>(compare);
  if (!op)
    return false;
  APInt number = cast<IntegerAttr>(value).getValue();
  switch (op.getPredicate()) {
  case arith::CmpIPredicate::slt:
  case arith::CmpIPredicate::sle:
    return number.isMaxSignedValue();
  case arith::CmpIPredicate::sgt:
  case arith::CmpIPredicate::sge:
    return number.isMinSignedValue();
  case arith::CmpIPredicate::ult:
  case arith::CmpIPredicate::ule:
    return number.isMaxValue();
  case arith::CmpIPredicate::ugt:
  case arith::CmpIPredicate::uge:
    return number.isMinValue();
  default:
    return false;
  }
}

/// Whether no element of the destination takes part: NaN may come after an
/// infinity, and a place that nothing was put into is no element.
static bool isEmptyDestination(TopkOp op) {
  Value out = op.getOutputs()[0];
  while (auto cast = out.getDefiningOp<tensor::CastOp>())
    out = cast.getSource();
  auto fill = out.getDefiningOp<linalg::FillOp>();
  Attribute value;
  return fill && matchPattern(fill.value(), m_Constant(&value)) &&
         isa<FloatAttr, IntegerAttr>(value) &&
         isLastOfAll(op.getRegion(), value);
}

/// Inserts each element of `from` into the sorted `rows`, whose places are
/// empty unless what they hold takes part.
static SmallVector<Value> buildInsertions(ImplicitLocOpBuilder &b,
                                          ValueRange from, ValueRange rows,
                                          int64_t places, bool takesHeld,
                                          IsBefore isBefore) {
  Value zero = createIndex(b, 0), one = createIndex(b, 1);
  Value all = createIndex(b, places), last = createIndex(b, places - 1);
  auto visit = [&](ImplicitLocOpBuilder &b, Value i, ValueRange args) {
    Value count = takesHeld ? all : i;
    SmallVector<Value> carried = readElements(b, from, {i});
    Value hasPlace =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, count, all);
    Value enters = arith::OrIOp::create(
        b, hasPlace, isBefore(b, carried, readElements(b, args, {last})));
    // Most elements do not enter: a loop of no iterations.
    Value end = arith::SelectOp::create(b, enters, all, zero);
    llvm::append_range(carried, args);
    auto pass = [&](ImplicitLocOpBuilder &b, Value place, ValueRange args) {
      ValueRange taken = args.take_front(2), into = args.drop_front(2);
      SmallVector<Value> held = readElements(b, into, {place});
      Value keeps = arith::AndIOp::create(
          b, arith::CmpIOp::create(b, arith::CmpIPredicate::ult, place, count),
          buildNot(b, isBefore(b, taken, held)));
      SmallVector<Value> next = select(b, keeps, taken, held);
      llvm::append_range(
          next, writeElements(b, into, {place}, select(b, keeps, held, taken)));
      return next;
    };
    SmallVector<Value> next = buildLoop(b, zero, end, one, carried, pass);
    // The element that fell out is dropped.
    return SmallVector<Value>(llvm::drop_begin(next, 2));
  };
  return buildLoop(b, zero, getExtent(b, from[0], 0), one, rows, visit);
}

/// Sorts `from`, and with it what `rows` hold unless they are empty; returns
/// the rows with the first elements.
static SmallVector<Value> buildSortedFirst(ImplicitLocOpBuilder &b,
                                           ValueRange from, ValueRange rows,
                                           bool takesHeld, IsBefore isBefore) {
  Value zero = createIndex(b, 0);
  Value extent = getExtent(b, from[0], 0), places = getExtent(b, rows[0], 0);
  Value total =
      takesHeld ? b.createOrFold<arith::AddIOp>(extent, places) : extent;
  SmallVector<Value> joined = copyRows(
      b, from, createEmpty(b, from, getAsOpFoldResult(total)), extent, zero);
  if (takesHeld)
    joined = copyRows(b, rows, joined, places, extent);
  Value count = arith::MinUIOp::create(b, total, places);
  return copyRows(b, buildSort(b, joined, isBefore), rows, count, zero);
}

/// Returns the places along `dim` as the indices of `values`.
static Value createIndices(ImplicitLocOpBuilder &b, Value values, int64_t dim,
                           Type type) {
  auto sizes = tensor::getMixedSizes(b, b.getLoc(), values);
  Value empty = tensor::EmptyOp::create(b, sizes, type);
  auto map = b.getMultiDimIdentityMap(sizes.size());
  SmallVector<utils::IteratorType> loops(sizes.size(),
                                         utils::IteratorType::parallel);
  auto body = [&](OpBuilder &b, Location loc, ValueRange) {
    Value place = linalg::IndexOp::create(b, loc, dim);
    if (!isa<IndexType>(type))
      place = arith::IndexCastOp::create(b, loc, type, place);
    linalg::YieldOp::create(b, loc, place);
  };
  return linalg::GenericOp::create(b, empty.getType(), ValueRange(), empty, map,
                                   loops, body)
      .getResult(0);
}

SmallVector<Value> tm_tensor::lowerTopk(ImplicitLocOpBuilder &b, TopkOp op) {
  int64_t dim = op.getDimension();
  Value values = op.getInputs()[0];
  auto outType = getTensorType(op.getOutputs()[0]);
  Type indexType = getTensorType(op.getOutputs()[1]).getElementType();
  SmallVector<Value> ins{values,
                         op.getInputs().size() > 1
                             ? op.getInputs()[1]
                             : createIndices(b, values, dim, indexType)};
  SmallVector<int64_t> all = getAllDims(ins[0]), others = all;
  others.erase(others.begin() + dim);
  requireExtents(b, op, ins[0], all, ins[1], all);
  requireExtents(b, op, ins[0], others, op.getOutputs()[0], others);
  requireExtents(b, op, op.getOutputs()[0], all, op.getOutputs()[1], all);
  if (isEmpty(values) || isEmpty(op.getOutputs()[0]))
    return op.getOutputs();
  auto isBefore = [&](ImplicitLocOpBuilder &b, ValueRange first,
                      ValueRange second) -> Value {
    Value before = buildStrictOrder(b, op.getRegion(), first[0], second[0]);
    Value after = buildStrictOrder(b, op.getRegion(), second[0], first[0]);
    Value smaller = arith::CmpIOp::create(b, arith::CmpIPredicate::slt,
                                          first[1], second[1]);
    return arith::OrIOp::create(
        b, before, arith::AndIOp::create(b, buildNot(b, after), smaller));
  };
  bool takesHeld = !isEmptyDestination(op);
  int64_t places = outType.getDimSize(dim);
  auto buildRow = [&](ImplicitLocOpBuilder &b, ValueRange ins,
                      ValueRange outs) -> SmallVector<Value> {
    if (ShapedType::isDynamic(places) || places > kMaxInserted)
      return buildSortedFirst(b, ins, outs, takesHeld, isBefore);
    return buildInsertions(b, ins, outs, places, takesHeld, isBefore);
  };
  return buildRows(b, dim, ins, op.getOutputs(), buildRow);
}
