// A sum reads a number per row, which is a result that the same row computes: the sum of the
// next row cannot be computed beside what writes this one.
// RUN: norm-run %s --input=4096xf32=4 --input=4096x4096xf32=1 --expected-output=4096x4096xf32=4096 --expected-output=4096xf32=1 --max-ulp=0
// RUN: norm-run %s --threads=2 --input=4096xf32=4 --input=4096x4096xf32=1 --expected-output=4096x4096xf32=4096 --expected-output=4096xf32=1 --max-ulp=0
#id = affine_map<(d0, d1) -> (d0, d1)>
#rows = affine_map<(d0, d1) -> (d0)>
#r = affine_map<(d0) -> (d0)>
func.func @main(%a: tensor<4096xf32>, %x: tensor<4096x4096xf32>) -> (tensor<4096x4096xf32>, tensor<4096xf32>) {
  %zero = arith.constant 0.0 : f32
  %two = arith.constant 2.0 : f32
  %e1 = tensor.empty() : tensor<4096xf32>
  %s = linalg.generic {indexing_maps = [#r, #r], iterator_types = ["parallel"]} ins(%a : tensor<4096xf32>) outs(%e1 : tensor<4096xf32>) {
  ^bb0(%p: f32, %o: f32):
    %q = math.sqrt %p : f32
    %w = arith.divf %two, %q : f32
    linalg.yield %w : f32
  } -> tensor<4096xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4096xf32>) -> tensor<4096xf32>
  %sum = linalg.generic {indexing_maps = [#id, #rows, #rows], iterator_types = ["parallel", "reduction"]} ins(%x, %s : tensor<4096x4096xf32>, tensor<4096xf32>) outs(%f : tensor<4096xf32>) {
  ^bb0(%p: f32, %t: f32, %o: f32):
    %m = arith.mulf %p, %t : f32
    %n = arith.addf %o, %m : f32
    linalg.yield %n : f32
  } -> tensor<4096xf32>
  %e2 = tensor.empty() : tensor<4096x4096xf32>
  %y = linalg.generic {indexing_maps = [#id, #rows, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : tensor<4096x4096xf32>, tensor<4096xf32>) outs(%e2 : tensor<4096x4096xf32>) {
  ^bb0(%p: f32, %t: f32, %o: f32):
    %m = arith.mulf %p, %t : f32
    linalg.yield %m : f32
  } -> tensor<4096x4096xf32>
  return %y, %s : tensor<4096x4096xf32>, tensor<4096xf32>
}
