//===- Clusters.h - what blocks of a cluster do together --------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The gpu dialect numbers the blocks of a cluster, but has no op by which they
// wait for each other or reach each other's memory: a target registers its own.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TARGET_GPU_CLUSTERS_H
#define NORM_TARGET_GPU_CLUSTERS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/DialectInterface.h"

namespace mlir::norm {

/// A target's ops for clusters, an interface of the gpu dialect.
class ClusterOpsInterface : public DialectInterface::Base<ClusterOpsInterface> {
public:
  ClusterOpsInterface(Dialect *dialect) : Base(dialect) {}

  /// The barrier of the cluster in two halves. `wait` returns when all threads
  /// of all blocks have arrived.
  virtual void arrive(OpBuilder &b, Location loc) const = 0;
  virtual void wait(OpBuilder &b, Location loc) const = 0;

  /// Stores `v` to element `slot` (index) of the 1-D workgroup buffer `buffer`
  /// as block `peer` (index) of the cluster has it.
  virtual void storeRemotely(OpBuilder &b, Location loc, Value v, Value buffer,
                             Value slot, Value peer) const = 0;

  /// Whether `op` is what `wait` creates.
  virtual bool isWait(Operation *op) const = 0;
  /// Whether `op` is of those above, which access no global memory.
  virtual bool isExchange(Operation *op) const = 0;

  /// What the context's target has; null: no clusters.
  static const ClusterOpsInterface *get(MLIRContext *context) {
    return context->getOrLoadDialect<gpu::GPUDialect>()
        ->getRegisteredInterface<ClusterOpsInterface>();
  }
};

} // namespace mlir::norm

#endif // NORM_TARGET_GPU_CLUSTERS_H
