func.func @f32(%x: tensor<64x111xf32>, %w: tensor<111xf32>) -> tensor<64x111xf32> {
  %i = tensor.empty() : tensor<64x111xf32>
  %y = norm.rmsnorm ins(%x, %w : tensor<64x111xf32>, tensor<111xf32>) outs(%i : tensor<64x111xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<64x111xf32>
  return %y : tensor<64x111xf32>
}

func.func @bf16(%x: tensor<64x111xbf16>, %w: tensor<111xbf16>) -> tensor<64x111xbf16> {
  %i = tensor.empty() : tensor<64x111xbf16>
  %y = norm.rmsnorm ins(%x, %w : tensor<64x111xbf16>, tensor<111xbf16>) outs(%i : tensor<64x111xbf16>) dims = [1] epsilon = 1.0e-6 : f32 normalized_type = bf16 -> tensor<64x111xbf16>
  return %y : tensor<64x111xbf16>
}
