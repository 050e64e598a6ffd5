//===- EmitPairs.cpp - every other element as whole vectors ---------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rows of interleaved pairs, such as the real and imaginary parts of a rotary
// embedding, are two views of every other element. A vector of such elements is
// a load per element for LLVM, so pairs are read and written, which are
// contiguous.
//
//===----------------------------------------------------------------------===//

#include "RowEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "norm/Floats/ValueOrigins.h"
#include "norm/Normalize/ElementStorage.h"
#include "norm/Rows/Vectors.h"

using namespace mlir;
using norm::Place;
using norm::RowEmitter;

//===----------------------------------------------------------------------===//
// Views of pairs
//===----------------------------------------------------------------------===//

namespace {
/// A row of which another one has the even or the odd elements: a buffer, and
/// the offsets, sizes, strides and shapes of the views through which it is
/// seen.
struct Pairs {
  using Numbers = SmallVector<OpFoldResult>;
  using View = std::tuple<Numbers, Numbers, Numbers, SmallVector<int64_t>>;

  Value buffer;
  int64_t parity = 0; // of the elements that the other row has
  SmallVector<View> views;

  bool operator==(const Pairs &other) const {
    return buffer == other.buffer && views == other.views;
  }

  Value create(OpBuilder &b, Location loc) const {
    Value row = buffer;
    for (auto &[offsets, sizes, strides, shape] : views) {
      MemRefType type = memref::SubViewOp::inferRankReducedResultType(
          shape, cast<MemRefType>(row.getType()), offsets, sizes, strides);
      row =
          memref::SubViewOp::create(b, loc, type, row, offsets, sizes, strides);
    }
    return row;
  }
};
} // namespace

/// Returns the pairs of which `row` views every other element, if the one
/// beside each of them is in the same row.
static std::optional<Pairs> findPairs(Value row) {
  auto view = row.getDefiningOp<memref::SubViewOp>();
  int64_t rank = view ? view.getSourceType().getRank() : 0;
  if (rank == 0 || view.getDroppedDims().test(rank - 1))
    return std::nullopt;
  Pairs::Numbers offsets = view.getMixedOffsets(), sizes = view.getMixedSizes(),
                 strides = view.getMixedStrides();
  std::optional<int64_t> offset = getConstantIntValue(offsets.back()),
                         size = getConstantIntValue(sizes.back()),
                         stride = getConstantIntValue(strides.back());
  if (!offset || !size || !stride)
    return std::nullopt;
  std::optional<Pairs> pairs;
  if (stride == 1) {
    pairs = findPairs(view.getSource());
    *offset *= 2;
  } else if (stride == 2) {
    pairs = Pairs{view.getSource(), *offset % 2, {}};
    *offset -= pairs->parity;
    MemRefType source = view.getSourceType();
    if (source.getStridesAndOffset().first.back() != 1 ||
        *offset + 2 * *size > source.getShape().back())
      return std::nullopt;
  }
  if (!pairs)
    return std::nullopt;
  Builder b(row.getContext());
  offsets.back() = b.getIndexAttr(*offset);
  sizes.back() = b.getIndexAttr(2 * *size);
  strides.back() = b.getIndexAttr(1);
  SmallVector<int64_t> shape(view.getType().getShape());
  shape.back() *= 2;
  pairs->views.emplace_back(offsets, sizes, strides, shape);
  return pairs;
}

bool norm::areHalvesOfPairs(Value x, Value y) {
  std::optional<Pairs> pairs = findPairs(x), others = findPairs(y);
  return pairs && others && pairs->parity != others->parity &&
         *pairs == *others;
}

void RowEmitter::findHalves() {
  for (OpOperand &operand : op->getOpOperands()) {
    Value row = operand.get();
    std::optional<Pairs> pairs = findPairs(row);
    if (!pairs || halves.contains(row) ||
        !isVector(op.getMatchingIndexingMap(&operand)))
      continue;
    auto *same = llvm::find_if(halves, [&](const auto &known) {
      return findPairs(known.first) == pairs;
    });
    halves[row] = {same == halves.end() ? pairs->create(b, row.getLoc())
                                        : same->second.pairs,
                   pairs->parity};
  }
}

