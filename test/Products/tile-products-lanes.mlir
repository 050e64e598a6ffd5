// Blocks have columns that tiles of any number of lanes divide.
// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-tile-products{lanes=8}))' | FileCheck %s --check-prefixes=CHECK,L8
// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-tile-products{lanes=32}))' | FileCheck %s --check-prefixes=CHECK,L32
// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-tile-products{lanes=64}))' | FileCheck %s --check-prefixes=CHECK,L64
// RUN: norm-opt %s --norm-to-cpu=product-lanes=32 -o /dev/null
// RUN: not norm-opt %s --norm-to-cpu=product-lanes=24 -o /dev/null 2>&1 | FileCheck %s --check-prefix=POWER
// RUN: not norm-opt %s --norm-to-cpu=product-lanes=0 -o /dev/null 2>&1 | FileCheck %s --check-prefix=ZERO
// POWER: tile-products-lanes.mlir:[[#@LINE+7]]:{{.*}}error: norm-tile-products: expects 'lanes' to be a power of two, got 24
// ZERO: error: norm-tile-products: expects 'lanes' to be a power of two, got 0

// CHECK-LABEL: @f
// L8: norm.product = array<i64: 6, 8, 1024>
// L32: norm.product = array<i64: 6, 32, 1024>
// L64: norm.product = array<i64: 6, 48, 1024>
func.func @f(%a: tensor<64x64xf32>, %b: tensor<64x48xf32>, %c: tensor<64x48xf32>) -> tensor<64x48xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %b : tensor<64x64xf32>, tensor<64x48xf32>) outs(%c : tensor<64x48xf32>) {
  ^bb0(%x: f32, %y: f32, %s: f32):
    %m = arith.mulf %x, %y : f32
    %t = arith.addf %s, %m : f32
    linalg.yield %t : f32
  } -> tensor<64x48xf32>
  return %0 : tensor<64x48xf32>
}
