// The slice of an op that a norm would be moved before, in a cycle of an unreachable block, ends.
// RUN: norm-opt %s --norm-recognize | FileCheck %s
// CHECK: norm.rmsnorm
func.func @main(%arg2: tensor<8xf32>) {
 return
^dead:
  %e1 = tensor.empty() : tensor<3xf32>
  %c2 = arith.constant 0.0 : f32
  %f3 = linalg.fill ins(%c2 : f32) outs(%e1 : tensor<3xf32>) -> tensor<3xf32>
  %v8 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0,d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%v67 : tensor<3x8xf32>) outs(%f3 : tensor<3xf32>) {
  ^bb0(%b5: f32, %o4: f32):
    %s6 = arith.mulf %b5, %b5 : f32
    %s7 = arith.addf %o4, %s6 : f32
    linalg.yield %s7 : f32
  } -> tensor<3xf32>
  %e9 = tensor.empty() : tensor<3xf32>
  %v17 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%v8 : tensor<3xf32>) outs(%e9 : tensor<3xf32>) {
  ^bb0(%b11: f32, %o10: f32):
    %s12 = arith.constant 8.0 : f32
    %s13 = arith.divf %b11, %s12 : f32
    %s14 = arith.constant 1.0e-3 : f32
    %s15 = arith.addf %s13, %s14 : f32
    %s16 = math.rsqrt %s15 : f32
    linalg.yield %s16 : f32
  } -> tensor<3xf32>
  %e18 = tensor.empty() : tensor<3xf32>
  %c19 = arith.constant 0.0 : f32
  %f20 = linalg.fill ins(%c19 : f32) outs(%e18 : tensor<3xf32>) -> tensor<3xf32>
  %v29 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0,d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%v67 : tensor<3x8xf32>) outs(%f20 : tensor<3xf32>) {
  ^bb0(%b22: f32, %o21: f32):
    %s23 = arith.truncf %b22 : f32 to bf16
    %s24 = arith.extf %s23 : bf16 to f32
    %s25 = arith.truncf %b22 : f32 to bf16
    %s26 = arith.extf %s25 : bf16 to f32
    %s27 = arith.mulf %s24, %s26 : f32
    %s28 = arith.addf %o21, %s27 : f32
    linalg.yield %s28 : f32
  } -> tensor<3xf32>
  %e30 = tensor.empty() : tensor<3xf32>
  %v38 = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%v29 : tensor<3xf32>) outs(%e30 : tensor<3xf32>) {
  ^bb0(%b32: f32, %o31: f32):
    %s33 = arith.constant 8.0 : f32
    %s34 = arith.divf %b32, %s33 : f32
    %s35 = arith.constant 1.0e-3 : f32
    %s36 = arith.addf %s34, %s35 : f32
    %s37 = math.rsqrt %s36 : f32
    linalg.yield %s37 : f32
  } -> tensor<3xf32>
  %e39 = tensor.empty() : tensor<3xf32>
  %c40 = arith.constant 0.0 : f32
  %f41 = linalg.fill ins(%c40 : f32) outs(%e39 : tensor<3xf32>) -> tensor<3xf32>
  %v49 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0,d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0,d1)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]}
      ins(%v67, %arg2, %v67 : tensor<3x8xf32>, tensor<8xf32>, tensor<3x8xf32>) outs(%f41 : tensor<3xf32>) {
  ^bb0(%b43: f32, %b44: f32, %b46: f32, %o42: f32):
    %s45 = arith.mulf %b43, %b44 : f32
    %s47 = arith.mulf %s45, %b46 : f32
    %s48 = arith.addf %o42, %s47 : f32
    linalg.yield %s48 : f32
  } -> tensor<3xf32>
  %e50 = tensor.empty() : tensor<3x8xf32>
  %v67 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0,d1)>, affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0,d1)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0)>, affine_map<(d0, d1) -> (d0,d1)>], iterator_types = ["parallel", "parallel"]}
      ins(%v67, %arg2, %v17, %v67, %v38, %v49 : tensor<3x8xf32>, tensor<8xf32>, tensor<3xf32>, tensor<3x8xf32>, tensor<3xf32>, tensor<3xf32>) outs(%e50 : tensor<3x8xf32>) {
  ^bb0(%b52: f32, %b53: f32, %b55: f32, %b57: f32, %b58: f32, %b61: f32, %o51: f32):
    %s54 = arith.mulf %b52, %b53 : f32
    %s56 = arith.mulf %s54, %b55 : f32
    %s59 = arith.mulf %b58, %b58 : f32
    %s60 = arith.mulf %s59, %b58 : f32
    %s62 = arith.constant 8.0 : f32
    %s63 = arith.divf %b61, %s62 : f32
    %s64 = arith.mulf %s60, %s63 : f32
    %s65 = arith.mulf %b57, %s64 : f32
    %s66 = arith.subf %s56, %s65 : f32
    linalg.yield %s66 : f32
  } -> tensor<3x8xf32>
 return
}
