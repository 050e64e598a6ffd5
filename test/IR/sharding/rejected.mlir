// RUN: not norm-opt %s --pass-pipeline='builtin.module(func.func(sharding-propagation,shard-partition))' --split-input-file 2>&1 | FileCheck %s

// Upstream would give each rank 1024 elements.
// CHECK: rejected.mlir:[[#@LINE+7]]:8: error: 'norm.rmsnorm' op has 4099 elements along dimension 1, which the 4 ranks of its grid axes do not divide evenly
shard.grid @g(shape = 4)
func.func @uneven(%x: tensor<8x4099xf32>) -> tensor<8x4099xf32> {
  %s = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<8x4099xf32>
  %1 = shard.shard %0 to %s annotate_for_users : tensor<8x4099xf32>
  %e = tensor.empty() : tensor<8x4099xf32>
  %y = norm.rmsnorm ins(%1 : tensor<8x4099xf32>) outs(%e : tensor<8x4099xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<8x4099xf32>
  return %y : tensor<8x4099xf32>
}

// -----

// CHECK: rejected.mlir:[[#@LINE+6]]:8: error: 'norm.rmsnorm' op cannot be sharded along the dynamic dimension 1, because the n of S1 must be that of the whole row
shard.grid @g(shape = 4)
func.func @dynamic(%x: tensor<8x?xf32>, %e: tensor<8x?xf32>) -> tensor<8x?xf32> {
  %s = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<8x?xf32>
  %1 = shard.shard %0 to %s annotate_for_users : tensor<8x?xf32>
  %y = norm.rmsnorm ins(%1 : tensor<8x?xf32>) outs(%e : tensor<8x?xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<8x?xf32>
  return %y : tensor<8x?xf32>
}

// -----

// CHECK: rejected.mlir:[[#@LINE+7]]:8: error: 'norm.rmsnorm' op S7: rows with a count cannot be sharded along their normalized dimension
shard.grid @g(shape = 4)
func.func @count(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %s = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<8x64xf32>
  %1 = shard.shard %0 to %s annotate_for_users : tensor<8x64xf32>
  %e = tensor.empty() : tensor<8x64xf32>
  %y = norm.rmsnorm ins(%1 : tensor<8x64xf32>) outs(%e : tensor<8x64xf32>) dims = [1] epsilon = 1.0e-6 : f32 count = 10 -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}
