#map = affine_map<(d0) -> (d0)>
#map1 = affine_map<(d0) -> (d0, 0)>
#map2 = affine_map<(d0) -> ()>
#map3 = affine_map<(d0, d1) -> (d0, d1)>
#map4 = affine_map<(d0, d1) -> (0, d1)>
#map5 = affine_map<(d0, d1) -> (d1)>
module {
  func.func @IndexPutBoolMaskAccumulateModule(%arg0: tensor<5x5xf32>, %arg1: tensor<5xi1>, %arg2: tensor<3x5xf32>) -> tensor<5x5xf32> {
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %c-1 = arith.constant -1 : index
    %c1_i64 = arith.constant 1 : i64
    %c5 = arith.constant 5 : index
    %c0_i64 = arith.constant 0 : i64
    %cst = arith.constant dense<5> : tensor<1xi64>
    %cst_0 = arith.constant dense<1> : tensor<1x1xi64>
    %cst_1 = arith.constant dense<0> : tensor<5xi64>
    %0 = tensor.empty() : tensor<5xi64>
    %1 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%arg1 : tensor<5xi1>) outs(%0 : tensor<5xi64>) {
    ^bb0(%in: i1, %out: i64):
      %33 = arith.extui %in : i1 to i64
      linalg.yield %33 : i64
    } -> tensor<5xi64>
    %2 = linalg.fill ins(%c0_i64 : i64) outs(%0 : tensor<5xi64>) -> tensor<5xi64>
    %3 = tensor.empty() : tensor<i64>
    %4 = linalg.fill ins(%c0_i64 : i64) outs(%3 : tensor<i64>) -> tensor<i64>
    %5:2 = tm_tensor.scan dimension(0) inclusive(true) ins(%1 : tensor<5xi64>) outs(%2, %4 : tensor<5xi64>, tensor<i64>) {
    ^bb0(%arg3: i64, %arg4: i64):
      %33 = arith.addi %arg3, %arg4 : i64
      tm_tensor.yield %33 : i64
    } -> tensor<5xi64>, tensor<i64>
    %6 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%5#0 : tensor<5xi64>) outs(%0 : tensor<5xi64>) {
    ^bb0(%in: i64, %out: i64):
      %33 = arith.subi %in, %c1_i64 : i64
      linalg.yield %33 : i64
    } -> tensor<5xi64>
    %7 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%6 : tensor<5xi64>) outs(%0 : tensor<5xi64>) {
    ^bb0(%in: i64, %out: i64):
      %33 = arith.maxsi %in, %c0_i64 : i64
      linalg.yield %33 : i64
    } -> tensor<5xi64>
    %8 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%0 : tensor<5xi64>) {
    ^bb0(%out: i64):
      %33 = linalg.index 0 : index
      %34 = arith.index_cast %33 : index to i64
      linalg.yield %34 : i64
    } -> tensor<5xi64>
    %9 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]} ins(%8, %1 : tensor<5xi64>, tensor<5xi64>) outs(%0 : tensor<5xi64>) {
    ^bb0(%in: i64, %in_4: i64, %out: i64):
      %33 = arith.muli %in, %in_4 : i64
      linalg.yield %33 : i64
    } -> tensor<5xi64>
    %10 = tensor.empty() : tensor<5x1xi64>
    %11 = linalg.fill ins(%c0_i64 : i64) outs(%10 : tensor<5x1xi64>) -> tensor<5x1xi64>
    %12:2 = linalg.generic {indexing_maps = [#map1, #map], iterator_types = ["parallel"]} outs(%11, %2 : tensor<5x1xi64>, tensor<5xi64>) {
    ^bb0(%out: i64, %out_4: i64):
      %33 = linalg.index 0 : index
      %34 = arith.remsi %33, %c5 : index
      %extracted_5 = tensor.extract %7[%34] : tensor<5xi64>
      %extracted_6 = tensor.extract %9[%34] : tensor<5xi64>
      linalg.yield %extracted_5, %extracted_6 : i64, i64
    } -> (tensor<5x1xi64>, tensor<5xi64>)
    %13 = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%12#1, %12#0 : tensor<5xi64>, tensor<5x1xi64>) outs(%cst_1 : tensor<5xi64>) {
    ^bb0(%arg3: i64, %arg4: i64):
      %33 = arith.addi %arg4, %arg3 : i64
      tm_tensor.yield %33 : i64
    } -> tensor<5xi64>
    %14 = linalg.generic {indexing_maps = [#map, #map2], iterator_types = ["reduction"]} ins(%1 : tensor<5xi64>) outs(%4 : tensor<i64>) {
    ^bb0(%in: i64, %out: i64):
      %33 = arith.addi %in, %out : i64
      linalg.yield %33 : i64
    } -> tensor<i64>
    %extracted = tensor.extract %14[] : tensor<i64>
    %15 = arith.index_cast %extracted : i64 to index
    %16 = arith.cmpi slt, %15, %c0 : index
    %17 = arith.addi %15, %c5 : index
    %18 = arith.select %16, %17, %15 : index
    %19 = arith.cmpi slt, %18, %c0 : index
    %20 = arith.select %19, %c-1, %18 : index
    %21 = arith.minsi %20, %c5 : index
    %22 = arith.maxsi %21, %c0 : index
    %extracted_slice = tensor.extract_slice %13[0] [%22] [1] : tensor<5xi64> to tensor<?xi64>
    %expanded = tensor.expand_shape %extracted_slice [[0, 1]] output_shape [%22, 1] : tensor<?xi64> into tensor<?x1xi64>
    %23 = tensor.empty(%22) : tensor<?x1xi64>
    %24 = linalg.generic {indexing_maps = [#map3, #map4, #map3], iterator_types = ["parallel", "parallel"]} ins(%expanded, %cst_0 : tensor<?x1xi64>, tensor<1x1xi64>) outs(%23 : tensor<?x1xi64>) {
    ^bb0(%in: i64, %in_4: i64, %out: i64):
      %33 = arith.sitofp %in : i64 to f64
      %34 = arith.sitofp %in_4 : i64 to f64
      %35 = arith.divf %33, %34 : f64
      %36 = math.floor %35 : f64
      %37 = arith.fptosi %36 : f64 to i64
      linalg.yield %37 : i64
    } -> tensor<?x1xi64>
    %25 = linalg.generic {indexing_maps = [#map3, #map5, #map3], iterator_types = ["parallel", "parallel"]} ins(%24, %cst : tensor<?x1xi64>, tensor<1xi64>) outs(%23 : tensor<?x1xi64>) {
    ^bb0(%in: i64, %in_4: i64, %out: i64):
      %33 = arith.remsi %in, %in_4 : i64
      %34 = arith.cmpi ne, %33, %c0_i64 : i64
      %35 = arith.cmpi slt, %in_4, %c0_i64 : i64
      %36 = arith.cmpi slt, %33, %c0_i64 : i64
      %37 = arith.xori %35, %36 : i1
      %38 = arith.andi %34, %37 : i1
      %39 = arith.addi %33, %in_4 : i64
      %40 = arith.select %38, %39, %33 : i64
      linalg.yield %40 : i64
    } -> tensor<?x1xi64>
    %collapsed = tensor.collapse_shape %25 [[0, 1]] : tensor<?x1xi64> into tensor<?xi64>
    %26 = arith.index_cast %22 : index to i64
    %27 = arith.maxsi %26, %c1_i64 : i64
    %28 = arith.cmpi sge, %27, %c0_i64 : i64
    cf.assert %28, "unimplemented: dynamic negative broadcast sizes"
    %29 = arith.index_cast %27 : i64 to index
    cf.assert %28, "unimplemented: dynamic negative broadcast sizes"
    %30 = tensor.empty(%29) : tensor<?xi64>
    %31 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel"]} outs(%30 : tensor<?xi64>) {
    ^bb0(%out: i64):
      %33 = linalg.index 0 : index
      %34 = arith.cmpi eq, %22, %c1 : index
      %35 = arith.select %34, %c0, %33 : index
      %extracted_4 = tensor.extract %collapsed[%35] : tensor<?xi64>
      linalg.yield %extracted_4 : i64
    } -> tensor<?xi64>
    %expanded_2 = tensor.expand_shape %31 [[0, 1]] output_shape [%29, 1] : tensor<?xi64> into tensor<?x1xi64>
    %expanded_3 = tensor.expand_shape %arg2 [[0], [1, 2]] output_shape [3, 1, 5] : tensor<3x5xf32> into tensor<3x1x5xf32>
    %cast = tensor.cast %expanded_3 : tensor<3x1x5xf32> to tensor<?x1x5xf32>
    %32 = tm_tensor.scatter {dimension_map = array<i64: 0>} unique_indices(false) ins(%cast, %expanded_2 : tensor<?x1x5xf32>, tensor<?x1xi64>) outs(%arg0 : tensor<5x5xf32>) {
    ^bb0(%arg3: f32, %arg4: f32):
      %33 = arith.addf %arg4, %arg3 : f32
      tm_tensor.yield %33 : f32
    } -> tensor<5x5xf32>
    return %32 : tensor<5x5xf32>
  }
}
