// RUN: norm-opt %s --norm-recognize | FileCheck %s

// 1 + w of a part of w is computed from that part, not from all of w.

// CHECK: %[[PART:.*]] = tensor.extract_slice %arg1
// CHECK: %[[W:.*]] = linalg.generic {{.*}} ins(%[[PART]] : tensor<8xf32>)
// CHECK: norm.rmsnorm ins(%arg0, %[[W]] :
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
func.func @f(%x: tensor<8x8xf32>, %w: tensor<16xf32>) -> tensor<8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %one = arith.constant 1.0 : f32
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %ws = tensor.extract_slice %w[0] [8] [1] : tensor<16xf32> to tensor<8xf32>
  %e1 = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x8xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  %e2 = tensor.empty() : tensor<8x8xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %ws : tensor<8x8xf32>, tensor<8xf32>, tensor<8xf32>) outs(%e2 : tensor<8x8xf32>) {
  ^bb0(%in: f32, %s: f32, %g: f32, %out: f32):
    %w1 = arith.addf %g, %one : f32
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    %v = arith.mulf %z, %w1 : f32
    linalg.yield %v : f32
  } -> tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}
