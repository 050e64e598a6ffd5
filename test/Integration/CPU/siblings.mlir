// Two consumers of one norm, and two norms of one tensor, share a loop over its rows
// and match f64.

// RUN: norm-compile %s --explain --emit=vector -o /dev/null 2>&1 | FileCheck %s
// CHECK: Function consumers: {{[0-9]+}} linalg ops in 1 loop
// CHECK: Function norms: {{[0-9]+}} linalg ops in 1 loop

// RUN: %python %S/siblings.py %t norm-run %s | FileCheck %s --check-prefix=VALUES
// VALUES: consumers: max ulp
// VALUES: norms: max ulp

#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>
func.func @consumers(%x: tensor<?x96xf32>, %w: tensor<96xf32>, %v: tensor<96xf32>) -> (tensor<?x96xf32>, tensor<?x96xf32>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x96xf32>
  %e = tensor.empty(%m) : tensor<?x96xf32>
  %n = norm.rmsnorm ins(%x, %w : tensor<?x96xf32>, tensor<96xf32>) outs(%e : tensor<?x96xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x96xf32>
  %y = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%n, %v : tensor<?x96xf32>, tensor<96xf32>) outs(%e : tensor<?x96xf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %r = arith.mulf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<?x96xf32>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%n : tensor<?x96xf32>) outs(%e : tensor<?x96xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.negf %a : f32
    linalg.yield %r : f32
  } -> tensor<?x96xf32>
  return %y, %z : tensor<?x96xf32>, tensor<?x96xf32>
}

func.func @norms(%x: tensor<?x96xf32>, %w: tensor<96xf32>, %v: tensor<96xf32>) -> (tensor<?x96xf32>, tensor<?x96xf32>) {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x96xf32>
  %e = tensor.empty(%m) : tensor<?x96xf32>
  %y = norm.rmsnorm ins(%x, %w : tensor<?x96xf32>, tensor<96xf32>) outs(%e : tensor<?x96xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x96xf32>
  %z = norm.rmsnorm ins(%x, %v : tensor<?x96xf32>, tensor<96xf32>) outs(%e : tensor<?x96xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x96xf32>
  return %y, %z : tensor<?x96xf32>, tensor<?x96xf32>
}
