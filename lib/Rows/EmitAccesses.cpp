//===- EmitAccesses.cpp - operands and bodies of ops over rows ------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "norm/Floats/ValueOrigins.h"
#include "norm/Rows/Vectors.h"

using namespace mlir;
using norm::Place;
using norm::RowEmitter;

void RowEmitter::loadRowScalars() {
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument arg = op.getMatchingBlockArgument(input);
    if (isa<MemRefType>(input->get().getType()) && !arg.use_empty() &&
        !isVector(op.getMatchingIndexingMap(input)) &&
        !llvm::is_contained(op.getDpsInits(), input->get()))
      rowScalars[arg] = read(getPlace(*input, Strip()));
  }
}

Place RowEmitter::getPlace(Value buffer, AffineMap map, const Strip &at) {
  Place place{buffer, {}};
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (dim && dim.getPosition() < indices.size())
      place.at.push_back(indices[dim.getPosition()]);
    else
      place.at.push_back(dim && at.column ? at.column : index(0));
  }
  if (isVector(map))
    std::tie(place.width, place.mask) = std::tie(at.width, at.mask);
  return place;
}

Value RowEmitter::read(const Place &place) {
  if (Value v = isInBlock() || !isWrittenHere(place.buffer)
                    ? values.lookup(place)
                    : Value())
    return v;
  Value v = place.width > 0
                ? createRead(place)
                : memref::LoadOp::create(b, place.buffer, place.at).getResult();
  if (isInBlock())
    values.note(place, v);
  return v;
}

bool RowEmitter::isWrittenHere(Value buffer) {
  return llvm::any_of(op.getDpsInits(), [&](Value init) {
    return norm::mayOverlap(init, buffer);
  });
}

std::optional<int64_t> RowEmitter::getLengthOfPieces(const Place &place) {
  auto type = cast<MemRefType>(place.buffer.getType());
  return !distributed && type.isLastDimUnitStride() &&
                 type.getElementType().isIntOrFloat()
             ? norm::getMaskedLength(place.mask)
             : std::nullopt;
}

void RowEmitter::forEachPiece(const Place &place, int64_t length,
                              PieceFn build) {
  for (int64_t from = 0; from < length;) {
    int64_t size = llvm::bit_floor(static_cast<uint64_t>(length - from));
    Place piece{place.buffer, place.at, size};
    piece.at.back() =
        b.createOrFold<arith::AddIOp>(place.at.back(), index(from));
    build(from, piece);
    from += size;
  }
}

Value RowEmitter::createRead(const Place &place) {
  if (auto *half = halves.find(place.buffer); half != halves.end())
    return vector::DeinterleaveOp::create(b, read(getPairs(place)))
        .getResult(half->second.parity);
  auto type = VectorType::get(place.width,
                              getElementTypeOrSelf(place.buffer.getType()));
  std::optional<int64_t> length = getLengthOfPieces(place);
  // Wider masked loads are fast.
  if (length && type.getElementTypeBitWidth() < 32) {
    Value row = arith::ConstantOp::create(b, b.getZeroAttr(type));
    forEachPiece(place, *length, [&](int64_t from, const Place &piece) {
      row = vector::InsertStridedSliceOp::create(
          b, createRead(piece), row, ArrayRef{from}, ArrayRef<int64_t>{1});
    });
    return row;
  }
  Value padding =
      arith::ConstantOp::create(b, b.getZeroAttr(type.getElementType()));
  auto minor =
      AffineMap::getMinorIdentityMap(place.at.size(), 1, b.getContext());
  return vector::TransferReadOp::create(b, type, place.buffer, place.at,
                                        AffineMapAttr::get(minor), padding,
                                        place.mask, b.getBoolArrayAttr({true}));
}

void RowEmitter::write(Value value, const Place &place) {
  noteWrite(value, place);
  if (place.width > 0)
    createWrite(value, place);
  else
    memref::StoreOp::create(b, value, place.buffer, place.at);
}

void RowEmitter::createWrite(Value vector, const Place &place) {
  if (std::optional<int64_t> length = getLengthOfPieces(place))
    return forEachPiece(place, *length, [&](int64_t from, const Place &piece) {
      createWrite(vector::ExtractStridedSliceOp::create(b, vector, {from},
                                                        {piece.width}, {1}),
                  piece);
    });
  if (passesCaches && isStreamed(place.buffer))
    return storePast(vector, place);
  auto minor =
      AffineMap::getMinorIdentityMap(place.at.size(), 1, b.getContext());
  vector::TransferWriteOp::create(b, vector, place.buffer, place.at,
                                  AffineMapAttr::get(minor), place.mask,
                                  b.getBoolArrayAttr({true}));
}

void RowEmitter::noteWrite(Value v, const Place &place) {
  values.forget(place.buffer);
  if (!isInBlock())
    return;
  if (place.mask) {
    Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(v.getType()));
    v = arith::SelectOp::create(b, place.mask, v, zeros);
  }
  values.note(place, v);
}

