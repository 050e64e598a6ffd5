func.func @f(%x: tensor<4xf32>) -> vector<4xf32> {
  %c0 = arith.constant 0 : index
  %p = arith.constant 0.0 : f32
  %v = vector.transfer_read %x[%c0], %p : tensor<4xf32>, vector<4xf32>
  return %v : vector<4xf32>
}
