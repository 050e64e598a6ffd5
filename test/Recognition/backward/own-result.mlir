// RUN: norm-opt %s --norm-recognize --canonicalize --cse | FileCheck %s

// dy may depend on the norm's result, as that of a mean of squares does: the result is not read
// through, so that r is found once.

#all = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>
#column = affine_map<(i, k) -> (k)>
!x = tensor<4x16xf32>
!r = tensor<4xf32>
!w = tensor<16xf32>

// CHECK-LABEL: func @squares
// CHECK: %[[Z:.*]]:2 = norm.rmsnorm ins(%[[X:.*]] : tensor<4x16xf32>)
// CHECK: %[[Y:.*]] = linalg.mul ins(%[[Z]]#0,
// CHECK: %[[DY:.*]] = linalg.mul ins(%[[Y]],
// CHECK: norm.rmsnorm_backward ins(%[[DY]], %[[X]] : tensor<4x16xf32>, tensor<4x16xf32>) weight(%{{.*}} : tensor<16xf32>) inv_rms(%[[Z]]#1 : tensor<4xf32>) dx(%{{.*}}) dw(
func.func @squares(%x: !x, %w: !w) -> (!x, !w) {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 16.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %scale = arith.constant dense<0.03125> : !x
  %empty = tensor.empty() : !x
  %empty.row = tensor.empty() : !r
  %empty.w = tensor.empty() : !w
  %fill = linalg.fill ins(%zero : f32) outs(%empty.row : !r) -> !r
  %fill.w = linalg.fill ins(%zero : f32) outs(%empty.w : !w) -> !w
  %squares = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : !x) outs(%fill : !r) {
  ^bb0(%a: f32, %acc: f32):
    %q = arith.mulf %a, %a : f32
    %s = arith.addf %acc, %q : f32
    linalg.yield %s : f32
  } -> !r
  %r = linalg.map ins(%squares : !r) outs(%empty.row : !r) (%a: f32, %o: f32) {
    %mean = arith.divf %a, %n : f32
    %m = arith.addf %mean, %eps : f32
    %root = math.rsqrt %m : f32
    linalg.yield %root : f32
  }
  %wide.r = linalg.broadcast ins(%r : !r) outs(%empty : !x) dimensions = [1]
  %wide.w = linalg.broadcast ins(%w : !w) outs(%empty : !x) dimensions = [0]
  %z = linalg.mul ins(%x, %wide.r : !x, !x) outs(%empty : !x) -> !x
  %y = linalg.mul ins(%z, %wide.w : !x, !x) outs(%empty : !x) -> !x
  %dy = linalg.mul ins(%y, %scale : !x, !x) outs(%empty : !x) -> !x
  %dw = linalg.generic {indexing_maps = [#all, #all, #column], iterator_types = ["reduction", "parallel"]} ins(%dy, %z : !x, !x) outs(%fill.w : !w) {
  ^bb0(%g: f32, %a: f32, %acc: f32):
    %q = arith.mulf %g, %a : f32
    %s = arith.addf %acc, %q : f32
    linalg.yield %s : f32
  } -> !w
  %gw = linalg.mul ins(%dy, %wide.w : !x, !x) outs(%empty : !x) -> !x
  %products = linalg.generic {indexing_maps = [#all, #all, #row], iterator_types = ["parallel", "reduction"]} ins(%gw, %x : !x, !x) outs(%fill : !r) {
  ^bb0(%g: f32, %a: f32, %acc: f32):
    %q = arith.mulf %g, %a : f32
    %s = arith.addf %acc, %q : f32
    linalg.yield %s : f32
  } -> !r
  %dx = linalg.generic {indexing_maps = [#all, #all, #row, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%gw, %x, %r, %products : !x, !x, !r, !r) outs(%empty : !x) {
  ^bb0(%g: f32, %a: f32, %s: f32, %p: f32, %o: f32):
    %direct = arith.mulf %g, %s : f32
    %s2 = arith.mulf %s, %s : f32
    %s3 = arith.mulf %s2, %s : f32
    %c0 = arith.mulf %p, %s3 : f32
    %c = arith.divf %c0, %n : f32
    %projection = arith.mulf %a, %c : f32
    %d = arith.subf %direct, %projection : f32
    linalg.yield %d : f32
  } -> !x
  return %dx, %dw : !x, !w
}
