// RUN: norm-opt %s --split-input-file --norm-recognize | FileCheck %s

// S3, epsilon outside the root.
// Corpus cases, verbatim:
//   seed_S3_f32__shlo_lin__foldfuse
//   seed_S3_bf16__tml_arg__fuse

// CHECK-LABEL: func.func @main(
// CHECK-NOT: {{linalg|math}}.
// CHECK: norm.rmsnorm ins(%arg0, %arg1 : tensor<4x32xf32>, tensor<32xf32>)
// CHECK-SAME: dims = [1] epsilon = 9.99999997E-7 : f32 epsilon_mode =  outside -> tensor<4x32xf32>
// CHECK-NOT: {{linalg|math}}.
// CHECK: return
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<4x32xf32>, %arg1: tensor<32xf32>) -> tensor<4x32xf32> {
    %cst = arith.constant 3.200000e+01 : f32
    %cst_0 = arith.constant 9.9999999999999995E-7 : f64
    %cst_1 = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<4x32xf32>
    %1 = tensor.empty() : tensor<4xf32>
    %2 = linalg.fill ins(%cst_1 : f32) outs(%1 : tensor<4xf32>) -> tensor<4xf32>
    %3 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<4x32xf32>) outs(%2 : tensor<4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %5 = arith.mulf %in, %in : f32
      %6 = arith.addf %out, %5 : f32
      linalg.yield %6 : f32
    } -> tensor<4xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %3, %arg1 : tensor<4x32xf32>, tensor<4xf32>, tensor<32xf32>) outs(%0 : tensor<4x32xf32>) {
    ^bb0(%in: f32, %in_2: f32, %in_3: f32, %out: f32):
      %5 = arith.truncf %cst_0 : f64 to f32
      %6 = arith.divf %in_2, %cst : f32
      %7 = math.sqrt %6 : f32
      %8 = arith.addf %7, %5 : f32
      %9 = arith.divf %in, %8 : f32
      %10 = arith.mulf %9, %in_3 : f32
      linalg.yield %10 : f32
    } -> tensor<4x32xf32>
    return %4 : tensor<4x32xf32>
  }
}

// -----

// CHECK-LABEL: func.func @main(
// CHECK-NOT: {{linalg|math}}.
// CHECK: norm.rmsnorm ins(%arg0, %arg1 : tensor<4x32xbf16>, tensor<32xbf16>)
// CHECK-SAME: dims = [1] epsilon = 9.983770e-07 : bf16 epsilon_mode =  outside root_form =  quotient compute_type = bf16 -> tensor<4x32xbf16>
// CHECK-NOT: {{linalg|math}}.
// CHECK: return
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0, 0)>
#map2 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<4x32xbf16>, %arg1: tensor<32xbf16>) -> tensor<4x32xbf16> {
    %cst = arith.constant 0.000000e+00 : bf16
    %cst_0 = arith.constant 9.9999999999999995E-7 : f64
    %cst_1 = arith.constant 3.200000e+01 : bf16
    %0 = tensor.empty() : tensor<4x32xbf16>
    %1 = tensor.empty() : tensor<4x1xbf16>
    %2 = linalg.fill ins(%cst : bf16) outs(%1 : tensor<4x1xbf16>) -> tensor<4x1xbf16>
    %3 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%arg0 : tensor<4x32xbf16>) outs(%2 : tensor<4x1xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %5 = arith.mulf %in, %in : bf16
      %6 = arith.addf %5, %out : bf16
      linalg.yield %6 : bf16
    } -> tensor<4x1xbf16>
    %4 = linalg.generic {indexing_maps = [#map, #map1, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %3, %arg1 : tensor<4x32xbf16>, tensor<4x1xbf16>, tensor<32xbf16>) outs(%0 : tensor<4x32xbf16>) {
    ^bb0(%in: bf16, %in_2: bf16, %in_3: bf16, %out: bf16):
      %5 = arith.divf %in_2, %cst_1 : bf16
      %6 = math.sqrt %5 : bf16
      %7 = arith.truncf %cst_0 : f64 to bf16
      %8 = arith.addf %6, %7 : bf16
      %9 = arith.divf %in, %8 : bf16
      %10 = arith.mulf %9, %in_3 : bf16
      linalg.yield %10 : bf16
    } -> tensor<4x32xbf16>
    return %4 : tensor<4x32xbf16>
  }
}
