// A value that goes through the host between kernels: the sum of all of x,
// extracted from its tensor, scales x.
// RUN: mkdir -p %t
// RUN: %python %S/Inputs/run_general.py %t %s 6 40 scaled | FileCheck %s
// CHECK: scaled 6x40: ok
#id = affine_map<(d0, d1) -> (d0, d1)>
#all = affine_map<(d0, d1) -> ()>
func.func @main(%x: tensor<6x40xf32>) -> tensor<6x40xf32> {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %e = tensor.empty() : tensor<6x40xf32>
  %s = linalg.generic {indexing_maps = [#id, #all], iterator_types = ["reduction", "reduction"]} ins(%x : tensor<6x40xf32>) outs(%zero : tensor<f32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<f32>
  %v = tensor.extract %s[] : tensor<f32>
  %y = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<6x40xf32>) outs(%e : tensor<6x40xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.mulf %a, %v : f32
    linalg.yield %r : f32
  } -> tensor<6x40xf32>
  return %y : tensor<6x40xf32>
}
