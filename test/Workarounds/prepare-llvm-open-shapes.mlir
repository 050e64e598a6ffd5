// RUN: norm-opt %s --norm-prepare-llvm --split-input-file | FileCheck %s
// RUN: norm-opt %s --norm-prepare-llvm --expand-strided-metadata --split-input-file | FileCheck %s --check-prefix=UPSTREAM

// Strides are products of the extents inside, and constants where the type has them.
// CHECK: #[[ROWS:.*]] = affine_map<()[s0] -> (s0 * 64)>
// CHECK-LABEL: func @program.batch_and_sequence(
// CHECK-SAME: %[[X:.*]]: memref<?x64xf32>, %[[B:.*]]: index, %[[S:.*]]: index
// CHECK: %[[BASE:.*]], %{{.*}}, %{{.*}}:2, %{{.*}}:2 = memref.extract_strided_metadata %[[X]]
// CHECK: %[[STRIDE:.*]] = affine.apply #[[ROWS]]()[%[[S]]]
// CHECK: memref.reinterpret_cast %[[BASE]] to offset: [0], sizes: [%[[B]], %[[S]], 64], strides: [%[[STRIDE]], 64, 1]
// UPSTREAM-LABEL: func @program.batch_and_sequence(
// UPSTREAM-NOT: expand_shape
func.func @batch_and_sequence(%x: memref<?x64xf32>, %batch: index, %sequence: index) -> memref<?x?x64xf32> {
  %v = memref.expand_shape %x [[0, 1], [2]] output_shape [%batch, %sequence, 64] : memref<?x64xf32> into memref<?x?x64xf32>
  return %v : memref<?x?x64xf32>
}

// -----

// A view keeps its offset.
// CHECK-LABEL: func @program.strided(
// CHECK: %{{.*}}, %[[OFFSET:.*]], %{{.*}}:2, %[[OLD:.*]]:2 = memref.extract_strided_metadata
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [%[[OFFSET]]], sizes: [%{{.*}}, 2, %{{.*}}, 64], strides: [%{{.*}}, %{{.*}}, %[[OLD]]#0, 1]
func.func @strided(%x: memref<?x64xf32, strided<[?, 1], offset: ?>>, %a: index, %b: index) -> memref<?x2x?x64xf32, strided<[?, ?, ?, 1], offset: ?>> {
  %v = memref.expand_shape %x [[0, 1, 2], [3]] output_shape [%a, 2, %b, 64] : memref<?x64xf32, strided<[?, 1], offset: ?>> into memref<?x2x?x64xf32, strided<[?, ?, ?, 1], offset: ?>>
  return %v : memref<?x2x?x64xf32, strided<[?, ?, ?, 1], offset: ?>>
}

// -----

// So is what upstream could do.
// CHECK-LABEL: func @program.one(
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [%{{.*}}, 2, 64], strides: [128, 64, 1]
func.func @one(%x: memref<?x64xf32>, %a: index) -> memref<?x2x64xf32> {
  %v = memref.expand_shape %x [[0, 1], [2]] output_shape [%a, 2, 64] : memref<?x64xf32> into memref<?x2x64xf32>
  return %v : memref<?x2x64xf32>
}

// -----

// Nothing is divided.
// CHECK-LABEL: func @program.point(
// CHECK: memref.reinterpret_cast %{{.*}} to offset: [0], sizes: [1, 1], strides: [1, 1]
func.func @point(%x: memref<f32>) -> memref<1x1xf32> {
  %v = memref.expand_shape %x [] output_shape [1, 1] : memref<f32> into memref<1x1xf32>
  return %v : memref<1x1xf32>
}
