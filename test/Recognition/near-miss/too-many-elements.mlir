// RUN: norm-opt %s --norm-recognize '--remarks-filter=norm.*' -o %t 2>&1 | FileCheck %s --implicit-check-not=Passed
// RUN: norm-opt %s -o %t.plain && cmp %t %t.plain
// RUN: sed -e 's|9223372036854775807|16|' %s | norm-opt --norm-recognize | FileCheck %s --check-prefix=REPAIRED

// More elements than a 64-bit number counts. Found by norm-fuzz: it overflowed.

// CHECK: remark: [Missed] RMSNorm
// CHECK-SAME: (input-not-representable): dims [1, 2] have 2^63 or more elements
// REPAIRED: norm.rmsnorm ins(
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0)>
!x = tensor<4x9223372036854775807x8xf32>
func.func @f(%x: !x) -> !x {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 128.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : !x) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : !x
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %sum : !x, tensor<4xf32>) outs(%e2 : !x) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> !x
  return %y : !x
}
