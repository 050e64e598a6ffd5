// RUN: norm-opt %s --norm-recognize | FileCheck %s

// jnp.var asks whether n - ddof is positive, of constants: the answer is read.

#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// CHECK-LABEL: func.func @positive(
// CHECK: norm.rmsnorm ins(%arg0 : tensor<4x32xf32>)
// CHECK-LABEL: func.func @not_positive(
// CHECK-NOT: norm.rmsnorm
// CHECK: return
func.func @positive(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %negative = arith.negf %zero : f32
    %count = arith.addf %n, %negative : f32
    %holds = arith.cmpf ogt, %count, %zero : f32
    %mean = arith.divf %s, %n : f32
    %kept = arith.select %holds, %mean, %nan : f32
    %r = math.rsqrt %kept : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}
func.func @not_positive(%x: tensor<4x32xf32>) -> tensor<4x32xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %nan = arith.constant 0x7FC00000 : f32
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x32xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty() : tensor<4x32xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x32xf32>, tensor<4xf32>) outs(%e2 : tensor<4x32xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %negative = arith.negf %n : f32
    %count = arith.addf %n, %negative : f32
    %holds = arith.cmpf ogt, %count, %zero : f32
    %mean = arith.divf %s, %n : f32
    %kept = arith.select %holds, %mean, %nan : f32
    %r = math.rsqrt %kept : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<4x32xf32>
  return %y : tensor<4x32xf32>
}
