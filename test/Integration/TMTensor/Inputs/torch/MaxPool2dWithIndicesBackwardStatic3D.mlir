#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
module {
  func.func @MaxPool2dWithIndicesBackwardStatic3DModule(%arg0: tensor<4x7x6xf32>, %arg1: tensor<4x6x5xf32>, %arg2: tensor<4x7x6xi64>) -> tensor<4x6x5xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c5 = arith.constant 5 : index
    %cst = arith.constant 0.000000e+00 : f32
    %0 = tensor.empty() : tensor<4x7x6x3xi64>
    %1 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%arg2 : tensor<4x7x6xi64>) outs(%0 : tensor<4x7x6x3xi64>) {
    ^bb0(%in: i64, %out: i64):
      %5 = arith.index_cast %in : i64 to index
      %6 = linalg.index 3 : index
      %7 = arith.remsi %5, %c5 : index
      %8 = arith.cmpi eq, %6, %c2 : index
      %9 = arith.select %8, %7, %c0 : index
      %10 = arith.floordivsi %5, %c5 : index
      %11 = arith.cmpi eq, %6, %c1 : index
      %12 = arith.select %11, %10, %c0 : index
      %13 = arith.addi %9, %12 : index
      %14 = linalg.index 0 : index
      %15 = arith.cmpi eq, %6, %c0 : index
      %16 = arith.select %15, %14, %c0 : index
      %17 = arith.addi %13, %16 : index
      %18 = arith.index_cast %17 : index to i64
      linalg.yield %18 : i64
    } -> tensor<4x7x6x3xi64>
    %2 = tensor.empty() : tensor<4x6x5xf32>
    %3 = linalg.fill ins(%cst : f32) outs(%2 : tensor<4x6x5xf32>) -> tensor<4x6x5xf32>
    %collapsed = tensor.collapse_shape %arg0 [[0, 1, 2]] : tensor<4x7x6xf32> into tensor<168xf32>
    %collapsed_0 = tensor.collapse_shape %1 [[0, 1, 2], [3]] : tensor<4x7x6x3xi64> into tensor<168x3xi64>
    %4 = tm_tensor.scatter {dimension_map = array<i64: 0, 1, 2>} unique_indices(false) ins(%collapsed, %collapsed_0 : tensor<168xf32>, tensor<168x3xi64>) outs(%3 : tensor<4x6x5xf32>) {
    ^bb0(%arg3: f32, %arg4: f32):
      %5 = arith.addf %arg4, %arg3 : f32
      tm_tensor.yield %5 : f32
    } -> tensor<4x6x5xf32>
    return %4 : tensor<4x6x5xf32>
  }
}
