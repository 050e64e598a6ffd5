// RUN: norm-opt %s --split-input-file --norm-recognize | FileCheck %s

// A gate before, statistics over groups of a reshape (Mamba2).
// Corpus cases, verbatim:
//   hf_mamba2_gated_f32__tml_arg__fuse
//   hf_mamba2_gated_f32__shlo_lin__foldfuse

// CHECK-LABEL: func.func @main(
// CHECK: norm.rmsnorm ins(%{{.*}}, %expanded_1 : tensor<2x3x2x16xf32>, tensor<2x16xf32>)
// CHECK-SAME: dims = [3] epsilon = 9.99999974E-6 : f32 weight_dims = [2, 3] -> tensor<2x3x2x16xf32>
// CHECK: return
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, 0)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
module {
  func.func @main(%arg0: tensor<2x3x32xf32>, %arg1: tensor<2x3x32xf32>, %arg2: tensor<32xf32>) -> tensor<2x3x32xf32> {
    %c2_i64 = arith.constant 2 : i64
    %cst = arith.constant 1.000000e+00 : f32
    %cst_0 = arith.constant 0.000000e+00 : f32
    %cst_1 = arith.constant 1.000000e-05 : f64
    %cst_2 = arith.constant 1.600000e+01 : f32
    %expanded = tensor.expand_shape %arg0 [[0], [1], [2, 3]] output_shape [2, 3, 2, 16] : tensor<2x3x32xf32> into tensor<2x3x2x16xf32>
    %expanded_3 = tensor.expand_shape %arg1 [[0], [1], [2, 3]] output_shape [2, 3, 2, 16] : tensor<2x3x32xf32> into tensor<2x3x2x16xf32>
    %0 = tensor.empty() : tensor<2x3x2x16xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded, %expanded_3 : tensor<2x3x2x16xf32>, tensor<2x3x2x16xf32>) outs(%0 : tensor<2x3x2x16xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %6 = arith.negf %in_5 : f32
      %7 = math.exp %6 : f32
      %8 = arith.addf %7, %cst : f32
      %9 = arith.divf %cst, %8 : f32
      %10 = arith.mulf %in_5, %9 : f32
      %11 = arith.mulf %in, %10 : f32
      linalg.yield %11 : f32
    } -> tensor<2x3x2x16xf32>
    %2 = tensor.empty() : tensor<2x3x2x1xf32>
    %3 = linalg.fill ins(%cst_0 : f32) outs(%2 : tensor<2x3x2x1xf32>) -> tensor<2x3x2x1xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%1 : tensor<2x3x2x16xf32>) outs(%3 : tensor<2x3x2x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %6 = math.fpowi %in, %c2_i64 : f32, i64
      %7 = arith.addf %6, %out : f32
      linalg.yield %7 : f32
    } -> tensor<2x3x2x1xf32>
    %expanded_4 = tensor.expand_shape %arg2 [[0, 1]] output_shape [2, 16] : tensor<32xf32> into tensor<2x16xf32>
    %5 = linalg.generic {indexing_maps = [#map2, #map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_4, %1, %4 : tensor<2x16xf32>, tensor<2x3x2x16xf32>, tensor<2x3x2x1xf32>) outs(%0 : tensor<2x3x2x16xf32>) {
    ^bb0(%in: f32, %in_5: f32, %in_6: f32, %out: f32):
      %6 = arith.divf %in_6, %cst_2 : f32
      %7 = arith.truncf %cst_1 : f64 to f32
      %8 = arith.addf %6, %7 : f32
      %9 = math.rsqrt %8 : f32
      %10 = arith.mulf %in_5, %9 : f32
      %11 = arith.mulf %in, %10 : f32
      linalg.yield %11 : f32
    } -> tensor<2x3x2x16xf32>
    %collapsed = tensor.collapse_shape %5 [[0], [1], [2, 3]] : tensor<2x3x2x16xf32> into tensor<2x3x32xf32>
    return %collapsed : tensor<2x3x32xf32>
  }
}

