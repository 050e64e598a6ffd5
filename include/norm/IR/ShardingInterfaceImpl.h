//===- ShardingInterfaceImpl.h - shard norm ops ---------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_IR_SHARDINGINTERFACEIMPL_H
#define NORM_IR_SHARDINGINTERFACEIMPL_H

#include "mlir/Dialect/Shard/IR/ShardOps.h"

namespace mlir {
class DialectRegistry;
namespace norm {
/// Emits an error at `op` where the ranks do not divide a static extent of
/// `type` evenly: upstream's partition would drop the rest.
LogicalResult verifyEvenParts(Operation *op, ShapedType type,
                              shard::GridOp grid, shard::Sharding sharding);

/// Lets --sharding-propagation and --shard-partition work on norm ops on
/// tensors. Extents that the ranks do not divide evenly are errors.
void registerShardingInterfaceExternalModels(DialectRegistry &registry);
} // namespace norm
} // namespace mlir

#endif // NORM_IR_SHARDINGINTERFACEIMPL_H
