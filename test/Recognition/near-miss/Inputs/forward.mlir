#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
!x = tensor<8x8xf32>
!y = tensor<8x8xf32>
!r = tensor<8xf32>
!w = tensor<8xf32>
func.func @f(%x: !x, %w: !w) -> !y {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : !r
  %init = linalg.fill ins(%zero : f32) outs(%e1 : !r) -> !r
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : !x) outs(%init : !r) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> !r
  %e2 = tensor.empty() : !y
  %y = linalg.generic {indexing_maps = [#all, #row, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %w : !x, !r, !w) outs(%e2 : !y) {
  ^bb0(%in: f32, %s: f32, %g: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    %v = arith.mulf %z, %g : f32
    linalg.yield %v : f32
  } -> !y
  return %y : !y
}
