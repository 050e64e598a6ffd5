#map = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @ArgsortTensorInteger(%arg0: tensor<2x3xi64>) -> tensor<2x3xi64> {
    %0 = tensor.empty() : tensor<2x3xi64>
    %1 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%0 : tensor<2x3xi64>) {
    ^bb0(%out: i64):
      %3 = linalg.index 1 : index
      %4 = arith.index_cast %3 : index to i64
      linalg.yield %4 : i64
    } -> tensor<2x3xi64>
    %2:2 = tm_tensor.sort dimension(1) outs(%arg0, %1 : tensor<2x3xi64>, tensor<2x3xi64>) {
    ^bb0(%arg1: i64, %arg2: i64, %arg3: i64, %arg4: i64):
      %3 = arith.cmpi sle, %arg1, %arg2 : i64
      tm_tensor.yield %3 : i1
    } -> tensor<2x3xi64>, tensor<2x3xi64>
    return %2#1 : tensor<2x3xi64>
  }
}
