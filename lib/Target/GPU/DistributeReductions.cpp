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

#include "ClusterOps.h"
#include "DistributeVectors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "norm/Floats/Lanes.h"
#include "norm/Rows/Rows.h"

using namespace mlir;
using namespace mlir::norm;

/// Combines neighbors until one value is left.
static Value reducePairwise(ImplicitLocOpBuilder &b, vector::CombiningKind kind,
                            SmallVector<Value> values) {
  while (values.size() > 1) {
    SmallVector<Value> next;
    for (size_t i = 0; i + 1 < values.size(); i += 2)
      next.push_back(vector::makeArithReduction(b, b.getLoc(), kind, values[i],
                                                values[i + 1]));
    if (values.size() % 2 != 0)
      next.push_back(values.back());
    values = std::move(next);
  }
  return values.front();
}

/// NVVM has no shuffle of fewer than 32 bits; convert-gpu-to-nvvm makes two of
/// one of 64.
static Value shuffle(ImplicitLocOpBuilder &b, Value v, int64_t offset) {
  Type type = v.getType(), i32 = b.getI32Type();
  auto move = [&](Value word) -> Value {
    Value xorMask = arith::ConstantIntOp::create(b, i32, offset);
    Value lanes = arith::ConstantIntOp::create(b, i32, kWarpSize);
    return gpu::ShuffleOp::create(b, word, xorMask, lanes,
                                  gpu::ShuffleMode::XOR)
        .getShuffleResult();
  };
  unsigned width = type.getIntOrFloatBitWidth();
  if (width >= 32)
    return move(v);
  Type bits = b.getIntegerType(width);
  Lanes wide = Lanes(b, v).bitcast(bits).change<arith::ExtUIOp>(i32);
  return wide.like(move(wide)).change<arith::TruncIOp>(bits).bitcast(type);
}

static Value reduceInWarp(ImplicitLocOpBuilder &b, vector::CombiningKind kind,
                          Value v, int64_t threads) {
  for (int64_t offset = threads / 2; offset > 0; offset /= 2)
    v = vector::makeArithReduction(b, b.getLoc(), kind, v,
                                   shuffle(b, v, offset));
  return v;
}

//===----------------------------------------------------------------------===//
// Several warps
//===----------------------------------------------------------------------===//

/// The barrier of all threads of the row.
static void syncRow(ImplicitLocOpBuilder &b, const KernelPlan &plan) {
  if (plan.cluster == 1) {
    gpu::BarrierOp::create(b);
    return;
  }
  arriveAtClusterBarrier(b);
  waitAtClusterBarrier(b);
}

/// A partial result, or what changes no result where `slots` does not have it.
static Value loadSlot(ImplicitLocOpBuilder &b, vector::CombiningKind kind,
                      Value buffer, Value slot, int64_t slots) {
  Lanes at(b, slot);
  Value inside = at.is(arith::CmpIPredicate::ult, slots);
  Value partial = memref::LoadOp::create(
      b, buffer, Value(at.apply<arith::MinUIOp>(slots - 1)));
  Value neutral =
      arith::ConstantOp::create(b, getNeutralElement(kind, partial.getType()));
  return arith::SelectOp::create(b, inside, partial, neutral);
}

/// Warp w of block r writes its value to slot r*W + w of every block's
/// workgroup memory; after one barrier each block reads only its own. So no
/// block has to stay for another's reads (CUDA C++ programming guide,
/// "Distributed shared memory").
static Value reduceOverWarps(ImplicitLocOpBuilder &b, ThreadLayout &layout,
                             vector::CombiningKind kind, Value v, bool inLoop) {
  int64_t slots = layout.threads / kWarpSize;
  auto space =
      gpu::AddressSpaceAttr::get(b.getContext(), gpu::AddressSpace::Workgroup);
  Value buffer = layout.launch.addWorkgroupAttribution(
      MemRefType::get(slots, v.getType(), MemRefLayoutAttrInterface(), space),
      b.getLoc());
  Lanes thread(b, layout.launch.getThreadIds().x);
  Lanes lane = thread.apply<arith::RemUIOp>(kWarpSize),
        warp = thread.apply<arith::DivUIOp>(kWarpSize);
  Value hasPeer = lane.is(arith::CmpIPredicate::ult, layout.cluster);
  scf::IfOp::create(b, hasPeer, [&](OpBuilder &, Location) {
    if (layout.cluster == 1) {
      memref::StoreOp::create(b, v, buffer, Value(warp));
    } else {
      Lanes rank(b, gpu::ClusterBlockIdOp::create(b, gpu::Dimension::x));
      storeRemotely(b, v, buffer, rank * (slots / layout.cluster) + warp, lane);
    }
    scf::YieldOp::create(b);
  });
  syncRow(b, layout);
  // What a lane has of the slots, for a butterfly over a power of two of them.
  int64_t lanes = std::min<int64_t>(llvm::PowerOf2Ceil(slots), kWarpSize);
  Lanes first = lane & (lanes - 1);
  SmallVector<Value> partials;
  for (int64_t begin = 0; begin < slots; begin += lanes) {
    Value slot = begin == 0 ? first : first + begin;
    partials.push_back(begin + lanes <= slots
                           ? memref::LoadOp::create(b, buffer, slot)
                           : loadSlot(b, kind, buffer, slot, slots));
  }
  // The next iteration writes the slots again.
  if (inLoop)
    syncRow(b, layout);
  return reduceInWarp(b, kind, reducePairwise(b, kind, partials), lanes);
}

Value norm::reduceOverRow(ImplicitLocOpBuilder &b, ThreadLayout layout,
                          vector::CombiningKind kind, ArrayRef<Value> chunks,
                          bool inLoop) {
  Value chunk = reducePairwise(b, kind, SmallVector<Value>(chunks));
  SmallVector<Value> lanes;
  for (int64_t v = 0; v < layout.vector; ++v)
    lanes.push_back(vector::ExtractOp::create(b, chunk, v));
  Value v = reduceInWarp(b, kind, reducePairwise(b, kind, lanes),
                         std::min(layout.threads, kWarpSize));
  return layout.threads > kWarpSize
             ? reduceOverWarps(b, layout, kind, v, inLoop)
             : v;
}
