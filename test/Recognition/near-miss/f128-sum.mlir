// RUN: norm-opt %s --norm-recognize '--remarks-filter=norm.*' -o %t 2>&1 | FileCheck %s --implicit-check-not=Passed
// RUN: norm-opt %s -o %t.plain && cmp %t %t.plain
// RUN: sed -e 's|f128|f64|' %s | norm-opt --norm-recognize | FileCheck %s --check-prefix=REPAIRED

// sum_type is one of the op's types. Found by norm-fuzz: the op did not verify.

// CHECK: remark: [Missed] RMSNorm
// CHECK-SAME: (rounding-not-representable): expected arithmetic in f16, bf16, f32 or f64, found f128
// REPAIRED: norm.rmsnorm ins({{.*}} sum_type = f64
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
!sum = f128
func.func @f(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : !sum
  %n = arith.constant 8.0 : !sum
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<8x!sum>
  %init = linalg.fill ins(%zero : !sum) outs(%e1 : tensor<8x!sum>) -> tensor<8x!sum>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x8xf32>) outs(%init : tensor<8x!sum>) {
  ^bb0(%in: f32, %acc: !sum):
    %square = arith.mulf %in, %in : f32
    %wide = arith.extf %square : f32 to !sum
    %next = arith.addf %wide, %acc : !sum
    linalg.yield %next : !sum
  } -> tensor<8x!sum>
  %e2 = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<8x8xf32>, tensor<8x!sum>) outs(%e2 : tensor<8x8xf32>) {
  ^bb0(%in: f32, %s: !sum, %out: f32):
    %wide = arith.divf %s, %n : !sum
    %mean = arith.truncf %wide : !sum to f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
