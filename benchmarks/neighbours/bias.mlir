// A bias after the norm.
#id = affine_map<(d0, d1) -> (d0, d1)>
#col = affine_map<(d0, d1) -> (d1)>

func.func @main(%x: tensor<ROWSxCOLSxf32>, %w: tensor<COLSxf32>, %bias: tensor<COLSxf32>) -> tensor<ROWSxCOLSxf32> {
  %i = tensor.empty() : tensor<ROWSxCOLSxf32>
  %y = norm.rmsnorm ins(%x, %w : tensor<ROWSxCOLSxf32>, tensor<COLSxf32>) outs(%i : tensor<ROWSxCOLSxf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<ROWSxCOLSxf32>
  %r = linalg.generic {indexing_maps = [#id, #col, #id], iterator_types = ["parallel", "parallel"]} ins(%y, %bias : tensor<ROWSxCOLSxf32>, tensor<COLSxf32>) outs(%i : tensor<ROWSxCOLSxf32>) {
  ^bb0(%a: f32, %b: f32, %o: f32):
    %s = arith.addf %a, %b : f32
    linalg.yield %s : f32
  } -> tensor<ROWSxCOLSxf32>
  return %r : tensor<ROWSxCOLSxf32>
}
