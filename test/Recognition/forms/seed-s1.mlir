// RUN: norm-opt %s --split-input-file --norm-recognize | FileCheck %s

// S1, one rounding at the end.
// Corpus cases, verbatim:
//   seed_S1_f32__tml_arg
//   seed_S1_f16__tml_arg
//   seed_S1_bf16__tml_arg__fuse

// CHECK-LABEL: func.func @main(
// CHECK-NOT: {{linalg|math}}.
// CHECK: norm.rmsnorm ins(%arg0, %arg1 : tensor<4x32xf32>, tensor<32xf32>)
// CHECK-SAME: dims = [1] epsilon = 9.99999974E-6 : f32 -> tensor<4x32xf32>
// CHECK-NOT: {{linalg|math}}.
// CHECK: return
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0, 0)>
#map2 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<4x32xf32>, %arg1: tensor<32xf32>) -> tensor<4x32xf32> {
    %c2_i64 = arith.constant 2 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 1.000000e-05 : f64
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
      %10 = math.sqrt %in : f32
      linalg.yield %10 : f32
    } -> tensor<4x1xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %7 : tensor<4x32xf32>, tensor<4x1xf32>) outs(%0 : tensor<4x32xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %10 = arith.divf %in, %in_2 : f32
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
// CHECK-SAME: dims = [1] epsilon = 1.001360e-05 : f16 root_form =  quotient compute_type = f16 -> tensor<4x32xf16>
// CHECK-NOT: {{linalg|math}}.
// CHECK: return
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0, 0)>
#map2 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<4x32xf16>, %arg1: tensor<32xf16>) -> tensor<4x32xf16> {
    %c2_i64 = arith.constant 2 : i64
    %cst = arith.constant 0.000000e+00 : f16
    %cst_0 = arith.constant 1.000000e-05 : f64
    %cst_1 = arith.constant 3.200000e+01 : f16
    %0 = tensor.empty() : tensor<4x32xf16>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<4x32xf16>) outs(%0 : tensor<4x32xf16>) {
    ^bb0(%in: f16, %out: f16):
      %10 = math.fpowi %in, %c2_i64 : f16, i64
      linalg.yield %10 : f16
    } -> tensor<4x32xf16>
    %2 = tensor.empty() : tensor<4x1xf16>
    %3 = linalg.fill ins(%cst : f16) outs(%2 : tensor<4x1xf16>) -> tensor<4x1xf16>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<4x32xf16>) outs(%3 : tensor<4x1xf16>) {
    ^bb0(%in: f16, %out: f16):
      %10 = arith.addf %in, %out : f16
      linalg.yield %10 : f16
    } -> tensor<4x1xf16>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%4 : tensor<4x1xf16>) outs(%2 : tensor<4x1xf16>) {
    ^bb0(%in: f16, %out: f16):
      %10 = arith.divf %in, %cst_1 : f16
      linalg.yield %10 : f16
    } -> tensor<4x1xf16>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<4x1xf16>) outs(%2 : tensor<4x1xf16>) {
    ^bb0(%in: f16, %out: f16):
      %10 = arith.truncf %cst_0 : f64 to f16
      %11 = arith.addf %in, %10 : f16
      linalg.yield %11 : f16
    } -> tensor<4x1xf16>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<4x1xf16>) outs(%2 : tensor<4x1xf16>) {
    ^bb0(%in: f16, %out: f16):
      %10 = math.sqrt %in : f16
      linalg.yield %10 : f16
    } -> tensor<4x1xf16>
    %8 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %7 : tensor<4x32xf16>, tensor<4x1xf16>) outs(%0 : tensor<4x32xf16>) {
    ^bb0(%in: f16, %in_2: f16, %out: f16):
      %10 = arith.divf %in, %in_2 : f16
      linalg.yield %10 : f16
    } -> tensor<4x32xf16>
    %9 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%8, %arg1 : tensor<4x32xf16>, tensor<32xf16>) outs(%0 : tensor<4x32xf16>) {
    ^bb0(%in: f16, %in_2: f16, %out: f16):
      %10 = arith.mulf %in, %in_2 : f16
      linalg.yield %10 : f16
    } -> tensor<4x32xf16>
    return %9 : tensor<4x32xf16>
  }
}

// -----

// CHECK-LABEL: func.func @main(
// CHECK-NOT: {{linalg|math}}.
// CHECK: norm.rmsnorm ins(%arg0, %arg1 : tensor<4x32xbf16>, tensor<32xbf16>)
// CHECK-SAME: dims = [1] epsilon = 1.001360e-05 : bf16 root_form =  quotient compute_type = bf16 -> tensor<4x32xbf16>
// CHECK-NOT: {{linalg|math}}.
// CHECK: return
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0, 0)>
#map2 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<4x32xbf16>, %arg1: tensor<32xbf16>) -> tensor<4x32xbf16> {
    %c2_i64 = arith.constant 2 : i64
    %cst = arith.constant 0.000000e+00 : bf16
    %cst_0 = arith.constant 1.000000e-05 : f64
    %cst_1 = arith.constant 3.200000e+01 : bf16
    %0 = tensor.empty() : tensor<4x32xbf16>
    %1 = tensor.empty() : tensor<4x1xbf16>
    %2 = linalg.fill ins(%cst : bf16) outs(%1 : tensor<4x1xbf16>) -> tensor<4x1xbf16>
    %3 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<4x32xbf16>) outs(%2 : tensor<4x1xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %5 = math.fpowi %in, %c2_i64 : bf16, i64
      %6 = arith.addf %5, %out : bf16
      linalg.yield %6 : bf16
    } -> tensor<4x1xbf16>
    %4 = linalg.generic {indexing_maps = [#map, #map1, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %3, %arg1 : tensor<4x32xbf16>, tensor<4x1xbf16>, tensor<32xbf16>) outs(%0 : tensor<4x32xbf16>) {
    ^bb0(%in: bf16, %in_2: bf16, %in_3: bf16, %out: bf16):
      %5 = arith.divf %in_2, %cst_1 : bf16
      %6 = arith.truncf %cst_0 : f64 to bf16
      %7 = arith.addf %5, %6 : bf16
      %8 = math.sqrt %7 : bf16
      %9 = arith.divf %in, %8 : bf16
      %10 = arith.mulf %9, %in_3 : bf16
      linalg.yield %10 : bf16
    } -> tensor<4x32xbf16>
    return %4 : tensor<4x32xbf16>
  }
}
