// RUN: norm-opt %s --split-input-file --norm-recognize | FileCheck %s

// Two normalized dims, summed one after the other, with a rounding between.
// Corpus cases, verbatim:
//   torch_nnrms_2d_bf16__tosa_lin

// CHECK-LABEL: func.func @main(
// CHECK-NOT: {{linalg|math}}.
// CHECK: norm.rmsnorm ins(%arg0, %arg1 : tensor<3x4x8xbf16>, tensor<4x8xbf16>)
// CHECK-SAME: dims = [1, 2] epsilon = 9.983770e-07 : bf16 root_form =  rsqrt compute_type = bf16 -> tensor<3x4x8xbf16>
// CHECK-NOT: {{linalg|math}}.
// CHECK: return
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (0, d1, d2)>
#map3 = affine_map<(d0, d1, d2) -> (d0, 0, 0)>
module {
  func.func @main(%arg0: tensor<3x4x8xbf16>, %arg1: tensor<4x8xbf16>) -> tensor<3x4x8xbf16> {
    %cst = arith.constant dense<0> : tensor<1xi8>
    %0 = tosa.const_shape  {values = dense<[1, 4, 8]> : tensor<3xindex>} : () -> !tosa.shape<3>
    %cst_0 = arith.constant dense<3.125000e-02> : tensor<1x1x1xbf16>
    %cst_1 = arith.constant dense<9.983770e-07> : tensor<1x1x1xbf16>
    %1 = tensor.empty() : tensor<3x4x8xbf16>
    %2 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %arg0 : tensor<3x4x8xbf16>, tensor<3x4x8xbf16>) outs(%1 : tensor<3x4x8xbf16>) {
    ^bb0(%in: bf16, %in_7: bf16, %out: bf16):
      %21 = arith.mulf %in, %in_7 : bf16
      linalg.yield %21 : bf16
    } -> tensor<3x4x8xbf16>
    %3 = tensor.empty() : tensor<3x8xf32>
    %cst_2 = arith.constant 0.000000e+00 : f32
    %4 = linalg.fill ins(%cst_2 : f32) outs(%3 : tensor<3x8xf32>) -> tensor<3x8xf32>
    %reduced = linalg.reduce ins(%2 : tensor<3x4x8xbf16>) outs(%4 : tensor<3x8xf32>) dimensions = [1] 
      (%in: bf16, %init: f32) {
        %21 = arith.extf %in : bf16 to f32
        %22 = arith.addf %21, %init : f32
        linalg.yield %22 : f32
      }
    %5 = tensor.empty() : tensor<3x8xbf16>
    %6 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%reduced : tensor<3x8xf32>) outs(%5 : tensor<3x8xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %21 = arith.truncf %in : f32 to bf16
      linalg.yield %21 : bf16
    } -> tensor<3x8xbf16>
    %expanded = tensor.expand_shape %6 [[0], [1, 2]] output_shape [3, 1, 8] : tensor<3x8xbf16> into tensor<3x1x8xbf16>
    %7 = tensor.empty() : tensor<3x1xf32>
    %cst_3 = arith.constant 0.000000e+00 : f32
    %8 = linalg.fill ins(%cst_3 : f32) outs(%7 : tensor<3x1xf32>) -> tensor<3x1xf32>
    %reduced_4 = linalg.reduce ins(%expanded : tensor<3x1x8xbf16>) outs(%8 : tensor<3x1xf32>) dimensions = [2] 
      (%in: bf16, %init: f32) {
        %21 = arith.extf %in : bf16 to f32
        %22 = arith.addf %21, %init : f32
        linalg.yield %22 : f32
      }
    %9 = tensor.empty() : tensor<3x1xbf16>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel", "parallel"]} ins(%reduced_4 : tensor<3x1xf32>) outs(%9 : tensor<3x1xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %21 = arith.truncf %in : f32 to bf16
      linalg.yield %21 : bf16
    } -> tensor<3x1xbf16>
    %expanded_5 = tensor.expand_shape %10 [[0], [1, 2]] output_shape [3, 1, 1] : tensor<3x1xbf16> into tensor<3x1x1xbf16>
    %11 = tensor.empty() : tensor<3x1x1xbf16>
    %12 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%expanded_5, %cst_0 : tensor<3x1x1xbf16>, tensor<1x1x1xbf16>) outs(%11 : tensor<3x1x1xbf16>) {
    ^bb0(%in: bf16, %in_7: bf16, %out: bf16):
      %21 = arith.mulf %in, %in_7 : bf16
      linalg.yield %21 : bf16
    } -> tensor<3x1x1xbf16>
    %13 = tensor.empty() : tensor<3x1x1xbf16>
    %14 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%12, %cst_1 : tensor<3x1x1xbf16>, tensor<1x1x1xbf16>) outs(%13 : tensor<3x1x1xbf16>) {
    ^bb0(%in: bf16, %in_7: bf16, %out: bf16):
      %21 = arith.addf %in, %in_7 : bf16
      linalg.yield %21 : bf16
    } -> tensor<3x1x1xbf16>
    %15 = tensor.empty() : tensor<3x1x1xbf16>
    %16 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%14 : tensor<3x1x1xbf16>) outs(%15 : tensor<3x1x1xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %21 = math.rsqrt %in : bf16
      linalg.yield %21 : bf16
    } -> tensor<3x1x1xbf16>
    %17 = tensor.empty() : tensor<3x4x8xbf16>
    %18 = linalg.generic {indexing_maps = [#map, #map3, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %16 : tensor<3x4x8xbf16>, tensor<3x1x1xbf16>) outs(%17 : tensor<3x4x8xbf16>) {
    ^bb0(%in: bf16, %in_7: bf16, %out: bf16):
      %21 = arith.mulf %in, %in_7 : bf16
      linalg.yield %21 : bf16
    } -> tensor<3x4x8xbf16>
    %expanded_6 = tensor.expand_shape %arg1 [[0, 1], [2]] output_shape [1, 4, 8] : tensor<4x8xbf16> into tensor<1x4x8xbf16>
    %19 = tensor.empty() : tensor<3x4x8xbf16>
    %20 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%18, %expanded_6 : tensor<3x4x8xbf16>, tensor<1x4x8xbf16>) outs(%19 : tensor<3x4x8xbf16>) {
    ^bb0(%in: bf16, %in_7: bf16, %out: bf16):
      %21 = arith.mulf %in, %in_7 : bf16
      linalg.yield %21 : bf16
    } -> tensor<3x4x8xbf16>
    return %20 : tensor<3x4x8xbf16>
  }
}
