// A copy beside a loop, and nothing but one.
func.func @copies(%x: tensor<4096x4096xf32>) -> (tensor<4096x4096xf32>, tensor<4096x4096xf32>) {
  %0 = arith.addf %x, %x : tensor<4096x4096xf32>
  return %x, %0 : tensor<4096x4096xf32>, tensor<4096x4096xf32>
}
func.func @returned(%x: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  return %x : tensor<4096x4096xf32>
}
