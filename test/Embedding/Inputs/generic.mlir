func.func @weighted(%x: tensor<4x8xf32>, %w: tensor<8xf32>, %init: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %y = "norm.rmsnorm"(%x, %w, %init) {
    dims = array<i64: 1>, epsilon = 1.0e-6 : f32, normalized_type = f16,
    operandSegmentSizes = array<i32: 1, 1, 1, 0>
  } : (tensor<4x8xf32>, tensor<8xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}

func.func @with_inv_rms(%x: tensor<4x8xf32>, %init: tensor<4x8xf32>, %r: tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>) {
  %y:2 = "norm.rmsnorm"(%x, %init, %r) {
    dims = array<i64: 1>, epsilon = 1.0e-6 : f32,
    operandSegmentSizes = array<i32: 1, 0, 1, 1>
  } : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  return %y#0, %y#1 : tensor<4x8xf32>, tensor<4xf32>
}

func.func @backward(%dy: tensor<4x8xf32>, %x: tensor<4x8xf32>, %w: tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>) {
  %d:2 = "norm.rmsnorm_backward"(%dy, %x, %w, %dy, %w) {
    dims = array<i64: 1>, epsilon = 1.0e-6 : f32,
    operandSegmentSizes = array<i32: 1, 1, 1, 0, 0, 1, 1>,
    resultSegmentSizes = array<i32: 1, 1>
  } : (tensor<4x8xf32>, tensor<4x8xf32>, tensor<8xf32>, tensor<4x8xf32>, tensor<8xf32>) -> (tensor<4x8xf32>, tensor<8xf32>)
  return %d#0, %d#1 : tensor<4x8xf32>, tensor<8xf32>
}
