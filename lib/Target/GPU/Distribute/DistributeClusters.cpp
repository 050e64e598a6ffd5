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
void VectorDistributor::waitForClusterStart() {
  if (layout.cluster == 1 || clusterStarted)
    return;
  waitAtClusterBarrier(b, b.getLoc());
  clusterStarted = true;
}

void VectorDistributor::syncCluster() {
  arriveAtClusterBarrier(b, b.getLoc());
  waitAtClusterBarrier(b, b.getLoc());
}

Value VectorDistributor::reduceOverCluster(vector::CombiningKind kind, Value v,
                                           Value buffer, bool inLoop) {
  int64_t warps = layout.threads / layout.cluster / kWarpSize;
  Value size = index(kWarpSize);
  Value lane = arith::RemUIOp::create(b, layout.blockThread, size);
  Value warp = arith::DivUIOp::create(b, layout.blockThread, size);
  Value hasPeer = arith::CmpIOp::create(b, arith::CmpIPredicate::ult, lane,
                                        index(layout.cluster));
  scf::IfOp::create(b, hasPeer, [&](OpBuilder &, Location) {
    Value first = arith::MulIOp::create(b, layout.rank, index(warps));
    Value slot = arith::AddIOp::create(b, first, warp);
    storeRemotely(b, b.getLoc(), v, buffer, slot, lane);
    scf::YieldOp::create(b);
  });
  syncCluster();
  int64_t slots = layout.cluster * warps;
  int64_t lanes = std::min<int64_t>(llvm::PowerOf2Ceil(slots), kWarpSize);
  SmallVector<Value> partials;
  if (slots <= kWarpSize)
    partials.push_back(loadPartial(kind, buffer, lane, slots));
  for (int64_t slot = 0; slots > kWarpSize && slot < slots; slot += kWarpSize) {
    Value at = arith::AddIOp::create(b, lane, index(slot));
    partials.push_back(slot + kWarpSize <= slots
                           ? memref::LoadOp::create(b, buffer, at)
                           : loadSlot(kind, buffer, at, slots));
  }
  // The next iteration writes the slots again.
  if (inLoop)
    syncCluster();
  return reduceInWarp(kind, reducePairwise(b, kind, partials), lanes);
}
