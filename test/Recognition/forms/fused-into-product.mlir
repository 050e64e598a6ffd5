// RUN: norm-opt %s --norm-recognize --split-input-file | FileCheck %s

// linalg-fuse-elementwise-ops moves what feeds a matrix product into its body.
// The norm becomes an op of its own again; the product stays what it was.

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#row = affine_map<(d0, d1, d2) -> (d0)>
#w = affine_map<(d0, d1, d2) -> (d2)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#r = affine_map<(d0, d1) -> (d0)>

// CHECK-DAG: #[[X:.*]] = affine_map<(d0, d1, d2) -> (d0, d2)>
// CHECK-LABEL: func @head
// CHECK-SAME: %[[X0:.*]]: tensor<4x8xf32>, %[[W:.*]]: tensor<8xf32>, %[[B:.*]]: tensor<8x16xf32>
// CHECK-NOT: math.
// CHECK: %[[Y:.*]] = norm.rmsnorm ins(%[[X0]], %[[W]] : tensor<4x8xf32>, tensor<8xf32>)
// CHECK-SAME: dims = [1]
// CHECK: linalg.generic {indexing_maps = [#[[X]],
// CHECK-SAME: ins(%[[Y]], %[[B]] :
// CHECK-NOT: math.
// CHECK: arith.mulf
// CHECK-NEXT: arith.addf
func.func @head(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %b: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#id, #r], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x16xf32>
  %acc0 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<4x16xf32>) -> tensor<4x16xf32>
  %y = linalg.generic {indexing_maps = [#w, #x, #row, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%w, %x, %sum, %b : tensor<8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<8x16xf32>)
      outs(%acc0 : tensor<4x16xf32>) {
  ^bb0(%g: f32, %in: f32, %s: f32, %m: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %e = arith.addf %mean, %eps : f32
    %rs = math.rsqrt %e : f32
    %z = arith.mulf %in, %rs : f32
    %v = arith.mulf %g, %z : f32
    %p = arith.mulf %v, %m : f32
    %a = arith.addf %out, %p : f32
    linalg.yield %a : f32
  } -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}

// -----

// The residual sum is in the bodies of the statistic and of the product: it is
// computed once, over the loops that it has.

#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#row = affine_map<(d0, d1, d2) -> (d0)>
#b = affine_map<(d0, d1, d2) -> (d2, d1)>
#c = affine_map<(d0, d1, d2) -> (d0, d1)>
#id = affine_map<(d0, d1) -> (d0, d1)>
#r = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func @residual_head
// CHECK-SAME: %[[P:.*]]: tensor<4x8xf32>, %[[Q:.*]]: tensor<4x8xf32>
// CHECK: %[[SUM:.*]] = linalg.generic {{.*}} iterator_types = ["parallel", "parallel"]} ins(%[[P]], %[[Q]] :
// CHECK-NEXT: ^bb0
// CHECK-NEXT: arith.addf
// CHECK: norm.rmsnorm ins(%[[SUM]] : tensor<4x8xf32>)
// CHECK-SAME: dims = [1]
// CHECK: iterator_types = ["parallel", "parallel", "reduction"]
// CHECK-NOT: math.
// CHECK: return
func.func @residual_head(%p: tensor<4x8xf32>, %q: tensor<4x8xf32>, %b: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#id, #id, #r], iterator_types = ["parallel", "reduction"]}
      ins(%p, %q : tensor<4x8xf32>, tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%i: f32, %j: f32, %acc: f32):
    %in = arith.addf %i, %j : f32
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x16xf32>
  %acc0 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<4x16xf32>) -> tensor<4x16xf32>
  %y = linalg.generic {indexing_maps = [#x, #x, #row, #b, #c], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%p, %q, %sum, %b : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>, tensor<8x16xf32>)
      outs(%acc0 : tensor<4x16xf32>) {
  ^bb0(%i: f32, %j: f32, %s: f32, %m: f32, %out: f32):
    %in = arith.addf %i, %j : f32
    %mean = arith.divf %s, %n : f32
    %e = arith.addf %mean, %eps : f32
    %rs = math.rsqrt %e : f32
    %z = arith.mulf %in, %rs : f32
    %v = arith.mulf %z, %m : f32
    %a = arith.addf %out, %v : f32
    linalg.yield %a : f32
  } -> tensor<4x16xf32>
  return %y : tensor<4x16xf32>
}
