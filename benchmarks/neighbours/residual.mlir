// A residual sum that is a result beside its norm, f32: reads x and res, writes h and y.
func.func @main(%x: tensor<ROWSxCOLSxf32>, %res: tensor<ROWSxCOLSxf32>, %w: tensor<COLSxf32>) -> (tensor<ROWSxCOLSxf32>, tensor<ROWSxCOLSxf32>) {
  %i = tensor.empty() : tensor<ROWSxCOLSxf32>
  %h = linalg.add ins(%x, %res : tensor<ROWSxCOLSxf32>, tensor<ROWSxCOLSxf32>) outs(%i : tensor<ROWSxCOLSxf32>) -> tensor<ROWSxCOLSxf32>
  %y = norm.rmsnorm ins(%h, %w : tensor<ROWSxCOLSxf32>, tensor<COLSxf32>) outs(%i : tensor<ROWSxCOLSxf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<ROWSxCOLSxf32>
  return %h, %y : tensor<ROWSxCOLSxf32>, tensor<ROWSxCOLSxf32>
}
