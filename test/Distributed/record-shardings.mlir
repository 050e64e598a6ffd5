// RUN: norm-opt %s --norm-record-shardings | FileCheck %s

shard.grid @g(shape = 2x4)
// CHECK: func.func @f(%{{.*}}: tensor<8x64xf32> {norm.split_axes = [array<i64: 0>, array<i64: 1>]}, %{{.*}}: tensor<64xf32>, %{{.*}}: tensor<8x64xf32> {norm.split_axes = [array<i64: 1, 0>, array<i64>]})
// CHECK-SAME: -> (tensor<8x64xf32> {norm.split_axes = [array<i64: 1, 0>, array<i64>]}, tensor<64xf32>)
// CHECK-SAME: attributes {norm.grid = array<i64: 2, 4>}
func.func @f(%x: tensor<8x64xf32>, %w: tensor<64xf32>, %y: tensor<8x64xf32>) -> (tensor<8x64xf32>, tensor<64xf32>) {
  %s = shard.sharding @g split_axes = [[0], [1]] : !shard.sharding
  %0 = shard.shard %x to %s : tensor<8x64xf32>
  %t = shard.sharding @g split_axes = [[1, 0]] : !shard.sharding
  %1 = shard.shard %y to %t annotate_for_users : tensor<8x64xf32>
  return %1, %w : tensor<8x64xf32>, tensor<64xf32>
}

// CHECK: func.func @whole(%{{.*}}: tensor<8xf32>) -> tensor<8xf32> {
func.func @whole(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}

// What the input says of parts is not true before the partition.
// CHECK-LABEL: func.func @stale
// CHECK-NOT: norm.
// CHECK: return
func.func @stale(%x: tensor<8xf32> {norm.split_axes = [array<i64: 7>]}) -> (tensor<8xf32> {norm.split_axes = [array<i64: 7>]}) attributes {norm.grid = array<i64: 2>} {
  return %x : tensor<8xf32>
}
