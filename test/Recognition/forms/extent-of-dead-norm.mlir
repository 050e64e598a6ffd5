// RUN: norm-opt %s --norm-recognize | FileCheck %s

// Of the unweighted norm only an extent is asked for: it does not stay alive.

// CHECK: norm.rmsnorm
// CHECK-NOT: norm.rmsnorm
// CHECK: return

#map = affine_map<(d0, d1, d2, d3) -> ()>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map2 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d2, d3, d4)>
#map3 = affine_map<(d0, d1, d2, d3, d4) -> (d0, d1, d3, d4)>
#map4 = affine_map<(d0, d1, d2, d3, d4) -> (d2)>
module {
  func.func @f193(%arg0: tensor<3x8x12x?xf32>, %arg1: tensor<8xf32>, %arg2: tensor<3x8x12x?xf32>) -> tensor<3x8x12x?xf32> {
    %c4 = arith.constant 4 : index
    %cst = arith.constant 1.000000e+00 : f32
    %cst_0 = arith.constant 9.99999974E-6 : f32
    %cst_1 = arith.constant 8.000000e+00 : f32
    %cst_2 = arith.constant 0.000000e+00 : f32
    %c3 = arith.constant 3 : index
    %dim = tensor.dim %arg0, %c3 : tensor<3x8x12x?xf32>
    %0 = tensor.empty(%dim) : tensor<3x12x?xf32>
    %dim_3 = tensor.dim %arg0, %c3 : tensor<3x8x12x?xf32>
    %expanded = tensor.expand_shape %0 [[0, 1], [2], [3]] output_shape [3, 1, 12, %dim_3] : tensor<3x12x?xf32> into tensor<3x1x12x?xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_2 : f32) outs(%expanded : tensor<3x1x12x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x1x12x?xf32>
    %expanded_4 = tensor.expand_shape %arg0 [[0, 1], [2], [3], [4]] output_shape [3, 1, 8, 12, %dim_3] : tensor<3x8x12x?xf32> into tensor<3x1x8x12x?xf32>
    %2 = linalg.generic {indexing_maps = [#map2, #map3], iterator_types = ["parallel", "parallel", "reduction", "parallel", "parallel"]} ins(%expanded_4 : tensor<3x1x8x12x?xf32>) outs(%1 : tensor<3x1x12x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %16 = arith.mulf %in, %in : f32
      %17 = arith.addf %out, %16 : f32
      linalg.yield %17 : f32
    } -> tensor<3x1x12x?xf32>
    %3 = tensor.empty(%dim) : tensor<3x1x12x?xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%cst_1 : f32) outs(%3 : tensor<3x1x12x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<3x1x12x?xf32>
    %5 = tensor.empty(%dim) : tensor<3x1x12x?xf32>
    %6 = linalg.generic {indexing_maps = [#map1, #map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%2, %4 : tensor<3x1x12x?xf32>, tensor<3x1x12x?xf32>) outs(%5 : tensor<3x1x12x?xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %16 = arith.divf %in, %in_16 : f32
      linalg.yield %16 : f32
    } -> tensor<3x1x12x?xf32>
    %7 = tensor.empty(%dim) : tensor<3x12x?xf32>
    %dim_5 = tensor.dim %6, %c3 : tensor<3x1x12x?xf32>
    %expanded_6 = tensor.expand_shape %7 [[0, 1], [2], [3]] output_shape [3, 1, 12, %dim_5] : tensor<3x12x?xf32> into tensor<3x1x12x?xf32>
    %dim_7 = tensor.dim %expanded_6, %c3 : tensor<3x1x12x?xf32>
    %8 = tensor.empty(%dim_7) : tensor<3x1x12x?xf32>
    %9 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%6 : tensor<3x1x12x?xf32>) outs(%8 : tensor<3x1x12x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      %16 = math.sqrt %in : f32
      %17 = arith.addf %16, %cst_0 : f32
      linalg.yield %17 : f32
    } -> tensor<3x1x12x?xf32>
    %10 = tensor.empty(%dim) : tensor<3x8x12x?xf32>
    %dim_8 = tensor.dim %9, %c3 : tensor<3x1x12x?xf32>
    %expanded_9 = tensor.expand_shape %arg0 [[0, 1], [2], [3], [4]] output_shape [3, 1, 8, 12, %dim_8] : tensor<3x8x12x?xf32> into tensor<3x1x8x12x?xf32>
    %expanded_10 = tensor.expand_shape %10 [[0, 1], [2], [3], [4]] output_shape [3, 1, 8, 12, %dim_8] : tensor<3x8x12x?xf32> into tensor<3x1x8x12x?xf32>
    %dim_11 = tensor.dim %expanded_10, %c4 : tensor<3x1x8x12x?xf32>
    %11 = tensor.empty(%dim_11) : tensor<3x1x8x12x?xf32>
    %12 = linalg.generic {indexing_maps = [#map3, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%9, %expanded_9 : tensor<3x1x12x?xf32>, tensor<3x1x8x12x?xf32>) outs(%11 : tensor<3x1x8x12x?xf32>) {
    ^bb0(%in: f32, %in_16: f32, %out: f32):
      %16 = arith.divf %cst, %in : f32
      %17 = arith.mulf %16, %in_16 : f32
      linalg.yield %17 : f32
    } -> tensor<3x1x8x12x?xf32>
    %13 = tensor.empty(%dim) : tensor<3x8x12x?xf32>
    %dim_12 = tensor.dim %12, %c4 : tensor<3x1x8x12x?xf32>
    %expanded_13 = tensor.expand_shape %arg2 [[0, 1], [2], [3], [4]] output_shape [3, 1, 8, 12, %dim_12] : tensor<3x8x12x?xf32> into tensor<3x1x8x12x?xf32>
    %expanded_14 = tensor.expand_shape %13 [[0, 1], [2], [3], [4]] output_shape [3, 1, 8, 12, %dim_12] : tensor<3x8x12x?xf32> into tensor<3x1x8x12x?xf32>
    %dim_15 = tensor.dim %expanded_14, %c4 : tensor<3x1x8x12x?xf32>
    %14 = tensor.empty(%dim_15) : tensor<3x1x8x12x?xf32>
    %15 = linalg.generic {indexing_maps = [#map2, #map4, #map2, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%12, %arg1, %expanded_13 : tensor<3x1x8x12x?xf32>, tensor<8xf32>, tensor<3x1x8x12x?xf32>) outs(%14 : tensor<3x1x8x12x?xf32>) {
    ^bb0(%in: f32, %in_16: f32, %in_17: f32, %out: f32):
      %16 = arith.mulf %in, %in_16 : f32
      %17 = arith.addf %16, %in_17 : f32
      linalg.yield %17 : f32
    } -> tensor<3x1x8x12x?xf32>
    %collapsed = tensor.collapse_shape %15 [[0, 1], [2], [3], [4]] : tensor<3x1x8x12x?xf32> into tensor<3x8x12x?xf32>
    return %collapsed : tensor<3x8x12x?xf32>
  }
}
