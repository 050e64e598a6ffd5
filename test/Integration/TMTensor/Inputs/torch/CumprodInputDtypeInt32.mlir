#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
module {
  func.func @CumprodInputDtypeInt32Module(%arg0: tensor<2x7x4xi32>) -> tensor<2x7x4xi64> {
    %c1_i64 = arith.constant 1 : i64
    %0 = tensor.empty() : tensor<2x7x4xi64>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<2x7x4xi32>) outs(%0 : tensor<2x7x4xi64>) {
    ^bb0(%in: i32, %out: i64):
      %6 = arith.extsi %in : i32 to i64
      linalg.yield %6 : i64
    } -> tensor<2x7x4xi64>
    %2 = linalg.fill ins(%c1_i64 : i64) outs(%0 : tensor<2x7x4xi64>) -> tensor<2x7x4xi64>
    %3 = tensor.empty() : tensor<2x4xi64>
    %4 = linalg.fill ins(%c1_i64 : i64) outs(%3 : tensor<2x4xi64>) -> tensor<2x4xi64>
    %5:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%1 : tensor<2x7x4xi64>) outs(%2, %4 : tensor<2x7x4xi64>, tensor<2x4xi64>) {
    ^bb0(%arg1: i64, %arg2: i64):
      %6 = arith.muli %arg1, %arg2 : i64
      tm_tensor.yield %6 : i64
    } -> tensor<2x7x4xi64>, tensor<2x4xi64>
    return %5#0 : tensor<2x7x4xi64>
  }
}
