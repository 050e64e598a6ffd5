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
#include "norm/Rows/Vectors.h"

using namespace mlir;
using norm::RowEmitter;

//===----------------------------------------------------------------------===//
// Views of pairs
//===----------------------------------------------------------------------===//

namespace {
/// How a view takes elements of the innermost dimension of its source.
struct LastDim {
  int64_t offset, size, stride;
};
} // namespace

static std::optional<LastDim> getLastDim(memref::SubViewOp view) {
  std::optional<int64_t> offset =
                             getConstantIntValue(view.getMixedOffsets().back()),
                         size =
                             getConstantIntValue(view.getMixedSizes().back()),
                         stride =
                             getConstantIntValue(view.getMixedStrides().back());
  unsigned last = view.getSourceType().getRank() - 1;
  if (!offset || !size || !stride || view.getDroppedDims().test(last))
    return std::nullopt;
  return LastDim{*offset, *size, *stride};
}

/// Returns the parity of the elements that `row` views, if the one beside each
/// of them is in the same row.
static std::optional<int64_t> getParity(Value row) {
  auto view = row.getDefiningOp<memref::SubViewOp>();
  std::optional<LastDim> dim = view && view.getSourceType().getRank() > 0
                                   ? getLastDim(view)
                                   : std::nullopt;
  if (!dim)
    return std::nullopt;
  if (dim->stride == 1)
    return getParity(view.getSource());
  auto [strides, start] = view.getSourceType().getStridesAndOffset();
  (void)start;
  int64_t parity = dim->offset % 2;
  bool hasPairs = dim->stride == 2 && strides.back() == 1 &&
                  dim->offset - parity + 2 * dim->size <=
                      view.getSourceType().getShape().back();
  return hasPairs ? std::optional(parity) : std::nullopt;
}

/// Returns true if both are views of every other element of the same pairs.
static bool haveSamePairs(Value x, Value y) {
  auto a = x.getDefiningOp<memref::SubViewOp>(),
       b = y.getDefiningOp<memref::SubViewOp>();
  auto getOuterOffsets = [](memref::SubViewOp view) {
    SmallVector<OpFoldResult> offsets = view.getMixedOffsets();
    offsets.pop_back();
    return offsets;
  };
  if (a.getMixedStrides() != b.getMixedStrides() ||
      a.getMixedSizes() != b.getMixedSizes() ||
      a.getDroppedDims() != b.getDroppedDims() ||
      getOuterOffsets(a) != getOuterOffsets(b))
    return false;
  LastDim i = *getLastDim(a), k = *getLastDim(b);
  return i.stride == 1
             ? i.offset == k.offset &&
                   haveSamePairs(a.getSource(), b.getSource())
             : i.offset / 2 == k.offset / 2 && a.getSource() == b.getSource();
}

bool norm::areHalvesOfPairs(Value x, Value y) {
  std::optional<int64_t> parity = getParity(x), other = getParity(y);
  return parity && other && *parity != *other && haveSamePairs(x, y);
}

/// Builds the view of the pairs of which `row` has the even or odd elements.
static Value createPairs(OpBuilder &b, Value row) {
  auto view = row.getDefiningOp<memref::SubViewOp>();
  LastDim dim = *getLastDim(view);
  bool isWhole = dim.stride == 1;
  Value source = isWhole ? createPairs(b, view.getSource()) : view.getSource();
  SmallVector<OpFoldResult> offsets = view.getMixedOffsets(),
                            sizes = view.getMixedSizes(),
                            strides = view.getMixedStrides();
  offsets.back() =
      b.getIndexAttr(isWhole ? 2 * dim.offset : dim.offset - dim.offset % 2);
  sizes.back() = b.getIndexAttr(2 * dim.size);
  strides.back() = b.getIndexAttr(1);
  SmallVector<int64_t> shape(view.getType().getShape());
  shape.back() *= 2;
  MemRefType type = memref::SubViewOp::inferRankReducedResultType(
      shape, cast<MemRefType>(source.getType()), offsets, sizes, strides);
  return memref::SubViewOp::create(b, view.getLoc(), type, source, offsets,
                                   sizes, strides);
}

