// norm(x) * silu(z): reads x and z.
#id = affine_map<(d0, d1) -> (d0, d1)>

func.func @main(%x: tensor<ROWSxCOLSxf32>, %w: tensor<COLSxf32>, %z: tensor<ROWSxCOLSxf32>) -> tensor<ROWSxCOLSxf32> {
  %one = arith.constant 1.0 : f32
  %i = tensor.empty() : tensor<ROWSxCOLSxf32>
  %y = norm.rmsnorm ins(%x, %w : tensor<ROWSxCOLSxf32>, tensor<COLSxf32>) outs(%i : tensor<ROWSxCOLSxf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<ROWSxCOLSxf32>
  %r = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %z : tensor<ROWSxCOLSxf32>, tensor<ROWSxCOLSxf32>) outs(%i : tensor<ROWSxCOLSxf32>) {
  ^bb0(%a: f32, %g: f32, %o: f32):
    %neg = arith.negf %g : f32
    %e = math.exp %neg : f32
    %d = arith.addf %e, %one : f32
    %silu = arith.divf %g, %d : f32
    %p = arith.mulf %a, %silu : f32
    linalg.yield %p : f32
  } -> tensor<ROWSxCOLSxf32>
  return %r : tensor<ROWSxCOLSxf32>
}
