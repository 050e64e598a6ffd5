// What a person is told, on one screen: a norm of static shape that is streamed,
// and one that is rejected beside a bias.
#row = affine_map<(d0, d1) -> (d0, d1)>
#stat = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
func.func @fused(%x: tensor<2048x4096xf32>, %b: tensor<4096xf32>) -> tensor<2048x4096xf32> {
  %o = tensor.empty() : tensor<2048x4096xf32>
  %y = norm.rmsnorm ins(%x : tensor<2048x4096xf32>) outs(%o : tensor<2048x4096xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<2048x4096xf32>
  %z = linalg.generic {indexing_maps = [#row, #col, #row], iterator_types = ["parallel", "parallel"]} ins(%y, %b : tensor<2048x4096xf32>, tensor<4096xf32>) outs(%o : tensor<2048x4096xf32>) {
  ^bb0(%a: f32, %c: f32, %d: f32):
    %s = arith.addf %a, %c : f32
    linalg.yield %s : f32
  } -> tensor<2048x4096xf32>
  return %z : tensor<2048x4096xf32>
}
func.func @rejected(%x: tensor<?x64xf32>, %o: tensor<?x64xf32>, %s: tensor<?xf32>) -> tensor<?x64xf32> {
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %n = arith.constant 63.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%s : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#row, #stat], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x64xf32>) outs(%init : tensor<?xf32>) {
  ^bb0(%a: f32, %b: f32):
    %q = arith.mulf %a, %a : f32
    %r = arith.addf %b, %q : f32
    linalg.yield %r : f32
  } -> tensor<?xf32>
  %y = linalg.generic {indexing_maps = [#row, #stat, #row], iterator_types = ["parallel", "parallel"]} ins(%x, %sum : tensor<?x64xf32>, tensor<?xf32>) outs(%o : tensor<?x64xf32>) {
  ^bb0(%a: f32, %t: f32, %b: f32):
    %m = arith.divf %t, %n : f32
    %p = arith.addf %m, %eps : f32
    %r = math.rsqrt %p : f32
    %z = arith.mulf %a, %r : f32
    linalg.yield %z : f32
  } -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}
