//===- ClusterOps.h - what blocks of a cluster do together ------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Upstream: LLVM 22.1: the gpu dialect has no op by which blocks of a cluster
// wait for each other or reach each other's memory; goes when it has them.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_TARGET_GPU_CLUSTEROPS_H
#define NORM_LIB_TARGET_GPU_CLUSTEROPS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::norm {

/// The barrier of the cluster in two halves. The second one returns when all
/// threads of all blocks have arrived.
void arriveAtClusterBarrier(ImplicitLocOpBuilder &b);
void waitAtClusterBarrier(ImplicitLocOpBuilder &b);

/// Stores `v` to element `slot` (index) of the 1-D workgroup buffer `buffer`
/// as block `peer` (index) of the cluster has it.
void storeRemotely(ImplicitLocOpBuilder &b, Value v, Value buffer, Value slot,
                   Value peer);

/// Whether `op` is what waitAtClusterBarrier creates.
bool isClusterWait(Operation *op);
/// Whether `op` is of those above, which access no global memory.
bool isClusterExchange(Operation *op);

} // namespace mlir::norm

#endif // NORM_LIB_TARGET_GPU_CLUSTEROPS_H
