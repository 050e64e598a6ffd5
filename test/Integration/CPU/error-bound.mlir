// Long rows against f64: the bound of docs/Codegen.md holds for rows that are bad
// for a sum, and two threads give the bits of one.
// RUN: env PYTHONPATH=%norm_src_root/benchmarks:%normtest %python %S/error-bound.py %t norm-run %s | FileCheck %s
// CHECK: n 1048576, random: max ulp [[#]].[[#]] of at most 35, same bits on 2 threads
// CHECK-NEXT: n 1048576, all equal: max ulp [[#]].[[#]] of at most 35, same bits on 2 threads
// CHECK-NEXT: n 1048576, one huge: max ulp [[#]].[[#]] of at most 35, same bits on 2 threads
// CHECK-NEXT: n 1048576, growing: max ulp [[#]].[[#]] of at most 35, same bits on 2 threads
// CHECK-NEXT: n 4096, random: max ulp [[#]].[[#]] of at most 19, same bits on 2 threads
// CHECK-NEXT: n 4096, all equal: max ulp [[#]].[[#]] of at most 19, same bits on 2 threads
// CHECK-NEXT: n 4096, one huge: max ulp [[#]].[[#]] of at most 19, same bits on 2 threads
// CHECK-NEXT: n 4096, growing: max ulp [[#]].[[#]] of at most 19, same bits on 2 threads

func.func @main(%x: tensor<?x?xf32>, %w: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %i = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = norm.rmsnorm ins(%x, %w : tensor<?x?xf32>, tensor<?xf32>) outs(%i : tensor<?x?xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
