// An op in the body of another takes the loop index of the outer one, which is none
// of its own loops: read as one, it was out of range.
// RUN: norm-opt %s --norm-recognize | FileCheck %s
// CHECK-NOT: norm.rmsnorm
#id = affine_map<(d0) -> (d0)>
#s = affine_map<(d0) -> ()>
func.func @f(%x: tensor<4x4x8xf32>) -> tensor<4x4x8xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e2 = tensor.empty() : tensor<4x4x8xf32>
  %t8 = tensor.empty() : tensor<8xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} outs(%e2 : tensor<4x4x8xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %k = linalg.index 2 : index
    %e1 = tensor.empty() : tensor<f32>
    %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<f32>) -> tensor<f32>
    %sum = linalg.generic {indexing_maps = [#id, #s], iterator_types = ["reduction"]} ins(%t8 : tensor<8xf32>) outs(%init : tensor<f32>) {
    ^bb1(%u: f32, %acc: f32):
      %in = tensor.extract %x[%i, %j, %k] : tensor<4x4x8xf32>
      %q = arith.mulf %in, %in : f32
      %next = arith.addf %q, %acc : f32
      linalg.yield %next : f32
    } -> tensor<f32>
    %yy = linalg.generic {indexing_maps = [#id, #s, #id], iterator_types = ["parallel"]} ins(%t8, %sum : tensor<8xf32>, tensor<f32>) outs(%t8 : tensor<8xf32>) {
    ^bb1(%u: f32, %s: f32, %o: f32):
      %in = tensor.extract %x[%i, %j, %k] : tensor<4x4x8xf32>
      %m0 = arith.divf %s, %n : f32
      %m1 = arith.addf %m0, %eps : f32
      %r = math.rsqrt %m1 : f32
      %z = arith.mulf %in, %r : f32
      linalg.yield %z : f32
    } -> tensor<8xf32>
    %v = tensor.extract %yy[%k] : tensor<8xf32>
    linalg.yield %v : f32
  } -> tensor<4x4x8xf32>
  return %y : tensor<4x4x8xf32>
}
