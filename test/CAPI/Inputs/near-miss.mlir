#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
// n - 1.
func.func @near_miss(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %c0 = arith.constant 0.0 : f32
  %n = arith.constant 63.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e = tensor.empty() : tensor<8xf32>
  %z = linalg.fill ins(%c0 : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
       ins(%x : tensor<8x64xf32>) outs(%z : tensor<8xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %q = arith.mulf %a, %a : f32
    %t = arith.addf %q, %acc : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  %i = tensor.empty() : tensor<8x64xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #id], iterator_types = ["parallel", "parallel"]}
       ins(%x, %s : tensor<8x64xf32>, tensor<8xf32>) outs(%i : tensor<8x64xf32>) {
  ^bb0(%a: f32, %sum: f32, %o: f32):
    %m = arith.divf %sum, %n : f32
    %p = arith.addf %m, %eps : f32
    %r = math.rsqrt %p : f32
    %t = arith.mulf %a, %r : f32
    linalg.yield %t : f32
  } -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}
