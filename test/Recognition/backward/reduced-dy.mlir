// RUN: norm-opt %s --norm-recognize --canonicalize --cse | FileCheck %s

// dy may itself be a sum, which is read through where it has moved: the gradient of keys or
// values that several heads share.

#parts = affine_map<(k, g, i) -> (k, g, i)>
#sums = affine_map<(k, g, i) -> (k, i)>
#all = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>

// CHECK-LABEL: func @shared_head
// CHECK: %[[DY:.*]] = linalg.transpose
// CHECK: norm.rmsnorm_backward ins(%[[DY]], %{{.*}} : tensor<4x16xf32>, tensor<4x16xf32>) dx(
func.func @shared_head(%parts: tensor<16x2x4xf32>, %x: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 16.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %empty.dy = tensor.empty() : tensor<16x4xf32>
  %fill.dy = linalg.fill ins(%zero : f32) outs(%empty.dy : tensor<16x4xf32>) -> tensor<16x4xf32>
  %sums = linalg.generic {indexing_maps = [#parts, #sums], iterator_types = ["parallel", "reduction", "parallel"]} ins(%parts : tensor<16x2x4xf32>) outs(%fill.dy : tensor<16x4xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<16x4xf32>
  %empty = tensor.empty() : tensor<4x16xf32>
  %dy = linalg.transpose ins(%sums : tensor<16x4xf32>) outs(%empty : tensor<4x16xf32>) permutation = [1, 0]
  %empty.row = tensor.empty() : tensor<4xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty.row : tensor<4xf32>) -> tensor<4xf32>
  %square.sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<4x16xf32>) outs(%fill : tensor<4xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %q = arith.mulf %a, %a : f32
    %s = arith.addf %acc, %q : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %product.sum = linalg.generic {indexing_maps = [#all, #all, #row], iterator_types = ["parallel", "reduction"]} ins(%dy, %x : tensor<4x16xf32>, tensor<4x16xf32>) outs(%fill : tensor<4xf32>) {
  ^bb0(%g: f32, %a: f32, %acc: f32):
    %q = arith.mulf %g, %a : f32
    %s = arith.addf %acc, %q : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %dx = linalg.generic {indexing_maps = [#all, #all, #row, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%dy, %x, %square.sum, %product.sum : tensor<4x16xf32>, tensor<4x16xf32>, tensor<4xf32>, tensor<4xf32>) outs(%empty : tensor<4x16xf32>) {
  ^bb0(%g: f32, %a: f32, %squares: f32, %products: f32, %o: f32):
    %mean = arith.divf %squares, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %direct = arith.mulf %g, %r : f32
    %r2 = arith.mulf %r, %r : f32
    %r3 = arith.mulf %r2, %r : f32
    %c0 = arith.mulf %products, %r3 : f32
    %c = arith.divf %c0, %n : f32
    %projection = arith.mulf %a, %c : f32
    %d = arith.subf %direct, %projection : f32
    linalg.yield %d : f32
  } -> tensor<4x16xf32>
  return %dx : tensor<4x16xf32>
}

// The sum may be rounded, as it is in 16 bits: it is a factor of what the projection sums, and
// no part of that sum.

#heads = affine_map<(i, k, g) -> (i, g, k)>
#head = affine_map<(i, k, g) -> (i, k)>

// CHECK-LABEL: func @rounded_shared_head
// CHECK: %[[DY:.*]] = linalg.generic {{.*}} outs(%{{.*}} : tensor<4x16xbf16>)
// CHECK: norm.rmsnorm_backward ins(%[[DY]], %{{.*}} : tensor<4x16xbf16>, tensor<4x16xbf16>) dx(
func.func @rounded_shared_head(%parts: tensor<4x2x16xbf16>, %x: tensor<4x16xbf16>) -> tensor<4x16xbf16> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 16.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %empty.sums = tensor.empty() : tensor<4x16xf32>
  %fill.sums = linalg.fill ins(%zero : f32) outs(%empty.sums : tensor<4x16xf32>) -> tensor<4x16xf32>
  %sums = linalg.generic {indexing_maps = [#heads, #head], iterator_types = ["parallel", "parallel", "reduction"]} ins(%parts : tensor<4x2x16xbf16>) outs(%fill.sums : tensor<4x16xf32>) {
  ^bb0(%a: bf16, %acc: f32):
    %wide = arith.extf %a : bf16 to f32
    %s = arith.addf %acc, %wide : f32
    linalg.yield %s : f32
  } -> tensor<4x16xf32>
  %empty = tensor.empty() : tensor<4x16xbf16>
  %dy = linalg.generic {indexing_maps = [#all, #all], iterator_types = ["parallel", "parallel"]} ins(%sums : tensor<4x16xf32>) outs(%empty : tensor<4x16xbf16>) {
  ^bb0(%a: f32, %o: bf16):
    %narrow = arith.truncf %a : f32 to bf16
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
