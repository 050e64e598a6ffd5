#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0) -> (d0)>
module {
  func.func @MaskedScatterStaticBasic(%arg0: tensor<4x4xf32>, %arg1: tensor<4x4xi1>, %arg2: tensor<8x8xf32>) -> tensor<4x4xf32> {
    %c1_i64 = arith.constant 1 : i64
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant dense<0> : tensor<4x4xi64>
    %0 = tensor.empty() : tensor<4x4xi64>
    %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1, %cst : tensor<4x4xi1>, tensor<4x4xi64>) outs(%0 : tensor<4x4xi64>) {
    ^bb0(%in: i1, %in_1: i64, %out: i64):
      %13 = arith.extui %in : i1 to i64
      %14 = arith.addi %13, %in_1 : i64
      linalg.yield %14 : i64
    } -> tensor<4x4xi64>
    %collapsed = tensor.collapse_shape %1 [[0, 1]] : tensor<4x4xi64> into tensor<16xi64>
    %2 = tensor.empty() : tensor<16xi64>
    %3 = linalg.fill ins(%c0_i64 : i64) outs(%2 : tensor<16xi64>) -> tensor<16xi64>
    %4 = tensor.empty() : tensor<i64>
    %5 = linalg.fill ins(%c0_i64 : i64) outs(%4 : tensor<i64>) -> tensor<i64>
    %6:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%collapsed : tensor<16xi64>) outs(%3, %5 : tensor<16xi64>, tensor<i64>) {
    ^bb0(%arg3: i64, %arg4: i64):
      %13 = arith.addi %arg3, %arg4 : i64
      tm_tensor.yield %13 : i64
    } -> tensor<16xi64>, tensor<i64>
    %7 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%6#0 : tensor<16xi64>) outs(%2 : tensor<16xi64>) {
    ^bb0(%in: i64, %out: i64):
      %13 = arith.subi %in, %c1_i64 : i64
      linalg.yield %13 : i64
    } -> tensor<16xi64>
    %8 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%7 : tensor<16xi64>) outs(%2 : tensor<16xi64>) {
    ^bb0(%in: i64, %out: i64):
      %13 = arith.maxsi %in, %c0_i64 : i64
      linalg.yield %13 : i64
    } -> tensor<16xi64>
    %collapsed_0 = tensor.collapse_shape %arg2 [[0, 1]] : tensor<8x8xf32> into tensor<64xf32>
    %9 = tensor.empty() : tensor<16xf32>
    %10 = linalg.generic {indexing_maps = [#map1, #map1], iterator_types = ["parallel"]} ins(%8 : tensor<16xi64>) outs(%9 : tensor<16xf32>) {
    ^bb0(%in: i64, %out: f32):
      %13 = arith.index_cast %in : i64 to index
      %extracted = tensor.extract %collapsed_0[%13] : tensor<64xf32>
      linalg.yield %extracted : f32
    } -> tensor<16xf32>
    %expanded = tensor.expand_shape %10 [[0, 1]] output_shape [4, 4] : tensor<16xf32> into tensor<4x4xf32>
    %11 = tensor.empty() : tensor<4x4xf32>
    %12 = linalg.generic {indexing_maps = [#map, #map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1, %expanded, %arg0 : tensor<4x4xi1>, tensor<4x4xf32>, tensor<4x4xf32>) outs(%11 : tensor<4x4xf32>) {
    ^bb0(%in: i1, %in_1: f32, %in_2: f32, %out: f32):
      %13 = arith.select %in, %in_1, %in_2 : f32
      linalg.yield %13 : f32
    } -> tensor<4x4xf32>
    return %12 : tensor<4x4xf32>
  }
}
