module {
  func.func @IndexPut1DIntAccumulateModule(%arg0: tensor<10xi64>, %arg1: tensor<10xi64>, %arg2: tensor<10xi64>) -> tensor<10xi64> {
    %expanded = tensor.expand_shape %arg1 [[0, 1]] output_shape [10, 1] : tensor<10xi64> into tensor<10x1xi64>
    %expanded_0 = tensor.expand_shape %arg2 [[0, 1]] output_shape [10, 1] : tensor<10xi64> into tensor<10x1xi64>
    %0 = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%expanded_0, %expanded : tensor<10x1xi64>, tensor<10x1xi64>) outs(%arg0 : tensor<10xi64>) {
    ^bb0(%arg3: i64, %arg4: i64):
      %1 = arith.addi %arg4, %arg3 : i64
      tm_tensor.yield %1 : i64
    } -> tensor<10xi64>
    return %0 : tensor<10xi64>
  }
}
