// Zeros keep their signs through reductions, and divisions that round up and down have
// code on every CPU, on each level that this machine has.

// RUN: norm-run %s --input=4x6xf32='-0 0 -0 -0 -0 -0, 0 -0 -0 -0 -0 -0, -0 -0 -0 -0 -0 0, -0 -0 -0 -0 -0 -0' | FileCheck %s
// RUN: norm-run %s --pipeline=simt --input=4x6xf32='-0 0 -0 -0 -0 -0, 0 -0 -0 -0 -0 -0, -0 -0 -0 -0 -0 0, -0 -0 -0 -0 -0 -0' | FileCheck %s
// RUN: norm-run %s --pipeline=upstream --input=4x6xf32='-0 0 -0 -0 -0 -0, 0 -0 -0 -0 -0 -0, -0 -0 -0 -0 -0 0, -0 -0 -0 -0 -0 -0' | FileCheck %s
// RUN: norm-run %s --mcpu=x86-64-v2 --input=4x6xf32='-0 0 -0 -0 -0 -0, 0 -0 -0 -0 -0 -0, -0 -0 -0 -0 -0 0, -0 -0 -0 -0 -0 -0' | FileCheck %s
// RUN: %if x86_64-v3 %{ norm-run %s --mcpu=x86-64-v3 --input=4x6xf32='-0 0 -0 -0 -0 -0, 0 -0 -0 -0 -0 -0, -0 -0 -0 -0 -0 0, -0 -0 -0 -0 -0 -0' | FileCheck %s %}
// RUN: %if x86_64-v4 %{ norm-run %s --mcpu=x86-64-v4 --input=4x6xf32='-0 0 -0 -0 -0 -0, 0 -0 -0 -0 -0 -0, -0 -0 -0 -0 -0 0, -0 -0 -0 -0 -0 -0' | FileCheck %s %}

// CHECK: result[0]: 4xf32=0 0 0 -0
// CHECK: result[1]: 4xf32=-0 -0 -0 -0
// CHECK: result[2]: 4xf32=0 0 0 -0

// RUN: norm-run %s --function=divisions --input=2x2xi32='[7 -7][8 -8]' | FileCheck %s --check-prefix=DIV
// RUN: norm-run %s --function=divisions --mcpu=x86-64-v2 --input=2x2xi32='[7 -7][8 -8]' | FileCheck %s --check-prefix=DIV
// DIV: result[0]: 2x2xi32=[2 -1][2 -2]
// DIV: result[1]: 2x2xi32=[1 -2][2 -2]

#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>

// The maximum, the minimum and the sum of each row; the sum starts from -0.
func.func @main(%x: tensor<4x6xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %low = arith.constant 0xFF800000 : f32
  %high = arith.constant 0x7F800000 : f32
  %zero = arith.constant -0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %a = linalg.fill ins(%low : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %b = linalg.fill ins(%high : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %c = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf32>) outs(%a : tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %m = arith.maximumf %o, %v : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf32>) outs(%b : tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %m = arith.minimumf %v, %o : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  %2 = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<4x6xf32>) outs(%c : tensor<4xf32>) {
  ^bb0(%v: f32, %o: f32):
    %m = arith.addf %v, %o : f32
    linalg.yield %m : f32
  } -> tensor<4xf32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

func.func @divisions(%x: tensor<2x2xi32>) -> (tensor<2x2xi32>, tensor<2x2xi32>) {
  %four = arith.constant 4 : i32
  %e = tensor.empty() : tensor<2x2xi32>
  %0:2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x : tensor<2x2xi32>) outs(%e, %e : tensor<2x2xi32>, tensor<2x2xi32>) {
  ^bb0(%v: i32, %o: i32, %p: i32):
    %up = arith.ceildivsi %v, %four : i32
    %down = arith.floordivsi %v, %four : i32
    linalg.yield %up, %down : i32, i32
  } -> (tensor<2x2xi32>, tensor<2x2xi32>)
  return %0#0, %0#1 : tensor<2x2xi32>, tensor<2x2xi32>
}
