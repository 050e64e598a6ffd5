// RUN: norm-opt %s --split-input-file --norm-recognize | FileCheck %s

// S2, arithmetic in the input's own type.
// Corpus cases, verbatim:
//   seed_S2_f32__tml_arg
//   seed_S2_f16__tml_arg
//   seed_S2_bf16__shlo_lin__fuse

// CHECK-LABEL: func.func @main(
// CHECK-NOT: {{linalg|math}}.
// CHECK: norm.rmsnorm ins(%arg0, %arg1 : tensor<4x32xf32>, tensor<32xf32>)
// CHECK-SAME: dims = [1] epsilon = 9.99999997E-7 : f32 -> tensor<4x32xf32>
// CHECK-NOT: {{linalg|math}}.
// CHECK: return
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0, 0)>
#map2 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<4x32xf32>, %arg1: tensor<32xf32>) -> tensor<4x32xf32> {
    %c2_i64 = arith.constant 2 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 9.9999999999999995E-7 : f64
    %cst_1 = arith.constant 3.200000e+01 : f32
    %0 = tensor.empty() : tensor<4x32xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<4x32xf32>) outs(%0 : tensor<4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %10 : f32
    } -> tensor<4x32xf32>
    %2 = tensor.empty() : tensor<4x1xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<4x1xf32>) -> tensor<4x1xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<4x32xf32>) outs(%3 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.addf %in, %out : f32
      linalg.yield %10 : f32
    } -> tensor<4x1xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<4x1xf32>) outs(%2 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.divf %in, %cst_1 : f32
      linalg.yield %10 : f32
    } -> tensor<4x1xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<4x1xf32>) outs(%2 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = arith.truncf %cst_0 : f64 to f32
      %11 = arith.addf %in, %10 : f32
      linalg.yield %11 : f32
    } -> tensor<4x1xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<4x1xf32>) outs(%2 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = math.rsqrt %in : f32
      linalg.yield %10 : f32
    } -> tensor<4x1xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %7 : tensor<4x32xf32>, tensor<4x1xf32>) outs(%0 : tensor<4x32xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %10 = arith.mulf %in, %in_2 : f32
      linalg.yield %10 : f32
    } -> tensor<4x32xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%8, %arg1 : tensor<4x32xf32>, tensor<32xf32>) outs(%0 : tensor<4x32xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %10 = arith.mulf %in, %in_2 : f32
      linalg.yield %10 : f32
    } -> tensor<4x32xf32>
    return %9 : tensor<4x32xf32>
  }
}

// -----

// CHECK-LABEL: func.func @main(
// CHECK-NOT: {{linalg|math}}.
// CHECK: norm.rmsnorm ins(%arg0, %arg1 : tensor<4x32xf16>, tensor<32xf16>)
// CHECK-SAME: dims = [1] epsilon = 1.013280e-06 : f16 root_form =  rsqrt compute_type = f16 -> tensor<4x32xf16>
// CHECK-NOT: {{linalg|math}}.
// CHECK: return
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0, 0)>
#map2 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<4x32xf16>, %arg1: tensor<32xf16>) -> tensor<4x32xf16> {
    %c2_i64 = arith.constant 2 : i64
    %cst = arith.constant 0.000000e+00 : f16
    %cst_0 = arith.constant 9.9999999999999995E-7 : f64
    %cst_1 = arith.constant 3.200000e+01 : f16
    %0 = tensor.empty() : tensor<4x32xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<4x32xf16>) outs(%0 : tensor<4x32xf32>) {
    ^bb0(%in: f16, %out: f32):
      %13 = arith.extf %in : f16 to f32
      linalg.yield %13 : f32
    } -> tensor<4x32xf32>
    %2 = tensor.empty() : tensor<4x32xf16>
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<4x32xf32>) outs(%2 : tensor<4x32xf16>) {
    ^bb0(%in: f32, %out: f16):
      %13 = arith.truncf %in : f32 to f16
      linalg.yield %13 : f16
    } -> tensor<4x32xf16>
    %4 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%3 : tensor<4x32xf16>) outs(%2 : tensor<4x32xf16>) {
    ^bb0(%in: f16, %out: f16):
      %13 = math.fpowi %in, %c2_i64 : f16, i64
      linalg.yield %13 : f16
    } -> tensor<4x32xf16>
    %5 = tensor.empty() : tensor<4x1xf16>
    %6 = linalg.fill ins(%cst : f16) outs(%5 : tensor<4x1xf16>) -> tensor<4x1xf16>
    %7 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%4 : tensor<4x32xf16>) outs(%6 : tensor<4x1xf16>) {
    ^bb0(%in: f16, %out: f16):
      %13 = arith.addf %in, %out : f16
      linalg.yield %13 : f16
    } -> tensor<4x1xf16>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<4x1xf16>) outs(%5 : tensor<4x1xf16>) {
    ^bb0(%in: f16, %out: f16):
      %13 = arith.divf %in, %cst_1 : f16
      linalg.yield %13 : f16
    } -> tensor<4x1xf16>
    %9 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%8 : tensor<4x1xf16>) outs(%5 : tensor<4x1xf16>) {
    ^bb0(%in: f16, %out: f16):
      %13 = arith.truncf %cst_0 : f64 to f16
      %14 = arith.addf %in, %13 : f16
      linalg.yield %14 : f16
    } -> tensor<4x1xf16>
    %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<4x1xf16>) outs(%5 : tensor<4x1xf16>) {
    ^bb0(%in: f16, %out: f16):
      %13 = math.rsqrt %in : f16
      linalg.yield %13 : f16
    } -> tensor<4x1xf16>
    %11 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%3, %10 : tensor<4x32xf16>, tensor<4x1xf16>) outs(%2 : tensor<4x32xf16>) {
    ^bb0(%in: f16, %in_2: f16, %out: f16):
      %13 = arith.mulf %in, %in_2 : f16
      linalg.yield %13 : f16
    } -> tensor<4x32xf16>
    %12 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%11, %arg1 : tensor<4x32xf16>, tensor<32xf16>) outs(%2 : tensor<4x32xf16>) {
    ^bb0(%in: f16, %in_2: f16, %out: f16):
      %13 = arith.mulf %in, %in_2 : f16
      linalg.yield %13 : f16
    } -> tensor<4x32xf16>
    return %12 : tensor<4x32xf16>
  }
}

