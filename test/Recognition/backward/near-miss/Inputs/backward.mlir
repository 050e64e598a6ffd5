#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
#vec = affine_map<(d0) -> (d0)>
!x = tensor<8x8xf32>
!r = tensor<8xf32>
func.func @f(%dy: !x, %x: !x, %w: !r, %other: !x) -> (!x, !r) {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 8.0 : f32
  %divisor = arith.constant 8.0 : f32
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
  %r = linalg.generic {indexing_maps = [#vec, #vec], iterator_types = ["parallel"]}
      ins(%sum : !r) outs(%e1 : !r) {
  ^bb0(%s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %root = math.rsqrt %m : f32
    linalg.yield %root : f32
  } -> !r
  %dot = linalg.generic {indexing_maps = [#all, #all, #col, #row], iterator_types = ["parallel", "reduction"]}
      ins(%dy, %x, %w : !x, !x, !r) outs(%init : !r) {
  ^bb0(%d: f32, %in: f32, %g: f32, %acc: f32):
    %gw = arith.mulf %d, %g : f32
    %term = arith.mulf %gw, %in : f32
    %next = arith.addf %term, %acc : f32
    linalg.yield %next : f32
  } -> !r
  %e2 = tensor.empty() : !x
  %dx = linalg.generic {indexing_maps = [#all, #all, #col, #row, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%dy, %x, %w, %r, %dot : !x, !x, !r, !r, !r) outs(%e2 : !x) {
  ^bb0(%d: f32, %in: f32, %g: f32, %s: f32, %p: f32, %out: f32):
    %gw = arith.mulf %d, %g : f32
    %s2 = arith.mulf %s, %s : f32
    %s3 = arith.mulf %s2, %s : f32
    %direct = arith.mulf %gw, %s : f32
    %mean = arith.divf %p, %divisor : f32
    %scaled = arith.mulf %s3, %mean : f32
    %term = arith.mulf %in, %scaled : f32
    %v = arith.subf %direct, %term : f32
    linalg.yield %v : f32
  } -> !x
  %dw = linalg.generic {indexing_maps = [#all, #all, #row, #col], iterator_types = ["reduction", "parallel"]}
      ins(%dy, %x, %r : !x, !x, !r) outs(%init : !r) {
  ^bb0(%d: f32, %in: f32, %s: f32, %acc: f32):
    %z = arith.mulf %in, %s : f32
    %product = arith.mulf %d, %z : f32
    %next = arith.addf %product, %acc : f32
    linalg.yield %next : f32
  } -> !r
  return %dx, %dw : !x, !r
}