// -----

// CHECK-LABEL: func.func @main(
// CHECK: norm.rmsnorm ins(%{{.*}}, %expanded_{{.}} : tensor<2x3x2x16xf32>, tensor<2x16xf32>)
// CHECK-SAME: dims = [3] epsilon = 9.99999974E-6 : f32 weight_dims = [2, 3] -> tensor<2x3x2x16xf32>
// CHECK: return
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2, d3) -> (d2, d3)>
module {
  func.func @main(%arg0: tensor<2x3x32xf32>, %arg1: tensor<2x3x32xf32>, %arg2: tensor<32xf32>) -> tensor<2x3x32xf32> {
    %cst = arith.constant 1.600000e+01 : f32
    %cst_0 = arith.constant 2.000000e+00 : f32
    %cst_1 = arith.constant 1.000000e-05 : f64
    %cst_2 = arith.constant 0.000000e+00 : f32
    %cst_3 = arith.constant 1.000000e+00 : f32
    %expanded = tensor.expand_shape %arg0 [[0], [1], [2, 3]] output_shape [2, 3, 2, 16] : tensor<2x3x32xf32> into tensor<2x3x2x16xf32>
    %expanded_4 = tensor.expand_shape %arg1 [[0], [1], [2, 3]] output_shape [2, 3, 2, 16] : tensor<2x3x32xf32> into tensor<2x3x2x16xf32>
    %0 = tensor.empty() : tensor<2x3x2x16xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded, %expanded_4 : tensor<2x3x2x16xf32>, tensor<2x3x2x16xf32>) outs(%0 : tensor<2x3x2x16xf32>) {
    ^bb0(%in: f32, %in_6: f32, %out: f32):
      %6 = arith.negf %in_6 : f32
      %7 = math.exp %6 : f32
      %8 = arith.addf %7, %cst_3 : f32
      %9 = arith.divf %cst_3, %8 : f32
      %10 = arith.mulf %in_6, %9 : f32
      %11 = arith.mulf %in, %10 : f32
      linalg.yield %11 : f32
    } -> tensor<2x3x2x16xf32>
    %2 = tensor.empty() : tensor<2x3x2xf32>
    %3 = linalg.fill ins(%cst_2 : f32) outs(%2 : tensor<2x3x2xf32>) -> tensor<2x3x2xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%1 : tensor<2x3x2x16xf32>) outs(%3 : tensor<2x3x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %6 = math.powf %in, %cst_0 : f32
      %7 = arith.addf %out, %6 : f32
      linalg.yield %7 : f32
    } -> tensor<2x3x2xf32>
    %expanded_5 = tensor.expand_shape %arg2 [[0, 1]] output_shape [2, 16] : tensor<32xf32> into tensor<2x16xf32>
    %5 = linalg.generic {indexing_maps = [#map2, #map, #map1, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%expanded_5, %1, %4 : tensor<2x16xf32>, tensor<2x3x2x16xf32>, tensor<2x3x2xf32>) outs(%0 : tensor<2x3x2x16xf32>) {
    ^bb0(%in: f32, %in_6: f32, %in_7: f32, %out: f32):
      %6 = arith.truncf %cst_1 : f64 to f32
      %7 = arith.divf %in_7, %cst : f32
      %8 = arith.addf %7, %6 : f32
      %9 = math.rsqrt %8 : f32
      %10 = arith.mulf %in_6, %9 : f32
      %11 = arith.mulf %in, %10 : f32
      linalg.yield %11 : f32
    } -> tensor<2x3x2x16xf32>
    %collapsed = tensor.collapse_shape %5 [[0], [1], [2, 3]] : tensor<2x3x2x16xf32> into tensor<2x3x32xf32>
    return %collapsed : tensor<2x3x32xf32>
  }
}
