// RUN: norm-opt %s --norm-recognize '--remarks-filter=norm.*' -o %t 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s --input-file=%t

// Gemma's GemmaRMSNorm after linalg-fuse-elementwise-ops (corpus case
// hf_gemma_bf16__tml_arg__fuse): 1 + w is fused into the norm and comes out as
// its own small op; there is one rounding, at the end.

// REMARK: remark: [Passed] RMSNorm
// CHECK: func.func @main(%[[X:.*]]: tensor<{{.*}}xbf16>, %[[W:.*]]: tensor<[[N:[0-9]+]]xbf16>)
// CHECK: %[[W1:.*]] = linalg.generic {{.*}} ins(%[[W]] : tensor<[[N]]xbf16>)
// CHECK: arith.extf
// CHECK: arith.addf
// CHECK: norm.rmsnorm ins(%[[X]], %[[W1]] : {{.*}}tensor<[[N]]xf32>)
// CHECK-NOT: normalized_type
// CHECK-NOT: linalg.generic
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0, 0)>
#map2 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @main(%arg0: tensor<4x32xbf16>, %arg1: tensor<32xbf16>) -> tensor<4x32xbf16> {
    %c2_i64 = arith.constant 2 : i64
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 9.9999999999999995E-7 : f64
    %cst_1 = arith.constant 3.200000e+01 : f32
    %cst_2 = arith.constant 1.000000e+00 : f32
    %0 = tensor.empty() : tensor<4x32xf32>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<4x32xbf16>) outs(%0 : tensor<4x32xf32>) {
    ^bb0(%in: bf16, %out: f32):
      %7 = arith.extf %in : bf16 to f32
      linalg.yield %7 : f32
    } -> tensor<4x32xf32>
    %2 = tensor.empty() : tensor<4x1xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<4x1xf32>) -> tensor<4x1xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<4x32xf32>) outs(%3 : tensor<4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %7 = math.fpowi %in, %c2_i64 : f32, i64
      %8 = arith.addf %7, %out : f32
      linalg.yield %8 : f32
    } -> tensor<4x1xf32>
    %5 = tensor.empty() : tensor<4x32xbf16>
    %6 = linalg.generic {indexing_maps = [#map, #map1, #map2, #map], iterator_types = ["parallel", "parallel"]} ins(%1, %4, %arg1 : tensor<4x32xf32>, tensor<4x1xf32>, tensor<32xbf16>) outs(%5 : tensor<4x32xbf16>) {
    ^bb0(%in: f32, %in_3: f32, %in_4: bf16, %out: bf16):
      %7 = arith.extf %in_4 : bf16 to f32
      %8 = arith.addf %7, %cst_2 : f32
      %9 = arith.divf %in_3, %cst_1 : f32
      %10 = arith.truncf %cst_0 : f64 to f32
      %11 = arith.addf %9, %10 : f32
      %12 = math.rsqrt %11 : f32
      %13 = arith.mulf %in, %12 : f32
      %14 = arith.mulf %13, %8 : f32
      %15 = arith.truncf %14 : f32 to bf16
      linalg.yield %15 : bf16
    } -> tensor<4x32xbf16>
    return %6 : tensor<4x32xbf16>
  }
}

