// RUN: norm-opt %s --norm-recognize '--remarks-filter=norm.*' -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t
// RUN: norm-opt %s '--norm-recognize=rounding=exact' '--remarks-filter=norm.*' 2>&1 | FileCheck %s --check-prefix=EXACT

// Llama's LlamaRMSNorm in bf16 as torch-mlir lowers it (corpus case
// hf_llama_bf16__tml_arg): rounded to bf16 before the weight.

// REMARK: remark: [Passed] RMSNorm
// REMARK-SAME: found RMSNorm over dims [1]
// REMARK-SAME: rounded to bf16 before the weight
// CHECK: func.func @main(%[[X:.*]]: tensor<4x32xbf16>, %[[W:.*]]: tensor<32xbf16>)
// CHECK-NOT: linalg.generic
// CHECK: norm.rmsnorm ins(%[[X]], %[[W]] : tensor<4x32xbf16>, tensor<32xbf16>)
// CHECK-SAME: dims = [1] epsilon = 9.99999997E-7 : f32 normalized_type = bf16 ->
// CHECK-NOT: linalg.generic

// EXACT: remark: [Missed] RMSNorm
// EXACT-SAME: rounding-not-exact): rounding=exact: expected round<bf16>((round<bf16>(((1 / sqrt(((sum{d1}((x * x)) / 32) + e))) * x)) * w)), found round<bf16>((round<bf16>((rsqrt(((sum{d1}((x * x)) / 32) + e)) * x)) * w))
// EXACT-NOT: norm.rmsnorm
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0, 0)>
#map2 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<4x32xbf16>, %arg1: tensor<32xbf16>) -> tensor<4x32xbf16> {
    %c2_i64 = arith.constant 2 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 9.9999999999999995E-7 : f64
    %cst_1 = arith.constant 3.200000e+01 : f32
    %0 = tensor.empty() : tensor<4x32xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<4x32xbf16>) outs(%0 : tensor<4x32xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %13 = arith.extf %in : bf16 to f32
      linalg.yield %13 : f32
    } -> tensor<4x32xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%1 : tensor<4x32xf32>) outs(%0 : tensor<4x32xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = math.fpowi %in, %c2_i64 : f32, i64
      linalg.yield %13 : f32
    } -> tensor<4x32xf32>
    %3 = tensor.empty() : tensor<4x1xf32>
    %4 = linalg.fill ins(%cst : f32) outs(%3 : tensor<4x1xf32>) -> tensor<4x1xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%2 : tensor<4x32xf32>) outs(%4 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = arith.addf %in, %out : f32
      linalg.yield %13 : f32
    } -> tensor<4x1xf32>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%5 : tensor<4x1xf32>) outs(%3 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = arith.divf %in, %cst_1 : f32
      linalg.yield %13 : f32
    } -> tensor<4x1xf32>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%6 : tensor<4x1xf32>) outs(%3 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = arith.truncf %cst_0 : f64 to f32
      %14 = arith.addf %in, %13 : f32
      linalg.yield %14 : f32
    } -> tensor<4x1xf32>
    %8 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%7 : tensor<4x1xf32>) outs(%3 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %13 = math.rsqrt %in : f32
      linalg.yield %13 : f32
    } -> tensor<4x1xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map1, #map], iterator_types = ["parallel", "parallel"]} ins(%1, %8 : tensor<4x32xf32>, tensor<4x1xf32>) outs(%0 : tensor<4x32xf32>) {
    ^bb0(%in: f32, %in_2: f32, %out: f32):
      %13 = arith.mulf %in, %in_2 : f32
      linalg.yield %13 : f32
    } -> tensor<4x32xf32>
    %10 = tensor.empty() : tensor<4x32xbf16>
    %11 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<4x32xf32>) outs(%10 : tensor<4x32xbf16>) {
    ^bb0(%in: f32, %out: bf16):
      %13 = arith.truncf %in : f32 to bf16
      linalg.yield %13 : bf16
    } -> tensor<4x32xbf16>
    %12 = linalg.generic {indexing_maps = [#map2, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1, %11 : tensor<32xbf16>, tensor<4x32xbf16>) outs(%10 : tensor<4x32xbf16>) {
    ^bb0(%in: bf16, %in_2: bf16, %out: bf16):
      %13 = arith.mulf %in, %in_2 : bf16
      linalg.yield %13 : bf16
    } -> tensor<4x32xbf16>
    return %12 : tensor<4x32xbf16>
  }
}