// -----

// CHECK-LABEL: func.func @main(
// CHECK-NOT: {{linalg|math}}.
// CHECK: norm.rmsnorm ins(%arg0, %arg1 : tensor<4x32xbf16>, tensor<32xbf16>)
// CHECK-SAME: dims = [1] epsilon = 9.983770e-07 : bf16 root_form =  rsqrt compute_type = bf16 -> tensor<4x32xbf16>
// CHECK-NOT: {{linalg|math}}.
// CHECK: return
#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2) -> ()>
#map3 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (d0, d1)>
#map5 = affine_map<(d0, d1) -> (d0, 0)>
#map6 = affine_map<(d0, d1) -> ()>
#map7 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<4x32xbf16>, %arg1: tensor<32xbf16>) -> tensor<4x32xbf16> {
    %cst = arith.constant 3.200000e+01 : bf16
    %cst_0 = arith.constant 2.000000e+00 : bf16
    %cst_1 = arith.constant 9.9999999999999995E-7 : f64
    %cst_2 = arith.constant 0.000000e+00 : bf16
    %0 = tensor.empty() : tensor<4x32xbf16>
    %1 = tensor.empty() : tensor<1xbf16>
    %2 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%1 : tensor<1xbf16>) {
    ^bb0(%out: bf16):
      linalg.yield %cst_0 : bf16
    } -> tensor<1xbf16>
    %collapsed = tensor.collapse_shape %2 [] : tensor<1xbf16> into tensor<bf16>
    %3 = tensor.empty() : tensor<4xbf16>
    %expanded = tensor.expand_shape %3 [[0, 1]] output_shape [4, 1] : tensor<4xbf16> into tensor<4x1xbf16>
    %4 = linalg.fill ins(%cst_2 : bf16) outs(%expanded : tensor<4x1xbf16>) -> tensor<4x1xbf16>
    %expanded_3 = tensor.expand_shape %arg0 [[0, 1], [2]] output_shape [4, 1, 32] : tensor<4x32xbf16> into tensor<4x1x32xbf16>
    %5 = linalg.generic {indexing_maps = [#map1, #map2, #map3], iterator_types = ["parallel", "parallel", "reduction"]} ins(%expanded_3, %collapsed : tensor<4x1x32xbf16>, tensor<bf16>) outs(%4 : tensor<4x1xbf16>) {
    ^bb0(%in: bf16, %in_6: bf16, %out: bf16):
      %9 = math.powf %in, %in_6 : bf16
      %10 = arith.addf %out, %9 : bf16
      linalg.yield %10 : bf16
    } -> tensor<4x1xbf16>
    %6 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%1 : tensor<1xbf16>) {
    ^bb0(%out: bf16):
      linalg.yield %cst : bf16
    } -> tensor<1xbf16>
    %collapsed_4 = tensor.collapse_shape %6 [] : tensor<1xbf16> into tensor<bf16>
    %7 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%1 : tensor<1xbf16>) {
    ^bb0(%out: bf16):
      %9 = arith.truncf %cst_1 : f64 to bf16
      linalg.yield %9 : bf16
    } -> tensor<1xbf16>
    %collapsed_5 = tensor.collapse_shape %7 [] : tensor<1xbf16> into tensor<bf16>
    %8 = linalg.generic {indexing_maps = [#map4, #map5, #map6, #map6, #map7, #map4], iterator_types = ["parallel", "parallel"]} ins(%arg0, %5, %collapsed_4, %collapsed_5, %arg1 : tensor<4x32xbf16>, tensor<4x1xbf16>, tensor<bf16>, tensor<bf16>, tensor<32xbf16>) outs(%0 : tensor<4x32xbf16>) {
    ^bb0(%in: bf16, %in_6: bf16, %in_7: bf16, %in_8: bf16, %in_9: bf16, %out: bf16):
      %9 = arith.divf %in_6, %in_7 : bf16
      %10 = arith.addf %9, %in_8 : bf16
      %11 = math.rsqrt %10 : bf16
      %12 = arith.mulf %in, %11 : bf16
      %13 = arith.mulf %12, %in_9 : bf16
      linalg.yield %13 : bf16
    } -> tensor<4x32xbf16>
    return %8 : tensor<4x32xbf16>
  }
}
