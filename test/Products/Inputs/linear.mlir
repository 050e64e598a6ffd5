func.func @many_rows(%x: tensor<32x128xf32>, %w: tensor<128x256xf32>) -> tensor<32x256xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<32x256xf32>) -> tensor<32x256xf32>
  %y = linalg.matmul ins(%x, %w : tensor<32x128xf32>, tensor<128x256xf32>) outs(%f : tensor<32x256xf32>) -> tensor<32x256xf32>
  return %y : tensor<32x256xf32>
}
func.func @few_rows(%x: tensor<2x128xf32>, %w: tensor<128x256xf32>) -> tensor<2x256xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<2x256xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x256xf32>) -> tensor<2x256xf32>
  %y = linalg.matmul ins(%x, %w : tensor<2x128xf32>, tensor<128x256xf32>) outs(%f : tensor<2x256xf32>) -> tensor<2x256xf32>
  return %y : tensor<2x256xf32>
}
