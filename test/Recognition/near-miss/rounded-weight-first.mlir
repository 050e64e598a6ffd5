// RUN: norm-opt %s --norm-recognize '--remarks-filter=norm.*' -o %t 2>&1 | FileCheck %s --implicit-check-not=Passed
// RUN: norm-opt %s -o %t.plain && cmp %t %t.plain
// RUN: sed -e 's|mulf %%in, %%g|mulf %%in, %%r|' -e 's|mulf %%xw, %%r|mulf %%xw, %%g|' %s | norm-opt --norm-recognize | FileCheck %s --check-prefix=REPAIRED

// x * w is rounded to f16 before r multiplies: S4 has no place for that.

// CHECK: remark: [Missed] RMSNorm
// CHECK-SAME: (rounding-not-representable): a weight in the product of the rounded root
// REPAIRED: norm.rmsnorm ins(
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
func.func @f(%x: tensor<4x32xf16>, %w: tensor<32xf16>) -> tensor<4x32xf16> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf16>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f16, %acc: f32):
    %wide = arith.extf %in : f16 to f32
    %square = arith.mulf %wide, %wide : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf16>
  %y = linalg.generic {indexing_maps = [#all, #row, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %w : tensor<4x32xf16>, tensor<4xf32>, tensor<32xf16>) outs(%e2 : tensor<4x32xf16>) {
  ^bb0(%in: f16, %s: f32, %g: f16, %out: f16):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %root = math.rsqrt %m : f32
    %r = arith.truncf %root : f32 to f16
    %xw = arith.mulf %in, %g : f16
    %v = arith.mulf %xw, %r : f16
    linalg.yield %v : f16
  } -> tensor<4x32xf16>
  return %y : tensor<4x32xf16>
}
