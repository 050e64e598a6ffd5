// RUN: norm-opt %s --norm-recognize | FileCheck %s
// RUN: sed -e 's|d1 floordiv 4|d1 mod 2|' %s | norm-opt --norm-recognize '--remarks-filter=norm.*' -o /dev/null 2>&1 | FileCheck %s --check-prefix=OTHER

// Groups of 4 in rows of 8: the sums of the reshaped x are read at d1 floordiv
// 4, and nothing else is reshaped.

// CHECK-LABEL: func.func @f(
// CHECK-DAG: %[[X:.*]] = tensor.expand_shape %arg0 {{\[\[}}0], [1, 2]] output_shape [%{{.*}}, 2, 4] : tensor<?x8xf32> into tensor<?x2x4xf32>
// CHECK-DAG: %[[W:.*]] = tensor.expand_shape %arg1 {{\[\[}}0, 1]] output_shape [2, 4] : tensor<8xf32> into tensor<2x4xf32>
// CHECK: %[[Y:.*]] = norm.rmsnorm ins(%[[X]], %[[W]] : tensor<?x2x4xf32>, tensor<2x4xf32>)
// CHECK-SAME: dims = [2] epsilon = 9.99999997E-7 : f32 weight_dims = [1, 2] -> tensor<?x2x4xf32>
// CHECK: tensor.collapse_shape %[[Y]] {{\[\[}}0], [1, 2]] : tensor<?x2x4xf32> into tensor<?x8xf32>
// CHECK-NOT: linalg

// Element 1 is scaled by the sum of the other group.
// OTHER: remark: [Missed] RMSNorm
// OTHER-SAME: (different-tensor)
#a3 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#r2 = affine_map<(d0, d1, d2) -> (d0, d1)>
#all = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>
#group = affine_map<(d0, d1) -> (d0, d1 floordiv 4)>
func.func @f(%x: tensor<?x8xf32>, %w: tensor<8xf32>) -> tensor<?x8xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 4.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x8xf32>
  %xg = tensor.expand_shape %x [[0], [1, 2]] output_shape [%d, 2, 4] : tensor<?x8xf32> into tensor<?x2x4xf32>
  %e1 = tensor.empty(%d) : tensor<?x2xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?x2xf32>) -> tensor<?x2xf32>
  %sum = linalg.generic {indexing_maps = [#a3, #r2], iterator_types = ["parallel", "parallel", "reduction"]} ins(%xg : tensor<?x2x4xf32>) outs(%init : tensor<?x2xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %q = arith.mulf %in, %in : f32
    %next = arith.addf %q, %acc : f32
    linalg.yield %next : f32
  } -> tensor<?x2xf32>
  %e2 = tensor.empty(%d) : tensor<?x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #group, #col, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %sum, %w : tensor<?x8xf32>, tensor<?x2xf32>, tensor<8xf32>) outs(%e2 : tensor<?x8xf32>) {
  ^bb0(%in: f32, %s: f32, %g: f32, %out: f32):
    %m0 = arith.divf %s, %n : f32
    %m1 = arith.addf %m0, %eps : f32
    %r = math.rsqrt %m1 : f32
    %z = arith.mulf %in, %r : f32
    %v = arith.mulf %z, %g : f32
    linalg.yield %v : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
