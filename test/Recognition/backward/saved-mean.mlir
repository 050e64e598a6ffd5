// RUN: norm-opt %s --norm-recognize | FileCheck %s

// The mean is saved, of which dx and dw compute r, and dy is scaled by a number of the program:
// a factor that all rows share is not r, so that it stays in dy (as inductor writes Gemma 4's).

#all = affine_map<(i, k) -> (i, k)>
#row = affine_map<(i, k) -> (i)>
#column = affine_map<(i, k) -> (k)>
#none = affine_map<(i, k) -> ()>
!x = tensor<4x16xf32>
!r = tensor<4xf32>
!w = tensor<16xf32>

// CHECK-LABEL: func @scaled
// CHECK: %[[DY:.*]] = linalg.generic {{.*}} ins(%arg0, %arg1 :
// CHECK: norm.rmsnorm_backward ins(%[[DY]], %arg2 : tensor<4x16xf32>, tensor<4x16xf32>) weight(%arg3 : tensor<16xf32>) inv_rms(%{{.*}}) dx(%{{.*}}) dw(
func.func @scaled(%g: !x, %s: tensor<f32>, %x: !x, %w: !w, %mean: !r) -> (!x, !w) {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 16.0 : f32
  %cube = arith.constant -1.5 : f32
  %empty = tensor.empty() : !x
  %empty.row = tensor.empty() : !r
  %empty.w = tensor.empty() : !w
  %fill = linalg.fill ins(%zero : f32) outs(%empty.row : !r) -> !r
  %fill.w = linalg.fill ins(%zero : f32) outs(%empty.w : !w) -> !w
  %r = linalg.rsqrt ins(%mean : !r) outs(%empty.row : !r) -> !r
  %dy = linalg.generic {indexing_maps = [#all, #none, #all], iterator_types = ["parallel", "parallel"]} ins(%g, %s : !x, tensor<f32>) outs(%empty : !x) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> !x
  %z = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%x, %r : !x, !r) outs(%empty : !x) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> !x
  %dw = linalg.generic {indexing_maps = [#all, #all, #column], iterator_types = ["reduction", "parallel"]} ins(%dy, %z : !x, !x) outs(%fill.w : !w) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %q = arith.mulf %a, %b : f32
    %next = arith.addf %acc, %q : f32
    linalg.yield %next : f32
  } -> !w
  %gw = linalg.generic {indexing_maps = [#all, #column, #all], iterator_types = ["parallel", "parallel"]} ins(%dy, %w : !x, !w) outs(%empty : !x) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %b : f32
    linalg.yield %p : f32
  } -> !x
  %products = linalg.generic {indexing_maps = [#all, #all, #row], iterator_types = ["parallel", "reduction"]} ins(%gw, %x : !x, !x) outs(%fill : !r) {
  ^bb0(%a: f32, %b: f32, %acc: f32):
    %q = arith.mulf %a, %b : f32
    %next = arith.addf %acc, %q : f32
    linalg.yield %next : f32
  } -> !r
  %dx = linalg.generic {indexing_maps = [#all, #all, #row, #row, #row, #all], iterator_types = ["parallel", "parallel"]} ins(%gw, %x, %r, %mean, %products : !x, !x, !r, !r, !r) outs(%empty : !x) {
  ^bb0(%a: f32, %in: f32, %root: f32, %m: f32, %p: f32, %o: f32):
    %direct = arith.mulf %a, %root : f32
    %r3 = math.powf %m, %cube : f32
    %c0 = arith.mulf %p, %r3 : f32
    %c = arith.divf %c0, %n : f32
    %projection = arith.mulf %in, %c : f32
    %d = arith.subf %direct, %projection : f32
    linalg.yield %d : f32
  } -> !x
  return %dx, %dw : !x, !w
}
