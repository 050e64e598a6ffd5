// RUN: norm-opt %s --norm-recognize | FileCheck %s

// S7: the first 8 elements of a row whose extent is only known at run time.

// CHECK: norm.rmsnorm ins(%{{.*}} : tensor<4x?xf32>) {{.*}} dims = [1] {{.*}} count = 8
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @f(%x: tensor<4x?xf32>) -> tensor<4x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %d1 = tensor.dim %x, %c1 : tensor<4x?xf32>
  %part = tensor.extract_slice %x[0, 0] [4, 8] [1, 1] : tensor<4x?xf32> to tensor<4x8xf32>
  %e1 = tensor.empty() : tensor<4xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%part : tensor<4x8xf32>) outs(%init : tensor<4xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<4xf32>
  %e2 = tensor.empty(%d1) : tensor<4x?xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum : tensor<4x?xf32>, tensor<4xf32>) outs(%e2 : tensor<4x?xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<4x?xf32>
  return %y : tensor<4x?xf32>
}
