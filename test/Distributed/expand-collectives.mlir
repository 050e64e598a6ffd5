// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-expand-collectives,canonicalize))' | FileCheck %s

shard.grid @g(shape = 2x4)

// The second dimension, of ranks along the second grid axis: 4 parts of 16 columns.
// CHECK: #[[$FIRST:.*]] = affine_map<()[s0] -> (s0 * 16)>
// CHECK-LABEL: func.func @gather
// CHECK: %[[BITS:.*]] = arith.bitcast %arg0 : tensor<8x16xbf16> to tensor<8x16xi16>
// CHECK: %[[ZEROS:.*]] = linalg.fill {{.*}} -> tensor<8x64xi16>
// CHECK: %[[RANK:.*]] = shard.process_multi_index on @g axes = [1]
// CHECK: %[[AT:.*]] = affine.apply #[[$FIRST]]()[%[[RANK]]]
// CHECK: %[[OWN:.*]] = tensor.insert_slice %[[BITS]] into %[[ZEROS]][0, %[[AT]]] [8, 16] [1, 1]
// CHECK: %[[ALL:.*]] = shard.all_reduce %[[OWN]] on @g grid_axes = [1] : tensor<8x64xi16> -> tensor<8x64xi16>
// CHECK: arith.bitcast %[[ALL]] : tensor<8x64xi16> to tensor<8x64xbf16>
func.func @gather(%x: tensor<8x16xbf16>) -> tensor<8x64xbf16> {
  %0 = shard.all_gather %x on @g grid_axes = [1] gather_axis = 1 : tensor<8x16xbf16> -> tensor<8x64xbf16>
  return %0 : tensor<8x64xbf16>
}

// CHECK-LABEL: func.func @integers
// CHECK-NOT: bitcast
// CHECK: shard.all_reduce {{.*}} : tensor<8xi32> -> tensor<8xi32>
func.func @integers(%x: tensor<2xi32>) -> tensor<8xi32> {
  %0 = shard.all_gather %x on @g grid_axes = [1] gather_axis = 0 : tensor<2xi32> -> tensor<8xi32>
  return %0 : tensor<8xi32>
}

// CHECK-LABEL: func.func @slice
// CHECK-NOT: shard.all_slice
// CHECK: tensor.extract_slice %arg0[%{{.*}}] [2] [1] : tensor<8xf32> to tensor<2xf32>
func.func @slice(%x: tensor<8xf32>) -> tensor<2xf32> {
  %0 = shard.all_slice %x on @g grid_axes = [1] slice_axis = 0 : tensor<8xf32> -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// Half a byte has no datatype, and a dynamic extent no known place: conversions say so.
// CHECK-LABEL: func.func @left
// CHECK: shard.all_gather %arg0
// CHECK: shard.all_gather %arg1
func.func @left(%x: tensor<2xi4>, %y: tensor<?xf32>) -> (tensor<8xi4>, tensor<?xf32>) {
  %0 = shard.all_gather %x on @g grid_axes = [1] gather_axis = 0 : tensor<2xi4> -> tensor<8xi4>
  %1 = shard.all_gather %y on @g grid_axes = [1] gather_axis = 0 : tensor<?xf32> -> tensor<?xf32>
  return %0, %1 : tensor<8xi4>, tensor<?xf32>
}

// MPI orders neither NaN nor zeros: the maximum is one of integers, and NaN the largest.
// CHECK-LABEL: func.func @maximum
// CHECK: %[[NAN:.*]] = arith.constant dense<0x7FC00000> : tensor<8xf32>
// CHECK: %[[IS:.*]] = arith.cmpf uno, %arg0, %arg0
// CHECK: arith.select %[[IS]], %[[NAN]], %arg0
// CHECK: shard.all_reduce {{.*}} reduction = max : tensor<8xi32> -> tensor<8xi32>
// CHECK: arith.bitcast {{.*}} : tensor<8xi32> to tensor<8xf32>
func.func @maximum(%x: tensor<8xf32>) -> tensor<8xf32> {
  %0 = shard.all_reduce %x on @g grid_axes = [1] reduction = max : tensor<8xf32> -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @minimum
// CHECK: arith.constant dense<0xFE00> : tensor<8xf16>
// CHECK: shard.all_reduce {{.*}} reduction = min : tensor<8xi16> -> tensor<8xi16>
func.func @minimum(%x: tensor<8xf16>) -> tensor<8xf16> {
  %0 = shard.all_reduce %x on @g grid_axes = [1] reduction = min : tensor<8xf16> -> tensor<8xf16>
  return %0 : tensor<8xf16>
}

// The place in the grid is found before the loop.
// CHECK-LABEL: func.func @place
// CHECK: shard.process_multi_index
// CHECK: linalg.generic
// CHECK-NOT: shard.
func.func @place(%o: tensor<8xindex>) -> tensor<8xindex> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%o : tensor<8xindex>) {
  ^bb0(%a: index):
    %r = shard.process_multi_index on @g axes = [1] : index
    linalg.yield %r : index
  } -> tensor<8xindex>
  return %0 : tensor<8xindex>
}
