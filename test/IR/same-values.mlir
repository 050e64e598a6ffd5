// Tiled rows and a dropped weight of ones change no bit of either result.
// RUN: norm-run %s --function=f --input='1x4x1x3xf16=1 2 3 -0.25 60000 9 0.001 7 8 nan 5 6' --output=@%t.y.npy --output=@%t.r.npy
// DEFINE: %{compare} = norm-run --function=f --input='1x4x1x3xf16=1 2 3 -0.25 60000 9 0.001 7 8 nan 5 6' --expected-output=@%t.y.npy --expected-output=@%t.r.npy --max-ulp=0
// RUN: norm-opt %s --canonicalize -o %t.ones.mlir
// RUN: not grep 'norm.rmsnorm.*tensor<1x3xf32>)' %t.ones.mlir
// RUN: %{compare} %t.ones.mlir | FileCheck %s
// RUN: norm-opt %s --transform-preload-library='transform-library-paths=%S/Inputs/tile-rows.mlir' --transform-interpreter -o %t.tiled.mlir
// RUN: grep scf.for %t.tiled.mlir
// RUN: %{compare} %t.tiled.mlir | FileCheck %s
// CHECK: result[0]: max ulp 0 over 12 elements
// CHECK: result[1]: max ulp 0 over 4 elements

func.func @f(%x: tensor<1x?x1x3xf16>) -> (tensor<1x?x1x3xbf16>, tensor<1x?xf32>) {
  %c1 = arith.constant 1 : index
  %w = arith.constant dense<1.0> : tensor<1x3xf32>
  %n = tensor.dim %x, %c1 : tensor<1x?x1x3xf16>
  %i = tensor.empty(%n) : tensor<1x?x1x3xbf16>
  %r = tensor.empty(%n) : tensor<1x?xf32>
  %y:2 = norm.rmsnorm ins(%x, %w : tensor<1x?x1x3xf16>, tensor<1x3xf32>) outs(%i, %r : tensor<1x?x1x3xbf16>, tensor<1x?xf32>) dims = [2, 3] epsilon = 1.0e-3 : f32 normalized_type = f16 -> tensor<1x?x1x3xbf16>, tensor<1x?xf32>
  return %y#0, %y#1 : tensor<1x?x1x3xbf16>, tensor<1x?xf32>
}
