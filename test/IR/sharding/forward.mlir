// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(sharding-propagation))' --split-input-file | FileCheck %s --check-prefix=PROPAGATED
// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(sharding-propagation,shard-partition,canonicalize))' --split-input-file | FileCheck %s

// Rows are split: no collective, the op on the rows of the rank, the weight whole.
// PROPAGATED-LABEL: func @rows(
// PROPAGATED: %[[W:.*]] = shard.sharding @g split_axes = {{\[\[}}]] : !shard.sharding
// PROPAGATED: %[[S:.*]] = shard.shard %{{.*}} to %[[W]] annotate_for_users : tensor<64xf32>
// PROPAGATED: norm.rmsnorm ins(%{{.*}}, %[[S]] : tensor<8x64xf32>, tensor<64xf32>)
// CHECK-LABEL: func @rows(
// CHECK-SAME: %[[X:.*]]: tensor<2x64xf32>, %[[W:.*]]: tensor<64xf32>) -> tensor<2x64xf32>
// CHECK-NOT: shard.all_reduce
// CHECK: norm.rmsnorm ins(%[[X]], %[[W]] : tensor<2x64xf32>, tensor<64xf32>)
shard.grid @g(shape = 4)
func.func @rows(%x: tensor<8x64xf32>, %w: tensor<64xf32>) -> tensor<8x64xf32> {
  %s = shard.sharding @g split_axes = [[0], []] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<8x64xf32>
  %1 = shard.shard %0 to %s annotate_for_users : tensor<8x64xf32>
  %e = tensor.empty() : tensor<8x64xf32>
  %y = norm.rmsnorm ins(%1, %w : tensor<8x64xf32>, tensor<64xf32>) outs(%e : tensor<8x64xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

// -----

// The normalized dimension is split, and rows over the other axis: one f32 a row is added
// over the ranks of the row, the n of the whole row divides, the weight is split too. An
// f16 row is summed in f32.
// PROPAGATED-LABEL: func @hidden(
// PROPAGATED: %[[W:.*]] = shard.sharding @g split_axes = {{\[\[}}1]] : !shard.sharding
// PROPAGATED: shard.shard %{{.*}} to %[[W]] annotate_for_users : tensor<64xf16>
// CHECK-LABEL: func @hidden(
// CHECK-SAME: %[[X:.*]]: tensor<4x32xf16>, %[[W:.*]]: tensor<32xf16>) -> tensor<4x32xf16>
// CHECK-DAG: %[[N:.*]] = arith.constant 6.400000e+01 : f32
// CHECK: %[[LOCAL:.*]] = linalg.generic {{.*}} ins(%[[X]] : tensor<4x32xf16>)
// CHECK: %[[ALL:.*]] = shard.all_reduce %[[LOCAL]] on @g grid_axes = [1] {norm.split_dim = 1 : i64} : tensor<4xf32> -> tensor<4xf32>
// CHECK-NOT: shard.all_reduce
// CHECK: linalg.generic {{.*}} ins(%[[ALL]] : tensor<4xf32>)
// CHECK: arith.divf %{{.*}}, %[[N]] : f32
// CHECK: linalg.generic {{.*}} ins(%[[X]], %{{.*}}, %[[W]] : tensor<4x32xf16>, tensor<4xf32>, tensor<32xf16>)
shard.grid @g(shape = 2x2)
func.func @hidden(%x: tensor<8x64xf16>, %w: tensor<64xf16>) -> tensor<8x64xf16> {
  %s = shard.sharding @g split_axes = [[0], [1]] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<8x64xf16>
  %1 = shard.shard %0 to %s annotate_for_users : tensor<8x64xf16>
  %e = tensor.empty() : tensor<8x64xf16>
  %y = norm.rmsnorm ins(%1, %w : tensor<8x64xf16>, tensor<64xf16>) outs(%e : tensor<8x64xf16>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<8x64xf16>
  return %y : tensor<8x64xf16>
}

// -----

// S8: inv_rms is that of the whole row.
// CHECK-LABEL: func @inv_rms(
// CHECK-SAME: -> (tensor<8x32xf32>, tensor<8xf32>)
// CHECK-COUNT-1: shard.all_reduce
// CHECK-NOT: shard.all_reduce
shard.grid @g(shape = 2)
func.func @inv_rms(%x: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<8xf32>) {
  %s = shard.sharding @g split_axes = [[], [0]] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<8x64xf32>
  %1 = shard.shard %0 to %s annotate_for_users : tensor<8x64xf32>
  %e = tensor.empty() : tensor<8x64xf32>
  %r = tensor.empty() : tensor<8xf32>
  %y:2 = norm.rmsnorm ins(%1 : tensor<8x64xf32>) outs(%e, %r : tensor<8x64xf32>, tensor<8xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<8x64xf32>, tensor<8xf32>
  return %y#0, %y#1 : tensor<8x64xf32>, tensor<8xf32>
}
