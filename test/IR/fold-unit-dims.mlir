// RUN: norm-opt %s --norm-fold-unit-dims --canonicalize --split-input-file | FileCheck %s

// Batch dimensions of extent 1 go, before, between and behind.
// CHECK-LABEL: func @batch(
// CHECK-SAME: %[[X:[^:]*]]: tensor<1x?x1x64xf16>, %[[W:[^:]*]]: tensor<64xf16>, %[[I:[^:]*]]: tensor<1x?x1x64xf16>)
// CHECK-DAG: %[[CX:.*]] = tensor.collapse_shape %[[X]] {{\[\[}}0, 1, 2], [3]] : tensor<1x?x1x64xf16> into tensor<?x64xf16>
// CHECK-DAG: %[[CI:.*]] = tensor.collapse_shape %[[I]] {{\[\[}}0, 1, 2], [3]] : tensor<1x?x1x64xf16> into tensor<?x64xf16>
// CHECK: %[[Z:.*]] = norm.rmsnorm ins(%[[CX]], %[[W]] : tensor<?x64xf16>, tensor<64xf16>) outs(%[[CI]] : tensor<?x64xf16>) dims = [1] epsilon = 0.000000e+00 : f32 normalized_type = f16 -> tensor<?x64xf16>
// CHECK: %[[Y:.*]] = tensor.expand_shape %[[Z]] {{\[\[}}0, 1, 2], [3]] output_shape [1, %{{.*}}, 1, 64] : tensor<?x64xf16> into tensor<1x?x1x64xf16>
// CHECK: return %[[Y]]
func.func @batch(%x: tensor<1x?x1x64xf16>, %w: tensor<64xf16>, %i: tensor<1x?x1x64xf16>) -> tensor<1x?x1x64xf16> {
  %y = norm.rmsnorm ins(%x, %w : tensor<1x?x1x64xf16>, tensor<64xf16>) outs(%i : tensor<1x?x1x64xf16>) dims = [3] epsilon = 0.0 : f32 normalized_type = f16 -> tensor<1x?x1x64xf16>
  return %y : tensor<1x?x1x64xf16>
}

// -----

// A normalized one goes while another stays; weight_dims and inv_rms follow.
// CHECK-LABEL: func @normalized(
// CHECK: norm.rmsnorm ins(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4xf32>) outs(%{{.*}}, %{{.*}} : tensor<4x8xf32>, tensor<4xf32>) dims = [1] epsilon = 0.000000e+00 : f32 weight_dims = [0] -> tensor<4x8xf32>, tensor<4xf32>
// CHECK-DAG: tensor.expand_shape {{.*}} tensor<4x8xf32> into tensor<1x4x1x8xf32>
// CHECK-DAG: tensor.expand_shape {{.*}} tensor<4xf32> into tensor<1x4xf32>
func.func @normalized(%x: tensor<1x4x1x8xf32>, %w: tensor<1x4x1xf32>, %i: tensor<1x4x1x8xf32>, %r: tensor<1x4xf32>) -> (tensor<1x4x1x8xf32>, tensor<1x4xf32>) {
  %y:2 = norm.rmsnorm ins(%x, %w : tensor<1x4x1x8xf32>, tensor<1x4x1xf32>) outs(%i, %r : tensor<1x4x1x8xf32>, tensor<1x4xf32>) dims = [2, 3] epsilon = 0.0 : f32 weight_dims = [0, 1, 2] -> tensor<1x4x1x8xf32>, tensor<1x4xf32>
  return %y#0, %y#1 : tensor<1x4x1x8xf32>, tensor<1x4xf32>
}

// -----

// S1: of unit dimensions only, one normalized stays; the others become scalars.
// CHECK-LABEL: func @only_units(
// CHECK: norm.rmsnorm ins(%{{.*}}, %{{.*}} : tensor<1xf32>, tensor<f32>) outs(%{{.*}}, %{{.*}} : tensor<1xf32>, tensor<f32>) dims = [0] epsilon = 0.000000e+00 : f32 weight_dims = [] -> tensor<1xf32>, tensor<f32>
func.func @only_units(%x: tensor<1x1x1xf32>, %w: tensor<1xf32>, %i: tensor<1x1x1xf32>, %r: tensor<1xf32>) -> (tensor<1x1x1xf32>, tensor<1xf32>) {
  %y:2 = norm.rmsnorm ins(%x, %w : tensor<1x1x1xf32>, tensor<1xf32>) outs(%i, %r : tensor<1x1x1xf32>, tensor<1xf32>) dims = [1, 2] epsilon = 0.0 : f32 weight_dims = [0] -> tensor<1x1x1xf32>, tensor<1xf32>
  return %y#0, %y#1 : tensor<1x1x1xf32>, tensor<1xf32>
}

// -----

// Nothing to drop: the one normalized dimension, an extent that is 1 in x only,
// and memrefs.
// CHECK-LABEL: func @kept(
// CHECK-NOT: collapse_shape
// CHECK: norm.rmsnorm ins(%{{.*}} : tensor<4x1xf32>)
// CHECK: norm.rmsnorm ins(%{{.*}} : tensor<1x8xf32>) outs(%{{.*}} : tensor<?x8xf32>)
// CHECK: norm.rmsnorm ins(%{{.*}} : memref<1x8xf32>)
func.func @kept(%x: tensor<4x1xf32>, %u: tensor<1x8xf32>, %d: tensor<?x8xf32>, %m: memref<1x8xf32>, %n: memref<1x8xf32>) -> (tensor<4x1xf32>, tensor<?x8xf32>) {
  %0 = norm.rmsnorm ins(%x : tensor<4x1xf32>) outs(%x : tensor<4x1xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<4x1xf32>
  %1 = norm.rmsnorm ins(%u : tensor<1x8xf32>) outs(%d : tensor<?x8xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<?x8xf32>
  norm.rmsnorm ins(%m : memref<1x8xf32>) outs(%n : memref<1x8xf32>) dims = [1] epsilon = 0.0 : f32
  return %0, %1 : tensor<4x1xf32>, tensor<?x8xf32>
}
