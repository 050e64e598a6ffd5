// RUN: norm-opt %s --split-input-file --norm-recognize | FileCheck %s

// x / max(|x|, eps) * sqrt(n) * w (x-transformers): a clamp of eps / sqrt(n).
// Corpus cases, verbatim:
//   xt_rms_f32__tml_arg__foldfuse
//   xt_rms_f32__tosa_lin__fuse
//   xt_rms_f32__tml_dyn__genfuse

// CHECK-LABEL: func.func @main(
// CHECK-NOT: {{math}}.
// CHECK: norm.rmsnorm ins(%arg0, %{{.*}} : tensor<2x4x32xf32>, tensor<32xf32>)
// CHECK-SAME: dims = [2] epsilon = 1.76776698E-13 : f32 epsilon_mode =  clamp -> tensor<2x4x32xf32>
// CHECK-NOT: {{math}}.
// CHECK: return
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
module {
  func.func @main(%arg0: tensor<2x4x32xf32>, %arg1: tensor<32xf32>) -> tensor<2x4x32xf32> {
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 5.6568542494923806 : f64
    %cst_1 = arith.constant 9.9999999999999998E-13 : f64
    %cst_2 = arith.constant 5.000000e-01 : f32
    %cst_3 = arith.constant 2.000000e+00 : f32
    %0 = tensor.empty() : tensor<2x4xf32>
    %1 = linalg.fill ins(%cst : f32) outs(%0 : tensor<2x4xf32>) -> tensor<2x4xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0 : tensor<2x4x32xf32>) outs(%1 : tensor<2x4xf32>) {
    ^bb0(%in: f32, %out: f32):
      %5 = math.absf %in : f32
      %6 = math.powf %5, %cst_3 : f32
      %7 = arith.addf %6, %out : f32
      linalg.yield %7 : f32
    } -> tensor<2x4xf32>
    %3 = tensor.empty() : tensor<2x4x32xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %2, %arg1 : tensor<2x4x32xf32>, tensor<2x4xf32>, tensor<32xf32>) outs(%3 : tensor<2x4x32xf32>) {
    ^bb0(%in: f32, %in_4: f32, %in_5: f32, %out: f32):
      %5 = arith.addf %in_5, %cst : f32
      %6 = math.powf %in_4, %cst_2 : f32
      %7 = arith.truncf %cst_1 : f64 to f32
      %8 = arith.cmpf ult, %6, %7 : f32
      %9 = arith.select %8, %7, %6 : f32
      %10 = arith.divf %in, %9 : f32
      %11 = arith.truncf %cst_0 : f64 to f32
      %12 = arith.mulf %10, %11 : f32
      %13 = arith.mulf %12, %5 : f32
      linalg.yield %13 : f32
    } -> tensor<2x4x32xf32>
    return %4 : tensor<2x4x32xf32>
  }
}

// -----

