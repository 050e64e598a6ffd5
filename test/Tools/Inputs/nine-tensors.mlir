#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>
func.func @main(%x: tensor<?x8xf32>, %a: tensor<8xf32>, %b: tensor<8xf32>, %c: tensor<8xf32>, %d: tensor<8xf32>, %e: tensor<8xf32>, %f: tensor<8xf32>, %g: tensor<8xf32>) -> tensor<?x8xf32> {
  %y = linalg.generic {indexing_maps = [#col, #col, #col, #col, #col, #col, #col, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b, %c, %d, %e, %f, %g : tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>, tensor<8xf32>)
      outs(%x : tensor<?x8xf32>) {
  ^bb0(%0: f32, %1: f32, %2: f32, %3: f32, %4: f32, %5: f32, %6: f32, %o: f32):
    %s = arith.addf %0, %o : f32
    %t = arith.addf %1, %2 : f32
    %u = arith.addf %3, %4 : f32
    %v = arith.addf %5, %6 : f32
    %p = arith.addf %s, %t : f32
    %q = arith.addf %u, %v : f32
    %r = arith.addf %p, %q : f32
    linalg.yield %r : f32
  } -> tensor<?x8xf32>
  return %y : tensor<?x8xf32>
}
