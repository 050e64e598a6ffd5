// A parameter without dimensions, as torch-mlir writes one: upstream's lowering of it crashes.
// RUN: norm-opt %s --norm-lower-tensor-ops | FileCheck %s
// RUN: norm-run %s --input=2xf32=2 | FileCheck %s --check-prefix=VALUES

// CHECK: memref.global "private" constant @scale : memref<f32> = dense<1.500000e+00>
// CHECK: arith.constant dense<1.500000e+00> : tensor<f32>
// CHECK: arith.constant dense_resource<two> : tensor<2xf32>
// VALUES: result[0]: 2xf32=6 8
#id = affine_map<(d0) -> (d0)>
memref.global "private" constant @scale : memref<f32> = dense_resource<one>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %buffer = memref.get_global @scale : memref<f32>
  %global = memref.load %buffer[] : memref<f32>
  %w = arith.constant dense_resource<one> : tensor<f32>
  %v = arith.constant dense_resource<two> : tensor<2xf32>
  %e = tensor.empty() : tensor<2xf32>
  %y = linalg.generic {indexing_maps = [#id, affine_map<(d0) -> ()>, #id, #id], iterator_types = ["parallel"]} ins(%x, %w, %v : tensor<2xf32>, tensor<f32>, tensor<2xf32>) outs(%e : tensor<2xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %out: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %p, %c : f32
    %t = arith.addf %s, %global : f32
    linalg.yield %t : f32
  } -> tensor<2xf32>
  return %y : tensor<2xf32>
}
{-# dialect_resources: { builtin: { one: "0x040000000000C03F", two: "0x040000000000C03F00006040" } } #-}
