// RUN: norm-opt %s --transform-interpreter --canonicalize --cse --split-input-file | FileCheck %s

// dx alone: rows are parallel; r of a tile goes with it, the weight is whole.
// CHECK-LABEL: func @rows(
// CHECK: scf.for %[[I:[^ ]*]] =
// CHECK-DAG: %[[DY:.*]] = tensor.extract_slice %{{.*}}[%[[I]], 0] [4, 64]
// CHECK-DAG: %[[R:.*]] = tensor.extract_slice %{{.*}}[%[[I]]] [4]
// CHECK: norm.rmsnorm_backward ins(%{{.*}}, %{{.*}} : tensor<4x64xf32>, tensor<4x64xf32>) weight(%{{.*}} : tensor<64xf32>) inv_rms(%[[R]] : tensor<4xf32>) dx(%{{.*}} : tensor<4x64xf32>)
func.func @rows(%dy: tensor<16x64xf32>, %x: tensor<16x64xf32>, %w: tensor<64xf32>, %r: tensor<16xf32>, %i: tensor<16x64xf32>) -> tensor<16x64xf32> {
  %dx = norm.rmsnorm_backward ins(%dy, %x : tensor<16x64xf32>, tensor<16x64xf32>) weight(%w : tensor<64xf32>) inv_rms(%r : tensor<16xf32>) dx(%i : tensor<16x64xf32>) dims = [1] -> tensor<16x64xf32>
  return %dx : tensor<16x64xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["norm.rmsnorm_backward"]} in %m : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// dw of a weight per head: heads can be tiled, its sum over rows stays whole.
// CHECK-LABEL: func @heads(
// CHECK: scf.for %[[I:[^ ]*]] =
// CHECK: norm.rmsnorm_backward ins(%{{.*}}, %{{.*}} : tensor<16x2x64xf32>, tensor<16x2x64xf32>) dx(%{{.*}} : tensor<16x2x64xf32>) dw(%{{.*}} : tensor<2x64xf32>)
func.func @heads(%dy: tensor<16x8x64xf32>, %x: tensor<16x8x64xf32>, %i: tensor<16x8x64xf32>, %j: tensor<8x64xf32>) -> (tensor<16x8x64xf32>, tensor<8x64xf32>) {
  %dx, %dw = norm.rmsnorm_backward ins(%dy, %x : tensor<16x8x64xf32>, tensor<16x8x64xf32>) dx(%i : tensor<16x8x64xf32>) dw(%j : tensor<8x64xf32>) dims = [2] epsilon = 0.0 : f32 weight_dims = [1, 2] -> tensor<16x8x64xf32>, tensor<8x64xf32>
  return %dx, %dw : tensor<16x8x64xf32>, tensor<8x64xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["norm.rmsnorm_backward"]} in %m : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [0, 2] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
