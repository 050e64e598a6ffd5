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
using norm::RowEmitter;

void RowEmitter::loadRowScalars() {
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument arg = op.getMatchingBlockArgument(input);
    AffineMap map = op.getMatchingIndexingMap(input);
    if (isa<MemRefType>(input->get().getType()) && !arg.use_empty() &&
        !isVector(map) && !llvm::is_contained(op.getDpsInits(), input->get()))
      rowScalars[arg] = read(input->get(), map, Value(), 0, Value());
  }
}

SmallVector<Value> RowEmitter::getIndices(AffineMap map, Value column) {
  SmallVector<Value> result;
  for (AffineExpr expr : map.getResults()) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (!dim)
      result.push_back(index(0));
    else if (dim.getPosition() < indices.size())
      result.push_back(indices[dim.getPosition()]);
    else
      result.push_back(column ? column : index(0));
  }
  return result;
}

Value RowEmitter::read(Value buffer, AffineMap map, Value column, int64_t width,
                       Value mask) {
  SmallVector<Value> at = getIndices(map, column);
  return isVector(map) ? readAt(buffer, at, width, mask)
                       : readAt(buffer, at, 0, Value());
}

Value RowEmitter::readAt(Value buffer, ValueRange at, int64_t width,
                         Value mask) {
  auto place = norm::Place::get(buffer, at, width, mask);
  if (Value v = isInBlock() || !isWrittenHere(buffer) ? values.lookup(place)
                                                      : Value())
    return v;
  Value v = width > 0 ? createRead(buffer, at, width, mask)
                      : memref::LoadOp::create(b, buffer, at).getResult();
  if (isInBlock())
    values.note(place, v);
  return v;
}

bool RowEmitter::isWrittenHere(Value buffer) {
  return llvm::any_of(op.getDpsInits(), [&](Value init) {
    return norm::mayOverlap(init, buffer);
  });
}

std::optional<int64_t> RowEmitter::getLengthOfPieces(Value row, Value mask) {
  auto type = cast<MemRefType>(row.getType());
  return !distributed && type.isLastDimUnitStride() &&
                 type.getElementType().isIntOrFloat()
             ? norm::getMaskedLength(mask)
             : std::nullopt;
}

void RowEmitter::forEachPiece(int64_t length, ValueRange at, PieceFn build) {
  for (int64_t from = 0; from < length;) {
    int64_t size = llvm::bit_floor(static_cast<uint64_t>(length - from));
    SmallVector<Value> indices(at);
    indices.back() = b.createOrFold<arith::AddIOp>(at.back(), index(from));
    build(from, size, indices);
    from += size;
  }
}

Value RowEmitter::createRead(Value buffer, ValueRange at, int64_t width,
                             Value mask) {
  if (auto *half = halves.find(buffer); half != halves.end())
    return vector::DeinterleaveOp::create(b, readPairs(buffer, at, width, mask))
        .getResult(half->second.parity);
  Type element = getElementTypeOrSelf(buffer.getType());
  std::optional<int64_t> length = getLengthOfPieces(buffer, mask);
  // Wider masked loads are fast.
  if (length && element.getIntOrFloatBitWidth() < 32) {
    Value row = arith::ConstantOp::create(
        b, b.getZeroAttr(VectorType::get(width, element)));
    forEachPiece(*length, at, [&](int64_t from, int64_t size, ValueRange at) {
      Value piece = createRead(buffer, at, size, Value());
      row = vector::InsertStridedSliceOp::create(
          b, piece, row, ArrayRef<int64_t>{from}, ArrayRef<int64_t>{1});
    });
    return row;
  }
  Value padding = arith::ConstantOp::create(b, b.getZeroAttr(element));
  auto minor = AffineMap::getMinorIdentityMap(at.size(), 1, b.getContext());
  return vector::TransferReadOp::create(
      b, VectorType::get(width, element), buffer, at, AffineMapAttr::get(minor),
      padding, mask, b.getBoolArrayAttr({true}));
}

void RowEmitter::write(Value value, Value buffer, AffineMap map, Value column,
                       Value mask) {
  SmallVector<Value> at = getIndices(map, column);
  noteWrite(value, buffer, at, mask);
  if (isVector(map))
    createWrite(value, buffer, at, mask);
  else
    memref::StoreOp::create(b, value, buffer, at);
}

