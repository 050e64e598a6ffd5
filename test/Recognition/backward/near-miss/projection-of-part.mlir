// RUN: norm-opt %s --norm-recognize '--remarks-filter=norm.*' -o %t 2>&1 | FileCheck %s
// RUN: FileCheck %s --check-prefix=LEFT --input-file=%t --implicit-check-not=norm.rmsnorm_backward

// The squares are of both inner dimensions, and the projection is of the last.

// CHECK: remark: [Missed] RMSNorm
// CHECK-SAME: (dims-not-broadcast): the projection sums over dims [2], and the squares over dims [1, 2]
// LEFT: func.func @f
#one = affine_map<(d0) -> (d0)>


#all = affine_map<(b, d0, d1) -> (b, d0, d1)>
#row = affine_map<(b, d0, d1) -> (b, d0)>
#out = affine_map<(b, d0, d1) -> (b)>
#col = affine_map<(b, d0, d1) -> (d1)>
#vec = affine_map<(d0, d1) -> (d0, d1)>
func.func @f(%dy: tensor<4x8x8xf32>, %x: tensor<4x8x8xf32>, %w: tensor<8xf32>, %other: tensor<4x8x8xf32>) -> tensor<4x8x8xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 64.0 : f32
  %divisor = arith.constant 8.0 : f32
  %factor = arith.constant 1.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<4x8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4x8xf32>) -> tensor<4x8xf32>
  %e4 = tensor.empty() : tensor<4xf32>
  %init4 = linalg.fill ins(%zero : f32) outs(%e4 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #out], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : tensor<4x8x8xf32>) outs(%init4 : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %r = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]}
      ins(%sum : tensor<4xf32>) outs(%e4 : tensor<4xf32>) {
  ^bb0(%s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %root = math.rsqrt %m : f32
    linalg.yield %root : f32
  } -> tensor<4xf32>
  %dot = linalg.generic {indexing_maps = [#all, #all, #col, #row], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%dy, %x, %w : tensor<4x8x8xf32>, tensor<4x8x8xf32>, tensor<8xf32>) outs(%init : tensor<4x8xf32>) {
  ^bb0(%d: f32, %in: f32, %g: f32, %acc: f32):
    %gw = arith.mulf %d, %g : f32
    %term = arith.mulf %gw, %in : f32
    %next = arith.addf %term, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4x8xf32>
  %e2 = tensor.empty() : tensor<4x8x8xf32>
  %dx = linalg.generic {indexing_maps = [#all, #all, #col, #out, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%dy, %x, %w, %r, %dot : tensor<4x8x8xf32>, tensor<4x8x8xf32>, tensor<8xf32>, tensor<4xf32>, tensor<4x8xf32>) outs(%e2 : tensor<4x8x8xf32>) {
  ^bb0(%d: f32, %in: f32, %g: f32, %s: f32, %p: f32, %out: f32):
    %gw = arith.mulf %d, %g : f32
    %s2 = arith.mulf %s, %s : f32
    %s3 = arith.mulf %s2, %s : f32
    %once = arith.mulf %gw, %s : f32
    %direct = arith.mulf %once, %factor : f32
    %mean = arith.divf %p, %divisor : f32
    %scaled = arith.mulf %s3, %mean : f32
    %term = arith.mulf %in, %scaled : f32
    %v = arith.subf %direct, %term : f32
    linalg.yield %v : f32
  } -> tensor<4x8x8xf32>
  return %dx : tensor<4x8x8xf32>
}
