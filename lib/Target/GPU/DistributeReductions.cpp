//===- DistributeReductions.cpp - reductions over the threads of a row ----===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order: chunks pairwise, lanes pairwise, then a butterfly in the warp and
// a butterfly over the warps (of all blocks of the row). Each step combines the
// same two values in either order in both partners, so that all threads end
// with the same bits.
//
//===----------------------------------------------------------------------===//

#include "VectorDistributor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "norm/Transforms/Transforms.h"

using namespace mlir;
using namespace mlir::norm;

Value norm::reducePairwise(OpBuilder &b, Location loc,
                           vector::CombiningKind kind,
                           SmallVector<Value> values) {
  while (values.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < values.size(); i += 2)
      next.push_back(
          vector::makeArithReduction(b, loc, kind, values[i], values[i + 1]));
    if (values.size() % 2 != 0)
      next.push_back(values.back());
    values = std::move(next);
  }
  return values.front();
}

Value VectorDistributor::reduceInThread(Location loc,
                                        vector::CombiningKind kind,
                                        const Chunks &values) {
  Value chunk = reducePairwise(b, loc, kind, values);
  SmallVector<Value> lanes;
  for (int64_t v = 0; v < layout.vector; ++v)
    lanes.push_back(
        vector::ExtractOp::create(b, loc, chunk, ArrayRef<int64_t>{v}));
  return reducePairwise(b, loc, kind, lanes);
}

/// gpu.shuffle moves 32 bits; 16-bit floats travel as f32, which holds them,
/// and 64-bit values as two halves.
Value VectorDistributor::shuffle(Location loc, Value v, int64_t offset) {
  Type type = v.getType(), i32 = b.getI32Type(), i64 = b.getI64Type();
  auto move = [&](Value word) -> Value {
    Value xorMask = arith::ConstantIntOp::create(b, loc, i32, offset);
    Value width = arith::ConstantIntOp::create(b, loc, i32, kWarpSize);
    return gpu::ShuffleOp::create(b, loc, word, xorMask, width,
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits == 32)
    return move(v);
  if (bits < 32 && isa<FloatType>(type)) {
    Value wide = arith::ExtFOp::create(b, loc, b.getF32Type(), v);
    return arith::TruncFOp::create(b, loc, type, move(wide));
  }
  if (bits < 32) {
    Value wide = arith::ExtUIOp::create(b, loc, i32, v);
    return arith::TruncIOp::create(b, loc, type, move(wide));
  }
  Value word = type == i64 ? v : arith::BitcastOp::create(b, loc, i64, v);
  Value shift = arith::ConstantIntOp::create(b, loc, i64, 32);
  Value low = arith::TruncIOp::create(b, loc, i32, word);
  Value high = arith::TruncIOp::create(
      b, loc, i32, arith::ShRUIOp::create(b, loc, word, shift));
  low = arith::ExtUIOp::create(b, loc, i64, move(low));
  high = arith::ExtUIOp::create(b, loc, i64, move(high));
  high = arith::ShLIOp::create(b, loc, high, shift);
  word = arith::OrIOp::create(b, loc, low, high);
  return type == i64 ? word : arith::BitcastOp::create(b, loc, type, word);
}

Value VectorDistributor::reduceInWarp(Location loc, vector::CombiningKind kind,
                                      Value v, int64_t threads) {
  for (int64_t offset = threads / 2; offset > 0; offset /= 2)
    v = vector::makeArithReduction(b, loc, kind, v, shuffle(loc, v, offset));
  return v;
}

/// A partial result, or what changes no result where `slots` does not have it.
Value VectorDistributor::loadSlot(Location loc, vector::CombiningKind kind,
                                  Value buffer, Value slot, int64_t slots) {
  Value last = index(loc, slots - 1);
  Value inside =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ule, slot, last);
  slot = arith::MinUIOp::create(b, loc, slot, last);
  Value partial = memref::LoadOp::create(b, loc, buffer, slot);
  Value neutral = arith::ConstantOp::create(
      b, loc, getNeutralElement(kind, partial.getType()));
  return arith::SelectOp::create(b, loc, inside, partial, neutral);
}

/// What a lane has of the warps' partial results, for a butterfly over a power
/// of two of them.
Value VectorDistributor::loadPartial(Location loc, vector::CombiningKind kind,
                                     Value buffer, Value lane, int64_t warps) {
  int64_t slots = llvm::PowerOf2Ceil(warps);
  Value slot = arith::AndIOp::create(b, loc, lane, index(loc, slots - 1));
  if (slots == warps)
    return memref::LoadOp::create(b, loc, buffer, slot);
  return loadSlot(loc, kind, buffer, slot, warps);
}

Value VectorDistributor::reduceOverWarps(Location loc,
                                         vector::CombiningKind kind, Value v,
                                         Value buffer, bool inLoop) {
  int64_t warps = layout.threads / kWarpSize;
  Value size = index(loc, kWarpSize);
  Value lane = arith::RemUIOp::create(b, loc, layout.thread, size);
  Value warp = arith::DivUIOp::create(b, loc, layout.thread, size);
  Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, lane,
                                        index(loc, 0));
  scf::IfOp::create(b, loc, isFirst, [&](OpBuilder &, Location) {
    memref::StoreOp::create(b, loc, v, buffer, warp);
    scf::YieldOp::create(b, loc);
  });
  gpu::BarrierOp::create(b, loc);
  Value partial = loadPartial(loc, kind, buffer, lane, warps);
  // The next turn writes the buffer again.
  if (inLoop)
    gpu::BarrierOp::create(b, loc);
  return reduceInWarp(loc, kind, partial, llvm::PowerOf2Ceil(warps));
}

void VectorDistributor::distributeReduction(vector::ReductionOp op) {
  Location loc = op.getLoc();
  vector::CombiningKind kind = op.getKind();
  Value v = reduceInThread(loc, kind, getChunks(op.getVector()));
  v = reduceInWarp(loc, kind, v, std::min(layout.threads, kWarpSize));
  bool inLoop = op->getParentOfType<scf::ForOp>() != nullptr;
  if (layout.cluster > 1)
    v = reduceOverCluster(loc, kind, v, layout.exchange[nextExchange++],
                          inLoop);
  else if (layout.threads > kWarpSize)
    v = reduceOverWarps(loc, kind, v, layout.exchange[nextExchange++], inLoop);
  if (op.getAcc())
    v = vector::makeArithReduction(b, loc, kind, v,
                                   scalars.lookupOrDefault(op.getAcc()));
  scalars.map(op.getDest(), v);
}
