// RUN: norm-opt %s --norm-recognize '--remarks-filter=norm.*' 2>&1 | FileCheck %s --implicit-check-not=Missed

// The normalized extent is only known at run time: the divisor is traced to the
// very dimension that is summed, through i64 arithmetic over two of them too.

#all = affine_map<(d0, d1, d2) -> (d0, d1, d2)>
#row = affine_map<(d0, d1, d2) -> (d0)>

// CHECK: norm.rmsnorm ins(%arg0 : tensor<?x?x?xf32>)
// CHECK-SAME: dims = [1, 2]
// CHECK-NOT: linalg
func.func @two_dims(%x: tensor<?x?x?xf32>) -> tensor<?x?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %zero = arith.constant 0.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %d0 = tensor.dim %x, %c0 : tensor<?x?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?x?xf32>
  %d2 = tensor.dim %x, %c2 : tensor<?x?x?xf32>
  %i1 = arith.index_cast %d1 : index to i64
  %i2 = arith.index_cast %d2 : index to i64
  %i = arith.muli %i2, %i1 : i64
  %e1 = tensor.empty(%d0) : tensor<?xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x : tensor<?x?x?xf32>) outs(%init : tensor<?xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<?xf32>
  %e2 = tensor.empty(%d0, %d1, %d2) : tensor<?x?x?xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #all], iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%x, %sum : tensor<?x?x?xf32>, tensor<?xf32>) outs(%e2 : tensor<?x?x?xf32>) {
  ^bb0(%in: f32, %s: f32, %out: f32):
    %n = arith.sitofp %i : i64 to f32
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  } -> tensor<?x?x?xf32>
  return %y : tensor<?x?x?xf32>
}