bool RowEmitter::isOtherHalf(OpOperand &x, OpOperand &y) {
  Half half = halves.lookup(x.get()), other = halves.lookup(y.get());
  return half.pairs && half.pairs == other.pairs &&
         half.parity != other.parity &&
         op.getMatchingIndexingMap(&x) == op.getMatchingIndexingMap(&y);
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

Place RowEmitter::getPairs(const Place &half) {
  Place pairs{halves.lookup(half.buffer).pairs, half.at, 2 * half.width};
  auto twice = [&](Value v) {
    return b.createOrFold<arith::MulIOp>(v, index(2),
                                         arith::IntegerOverflowFlags::nsw);
  };
  pairs.at.back() = twice(half.at.back());
  if (half.mask)
    pairs.mask = vector::CreateMaskOp::create(
        b, VectorType::get(pairs.width, b.getI1Type()),
        twice(half.mask.getDefiningOp<vector::CreateMaskOp>().getOperand(0)));
  return pairs;
}

void RowEmitter::writePairs(Value v, const Place &place, Value otherV,
                            Value other) {
  noteWrite(otherV, {other, place.at, place.width, place.mask});
  noteWrite(v, place);
  if (halves.lookup(other).parity != 0)
    std::swap(v, otherV);
  createWrite(vector::InterleaveOp::create(b, otherV, v), getPairs(place));
}

//===----------------------------------------------------------------------===//
// What is done with both halves
//===----------------------------------------------------------------------===//

/// The same operation on the even and on the odd elements.
using Step = std::pair<Operation *, Operation *>;

/// Returns the ops that follow on both halves if they are the same, and nothing
/// else uses these.
static std::optional<Step> matchStep(Value even, Value odd) {
  if (!even.hasOneUse() || !odd.hasOneUse())
    return std::nullopt;
  Operation *first = *even.user_begin(), *second = *odd.user_begin();
  auto areSame = [&](Value p, Value q) {
    return success(p == q || (p == even && q == odd));
  };
  if (first == second || first->getBlock() != second->getBlock() ||
      !OperationEquivalence::isEquivalentTo(
          first, second, areSame, /*markEquivalent=*/nullptr,
          OperationEquivalence::IgnoreLocations) ||
      !OpTrait::hasElementwiseMappableTraits(first) ||
      first->getNumResults() != 1 || !isMemoryEffectFree(first))
    return std::nullopt;
  bool areUniform = llvm::all_of(first->getOperands(), [&](Value v) {
    auto uniform = v.getDefiningOp<vector::BroadcastOp>();
    return v == even || (uniform && !isa<VectorType>(uniform.getSourceType()));
  });
  return areUniform ? std::optional(Step(first, second)) : std::nullopt;
}

static void sink(IRRewriter &b, vector::DeinterleaveOp parts) {
  if (parts.getSourceVectorType().getRank() != 1)
    return;
  int64_t lanes = parts.getSourceVectorType().getNumElements();
  auto widen = [&](Operation *op, ValueRange operands) {
    return norm::cloneAtWidth(b, op, lanes, operands)->getResult(0);
  };
  Value even = parts.getRes1(), odd = parts.getRes2(),
        whole = parts.getSource();
  Value narrow; // the last vector of narrower elements
  Step last;    // what computes its halves
  while (std::optional<Step> step = matchStep(even, odd)) {
    auto [first, second] = *step;
    b.setInsertionPoint(first->isBeforeInBlock(second) ? first : second);
    auto operands = llvm::map_to_vector(first->getOperands(), [&](Value v) {
      return v == even
                 ? whole
                 : widen(v.getDefiningOp(), v.getDefiningOp()->getOperands());
    });
    whole = widen(first, operands);
    even = first->getResult(0);
    odd = second->getResult(0);
    if (norm::getElementBytes(whole.getType()) <
        norm::getElementBytes(parts.getSource().getType())) {
      narrow = whole;
      last = *step;
    }
  }
  if (!narrow)
    return;
  // Nothing uses what is built behind that.
  b.setInsertionPointAfterValue(narrow);
  auto halves = vector::DeinterleaveOp::create(b, parts.getLoc(), narrow);
  b.replaceOp(last.first, halves.getRes1());
  b.replaceOp(last.second, halves.getRes2());
}

void norm::sinkDeinterleaves(IRRewriter &b, Operation *scope) {
  for (auto parts : collect<vector::DeinterleaveOp>(scope))
    sink(b, parts);
}
