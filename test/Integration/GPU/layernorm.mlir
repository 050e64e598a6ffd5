// LayerNorm in linalg, two reductions of which the second needs the first: one
// kernel, x read once.
// RUN: mkdir -p %t
// RUN: %python %S/Inputs/run_general.py %t %s 5 768 layernorm | FileCheck %s
// A warp a row, four rows a block, two sums.
// CHECK: main_kernel0: grid 5 block 96x1 loads 2 stores 2 shuffles 14
// CHECK-NEXT: layernorm 5x768: ok
#id = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%x: tensor<5x768xf32>) -> tensor<5x768xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 768.0 : f32
  %eps = arith.constant 1.0e-5 : f32
  %e = tensor.empty() : tensor<5xf32>
  %o = tensor.empty() : tensor<5x768xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<5xf32>) -> tensor<5xf32>
  %s = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<5x768xf32>) outs(%f : tensor<5xf32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %v = linalg.generic {indexing_maps = [#id, #row, #row], iterator_types = ["parallel", "reduction"]} ins(%x, %s : tensor<5x768xf32>, tensor<5xf32>) outs(%f : tensor<5xf32>) {
  ^bb0(%a: f32, %m: f32, %b: f32):
    %mean = arith.divf %m, %n : f32
    %c = arith.subf %a, %mean : f32
    %q = arith.mulf %c, %c : f32
    %r = arith.addf %q, %b : f32
    linalg.yield %r : f32
  } -> tensor<5xf32>
  %y = linalg.generic {indexing_maps = [#id, #row, #row, #id], iterator_types = ["parallel", "parallel"]} ins(%x, %s, %v : tensor<5x768xf32>, tensor<5xf32>, tensor<5xf32>) outs(%o : tensor<5x768xf32>) {
  ^bb0(%a: f32, %m: f32, %q: f32, %out: f32):
    %mean = arith.divf %m, %n : f32
    %c = arith.subf %a, %mean : f32
    %var = arith.divf %q, %n : f32
    %d = arith.addf %var, %eps : f32
    %r = math.rsqrt %d : f32
    %z = arith.mulf %c, %r : f32
    linalg.yield %z : f32
  } -> tensor<5x768xf32>
  return %y : tensor<5x768xf32>
}
