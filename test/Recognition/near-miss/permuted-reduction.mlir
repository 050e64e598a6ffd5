// RUN: norm-opt %s --norm-recognize '--remarks-filter=norm.*' -o %t 2>&1 | FileCheck %s --implicit-check-not=Passed
// RUN: norm-opt %s -o %t.plain && cmp %t %t.plain
// RUN: sed -e 's|(d1, d0)>|(d0, d1)>|' %s | norm-opt --norm-recognize | FileCheck %s --check-prefix=REPAIRED

// Three dimensions of one extent; the statistic of (i, j) scales row (j, i).

// CHECK: remark: [Missed] RMSNorm
// CHECK-SAME: (different-tensor): the statistic squares the same tensor at other indices
// REPAIRED: norm.rmsnorm ins(
#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0, d1)>
#read = affine_map<(d0, d1, d2) -> (d1, d0)>
func.func @f(%x: tensor<4x4x4xf32>) -> tensor<4x4x4xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 4.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4x4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x4xf32>) -> tensor<4x4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%x : tensor<4x4x4xf32>) outs(%init : tensor<4x4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4x4xf32>
  %e2 = tensor.empty() : tensor<4x4x4xf32>
  %y = linalg.generic {indexing_maps = [#all, #read, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %sum : tensor<4x4x4xf32>, tensor<4x4xf32>) outs(%e2 : tensor<4x4x4xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<4x4x4xf32>
  return %y : tensor<4x4x4xf32>
}
