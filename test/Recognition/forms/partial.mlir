// RUN: norm-opt %s --split-input-file --norm-recognize | FileCheck %s

// S5, statistics over the first 8 elements of a row.
// Corpus cases, verbatim:
//   seed_S5_f32__shlo_lin__fuse
//   seed_S5_f32__tml_arg__fuse

// CHECK-LABEL: func.func @main(
// CHECK-NOT: {{linalg|math}}.
// CHECK: norm.rmsnorm ins(%arg0, %arg1 : tensor<4x32xf32>, tensor<32xf32>)
// CHECK-SAME: dims = [1] epsilon = 9.99999993E-9 : f32 epsilon_mode =  outside count = 8 -> tensor<4x32xf32>
// CHECK-NOT: {{linalg|math}}.
// CHECK: return
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> ()>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d1)>
#map5 = affine_map<(d0, d1) -> (d0, d1)>
#map6 = affine_map<(d0, d1) -> (d0, 0)>
#map7 = affine_map<(d0, d1) -> ()>
module {
  func.func @main(%arg0: tensor<4x32xf32>, %arg1: tensor<32xf32>) -> tensor<4x32xf32> {
    %cst = arith.constant 2.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e-08 : f64
    %cst_1 = arith.constant 0.35355339059327379 : f64
    %cst_2 = arith.constant 1.000000e+00 : f32
    %cst_3 = arith.constant 0.000000e+00 : f32
    %extracted_slice = tensor.extract_slice %arg0[0, 0] [4, 8] [1, 1] : tensor<4x32xf32> to tensor<4x8xf32>
    %0 = tensor.empty() : tensor<1xf32>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<1xf32>) {
    ^bb0(%out: f32):
      linalg.yield %cst : f32
    } -> tensor<1xf32>
    %collapsed = tensor.collapse_shape %1 [] : tensor<1xf32> into tensor<f32>
    %2 = tensor.empty() : tensor<4xf32>
    %expanded = tensor.expand_shape %2 [[0, 1]] output_shape [4, 1] : tensor<4xf32> into tensor<4x1xf32>
    %3 = linalg.fill ins(%cst_3 : f32) outs(%expanded : tensor<4x1xf32>) -> tensor<4x1xf32>
    %expanded_4 = tensor.expand_shape %extracted_slice [[0, 1], [2]] output_shape [4, 1, 8] : tensor<4x8xf32> into tensor<4x1x8xf32>
    %4 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%expanded_4, %collapsed : tensor<4x1x8xf32>, tensor<f32>) outs(%3 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %in_7: f32, %out: f32):
      %9 = math.absf %in : f32
      %10 = math.powf %9, %in_7 : f32
      %11 = arith.addf %out, %10 : f32
      linalg.yield %11 : f32
    } -> tensor<4x1xf32>
    %5 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<1xf32>) {
    ^bb0(%out: f32):
      %9 = arith.truncf %cst_1 : f64 to f32
      linalg.yield %9 : f32
    } -> tensor<1xf32>
    %collapsed_5 = tensor.collapse_shape %5 [] : tensor<1xf32> into tensor<f32>
    %6 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<1xf32>) {
    ^bb0(%out: f32):
      %9 = arith.truncf %cst_0 : f64 to f32
      linalg.yield %9 : f32
    } -> tensor<1xf32>
    %collapsed_6 = tensor.collapse_shape %6 [] : tensor<1xf32> into tensor<f32>
    %7 = tensor.empty() : tensor<4x32xf32>
    %8 = linalg.generic {indexing_maps = [#map4, #map5, #map6, #map7, #map7, #map7, #map5], iterator_types = ["parallel", "parallel"]} ins(%arg1, %arg0, %4, %collapsed, %collapsed_5, %collapsed_6 : tensor<32xf32>, tensor<4x32xf32>, tensor<4x1xf32>, tensor<f32>, tensor<f32>, tensor<f32>) outs(%7 : tensor<4x32xf32>) {
    ^bb0(%in: f32, %in_7: f32, %in_8: f32, %in_9: f32, %in_10: f32, %in_11: f32, %out: f32):
      %9 = arith.divf %cst_2, %in_9 : f32
      %10 = math.powf %in_8, %9 : f32
      %11 = arith.mulf %10, %in_10 : f32
      %12 = arith.addf %11, %in_11 : f32
      %13 = arith.divf %in_7, %12 : f32
      %14 = arith.mulf %in, %13 : f32
      linalg.yield %14 : f32
    } -> tensor<4x32xf32>
    return %8 : tensor<4x32xf32>
  }
}

// -----

// CHECK-LABEL: func.func @main(
// CHECK-NOT: {{linalg|math}}.
// CHECK: norm.rmsnorm ins(%arg0, %arg1 : tensor<4x32xf32>, tensor<32xf32>)
// CHECK-SAME: dims = [1] epsilon = 9.99999993E-9 : f32 epsilon_mode =  outside count = 8 -> tensor<4x32xf32>
// CHECK-NOT: {{linalg|math}}.
// CHECK: return
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0, 0)>
#map2 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<4x32xf32>, %arg1: tensor<32xf32>) -> tensor<4x32xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e-08 : f64
    %cst_1 = arith.constant 0.35355339059327379 : f64
    %cst_2 = arith.constant 5.000000e-01 : f32
    %cst_3 = arith.constant 2.000000e+00 : f32
    %extracted_slice = tensor.extract_slice %arg0[0, 0] [4, 8] [1, 1] : tensor<4x32xf32> to tensor<4x8xf32>
    %0 = tensor.empty() : tensor<4x1xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<4x1xf32>) -> tensor<4x1xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%extracted_slice : tensor<4x8xf32>) outs(%1 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %5 = math.absf %in : f32
      %6 = math.powf %5, %cst_3 : f32
      %7 = arith.addf %6, %out : f32
      linalg.yield %7 : f32
    } -> tensor<4x1xf32>
    %3 = tensor.empty() : tensor<4x32xf32>
    %4 = linalg.generic {indexing_maps = [#map2, #map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1, %arg0, %2 : tensor<32xf32>, tensor<4x32xf32>, tensor<4x1xf32>) outs(%3 : tensor<4x32xf32>) {
    ^bb0(%in: f32, %in_4: f32, %in_5: f32, %out: f32):
      %5 = math.powf %in_5, %cst_2 : f32
      %6 = arith.truncf %cst_1 : f64 to f32
      %7 = arith.mulf %5, %6 : f32
      %8 = arith.truncf %cst_0 : f64 to f32
      %9 = arith.addf %7, %8 : f32
      %10 = arith.divf %in_4, %9 : f32
      %11 = arith.mulf %in, %10 : f32
      linalg.yield %11 : f32
    } -> tensor<4x32xf32>
    return %4 : tensor<4x32xf32>
  }
}
