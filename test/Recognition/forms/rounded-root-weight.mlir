// RUN: norm-opt %s --norm-recognize='rounding=exact' | FileCheck %s --check-prefix=EXACT
// RUN: norm-opt %s --norm-recognize | FileCheck %s

// The f32 root is rounded to bf16, and x * r * w is computed in bf16. The product of
// two bf16 values is exact in f32, so its rounding is normalized_type (S4).

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>

// EXACT-NOT: norm.rmsnorm
// CHECK-LABEL: func.func @weight_last
// CHECK: norm.rmsnorm ins(%arg0, %arg1 : tensor<4x8xbf16>, tensor<8xbf16>) {{.*}} scale_type = bf16 normalized_type = bf16 -> tensor<4x8xbf16>
// CHECK-NEXT: return
func.func @weight_last(%x: tensor<4x8xbf16>, %w: tensor<8xbf16>) -> tensor<4x8xbf16> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xbf16>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: bf16, %acc: f32):
    %wide = arith.extf %in : bf16 to f32
    %square = arith.mulf %wide, %wide : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x8xbf16>
  %y = linalg.generic {indexing_maps = [#all, #row, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %w : tensor<4x8xbf16>, tensor<4xf32>, tensor<8xbf16>) outs(%e2 : tensor<4x8xbf16>) {
  ^bb0(%in: bf16, %s: f32, %g: bf16, %out: bf16):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %r16 = arith.truncf %r : f32 to bf16
    %z = arith.mulf %in, %r16 : bf16
    %v = arith.mulf %z, %g : bf16
    linalg.yield %v : bf16
  } -> tensor<4x8xbf16>
  return %y : tensor<4x8xbf16>
}