Value RowEmitter::broadcast(Value v, int64_t width) {
  if (isa<VectorType>(v.getType()))
    return v;
  return vector::BroadcastOp::create(b, VectorType::get(width, v.getType()), v);
}

Value RowEmitter::buildIndex(linalg::IndexOp indexOp, Value column,
                             int64_t width) {
  uint64_t dim = indexOp.getDim();
  if (dim < indices.size())
    return indices[dim];
  if (width == 0)
    return column;
  auto type = VectorType::get(width, b.getIndexType());
  Value step = vector::StepOp::create(b, type);
  return arith::AddIOp::create(b, broadcast(column, width), step);
}

/// Returns true for a division that is undefined for some divisors. arith says
/// so of quotients, but not of remainders.
static bool mayDivideByZero(Operation &op) {
  if (!isa<arith::DivSIOp, arith::DivUIOp, arith::CeilDivSIOp,
           arith::CeilDivUIOp, arith::FloorDivSIOp, arith::RemSIOp,
           arith::RemUIOp>(op))
    return false;
  APInt divisor;
  return !matchPattern(op.getOperand(1), m_ConstantInt(&divisor)) ||
         divisor.isZero() || divisor.isAllOnes();
}

void RowEmitter::cloneBodyOp(Operation &bodyOp, IRMapping &map,
                             const Strip &at) {
  if (auto indexOp = dyn_cast<linalg::IndexOp>(bodyOp)) {
    map.map(indexOp.getResult(), buildIndex(indexOp, at.column, at.width));
    return;
  }
  auto operands = llvm::map_to_vector(
      bodyOp.getOperands(), [&](Value v) { return map.lookupOrDefault(v); });
  if (!llvm::any_of(ValueRange(operands).getTypes(),
                    llvm::IsaPred<VectorType>)) {
    b.clone(bodyOp, map);
    return;
  }
  for (Value &operand : operands)
    operand = broadcast(operand, at.width);
  // Lanes that the mask excludes divide by 1, because a divisor of 0 is
  // undefined behavior of the whole vector.
  if (at.mask && mayDivideByZero(bodyOp)) {
    Value &divisor = operands[1];
    Value one = arith::ConstantOp::create(
        b, b.getOneAttr(cast<VectorType>(divisor.getType())));
    divisor = arith::SelectOp::create(b, at.mask, divisor, one);
  }
  Operation *wide = norm::cloneAtWidth(b, &bodyOp, at.width, operands);
  map.map(bodyOp.getResults(), wide->getResults());
}

IRMapping RowEmitter::buildBody(const Strip &at) {
  IRMapping map;
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument arg = op.getMatchingBlockArgument(input);
    if (arg.use_empty())
      continue;
    Value v = rowScalars.lookup(arg);
    if (!v)
      v = input->get();
    if (isa<ShapedType>(v.getType()))
      v = read(getPlace(*input, at));
    map.map(arg, v);
  }
  if (getReductions().empty())
    for (auto [init, arg] :
         llvm::zip(op.getDpsInitsMutable(), op.getRegionOutputArgs()))
      if (!arg.use_empty())
        map.map(arg, read(getPlace(init, at)));
  for (Operation &bodyOp : op.getBlock()->without_terminator())
    if (!isCombiner(bodyOp))
      cloneBodyOp(bodyOp, map, at);
  return map;
}

bool RowEmitter::isCombiner(Operation &bodyOp) {
  return llvm::any_of(getReductions(), [&](const Reduction &reduction) {
    return reduction.combiner == &bodyOp;
  });
}

/// Returns true if `v` is computed where `buffer` is known.
static bool isComputedBehind(Value v, Value buffer) {
  Operation *op = v.getDefiningOp(), *place = buffer.getDefiningOp();
  return op && (!place || place->getBlock() != op->getBlock() ||
                place->isBeforeInBlock(op));
}

void RowEmitter::writeResults(const IRMapping &map, const Strip &at) {
  SmallVector<Value> written;
  MutableArrayRef<OpOperand> inits = op.getDpsInitsMutable();
  for (OpOperand &init : inits) {
    Place place = getPlace(init, at);
    Value yielded = op.getMatchingYieldValue(&init)->get();
    Value v = map.lookupOrDefault(yielded);
    if (place.width > 0)
      v = broadcast(v, at.width);
    // A row that is written needs no registers while others are added.
    OpBuilder::InsertionGuard guard(b);
    if (distributed && op.getNumReductionLoops() > 0 &&
        isComputedBehind(v, init.get()))
      b.setInsertionPointAfterValue(v);
    auto *other = llvm::find_if(
        inits, [&](OpOperand &other) { return isOtherHalf(other, init); });
    if (other == inits.end())
      write(v, place);
    else if (other < &init)
      writePairs(v, place, written[other - inits.begin()], other->get());
    written.push_back(v);
  }
}
