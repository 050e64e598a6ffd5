// Recognition leaves tm_tensor alone, and finds the norm between two of its ops, which
// is one loop of vectors; each tool reads the program.
// RUN: norm-opt %s --norm-recognize | FileCheck %s
// RUN: norm-compile %s --emit=norm -o - | FileCheck %s --check-prefix=NORM
// RUN: norm-compile %s --explain | FileCheck %s --check-prefix=EXPLAIN
// RUN: norm-compile %s --target=nvvm --explain | FileCheck %s --check-prefix=KERNEL
// RUN: norm-run %s --input=2x4xf32=3,4,0,0,1,-1,1,-1 --input=4xf32=1 --expected-output=2x4xf32=1.6,2.8,2.8,2.8,1,2,1,0 --max-ulp=32
// RUN: norm-reduce %s --reduction-tree='traversal-mode=0 test=/bin/false' | FileCheck %s --check-prefix=REDUCE
// REDUCE-NOT: tm_tensor.sort
// REDUCE: module

// CHECK: tm_tensor.sort
// CHECK: norm.rmsnorm
// CHECK: tm_tensor.scan
// NORM-NOT: tm_tensor
// NORM: norm.rmsnorm
// EXPLAIN: Recognized: 1
// KERNEL: Recognized: 1
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0, 0)>
#sum = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
func.func @main(%x: tensor<2x4xf32>, %w: tensor<4xf32>) -> tensor<2x4xf32> {
  %zero = arith.constant 0.0 : f32
  %n = arith.constant 4.0 : f32
  %eps = arith.constant 0.0 : f32
  %s = tm_tensor.sort dimension(1) outs(%x : tensor<2x4xf32>) {
  ^bb0(%a: f32, %b: f32):
    %c = arith.cmpf oge, %a, %b : f32
    tm_tensor.yield %c : i1
  } -> tensor<2x4xf32>
  %e = tensor.empty() : tensor<2xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2xf32>) -> tensor<2xf32>
  %q = linalg.generic {indexing_maps = [#all, #sum], iterator_types = ["parallel", "reduction"]} ins(%s : tensor<2x4xf32>) outs(%f : tensor<2xf32>) {
  ^bb0(%a: f32, %o: f32):
    %m = arith.mulf %a, %a : f32
    %t = arith.addf %o, %m : f32
    linalg.yield %t : f32
  } -> tensor<2xf32>
  %g = tensor.empty() : tensor<2x4xf32>
  %y = linalg.generic {indexing_maps = [#all, #sum, #col, #all], iterator_types = ["parallel", "parallel"]} ins(%s, %q, %w : tensor<2x4xf32>, tensor<2xf32>, tensor<4xf32>) outs(%g : tensor<2x4xf32>) {
  ^bb0(%a: f32, %b: f32, %c: f32, %o: f32):
    %d = arith.divf %b, %n : f32
    %h = arith.addf %d, %eps : f32
    %r = math.rsqrt %h : f32
    %m = arith.mulf %a, %r : f32
    %p = arith.mulf %m, %c : f32
    linalg.yield %p : f32
  } -> tensor<2x4xf32>
  %k:2 = tm_tensor.scan dimension(1) inclusive(true) ins(%y : tensor<2x4xf32>) outs(%g, %e : tensor<2x4xf32>, tensor<2xf32>) {
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tm_tensor.yield %t : f32
  } -> tensor<2x4xf32>, tensor<2xf32>
  return %k#0 : tensor<2x4xf32>
}
