func.func @norm(%x: tensor<2x4xf32>, %w: tensor<4xf32>) -> tensor<2x4xf32> {
  %i = tensor.empty() : tensor<2x4xf32>
  %y = norm.rmsnorm ins(%x, %w : tensor<2x4xf32>, tensor<4xf32>)
       outs(%i : tensor<2x4xf32>) dims = [1] epsilon = 1.0e-6 : f32
       -> tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}
