func.func @f(%x: tensor<4x128xf32>, %y: tensor<4x128xf32>) -> tensor<4x128xf32> {
  %r = linalg.exp ins(%x : tensor<4x128xf32>) outs(%y : tensor<4x128xf32>) -> tensor<4x128xf32>
  return %r : tensor<4x128xf32>
}
