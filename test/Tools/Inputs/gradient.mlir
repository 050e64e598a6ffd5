func.func @gradient(%dy: tensor<8x64xf32>, %x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %i = tensor.empty() : tensor<8x64xf32>
  %dx = norm.rmsnorm_backward ins(%dy, %x : tensor<8x64xf32>, tensor<8x64xf32>)
        dx(%i : tensor<8x64xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<8x64xf32>
  return %dx : tensor<8x64xf32>
}
