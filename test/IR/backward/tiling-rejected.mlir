// RUN: not norm-opt %s --transform-interpreter --split-input-file 2>&1 | FileCheck %s

// S1: a tile of a row has no statistic.
func.func @cut(%dy: tensor<16x64xf32>, %x: tensor<16x64xf32>, %i: tensor<16x64xf32>) -> tensor<16x64xf32> {
// CHECK: tiling-rejected.mlir:[[#@LINE+1]]:9: error: 'norm.rmsnorm_backward' op S1: normalized dimension 1 cannot be tiled: every element needs the whole row
  %dx = norm.rmsnorm_backward ins(%dy, %x : tensor<16x64xf32>, tensor<16x64xf32>) dx(%i : tensor<16x64xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<16x64xf32>
  return %dx : tensor<16x64xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["norm.rmsnorm_backward"]} in %m : (!transform.any_op) -> !transform.any_op
    %t, %l:2 = transform.structured.tile_using_for %op tile_sizes [1, 16] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// B5: a tile of rows has a part of the sum that dw is.
func.func @sum(%dy: tensor<16x64xf32>, %x: tensor<16x64xf32>, %j: tensor<64xf32>) -> tensor<64xf32> {
// CHECK: tiling-rejected.mlir:[[#@LINE+1]]:9: error: 'norm.rmsnorm_backward' op B5: dimension 0 cannot be tiled: dw sums over it; decompose the op and tile that sum instead
  %dw = norm.rmsnorm_backward ins(%dy, %x : tensor<16x64xf32>, tensor<16x64xf32>) dw(%j : tensor<64xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<64xf32>
  return %dw : tensor<64xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["norm.rmsnorm_backward"]} in %m : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_for %op tile_sizes [4] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
