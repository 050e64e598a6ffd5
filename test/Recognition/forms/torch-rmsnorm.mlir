// RUN: norm-opt %s --split-input-file --norm-recognize | FileCheck %s

// torch.nn.RMSNorm.
// Corpus cases, verbatim:
//   torch_nnrms_f32__tml_arg
//   torch_nnrms_bf16__tml_arg__fuse

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
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 9.9999999999999995E-7 : f64
    %cst_1 = arith.constant 3.200000e+01 : f32
    %0 = tensor.empty() : tensor<4x32xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg0 : tensor<4x32xf32>, tensor<4x32xf32>) outs(%0 : tensor<4x32xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %10 = arith.mulf %in, %in_2 : f32
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
// CHECK: norm.rmsnorm ins(%arg0, %arg1 : tensor<4x32xbf16>, tensor<32xbf16>)
// CHECK-SAME: dims = [1] epsilon = 9.983770e-07 : bf16 root_form =  rsqrt compute_type = bf16 -> tensor<4x32xbf16>
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
      %6 = arith.truncf %cst_0 : f64 to bf16
      %7 = arith.addf %5, %6 : bf16
      %8 = math.rsqrt %7 : bf16
      %9 = arith.mulf %in, %8 : bf16
      %10 = arith.mulf %9, %in_3 : bf16
      linalg.yield %10 : bf16
    } -> tensor<4x32xbf16>
    return %4 : tensor<4x32xbf16>
  }
}
