// RUN: norm-opt %s --norm-recognize | FileCheck %s
// RUN: sed -e 's|d1 ceildiv 2|d1|' %s | norm-opt --norm-recognize | FileCheck %s --check-prefix=REPAIRED

// The weight's index is no single dimension, and the tensor that repeats it runs
// over all of them: the norm alone is found. Found by norm-fuzz: an op over one
// dimension read at two.

// CHECK: norm.rmsnorm ins(%{{[^,]*}} :
// REPAIRED: norm.rmsnorm ins(%{{[^ ]*}}, %{{[^ ]*}} :
#map = affine_map<(d0, d1) -> (d0, d1)>
#map1 = affine_map<(d0, d1) -> (d0)>
#map2 = affine_map<(d0) -> (d0)>
#map3 = affine_map<(d0, d1) -> (d0, 0)>
#map4 = affine_map<(d0, d1) -> (d1 ceildiv 2)>
module {
  func.func @main(%arg0: tensor<4x32xbf16>, %arg1: tensor<32xbf16>) -> tensor<4x32xbf16> {
    %cst = arith.constant 3.200000e+01 : bf16
    %cst_0 = arith.constant 1.0e-6 : f64
    %cst_1 = arith.constant 0.000000e+00 : bf16
    %0 = tensor.empty() : tensor<4x32xbf16>
    %1 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg0 : tensor<4x32xbf16>, tensor<4x32xbf16>) outs(%0 : tensor<4x32xbf16>) {
    ^bb0(%in: bf16, %in_3: bf16, %out: bf16):
      %18 = arith.mulf %in, %in_3 : bf16
      linalg.yield %18 : bf16
    } -> tensor<4x32xbf16>
    %2 = tensor.empty() : tensor<4xbf16>
    %3 = linalg.fill ins(%cst_1 : bf16) outs(%2 : tensor<4xbf16>) -> tensor<4xbf16>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "reduction"]} ins(%1 : tensor<4x32xbf16>) outs(%3 : tensor<4xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %18 = arith.addf %out, %in : bf16
      linalg.yield %18 : bf16
    } -> tensor<4xbf16>
    %expanded = tensor.expand_shape %4 [[0, 1]] output_shape [4, 1] : tensor<4xbf16> into tensor<4x1xbf16>
    %5 = tensor.empty() : tensor<1xbf16>
    %6 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel"]} outs(%5 : tensor<1xbf16>) {
    ^bb0(%out: bf16):
      linalg.yield %cst : bf16
    } -> tensor<1xbf16>
    %collapsed = tensor.collapse_shape %6 [] : tensor<1xbf16> into tensor<bf16>
    %7 = tensor.empty() : tensor<4x1xbf16>
    %8 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%7 : tensor<4x1xbf16>) {
    ^bb0(%out: bf16):
      %extracted = tensor.extract %collapsed[] : tensor<bf16>
      linalg.yield %extracted : bf16
    } -> tensor<4x1xbf16>
    %9 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%expanded, %8 : tensor<4x1xbf16>, tensor<4x1xbf16>) outs(%7 : tensor<4x1xbf16>) {
    ^bb0(%in: bf16, %in_3: bf16, %out: bf16):
      %18 = arith.divf %in, %in_3 : bf16
      linalg.yield %18 : bf16
    } -> tensor<4x1xbf16>
    %10 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel"]} ins(%9 : tensor<4x1xbf16>) outs(%7 : tensor<4x1xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      %18 = math.sqrt %in : bf16
      linalg.yield %18 : bf16
    } -> tensor<4x1xbf16>
    %11 = linalg.generic {indexing_maps = [#map2], iterator_types = ["parallel"]} outs(%5 : tensor<1xbf16>) {
    ^bb0(%out: bf16):
      %18 = arith.truncf %cst_0 : f64 to bf16
      linalg.yield %18 : bf16
    } -> tensor<1xbf16>
    %collapsed_2 = tensor.collapse_shape %11 [] : tensor<1xbf16> into tensor<bf16>
    %12 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel"]} outs(%7 : tensor<4x1xbf16>) {
    ^bb0(%out: bf16):
      %extracted = tensor.extract %collapsed_2[] : tensor<bf16>
      linalg.yield %extracted : bf16
    } -> tensor<4x1xbf16>
    %13 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%10, %12 : tensor<4x1xbf16>, tensor<4x1xbf16>) outs(%7 : tensor<4x1xbf16>) {
    ^bb0(%in: bf16, %in_3: bf16, %out: bf16):
      %18 = arith.addf %in, %in_3 : bf16
      linalg.yield %18 : bf16
    } -> tensor<4x1xbf16>
    %14 = linalg.generic {indexing_maps = [#map3, #map], iterator_types = ["parallel", "parallel"]} ins(%13 : tensor<4x1xbf16>) outs(%0 : tensor<4x32xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<4x32xbf16>
    %15 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%arg0, %14 : tensor<4x32xbf16>, tensor<4x32xbf16>) outs(%0 : tensor<4x32xbf16>) {
    ^bb0(%in: bf16, %in_3: bf16, %out: bf16):
      %18 = arith.divf %in, %in_3 : bf16
      linalg.yield %18 : bf16
    } -> tensor<4x32xbf16>
    %16 = linalg.generic {indexing_maps = [#map4, #map], iterator_types = ["parallel", "parallel"]} ins(%arg1 : tensor<32xbf16>) outs(%0 : tensor<4x32xbf16>) {
    ^bb0(%in: bf16, %out: bf16):
      linalg.yield %in : bf16
    } -> tensor<4x32xbf16>
    %17 = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel", "parallel"]} ins(%15, %16 : tensor<4x32xbf16>, tensor<4x32xbf16>) outs(%0 : tensor<4x32xbf16>) {
    ^bb0(%in: bf16, %in_3: bf16, %out: bf16):
      %18 = arith.mulf %in, %in_3 : bf16
      linalg.yield %18 : bf16
    } -> tensor<4x32xbf16>
    return %17 : tensor<4x32xbf16>
  }
}
