// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-merge-all-reduces))' --split-input-file | FileCheck %s

// Two sums that are ready at once are one message; of different numbers of rows too, and
// what computes the second moves ahead.
// CHECK-LABEL: func @merged(
// CHECK-SAME: %[[A:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<?xf32>)
// CHECK: %[[N:.*]] = arith.negf %[[B]]
// CHECK: %[[FIRST:.*]] = tensor.insert_slice %[[A]] into %{{.*}}[0] [8] [1] : tensor<8xf32>
// CHECK: %[[BOTH:.*]] = tensor.insert_slice %[[N]] into %[[FIRST]][8] [%{{.*}}] [1]
// CHECK: %[[ALL:.*]] = shard.all_reduce %[[BOTH]] on @g grid_axes = [0] : tensor<?xf32> -> tensor<?xf32>
// CHECK-NOT: shard.all_reduce
// CHECK: %[[X:.*]] = tensor.extract_slice %[[ALL]][0] [8] [1] : tensor<?xf32> to tensor<8xf32>
// CHECK: %[[Y:.*]] = tensor.extract_slice %[[ALL]][8] [%{{.*}}] [1] : tensor<?xf32> to tensor<?xf32>
// CHECK: %[[S:.*]] = math.sqrt %[[X]]
// CHECK: return %[[S]], %[[Y]]
shard.grid @g(shape = 2)
func.func @merged(%a: tensor<8xf32>, %b: tensor<?xf32>) -> (tensor<8xf32>, tensor<?xf32>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = math.sqrt %0 : tensor<8xf32>
  %2 = arith.negf %b : tensor<?xf32>
  %3 = shard.all_reduce %2 on @g grid_axes = [0] : tensor<?xf32> -> tensor<?xf32>
  return %1, %3 : tensor<8xf32>, tensor<?xf32>
}

// -----

// The second needs the first, but the third does not: the first and third are one.
// CHECK-LABEL: func @dependent(
// CHECK: %[[ALL:.*]] = shard.all_reduce %{{.*}} : tensor<16xf32> -> tensor<16xf32>
// CHECK: %[[X:.*]] = tensor.extract_slice %[[ALL]][0] [8] [1]
// CHECK: %[[Z:.*]] = tensor.extract_slice %[[ALL]][8] [8] [1]
// CHECK: %[[S:.*]] = math.sqrt %[[X]]
// CHECK: %[[Y:.*]] = shard.all_reduce %[[S]] on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
// CHECK-NOT: shard.all_reduce
// CHECK: return %[[Y]], %[[Z]]
shard.grid @g(shape = 2)
func.func @dependent(%a: tensor<8xf32>, %b: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = math.sqrt %0 : tensor<8xf32>
  %2 = shard.all_reduce %1 on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %3 = shard.all_reduce %b on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  return %2, %3 : tensor<8xf32>, tensor<8xf32>
}

// -----

// Other axes, other reductions, other types, other inner extents, rank 0, memrefs: each
// stays alone.
// CHECK-LABEL: func @unlike(
// CHECK-NOT: tensor.insert_slice
// CHECK-COUNT-7: shard.all_reduce
shard.grid @g(shape = 2x2)
func.func @unlike(%a: tensor<8xf32>, %b: tensor<8xf64>, %c: tensor<8x2xf32>, %d: tensor<f32>, %m: memref<8xf32>) -> (tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf64>, tensor<8x2xf32>, tensor<f32>, memref<8xf32>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8xf32> -> tensor<8xf32>
  %1 = shard.all_reduce %a on @g grid_axes = [1] : tensor<8xf32> -> tensor<8xf32>
  %2 = shard.all_reduce %a on @g grid_axes = [0] reduction = max : tensor<8xf32> -> tensor<8xf32>
  %3 = shard.all_reduce %b on @g grid_axes = [0] : tensor<8xf64> -> tensor<8xf64>
  %4 = shard.all_reduce %c on @g grid_axes = [0] : tensor<8x2xf32> -> tensor<8x2xf32>
  %5 = shard.all_reduce %d on @g grid_axes = [0] : tensor<f32> -> tensor<f32>
  %6 = shard.all_reduce %m on @g grid_axes = [0] : memref<8xf32> -> memref<8xf32>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf64>, tensor<8x2xf32>, tensor<f32>, memref<8xf32>
}

// -----

// Dynamic extents after the first dimension may differ.
// CHECK-LABEL: func @dynamic(
// CHECK-NOT: tensor.insert_slice
// CHECK-COUNT-2: shard.all_reduce
shard.grid @g(shape = 2)
func.func @dynamic(%a: tensor<8x?xf32>, %b: tensor<8x?xf32>) -> (tensor<8x?xf32>, tensor<8x?xf32>) {
  %0 = shard.all_reduce %a on @g grid_axes = [0] : tensor<8x?xf32> -> tensor<8x?xf32>
  %1 = shard.all_reduce %b on @g grid_axes = [0] : tensor<8x?xf32> -> tensor<8x?xf32>
  return %0, %1 : tensor<8x?xf32>, tensor<8x?xf32>
}
