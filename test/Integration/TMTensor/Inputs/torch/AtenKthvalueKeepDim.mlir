#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d2)>
#map2 = affine_map<(d0, d1) -> (d0, d1)>
module {
  func.func @AtenKthvalueKeepDimModule(%arg0: tensor<2x6x3xi32>) -> (tensor<2x1x3xi32>, tensor<2x1x3xi64>) {
    %c2147483647_i32 = arith.constant 2147483647 : i32
    %c-2147483648_i32 = arith.constant -2147483648 : i32
    %c0_i64 = arith.constant 0 : i64
    %c0_i32 = arith.constant 0 : i32
    %0 = tensor.empty() : tensor<2x4x3xi32>
    %1 = linalg.fill ins(%c2147483647_i32 : i32) outs(%0 : tensor<2x4x3xi32>) -> tensor<2x4x3xi32>
    %2:2 = tm_tensor.topk dimension(1) ins(%arg0 : tensor<2x6x3xi32>) outs(%1, %1 : tensor<2x4x3xi32>, tensor<2x4x3xi32>) {
    ^bb0(%arg1: i32, %arg2: i32):
      %11 = arith.cmpi slt, %arg1, %arg2 : i32
      tm_tensor.yield %11 : i1
    } -> tensor<2x4x3xi32>, tensor<2x4x3xi32>
    %3 = tensor.empty() : tensor<2x3xi32>
    %4 = linalg.fill ins(%c-2147483648_i32 : i32) outs(%3 : tensor<2x3xi32>) -> tensor<2x3xi32>
    %5 = tensor.empty() : tensor<2x3xi64>
    %6 = linalg.fill ins(%c0_i64 : i64) outs(%5 : tensor<2x3xi64>) -> tensor<2x3xi64>
    %7:2 = linalg.generic {indexing_maps = [#map, #map1, #map1], iterator_types = ["parallel", "reduction", "parallel"]} ins(%2#0 : tensor<2x4x3xi32>) outs(%4, %6 : tensor<2x3xi32>, tensor<2x3xi64>) {
    ^bb0(%in: i32, %out: i32, %out_1: i64):
      %11 = linalg.index 1 : index
      %12 = arith.index_cast %11 : index to i64
      %13 = arith.maxsi %in, %out : i32
      %14 = arith.cmpi sgt, %in, %out : i32
      %15 = arith.select %14, %12, %out_1 : i64
      linalg.yield %13, %15 : i32, i64
    } -> (tensor<2x3xi32>, tensor<2x3xi64>)
    %8 = linalg.fill ins(%c0_i32 : i32) outs(%3 : tensor<2x3xi32>) -> tensor<2x3xi32>
    %9 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%7#1 : tensor<2x3xi64>) outs(%8 : tensor<2x3xi32>) {
    ^bb0(%in: i64, %out: i32):
      %11 = arith.index_cast %in : i64 to index
      %12 = linalg.index 0 : index
      %13 = linalg.index 1 : index
      %extracted = tensor.extract %2#1[%12, %11, %13] : tensor<2x4x3xi32>
      linalg.yield %extracted : i32
    } -> tensor<2x3xi32>
    %10 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<2x3xi32>) outs(%6 : tensor<2x3xi64>) {
    ^bb0(%in: i32, %out: i64):
      %11 = arith.index_cast %in : i32 to index
      %12 = arith.index_cast %11 : index to i64
      linalg.yield %12 : i64
    } -> tensor<2x3xi64>
    %expanded = tensor.expand_shape %7#0 [[0, 1], [2]] output_shape [2, 1, 3] : tensor<2x3xi32> into tensor<2x1x3xi32>
    %expanded_0 = tensor.expand_shape %10 [[0, 1], [2]] output_shape [2, 1, 3] : tensor<2x3xi64> into tensor<2x1x3xi64>
    return %expanded, %expanded_0 : tensor<2x1x3xi32>, tensor<2x1x3xi64>
  }
}
