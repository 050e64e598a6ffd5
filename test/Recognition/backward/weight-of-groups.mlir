// RUN: norm-opt %s --norm-recognize --canonicalize --cse | FileCheck %s

// The weight of a row is applied outside of its groups, so no tensor of a group's shape holds
// the gradient without it: dy is the product.

#all = affine_map<(i, k) -> (i, k)>
#columns = affine_map<(i, k) -> (k)>
#groups = affine_map<(i, g, k) -> (i, g, k)>
#row = affine_map<(i, g, k) -> (i, g)>

// CHECK-LABEL: func @groups
// CHECK: %[[PRODUCT:.*]] = linalg.generic
// CHECK: %[[DY:.*]] = tensor.expand_shape %[[PRODUCT]]
// CHECK: norm.rmsnorm_backward ins(%[[DY]], %{{.*}} : tensor<6x2x32xf32>, tensor<6x2x32xf32>) dx(%{{.*}}) dims = [2]
func.func @groups(%dout: tensor<6x64xf32>, %x: tensor<6x64xf32>, %w: tensor<64xf32>) -> tensor<6x64xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 32.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %empty.all = tensor.empty() : tensor<6x64xf32>
  %weighted = linalg.generic {indexing_maps = [#all, #columns, #all], iterator_types = ["parallel", "parallel"]} ins(%dout, %w : tensor<6x64xf32>, tensor<64xf32>) outs(%empty.all : tensor<6x64xf32>) {
  ^bb0(%g: f32, %a: f32, %o: f32):
    %q = arith.mulf %g, %a : f32
    linalg.yield %q : f32
  } -> tensor<6x64xf32>
  %dy = tensor.expand_shape %weighted [[0], [1, 2]] output_shape [6, 2, 32] : tensor<6x64xf32> into tensor<6x2x32xf32>
  %xs = tensor.expand_shape %x [[0], [1, 2]] output_shape [6, 2, 32] : tensor<6x64xf32> into tensor<6x2x32xf32>
  %empty.row = tensor.empty() : tensor<6x2xf32>
  %fill = linalg.fill ins(%zero : f32) outs(%empty.row : tensor<6x2xf32>) -> tensor<6x2xf32>
  %square.sum = linalg.generic {indexing_maps = [#groups, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%xs : tensor<6x2x32xf32>) outs(%fill : tensor<6x2xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %q = arith.mulf %a, %a : f32
    %s = arith.addf %acc, %q : f32
    linalg.yield %s : f32
  } -> tensor<6x2xf32>
  %product.sum = linalg.generic {indexing_maps = [#groups, #groups, #row], iterator_types = ["parallel", "parallel", "reduction"]} ins(%dy, %xs : tensor<6x2x32xf32>, tensor<6x2x32xf32>) outs(%fill : tensor<6x2xf32>) {
  ^bb0(%g: f32, %a: f32, %acc: f32):
    %q = arith.mulf %g, %a : f32
    %s = arith.addf %acc, %q : f32
    linalg.yield %s : f32
  } -> tensor<6x2xf32>
  %empty = tensor.empty() : tensor<6x2x32xf32>
  %dx = linalg.generic {indexing_maps = [#groups, #groups, #row, #row, #groups], iterator_types = ["parallel", "parallel", "parallel"]} ins(%dy, %xs, %square.sum, %product.sum : tensor<6x2x32xf32>, tensor<6x2x32xf32>, tensor<6x2xf32>, tensor<6x2xf32>) outs(%empty : tensor<6x2x32xf32>) {
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
  } -> tensor<6x2x32xf32>
  %flat = tensor.collapse_shape %dx [[0], [1, 2]] : tensor<6x2x32xf32> into tensor<6x64xf32>
  return %flat : tensor<6x64xf32>
}
