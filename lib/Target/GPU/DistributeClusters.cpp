//===- DistributeClusters.cpp - reductions over the blocks of a row -------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Warp w of block r writes its value to slot r*W + w of every block's workgroup
// memory; after one barrier of the cluster each block reads only its own. So no
// block has to stay for another's reads (CUDA C++ programming guide,
// "Distributed shared memory").
//
//===----------------------------------------------------------------------===//

#include "ClusterOps.h"
#include "VectorDistributor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;
using namespace mlir::norm;

/// Memory of a block that has not started cannot be written.
void VectorDistributor::waitForClusterStart(Location loc) {
  if (layout.cluster == 1 || clusterStarted)
    return;
  waitAtClusterBarrier(b, loc);
  clusterStarted = true;
}

void VectorDistributor::syncCluster(Location loc) {
  arriveAtClusterBarrier(b, loc);
  waitAtClusterBarrier(b, loc);
}

Value VectorDistributor::reduceOverCluster(Location loc,
                                           vector::CombiningKind kind, Value v,
                                           Value buffer, bool inLoop) {
  int64_t warps = layout.threads / layout.cluster / kWarpSize;
  Value size = index(loc, kWarpSize);
  Value lane = arith::RemUIOp::create(b, loc, layout.blockThread, size);
  Value warp = arith::DivUIOp::create(b, loc, layout.blockThread, size);
  Value hasPeer = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, lane,
                                        index(loc, layout.cluster));
  scf::IfOp::create(b, loc, hasPeer, [&](OpBuilder &, Location) {
    Value first = arith::MulIOp::create(b, loc, layout.rank, index(loc, warps));
    Value slot = arith::AddIOp::create(b, loc, first, warp);
    norm::storeRemotely(b, loc, v, buffer, slot, lane);
    scf::YieldOp::create(b, loc);
  });
  syncCluster(loc);
  int64_t slots = layout.cluster * warps;
  int64_t lanes = std::min<int64_t>(llvm::PowerOf2Ceil(slots), kWarpSize);
  SmallVector<Value> partials;
  if (slots <= kWarpSize)
    partials.push_back(loadPartial(loc, kind, buffer, lane, slots));
  for (int64_t slot = 0; slots > kWarpSize && slot < slots; slot += kWarpSize) {
    Value at = arith::AddIOp::create(b, loc, lane, index(loc, slot));
    partials.push_back(slot + kWarpSize <= slots
                           ? memref::LoadOp::create(b, loc, buffer, at)
                           : loadSlot(loc, kind, buffer, at, slots));
  }
  // The next turn writes the slots again.
  if (inLoop)
    syncCluster(loc);
  return reduceInWarp(loc, kind, reducePairwise(b, loc, kind, partials), lanes);
}
