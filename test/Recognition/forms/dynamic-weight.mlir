// RUN: norm-opt %s --norm-recognize | FileCheck %s

// 1 + w, of which only the op that widens w tells that it is as long as x.

// CHECK: norm.rmsnorm ins(%arg0, %{{.*}} : tensor<?x?x?xf16>, tensor<?xf32>)
// CHECK-NOT: mulf
// CHECK: return
func.func @f330(%arg0: tensor<?x?x?xf16>, %arg1: tensor<?xf16>, %arg2: tensor<?x?x?xf16>) -> (tensor<?x?x?xf16>) {
  %1 = arith.constant 0 : index
  %2 = tensor.dim %arg0, %1 : tensor<?x?x?xf16>
  %3 = arith.constant 1 : index
  %4 = tensor.dim %arg0, %3 : tensor<?x?x?xf16>
  %5 = arith.constant 2 : index
  %6 = tensor.dim %arg0, %5 : tensor<?x?x?xf16>
  %7 = tensor.empty(%2, %4, %6) : tensor<?x?x?xf32>
  %8 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg0 : tensor<?x?x?xf16>) outs(%7 : tensor<?x?x?xf32>) {
  ^bb0(%in8_0: f16, %out8: f32):
  %9 = arith.extf %in8_0 : f16 to f32
    linalg.yield %9 : f32
  } -> tensor<?x?x?xf32>
  %10 = tensor.empty(%2, %4, %6) : tensor<?x?x?xf32>
  %11 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8 : tensor<?x?x?xf32>) outs(%10 : tensor<?x?x?xf32>) {
  ^bb0(%in11_0: f32, %out11: f32):
  %12 = arith.constant 2.0 : f32
  %13 = math.powf %in11_0, %12 : f32
    linalg.yield %13 : f32
  } -> tensor<?x?x?xf32>
  %14 = arith.constant 0.00000000000000000e+00 : f32
  %15 = tensor.empty(%2, %4) : tensor<?x?x1xf32>
  %16 = linalg.fill ins(%14 : f32) outs(%15 : tensor<?x?x1xf32>) -> tensor<?x?x1xf32>
  %17 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, 0)>], iterator_types = ["parallel", "parallel", "reduction"]} ins(%11 : tensor<?x?x?xf32>) outs(%16 : tensor<?x?x1xf32>) {
  ^bb0(%in17_0: f32, %out17: f32):
  %18 = arith.addf %in17_0, %out17 : f32
    linalg.yield %18 : f32
  } -> tensor<?x?x1xf32>
  %19 = arith.index_cast %6 : index to i64
  %20 = arith.sitofp %19 : i64 to f32
  %21 = tensor.empty(%2, %4) : tensor<?x?x1xf32>
  %22 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%17 : tensor<?x?x1xf32>) outs(%21 : tensor<?x?x1xf32>) {
  ^bb0(%in22_0: f32, %out22: f32):
  %23 = arith.divf %in22_0, %20 : f32
    linalg.yield %23 : f32
  } -> tensor<?x?x1xf32>
  %24 = arith.constant 9.99999997475242708e-07 : f32
  %25 = tensor.empty(%2, %4) : tensor<?x?x1xf32>
  %26 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%22 : tensor<?x?x1xf32>) outs(%25 : tensor<?x?x1xf32>) {
  ^bb0(%in26_0: f32, %out26: f32):
  %27 = arith.addf %in26_0, %24 : f32
    linalg.yield %27 : f32
  } -> tensor<?x?x1xf32>
  %28 = tensor.empty(%2, %4) : tensor<?x?xf32>
  %29 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0, 0)>, affine_map<(d0, d1) -> (d1, d0)>], iterator_types = ["parallel", "parallel"]} ins(%26 : tensor<?x?x1xf32>) outs(%28 : tensor<?x?xf32>) {
  ^bb0(%in29_0: f32, %out29: f32):
  %30 = math.rsqrt %in29_0 : f32
    linalg.yield %30 : f32
  } -> tensor<?x?xf32>
  %31 = tensor.empty(%6) : tensor<1x1x?xf32>
  %32 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%arg1 : tensor<?xf16>) outs(%31 : tensor<1x1x?xf32>) {
  ^bb0(%in32_0: f16, %out32: f32):
  %33 = arith.extf %in32_0 : f16 to f32
    linalg.yield %33 : f32
  } -> tensor<1x1x?xf32>
  %34 = arith.constant 1.00000000000000000e+00 : f32
  %35 = tensor.empty(%6) : tensor<?xf32>
  %36 = linalg.fill ins(%34 : f32) outs(%35 : tensor<?xf32>) -> tensor<?xf32>
  %37 = tensor.empty(%6) : tensor<1x1x?xf32>
  %38 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0)>, affine_map<(d0, d1, d2) -> (d1, d2, d0)>, affine_map<(d0, d1, d2) -> (d1, d2, d0)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%36, %32 : tensor<?xf32>, tensor<1x1x?xf32>) outs(%37 : tensor<1x1x?xf32>) {
  ^bb0(%in38_0: f32, %in38_1: f32, %out38: f32):
  %39 = arith.addf %in38_0, %in38_1 : f32
    linalg.yield %39 : f32
  } -> tensor<1x1x?xf32>
  %40 = tensor.empty(%2, %4, %6) : tensor<?x?x?xf32>
  %41 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (0, 0, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%8, %38 : tensor<?x?x?xf32>, tensor<1x1x?xf32>) outs(%40 : tensor<?x?x?xf32>) {
  ^bb0(%in41_0: f32, %in41_1: f32, %out41: f32):
  %42 = arith.mulf %in41_0, %in41_1 : f32
    linalg.yield %42 : f32
  } -> tensor<?x?x?xf32>
  %43 = tensor.empty(%2, %4, %6) : tensor<?x?x?xf32>
  %44 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%41, %29 : tensor<?x?x?xf32>, tensor<?x?xf32>) outs(%43 : tensor<?x?x?xf32>) {
  ^bb0(%in44_0: f32, %in44_1: f32, %out44: f32):
  %45 = arith.mulf %in44_0, %in44_1 : f32
    linalg.yield %45 : f32
  } -> tensor<?x?x?xf32>
  %46 = tensor.empty(%2, %4, %6) : tensor<?x?x?xf16>
  %47 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%44 : tensor<?x?x?xf32>) outs(%46 : tensor<?x?x?xf16>) {
  ^bb0(%in47_0: f32, %out47: f16):
  %48 = arith.truncf %in47_0 : f32 to f16
    linalg.yield %48 : f16
  } -> tensor<?x?x?xf16>
  %49 = tensor.empty(%2, %4, %6) : tensor<?x?x?xf16>
  %50 = linalg.generic {indexing_maps = [affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>, affine_map<(d0, d1, d2) -> (d0, d1, d2)>], iterator_types = ["parallel", "parallel", "parallel"]} ins(%47, %arg2 : tensor<?x?x?xf16>, tensor<?x?x?xf16>) outs(%49 : tensor<?x?x?xf16>) {
  ^bb0(%in50_0: f16, %in50_1: f16, %out50: f16):
  %51 = arith.addf %in50_0, %in50_1 : f16
    linalg.yield %51 : f16
  } -> tensor<?x?x?xf16>
  return %50 : tensor<?x?x?xf16>
}

