// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-normalize-loops))' | FileCheck %s

// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-DAG: #[[LAST:.*]] = affine_map<(d0, d1) -> (d1)>
// CHECK-DAG: #[[SWAPPED:.*]] = affine_map<(d0, d1) -> (d1, d0)>

// The columns are neighbors in memory, so their loop goes inside.
// CHECK-LABEL: func @columns
// CHECK: linalg.generic {indexing_maps = [#[[ROWS]], #[[LAST]]], iterator_types = ["reduction", "parallel"]}
func.func @columns(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xf32>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

// So does the reduction of a sum of each row.
// CHECK-LABEL: func @rows
// CHECK: linalg.generic {indexing_maps = [#[[ROWS]], #{{.*}}], iterator_types = ["parallel", "reduction"]}
func.func @rows(%x: tensor<8x64xf32>, %y: tensor<8xf32>) -> tensor<8xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<8x64xf32>) outs(%y : tensor<8xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    linalg.yield %c : f32
  } -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// A transposition has no better order, and a small operand does not decide.
// CHECK-LABEL: func @kept
// CHECK: linalg.generic {indexing_maps = [#[[SWAPPED]], #[[ROWS]]], iterator_types = ["parallel", "parallel"]}
// CHECK: linalg.generic {indexing_maps = [#[[ROWS]], #{{.*}}, #[[ROWS]]], iterator_types = ["parallel", "parallel"]}
func.func @kept(%x: tensor<8x64xf32>, %s: tensor<64xf32>, %t: tensor<64x8xf32>) -> (tensor<64x8xf32>, tensor<64x8xf32>) {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x64xf32>) outs(%t : tensor<64x8xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  } -> tensor<64x8xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%0, %s : tensor<64x8xf32>, tensor<64xf32>) outs(%t : tensor<64x8xf32>) {
  ^bb0(%a: f32, %c: f32, %b: f32):
    %d = arith.mulf %a, %c : f32
    linalg.yield %d : f32
  } -> tensor<64x8xf32>
  return %0, %1 : tensor<64x8xf32>, tensor<64x8xf32>
}