// CHECK-LABEL: func.func @main(
// CHECK-NOT: {{math}}.
// CHECK: norm.rmsnorm ins(%arg0, %{{.*}} : tensor<2x4x32xf32>, tensor<32xf32>)
// CHECK-SAME: dims = [2] epsilon = 1.76776698E-13 : f32 epsilon_mode =  clamp -> tensor<2x4x32xf32>
// CHECK-NOT: {{math}}.
// CHECK: return
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
#map1 = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2)>
#map2 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d0, d1, d2, d3, d4, d5)>
#map3 = affine_map<(d0, d1, d2, d3, d4, d5) -> (d1, d3, d5)>
#map4 = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map5 = affine_map<(d0, d1, d2) -> (0, 0, d2)>
module {
  func.func @main(%arg0: tensor<2x4x32xf32>, %arg1: tensor<32xf32>) -> tensor<2x4x32xf32> {
    %cst = arith.constant 5.65685415 : f32
    %cst_0 = arith.constant 5.000000e-01 : f32
    %cst_1 = arith.constant 1.000000e+00 : f32
    %cst_2 = arith.constant 3.40282347E+38 : f32
    %cst_3 = arith.constant 9.99999996E-13 : f32
    %cst_4 = arith.constant 0.000000e+00 : f32
    %cst_5 = arith.constant 2.000000e+00 : f32
    %expanded = tensor.expand_shape %arg0 [[0], [1, 2], [3]] output_shape [2, 4, 1, 32] : tensor<2x4x32xf32> into tensor<2x4x1x32xf32>
    %0 = tensor.empty() : tensor<2x4xf32>
    %expanded_6 = tensor.expand_shape %0 [[0], [1, 2]] output_shape [2, 4, 1] : tensor<2x4xf32> into tensor<2x4x1xf32>
    %1 = linalg.fill ins(%cst_4 : f32) outs(%expanded_6 : tensor<2x4x1xf32>) -> tensor<2x4x1xf32>
    %2 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%expanded : tensor<2x4x1x32xf32>) outs(%1 : tensor<2x4x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %7 = math.absf %in : f32
      %8 = math.powf %7, %cst_5 : f32
      %9 = arith.addf %8, %out : f32
      linalg.yield %9 : f32
    } -> tensor<2x4x1xf32>
    %expanded_7 = tensor.expand_shape %arg0 [[0, 1, 2], [3], [4, 5]] output_shape [1, 2, 1, 4, 32, 1] : tensor<2x4x32xf32> into tensor<1x2x1x4x32x1xf32>
    %3 = tensor.empty() : tensor<1x2x1x4x32x1xf32>
    %4 = linalg.generic {indexing_maps = [#map2, #map3, #map2], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]} ins(%expanded_7, %2 : tensor<1x2x1x4x32x1xf32>, tensor<2x4x1xf32>) outs(%3 : tensor<1x2x1x4x32x1xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %7 = math.powf %in_9, %cst_0 : f32
      %8 = arith.minimumf %7, %cst_2 : f32
      %9 = arith.maximumf %8, %cst_3 : f32
      %10 = arith.divf %cst_1, %9 : f32
      %11 = arith.mulf %in, %10 : f32
      %12 = arith.mulf %11, %cst : f32
      linalg.yield %12 : f32
    } -> tensor<1x2x1x4x32x1xf32>
    %collapsed = tensor.collapse_shape %4 [[0, 1, 2], [3], [4, 5]] : tensor<1x2x1x4x32x1xf32> into tensor<2x4x32xf32>
    %expanded_8 = tensor.expand_shape %arg1 [[0, 1, 2]] output_shape [1, 1, 32] : tensor<32xf32> into tensor<1x1x32xf32>
    %5 = tensor.empty() : tensor<2x4x32xf32>
    %6 = linalg.generic {indexing_maps = [#map4, #map5, #map4], iterator_types = ["parallel", "parallel", "parallel"]} ins(%collapsed, %expanded_8 : tensor<2x4x32xf32>, tensor<1x1x32xf32>) outs(%5 : tensor<2x4x32xf32>) {
    ^bb0(%in: f32, %in_9: f32, %out: f32):
      %7 = arith.mulf %in, %in_9 : f32
      linalg.yield %7 : f32
    } -> tensor<2x4x32xf32>
    return %6 : tensor<2x4x32xf32>
  }
}

// -----

// CHECK-LABEL: func.func @main(
// CHECK: norm.rmsnorm ins(%arg0, %{{.*}} : tensor<?x?x32xf32>, tensor<32xf32>)
// CHECK-SAME: dims = [2] epsilon = 1.76776698E-13 : f32 epsilon_mode =  clamp -> tensor<?x?x32xf32>
// CHECK: return
#map = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#map1 = affine_map<(d0, d1, d2) -> (d0, d1, 0)>
#map2 = affine_map<(d0, d1, d2) -> (d2)>
module {
  func.func @main(%arg0: tensor<?x?x32xf32>, %arg1: tensor<32xf32>) -> tensor<?x?x32xf32> {
    %c0_i64 = arith.constant 0 : i64
    %c1 = arith.constant 1 : index
    %c0 = arith.constant 0 : index
    %cst = arith.constant 0.000000e+00 : f32
    %cst_0 = arith.constant 5.6568542494923806 : f64
    %cst_1 = arith.constant 9.9999999999999998E-13 : f64
    %cst_2 = arith.constant 2.000000e+00 : f32
    %cst_3 = arith.constant 5.000000e-01 : f32
    %dim = tensor.dim %arg0, %c0 : tensor<?x?x32xf32>
    %0 = arith.index_cast %dim : index to i64
    %dim_4 = tensor.dim %arg0, %c1 : tensor<?x?x32xf32>
    %1 = arith.index_cast %dim_4 : index to i64
    %2 = tensor.empty(%dim, %dim_4) : tensor<?x?x1xf32>
    %3 = linalg.generic {indexing_maps = [#map], iterator_types = ["parallel", "parallel", "parallel"]} outs(%2 : tensor<?x?x1xf32>) {
    ^bb0(%out: f32):
      linalg.yield %cst : f32
    } -> tensor<?x?x1xf32>
    %4 = linalg.generic {indexing_maps = [#map, #map1], iterator_types = ["parallel", "parallel", "reduction"]} ins(%arg0 : tensor<?x?x32xf32>) outs(%3 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = math.absf %in : f32
      %11 = math.powf %10, %cst_2 : f32
      %12 = arith.addf %11, %out : f32
      linalg.yield %12 : f32
    } -> tensor<?x?x1xf32>
    %5 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%4 : tensor<?x?x1xf32>) outs(%2 : tensor<?x?x1xf32>) {
    ^bb0(%in: f32, %out: f32):
      %10 = math.powf %in, %cst_3 : f32
      %11 = arith.truncf %cst_1 : f64 to f32
      %12 = arith.cmpf ult, %10, %11 : f32
      %13 = arith.select %12, %11, %10 : f32
      linalg.yield %13 : f32
    } -> tensor<?x?x1xf32>
    %6 = arith.cmpi sge, %0, %c0_i64 : i64
    cf.assert %6, "unimplemented: dynamic negative broadcast sizes"
    %7 = arith.cmpi sge, %1, %c0_i64 : i64
    cf.assert %7, "unimplemented: dynamic negative broadcast sizes"
    %8 = tensor.empty(%dim, %dim_4) : tensor<?x?x32xf32>
    %9 = linalg.generic {indexing_maps = [#map, #map2, #map], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0, %arg1 : tensor<?x?x32xf32>, tensor<32xf32>) outs(%8 : tensor<?x?x32xf32>) {
    ^bb0(%in: f32, %in_5: f32, %out: f32):
      %10 = arith.addf %in_5, %cst : f32
      %11 = linalg.index 0 : index
      %12 = linalg.index 1 : index
      %13 = arith.cmpi eq, %dim, %c1 : index
      %14 = arith.select %13, %c0, %11 : index
      %15 = arith.cmpi eq, %dim_4, %c1 : index
      %16 = arith.select %15, %c0, %12 : index
      %extracted = tensor.extract %5[%14, %16, %c0] : tensor<?x?x1xf32>
      %17 = arith.divf %in, %extracted : f32
      %18 = arith.truncf %cst_0 : f64 to f32
      %19 = arith.mulf %17, %18 : f32
      %20 = arith.mulf %19, %10 : f32
      linalg.yield %20 : f32
    } -> tensor<?x?x32xf32>
    return %9 : tensor<?x?x32xf32>
  }
}