void RowEmitter::findHalves() {
  for (OpOperand &operand : op->getOpOperands()) {
    Value row = operand.get();
    std::optional<int64_t> parity = getParity(row);
    if (!parity || halves.contains(row) ||
        !isVector(op.getMatchingIndexingMap(&operand)))
      continue;
    auto *same = llvm::find_if(halves, [&](const auto &known) {
      return haveSamePairs(known.first, row);
    });
    Value pairs =
        same == halves.end() ? createPairs(b, row) : same->second.pairs;
    halves[row] = {pairs, *parity};
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

static Value createTwice(ImplicitLocOpBuilder &b, Value v) {
  return b.createOrFold<arith::MulIOp>(v, arith::ConstantIndexOp::create(b, 2),
                                       arith::IntegerOverflowFlags::nsw);
}

Value RowEmitter::createPairMask(Value mask, int64_t width) {
  if (!mask)
    return Value();
  Value size = mask.getDefiningOp<vector::CreateMaskOp>().getOperand(0);
  Value twice = createTwice(b, size);
  return vector::CreateMaskOp::create(
      b, VectorType::get(2 * width, b.getI1Type()), twice);
}

SmallVector<Value> RowEmitter::getPairIndices(ValueRange at) {
  SmallVector<Value> indices(at);
  indices.back() = createTwice(b, at.back());
  return indices;
}

Value RowEmitter::readPairs(Value half, ValueRange at, int64_t width,
                            Value mask) {
  return readAt(halves.lookup(half).pairs, getPairIndices(at), 2 * width,
                createPairMask(mask, width));
}

void RowEmitter::writePairs(OpOperand &init, OpOperand &other, Value v,
                            Value otherV, Value column, Value mask) {
  Half half = halves.lookup(init.get());
  SmallVector<Value> at = getIndices(op.getMatchingIndexingMap(&init), column);
  noteWrite(otherV, other.get(), at, mask);
  noteWrite(v, init.get(), at, mask);
  if (half.parity == 0)
    std::swap(v, otherV);
  int64_t width = cast<VectorType>(v.getType()).getDimSize(0);
  createWrite(vector::InterleaveOp::create(b, otherV, v), half.pairs,
              getPairIndices(at), createPairMask(mask, width));
}

bool RowEmitter::isUniform(Value v) {
  if (auto arg = dyn_cast<BlockArgument>(v);
      arg && arg.getOwner() == op.getBlock())
    return !isVector(op.getMatchingIndexingMap(op.getMatchingOpOperand(arg)));
  Operation *bodyOp = v.getDefiningOp();
  return !bodyOp || bodyOp->getBlock() != op.getBlock() ||
         (!isa<linalg::IndexOp>(bodyOp) &&
          llvm::all_of(bodyOp->getOperands(),
                       [&](Value operand) { return isUniform(operand); }));
}

//===----------------------------------------------------------------------===//
// What is done with both halves
//===----------------------------------------------------------------------===//

namespace {
/// The same operation on the even and on the odd elements.
struct Step {
  Operation *even, *odd;
  unsigned operand; // the one with these elements
};
} // namespace

/// Returns the ops that follow on both halves if they are the same, and nothing
/// else uses these.
static std::optional<Step> matchStep(Value even, Value odd) {
  if (!even.hasOneUse() || !odd.hasOneUse())
    return std::nullopt;
  OpOperand &x = *even.use_begin(), &y = *odd.use_begin();
  Operation *first = x.getOwner(), *second = y.getOwner();
  if (first == second || first->getBlock() != second->getBlock() ||
      first->getName() != second->getName() ||
      first->getAttrs() != second->getAttrs() ||
      first->getResultTypes() != second->getResultTypes() ||
      x.getOperandNumber() != y.getOperandNumber() ||
      !OpTrait::hasElementwiseMappableTraits(first) ||
      first->getNumResults() != 1 || !isMemoryEffectFree(first))
    return std::nullopt;
  for (auto [p, q] :
       llvm::zip(first->getOpOperands(), second->getOpOperands())) {
    auto uniform = p.get().getDefiningOp<vector::BroadcastOp>();
    if (p.getOperandNumber() != x.getOperandNumber() &&
        (p.get() != q.get() || !uniform ||
         isa<VectorType>(uniform.getSourceType())))
      return std::nullopt;
  }
  return Step{first, second, x.getOperandNumber()};
}

/// Below bytes, vectors are shuffled as bytes.
static unsigned getShuffledBits(Value v) {
  return std::max(8u,
                  getElementTypeOrSelf(v.getType()).getIntOrFloatBitWidth());
}

/// Returns the steps to the last one of the narrowest elements, none if these
/// are no narrower than those of `parts`.
static SmallVector<Step> findSteps(vector::DeinterleaveOp parts) {
  SmallVector<Step> steps;
  Value even = parts.getRes1(), odd = parts.getRes2();
  if (parts.getSourceVectorType().getRank() != 1 ||
      !getElementTypeOrSelf(even.getType()).isIntOrFloat())
    return steps;
  unsigned least = getShuffledBits(even);
  size_t kept = 0;
  while (std::optional<Step> step = matchStep(even, odd)) {
    steps.push_back(*step);
    even = step->even->getResult(0);
    odd = step->odd->getResult(0);
    unsigned bits = getShuffledBits(even);
    if (bits < least || (bits == least && kept > 0)) {
      least = bits;
      kept = steps.size();
    }
  }
  steps.truncate(kept);
  return steps;
}

static void sink(IRRewriter &b, vector::DeinterleaveOp parts,
                 ArrayRef<Step> steps) {
  auto [even, odd, operand] = steps.back();
  Location loc = even->getLoc();
  b.setInsertionPoint(even->isBeforeInBlock(odd) ? even : odd);
  Value whole = parts.getSource();
  int64_t lanes = parts.getSourceVectorType().getNumElements();
  for (const Step &step : steps) {
    SmallVector<Value> operands;
    for (Value each : step.even->getOperands()) {
      auto uniform = each.getDefiningOp<vector::BroadcastOp>();
      bool isPart = operands.size() == step.operand;
      operands.push_back(
          isPart ? whole
                 : vector::BroadcastOp::create(
                       b, loc, VectorType::get(lanes, uniform.getSourceType()),
                       uniform.getSource()));
    }
    whole = norm::cloneAtWidth(b, step.even, lanes, operands)->getResult(0);
  }
  auto narrow = vector::DeinterleaveOp::create(b, loc, whole);
  b.replaceOp(even, narrow.getRes1());
  b.replaceOp(odd, narrow.getRes2());
}

void norm::sinkDeinterleaves(IRRewriter &b, Operation *scope) {
  SmallVector<vector::DeinterleaveOp> found;
  scope->walk([&](vector::DeinterleaveOp parts) { found.push_back(parts); });
  for (vector::DeinterleaveOp parts : found)
    if (SmallVector<Step> steps = findSteps(parts); !steps.empty())
      sink(b, parts, steps);
}
