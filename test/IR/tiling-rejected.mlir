// RUN: not norm-opt %s --transform-interpreter --split-input-file 2>&1 | FileCheck %s

// S1: a tile of a row has no statistic.
func.func @cut(%x: tensor<16x64xf32>, %i: tensor<16x64xf32>) -> tensor<16x64xf32> {
// CHECK: tiling-rejected.mlir:[[#@LINE+1]]:8: error: 'norm.rmsnorm' op S1: normalized dimension 1 cannot be tiled: every element needs the whole row
  %y = norm.rmsnorm ins(%x : tensor<16x64xf32>) outs(%i : tensor<16x64xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<16x64xf32>
  return %y : tensor<16x64xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["norm.rmsnorm"]} in %m : (!transform.any_op) -> !transform.any_op
    %t, %l:2 = transform.structured.tile_using_for %op tile_sizes [1, 16] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// S1: in a scf.forall, on a dynamic extent, the first of two normalized
// dimensions.
func.func @cut_forall(%x: tensor<?x4x?xf32>, %i: tensor<?x4x?xf32>) -> tensor<?x4x?xf32> {
// CHECK: tiling-rejected.mlir:[[#@LINE+1]]:8: error: 'norm.rmsnorm' op S1: normalized dimension 0 cannot be tiled: every element needs the whole row
  %y = norm.rmsnorm ins(%x : tensor<?x4x?xf32>) outs(%i : tensor<?x4x?xf32>) dims = [0, 2] epsilon = 0.0 : f32 -> tensor<?x4x?xf32>
  return %y : tensor<?x4x?xf32>
}

module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["norm.rmsnorm"]} in %m : (!transform.any_op) -> !transform.any_op
    %t, %l = transform.structured.tile_using_forall %op tile_sizes [8] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}