void RowEmitter::createWrite(Value vector, Value buffer, ValueRange at,
                             Value mask) {
  if (std::optional<int64_t> length = getLengthOfPieces(buffer, mask))
    return forEachPiece(*length, at,
                        [&](int64_t from, int64_t size, ValueRange at) {
                          Value piece = vector::ExtractStridedSliceOp::create(
                              b, vector, ArrayRef<int64_t>{from},
                              ArrayRef<int64_t>{size}, ArrayRef<int64_t>{1});
                          createWrite(piece, buffer, at, Value());
                        });
  if (passesCaches && isStreamed(buffer))
    return storePast(vector, buffer, at);
  auto minor = AffineMap::getMinorIdentityMap(at.size(), 1, b.getContext());
  vector::TransferWriteOp::create(b, vector, buffer, at,
                                  AffineMapAttr::get(minor), mask,
                                  b.getBoolArrayAttr({true}));
}

void RowEmitter::noteWrite(Value v, Value buffer, ValueRange at, Value mask) {
  values.forget(buffer);
  auto vector = dyn_cast<VectorType>(v.getType());
  int64_t width = vector ? vector.getDimSize(0) : 0;
  if (!isInBlock())
    return;
  if (mask) {
    Value zeros = arith::ConstantOp::create(b, b.getZeroAttr(vector));
    v = arith::SelectOp::create(b, mask, v, zeros);
  }
  values.note(norm::Place::get(buffer, at, width, mask), v);
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

void RowEmitter::cloneBodyOp(Operation &bodyOp, IRMapping &map, Value column,
                             int64_t width, Value mask) {
  if (auto indexOp = dyn_cast<linalg::IndexOp>(bodyOp)) {
    map.map(indexOp.getResult(), buildIndex(indexOp, column, width));
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
    operand = broadcast(operand, width);
  // Lanes that the mask excludes divide by 1, because a divisor of 0 is
  // undefined behavior of the whole vector.
  if (mask && mayDivideByZero(bodyOp)) {
    Value &divisor = operands[1];
    Value one = arith::ConstantOp::create(
        b, b.getOneAttr(cast<VectorType>(divisor.getType())));
    divisor = arith::SelectOp::create(b, mask, divisor, one);
  }
  Operation *wide = norm::cloneAtWidth(b, &bodyOp, width, operands);
  map.map(bodyOp.getResults(), wide->getResults());
}

IRMapping RowEmitter::buildBody(Value column, int64_t width, Value mask) {
  IRMapping map;
  for (OpOperand *input : op.getDpsInputOperands()) {
    BlockArgument arg = op.getMatchingBlockArgument(input);
    if (arg.use_empty())
      continue;
    Value v = rowScalars.lookup(arg);
    if (!v)
      v = input->get();
    if (isa<ShapedType>(v.getType()))
      v = read(v, op.getMatchingIndexingMap(input), column, width, mask);
    map.map(arg, v);
  }
  if (getReductions().empty())
    for (auto [init, arg] :
         llvm::zip(op.getDpsInitsMutable(), op.getRegionOutputArgs()))
      if (!arg.use_empty())
        map.map(arg, read(init.get(), op.getMatchingIndexingMap(&init), column,
                          width, mask));
  for (Operation &bodyOp : op.getBlock()->without_terminator())
    if (!isCombiner(bodyOp))
      cloneBodyOp(bodyOp, map, column, width, mask);
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

void RowEmitter::writeResults(const IRMapping &map, Value column, int64_t width,
                              Value mask) {
  SmallVector<Value> written;
  MutableArrayRef<OpOperand> inits = op.getDpsInitsMutable();
  for (OpOperand &init : inits) {
    AffineMap outMap = op.getMatchingIndexingMap(&init);
    Value yielded = op.getMatchingYieldValue(&init)->get();
    Value v = map.lookupOrDefault(yielded);
    if (isVector(outMap))
      v = broadcast(v, width);
    // A row that is written needs no registers while others are added.
    OpBuilder::InsertionGuard guard(b);
    if (distributed && op.getNumReductionLoops() > 0 &&
        isComputedBehind(v, init.get()))
      b.setInsertionPointAfterValue(v);
    auto *other = llvm::find_if(
        inits, [&](OpOperand &other) { return isOtherHalf(other, init); });
    if (other == inits.end())
      write(v, init.get(), outMap, column, mask);
    else if (other < &init)
      writePairs(init, *other, v, written[other - inits.begin()], column, mask);
    written.push_back(v);
  }
}

void RowEmitter::buildScalar() {
  // A unit innermost loop was an outer one: its index is on the stack.
  writeResults(buildBody(Value(), 0, Value()), Value(), 0, Value());
}
