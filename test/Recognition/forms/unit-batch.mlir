// RUN: norm-opt %s --norm-recognize --split-input-file | FileCheck %s

// One row: a factor over its extent is a weight, also where the body adds more.

// CHECK: %[[X:.*]] = linalg.generic {{.*}} ins(%arg0, %arg1 :
// CHECK: %[[Y:.*]] = norm.rmsnorm ins(%[[X]], %arg2 : tensor<1x6xf32>, tensor<6xf32>)
// CHECK: linalg.generic {{.*}} ins(%[[Y]], %arg3 :
// CHECK-NOT: mulf
// CHECK: return

func.func @f22(%arg0: tensor<1x6xf32>, %arg1: tensor<1x6xf32>, %arg2: tensor<6xf32>, %arg3: tensor<1x6xf32>) -> tensor<1x6xf32> {
  %1 = tensor.empty() : tensor<1x6xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1 : tensor<1x6xf32>, tensor<1x6xf32>) outs(%1 : tensor<1x6xf32>) {
  ^bb0(%in2_0: f32, %in2_1: f32, %out2: f32):
  %3 = arith.addf %in2_0, %in2_1 : f32
  %4 = arith.constant 2.0 : f32
  %5 = math.powf %3, %4 : f32
    linalg.yield %5 : f32
  } -> tensor<1x6xf32>
  %6 = arith.constant 0.00000000000000000e+00 : f32
  %7 = tensor.empty() : tensor<1xf32>
  %8 = linalg.fill ins(%6 : f32) outs(%7 : tensor<1xf32>) -> tensor<1xf32>
  %9 = linalg.reduce { arith.addf } ins(%2 : tensor<1x6xf32>) outs(%8 : tensor<1xf32>) dimensions = [1]
  %10 = tensor.empty() : tensor<1x6xf32>
  %11 = linalg.broadcast ins(%9 : tensor<1xf32>) outs(%10 : tensor<1x6xf32>) dimensions = [1]
  %12 = arith.constant 6 : i64
  %13 = arith.sitofp %12 : i64 to f32
  %14 = arith.constant -5.00000000000000000e-01 : f32
  %15 = tensor.empty() : tensor<1x6xf32>
  %16 = linalg.fill ins(%14 : f32) outs(%15 : tensor<1x6xf32>) -> tensor<1x6xf32>
  %17 = tensor.empty() : tensor<1x6xf32>
  %18 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d1, d0)>], iterator_types = ["parallel", "parallel"]} ins(%arg0, %arg1, %11, %16 : tensor<1x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>, tensor<1x6xf32>) outs(%17 : tensor<1x6xf32>) {
  ^bb0(%in18_0: f32, %in18_1: f32, %in18_2: f32, %in18_3: f32, %out18: f32):
  %19 = arith.addf %in18_0, %in18_1 : f32
  %20 = arith.divf %in18_2, %13 : f32
  %21 = math.powf %20, %in18_3 : f32
  %22 = arith.mulf %19, %21 : f32
    linalg.yield %22 : f32
  } -> tensor<1x6xf32>
  %23 = tensor.empty() : tensor<1x6xf32>
  %24 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%arg2, %18, %arg3 : tensor<6xf32>, tensor<1x6xf32>, tensor<1x6xf32>) outs(%23 : tensor<1x6xf32>) {
  ^bb0(%in24_0: f32, %in24_1: f32, %in24_2: f32, %out24: f32):
  %25 = arith.mulf %in24_0, %in24_1 : f32
  %26 = arith.addf %25, %in24_2 : f32
    linalg.yield %26 : f32
  } -> tensor<1x6xf32>
  return %24 : tensor<1x6xf32>
}

// -----

// The first two elements of one row are summed. linalg-fold-unit-extent-dims
// has left the row's dimension in x, but not where the weight is multiplied.

// CHECK-LABEL: func.func @folded(
// CHECK: %[[X:.*]] = tensor.collapse_shape %arg0
// CHECK: norm.rmsnorm ins(%[[X]], %arg1 : tensor<8xf64>, tensor<8xf64>) {{.*}} dims = [0] {{.*}} count = 2
// CHECK-NOT: linalg
// CHECK: return

#map = affine_map<(d0) -> (d0)>
#none = affine_map<(d0) -> ()>
func.func @folded(%x: tensor<1x8xf64>, %w: tensor<8xf64>) -> tensor<8xf64> {
  %zero = arith.constant dense<0.0> : tensor<f64>
  %half = arith.constant 0.5 : f64
  %part = tensor.extract_slice %x[0, 0] [1, 2] [1, 1] : tensor<1x8xf64> to tensor<2xf64>
  %sum = linalg.generic {indexing_maps = [#map, #none], iterator_types = ["reduction"]} ins(%part : tensor<2xf64>) outs(%zero : tensor<f64>) {
  ^bb0(%in: f64, %out: f64):
    %square = arith.mulf %in, %in : f64
    %next = arith.addf %square, %out : f64
    linalg.yield %next : f64
  } -> tensor<f64>
  %row = tensor.expand_shape %sum [] output_shape [1] : tensor<f64> into tensor<1xf64>
  %e = tensor.empty() : tensor<1x8xf64>
  %all = linalg.broadcast ins(%row : tensor<1xf64>) outs(%e : tensor<1x8xf64>) dimensions = [1]
  %halves = linalg.fill ins(%half : f64) outs(%e : tensor<1x8xf64>) -> tensor<1x8xf64>
  %mean = linalg.mul ins(%all, %halves : tensor<1x8xf64>, tensor<1x8xf64>) outs(%e : tensor<1x8xf64>) -> tensor<1x8xf64>
  %r = linalg.rsqrt ins(%mean : tensor<1x8xf64>) outs(%e : tensor<1x8xf64>) -> tensor<1x8xf64>
  %z = linalg.mul ins(%x, %r : tensor<1x8xf64>, tensor<1x8xf64>) outs(%e : tensor<1x8xf64>) -> tensor<1x8xf64>
  %flat = tensor.collapse_shape %z [[0, 1]] : tensor<1x8xf64> into tensor<8xf64>
  %e1 = tensor.empty() : tensor<8xf64>
  %y = linalg.mul ins(%w, %flat : tensor<8xf64>, tensor<8xf64>) outs(%e1 : tensor<8xf64>) -> tensor<8xf64>
  return %y : tensor<8xf64>
}
