// RUN: norm-opt %s --norm-recognize | FileCheck %s

// A run-time extent behind a collapse is the product of those in front of it.

// CHECK: norm.rmsnorm ins(%arg0, %arg1 :
// CHECK-SAME: dims = [0, 2]
// CHECK-NOT: sqrt
// CHECK: return
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d1, d3)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
#map3 = affine_map<(d0, d1, d2, d3) -> ()>
#map4 = affine_map<(d0, d1, d2, d3) -> (d0, d2, d3)>
module {
  func.func @f857(%arg0: tensor<7x?x12x?xf64>, %arg1: tensor<7x12x?xf64>, %arg2: tensor<7x?x12x?xf64>) -> tensor<7x?x12x?xf64> {
    %cst = arith.constant dense<1.000000e+00> : tensor<f64>
    %cst_0 = arith.constant 6.250000e-02 : f64
    %cst_1 = arith.constant 8.400000e+01 : f64
    %c3 = arith.constant 3 : index
    %cst_2 = arith.constant 0.000000e+00 : f64
    %c1 = arith.constant 1 : index
    %dim = tensor.dim %arg0, %c1 : tensor<7x?x12x?xf64>
    %dim_3 = tensor.dim %arg0, %c3 : tensor<7x?x12x?xf64>
    %0 = tensor.empty(%dim, %dim_3) : tensor<?x?xf64>
    %1 = linalg.fill ins(%cst_2 : f64) outs(%0 : tensor<?x?xf64>) -> tensor<?x?xf64>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["reduction", "parallel", "reduction", "parallel"]} ins(%arg0 : tensor<7x?x12x?xf64>) outs(%1 : tensor<?x?xf64>) {
    ^bb0(%in: f64, %out: f64):
      %8 = arith.mulf %in, %in : f64
      %9 = arith.addf %out, %8 : f64
      linalg.yield %9 : f64
    } -> tensor<?x?xf64>
    %expanded = tensor.expand_shape %2 [[0, 1], [2, 3]] output_shape [1, %dim, 1, %dim_3] : tensor<?x?xf64> into tensor<1x?x1x?xf64>
    %collapsed = tensor.collapse_shape %expanded [[0, 1, 2], [3]] : tensor<1x?x1x?xf64> into tensor<?x?xf64>
    %3 = linalg.fill ins(%cst_1 : f64) outs(%0 : tensor<?x?xf64>) -> tensor<?x?xf64>
    %4 = linalg.generic {indexing_maps = [#map2, #map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%collapsed, %3 : tensor<?x?xf64>, tensor<?x?xf64>) outs(%0 : tensor<?x?xf64>) {
    ^bb0(%in: f64, %in_4: f64, %out: f64):
      %8 = arith.divf %in, %in_4 : f64
      %9 = arith.addf %8, %cst_0 : f64
      linalg.yield %9 : f64
    } -> tensor<?x?xf64>
    %5 = tensor.empty(%dim, %dim_3) : tensor<7x?x12x?xf64>
    %6 = linalg.generic {indexing_maps = [#map3, #map1, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst, %4, %arg0 : tensor<f64>, tensor<?x?xf64>, tensor<7x?x12x?xf64>) outs(%5 : tensor<7x?x12x?xf64>) {
    ^bb0(%in: f64, %in_4: f64, %in_5: f64, %out: f64):
      %8 = math.sqrt %in_4 : f64
      %9 = arith.divf %in, %8 : f64
      %10 = arith.mulf %9, %in_5 : f64
      linalg.yield %10 : f64
    } -> tensor<7x?x12x?xf64>
    %7 = linalg.generic {indexing_maps = [#map, #map4, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6, %arg1, %arg2 : tensor<7x?x12x?xf64>, tensor<7x12x?xf64>, tensor<7x?x12x?xf64>) outs(%5 : tensor<7x?x12x?xf64>) {
    ^bb0(%in: f64, %in_4: f64, %in_5: f64, %out: f64):
      %8 = arith.mulf %in, %in_4 : f64
      %9 = arith.addf %8, %in_5 : f64
      linalg.yield %9 : f64
    } -> tensor<7x?x12x?xf64>
    return %7 : tensor<7x?x12x?xf64>
  }
}

