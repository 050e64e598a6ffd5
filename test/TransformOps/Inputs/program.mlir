// A norm that is there already, of dynamic shape, its residual sum, and a
// softmax, which the schedule decomposes too.
func.func @residual(%x: tensor<?x512xf32>, %r: tensor<?x512xf32>, %w: tensor<512xf32>) -> (tensor<?x512xf32>, tensor<?x512xf32>) {
  %c0 = arith.constant 0 : index
  %d = tensor.dim %x, %c0 : tensor<?x512xf32>
  %e = tensor.empty(%d) : tensor<?x512xf32>
  %s = linalg.add ins(%x, %r : tensor<?x512xf32>, tensor<?x512xf32>) outs(%e : tensor<?x512xf32>) -> tensor<?x512xf32>
  %y = norm.rmsnorm ins(%s, %w : tensor<?x512xf32>, tensor<512xf32>) outs(%e : tensor<?x512xf32>)
       dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x512xf32>
  return %y, %s : tensor<?x512xf32>, tensor<?x512xf32>
}
func.func @softmax(%x: tensor<16x128xf32>) -> tensor<16x128xf32> {
  %e = tensor.empty() : tensor<16x128xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<16x128xf32>) outs(%e : tensor<16x128xf32>) -> tensor<16x128xf32>
  return %y : tensor<16x128xf32>
}
