// A gradient that adds -1/n, rounded once, times a sum.
// RUN: norm-opt %s --norm-recognize '--remarks-filter=norm.*' -o %t 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=OP --input-file=%t
// CHECK: found the gradient dx of RMSNorm {{.*}} differs by reciprocal, order, distribute
// OP: norm.rmsnorm_backward {{.*}} dx(
func.func @f(%a0: tensor<4x4x300xf32>, %a1: tensor<300xf32>, %a2: tensor<4x4x300xf32>) -> (tensor<4x4x300xf32>) {
  %e2 = tensor.empty() : tensor<4x4x300xf32>
  %v3 = linalg.generic {indexing_maps = [affine_map<(d0,d1,d2) -> (d0,d1,d2)>, affine_map<(d0,d1,d2) -> (d0,d1,d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a0 : tensor<4x4x300xf32>) outs(%e2 : tensor<4x4x300xf32>) {
  ^bb0(%x0_0: f32, %acc2: f32):
    %s1 = arith.negf %x0_0 : f32
    linalg.yield %s1 : f32
  } -> tensor<4x4x300xf32>
  %e5 = tensor.empty() : tensor<4x4xf32>
  %k6 = arith.constant 0.00000000000000000e+00 : f32
  %z7 = linalg.fill ins(%k6 : f32) outs(%e5 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %v9 = linalg.generic {indexing_maps = [affine_map<(d0,d1,d2) -> (d0,d1,d2)>, affine_map<(d0,d1,d2) -> (d0,d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v3 : tensor<4x4x300xf32>) outs(%z7 : tensor<4x4xf32>) {
  ^bb0(%x0_3: f32, %acc5: f32):
    %s4 = arith.mulf %x0_3, %x0_3 : f32
    %s8 = arith.addf %acc5, %s4 : f32
    linalg.yield %s8 : f32
  } -> tensor<4x4xf32>
  %k10 = arith.constant 3.00000000000000000e+02 : f32
  %k12 = arith.constant 1.00000000000000008e-05 : f32
  %k15 = arith.constant 1.00000000000000000e+00 : f32
  %e17 = tensor.empty() : tensor<4x4xf32>
  %v18 = linalg.generic {indexing_maps = [affine_map<(d0,d1) -> (d0,d1)>, affine_map<(d0,d1) -> (d0,d1)>], iterator_types = ["parallel", "parallel"]} ins(%v9 : tensor<4x4xf32>) outs(%e17 : tensor<4x4xf32>) {
  ^bb0(%x0_9: f32, %acc17: f32):
    %s11 = arith.divf %x0_9, %k10 : f32
    %s13 = arith.addf %s11, %k12 : f32
    %s14 = math.sqrt %s13 : f32
    %s16 = arith.divf %k15, %s14 : f32
    linalg.yield %s16 : f32
  } -> tensor<4x4xf32>
  %e20 = tensor.empty() : tensor<4x4x300xf32>
  %v21 = linalg.generic {indexing_maps = [affine_map<(d0,d1,d2) -> (d0,d1,d2)>, affine_map<(d0,d1,d2) -> (d2)>, affine_map<(d0,d1,d2) -> (d0,d1,d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%a2, %a1 : tensor<4x4x300xf32>, tensor<300xf32>) outs(%e20 : tensor<4x4x300xf32>) {
  ^bb0(%x0_18: f32, %x1_18: f32, %acc20: f32):
    %s19 = arith.mulf %x0_18, %x1_18 : f32
    linalg.yield %s19 : f32
  } -> tensor<4x4x300xf32>
  %e23 = tensor.empty() : tensor<4x4xf32>
  %k24 = arith.constant 0.00000000000000000e+00 : f32
  %z25 = linalg.fill ins(%k24 : f32) outs(%e23 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %v27 = linalg.generic {indexing_maps = [affine_map<(d0,d1,d2) -> (d0,d1,d2)>, affine_map<(d0,d1,d2) -> (d0,d1,d2)>, affine_map<(d0,d1,d2) -> (d0,d1)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%v21, %v3 : tensor<4x4x300xf32>, tensor<4x4x300xf32>) outs(%z25 : tensor<4x4xf32>) {
  ^bb0(%x0_21: f32, %x1_21: f32, %acc23: f32):
    %s22 = arith.mulf %x0_21, %x1_21 : f32
    %s26 = arith.addf %acc23, %s22 : f32
    linalg.yield %s26 : f32
  } -> tensor<4x4xf32>
  %k32 = arith.constant -3.33333333333333355e-03 : f32
  %e36 = tensor.empty() : tensor<4x4x300xf32>
  %v37 = linalg.generic {indexing_maps = [affine_map<(d0,d1,d2) -> (d0,d1,d2)>, affine_map<(d0,d1,d2) -> (d0,d1,d2)>, affine_map<(d0,d1,d2) -> (d0,d1)>, affine_map<(d0,d1,d2) -> (d0,d1)>, affine_map<(d0,d1,d2) -> (d0,d1,d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%v21, %v3, %v18, %v27 : tensor<4x4x300xf32>, tensor<4x4x300xf32>, tensor<4x4xf32>, tensor<4x4xf32>) outs(%e36 : tensor<4x4x300xf32>) {
  ^bb0(%x0_27: f32, %x1_27: f32, %x2_27: f32, %x3_27: f32, %acc36: f32):
    %s28 = arith.mulf %x2_27, %x0_27 : f32
    %s29 = arith.mulf %x2_27, %x2_27 : f32
    %s30 = arith.mulf %s29, %x2_27 : f32
    %s31 = arith.mulf %x1_27, %s30 : f32
    %s33 = arith.mulf %x3_27, %k32 : f32
    %s34 = arith.mulf %s31, %s33 : f32
    %s35 = arith.addf %s28, %s34 : f32
    linalg.yield %s35 : f32
  } -> tensor<4x4x300xf32>
  return %v37 : tensor<4x4x300xf32>
}
