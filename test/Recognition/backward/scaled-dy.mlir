// RUN: norm-opt %s --norm-recognize --canonicalize --cse | FileCheck %s

// A number is no weight of the norm: what it scales is dy, and the product may be rounded before,
// as the gradient of queries is by the scale of the scores.

#all = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>

// CHECK-LABEL: func @scaled
// CHECK: %[[DY:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x16xbf16>)
// CHECK: norm.rmsnorm_backward ins(%[[DY]], %{{.*}} : tensor<4x16xbf16>, tensor<4x16xbf16>) dx(
func.func @scaled(%scores: tensor<4x16xf32>, %x: tensor<4x16xbf16>) -> tensor<4x16xbf16> {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant 0.5 : f32
  %n = arith.constant 16.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %empty = tensor.empty() : tensor<4x16xbf16>
  %dy = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%scores : tensor<4x16xf32>) outs(%empty : tensor<4x16xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %scaled = arith.mulf %a, %half : f32
    %narrow = arith.truncf %scaled : f32 to bf16
    linalg.yield %narrow : bf16
  } -> tensor<4x16xbf16>
  %empty.row = tensor.empty() : tensor<4xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty.row : tensor<4xf32>) -> tensor<4xf32>
  %square.sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x16xbf16>) outs(%fill : tensor<4xf32>) {
  ^bb0(%a: bf16, %acc: f32):
    %wide = arith.extf %a : bf16 to f32
    %q = arith.mulf %wide, %wide : f32
    %s = arith.addf %acc, %q : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %product.sum = linalg.generic {indexing_maps = [#all, #all, #row], iterator_types = ["parallel", "reduction"]} ins(%dy, %x : tensor<4x16xbf16>, tensor<4x16xbf16>) outs(%fill : tensor<4xf32>) {
  ^bb0(%g: bf16, %a: bf16, %acc: f32):
    %wide.g = arith.extf %g : bf16 to f32
    %wide = arith.extf %a : bf16 to f32
    %q = arith.mulf %wide.g, %wide : f32
    %s = arith.addf %acc, %q : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %dx = linalg.generic {indexing_maps = [#all, #all, #row, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%dy, %x, %square.sum, %product.sum : tensor<4x16xbf16>, tensor<4x16xbf16>, tensor<4xf32>, tensor<4xf32>) outs(%empty : tensor<4x16xbf16>) {
  ^bb0(%g: bf16, %a: bf16, %squares: f32, %products: f32, %o: bf16):
    %wide.g = arith.extf %g : bf16 to f32
    %wide = arith.extf %a : bf16 to f32
    %mean = arith.divf %squares, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %direct = arith.mulf %wide.g, %r : f32
    %r2 = arith.mulf %r, %r : f32
    %r3 = arith.mulf %r2, %r : f32
    %c0 = arith.mulf %products, %r3 : f32
    %c = arith.divf %c0, %n : f32
    %projection = arith.mulf %wide, %c : f32
    %d = arith.subf %direct, %projection : f32
    %narrow = arith.truncf %d : f32 to bf16
    linalg.yield %narrow : bf16
  } -> tensor<4x16xbf16>
  return %dx : tensor<4x16xbf16>
}
