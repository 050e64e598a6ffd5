// An op that asserts is computed in the loop of its reader, and not before it as well.
// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-form-rows,norm-tile-rows))' | FileCheck %s

#row = affine_map<(d0, d1) -> (d0)>
#all = affine_map<(d0, d1) -> (d0, d1)>
// CHECK-LABEL: func @lookup
// CHECK-NOT: linalg
// CHECK: scf.for
// CHECK: cf.assert
// CHECK: arith.mulf
// CHECK: scf.yield
// CHECK-NOT: cf.assert
// CHECK: return
func.func @lookup(%i: tensor<8xi64>, %table: tensor<100x256xf32>) -> tensor<8xf32> {
  %zero = arith.constant 0.0 : f32
  %size = arith.constant 100 : i64
  %e = tensor.empty() : tensor<8x256xf32>
  %x = linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]} ins(%i : tensor<8xi64>) outs(%e : tensor<8x256xf32>) {
  ^bb0(%a: i64, %o: f32):
    %fits = arith.cmpi ult, %a, %size : i64
    cf.assert %fits, "index must be smaller than dim size"
    %k = arith.index_cast %a : i64 to index
    %c = linalg.index 1 : index
    %v = tensor.extract %table[%k, %c] : tensor<100x256xf32>
    linalg.yield %v : f32
  } -> tensor<8x256xf32>
  %s = tensor.empty() : tensor<8xf32>
  %f = linalg.fill ins(%zero : f32) outs(%s : tensor<8xf32>) -> tensor<8xf32>
  %y = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<8x256xf32>) outs(%f : tensor<8xf32>) {
  ^bb0(%a: f32, %o: f32):
    %q = arith.mulf %a, %a : f32
    %t = arith.addf %q, %o : f32
    linalg.yield %t : f32
  } -> tensor<8xf32>
  return %y : tensor<8xf32>
}
