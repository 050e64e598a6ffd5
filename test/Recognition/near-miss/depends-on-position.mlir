// RUN: norm-opt %s --norm-recognize '--remarks-filter=norm.*' -o %t 2>&1 | FileCheck %s --implicit-check-not=Passed
// RUN: norm-opt %s -o %t.plain && cmp %t %t.plain
// RUN: sed -e 's|mulf .scaled, .scaled|mulf %in, %in|' %s | norm-opt --norm-recognize | FileCheck %s --check-prefix=REPAIRED

// The terms depend on where they stand.

// CHECK: remark: [Missed] RMSNorm
// CHECK-SAME: (different-tensor): the statistic squares another tensor, or the same one at other indices
// REPAIRED: norm.rmsnorm ins(
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
func.func @f(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x8xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %i = linalg.index 1 : index
    %int = arith.index_cast %i : index to i32
    %at = arith.sitofp %int : i32 to f32
    %scaled = arith.mulf %in, %at : f32
    %square = arith.mulf %scaled, %scaled : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  %e2 = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<8x8xf32>, tensor<8xf32>) outs(%e2 : tensor<8x8xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
