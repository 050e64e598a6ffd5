// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(sharding-propagation,shard-partition,canonicalize))' --split-input-file | FileCheck %s

// Rows are split: dw is added over the ranks once, before it is rounded.
// CHECK-LABEL: func @rows(
// CHECK-SAME: tensor<2x64xbf16>, %{{.*}}: tensor<2x64xbf16>, %{{.*}}: tensor<64xbf16>) -> (tensor<2x64xbf16>, tensor<64xbf16>)
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["reduction", "parallel"]
// CHECK: %[[ALL:.*]] = shard.all_reduce %[[SUM]] on @g grid_axes = [0] {norm.split_dim = 0 : i64} : tensor<64xf32> -> tensor<64xf32>
// CHECK-NOT: shard.all_reduce
// CHECK: arith.truncf %{{.*}} : f32 to bf16
shard.grid @g(shape = 4)
func.func @rows(%dy: tensor<8x64xbf16>, %x: tensor<8x64xbf16>, %w: tensor<64xbf16>) -> (tensor<8x64xbf16>, tensor<64xbf16>) {
  %s = shard.sharding @g split_axes = [[0], []] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<8x64xbf16>
  %1 = shard.shard %0 to %s annotate_for_users : tensor<8x64xbf16>
  %i = tensor.empty() : tensor<8x64xbf16>
  %j = tensor.empty() : tensor<64xbf16>
  %d:2 = norm.rmsnorm_backward ins(%dy, %1 : tensor<8x64xbf16>, tensor<8x64xbf16>) weight(%w : tensor<64xbf16>) dx(%i : tensor<8x64xbf16>) dw(%j : tensor<64xbf16>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<8x64xbf16>, tensor<64xbf16>
  return %d#0, %d#1 : tensor<8x64xbf16>, tensor<64xbf16>
}

// -----

// dx alone on whole rows is the op.
// CHECK-LABEL: func @dx(
// CHECK-NOT: shard.all_reduce
// CHECK: norm.rmsnorm_backward ins(%{{.*}}, %{{.*}} : tensor<2x64xf32>, tensor<2x64xf32>)
shard.grid @g(shape = 4)
func.func @dx(%dy: tensor<8x64xf32>, %x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %s = shard.sharding @g split_axes = [[0], []] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<8x64xf32>
  %1 = shard.shard %0 to %s annotate_for_users : tensor<8x64xf32>
  %i = tensor.empty() : tensor<8x64xf32>
  %d = norm.rmsnorm_backward ins(%dy, %1 : tensor<8x64xf32>, tensor<8x64xf32>) dx(%i : tensor<8x64xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<8x64xf32>
  return %d : tensor<8x64xf32>
}

// -----

// The normalized dimension is split, with r given: one f32 a row, for the sum of z * g. dw
// is of the rank's columns.
// CHECK-LABEL: func @hidden(
// CHECK: %[[DOT:.*]] = linalg.generic
// CHECK: %[[ALL:.*]] = shard.all_reduce %[[DOT]] on @g grid_axes = [0] {norm.split_dim = 1 : i64} : tensor<8xf32> -> tensor<8xf32>
// CHECK-NOT: shard.all_reduce
// CHECK: return %{{.*}} : tensor<8x16xf32>, tensor<16xf32>
shard.grid @g(shape = 4)
func.func @hidden(%dy: tensor<8x64xf32>, %x: tensor<8x64xf32>, %w: tensor<64xf32>, %r: tensor<8xf32>) -> (tensor<8x64xf32>, tensor<64xf32>) {
  %s = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<8x64xf32>
  %1 = shard.shard %0 to %s annotate_for_users : tensor<8x64xf32>
  %i = tensor.empty() : tensor<8x64xf32>
  %j = tensor.empty() : tensor<64xf32>
  %d:2 = norm.rmsnorm_backward ins(%dy, %1 : tensor<8x64xf32>, tensor<8x64xf32>) weight(%w : tensor<64xf32>) inv_rms(%r : tensor<8xf32>) dx(%i : tensor<8x64xf32>) dw(%j : tensor<64xf32>) dims = [1] -> tensor<8x64xf32>, tensor<64xf32>
  return %d#0, %d#1 : tensor<8x64xf32>, tensor<64xf32>
}
