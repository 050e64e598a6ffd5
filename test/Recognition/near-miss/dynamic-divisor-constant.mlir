// RUN: norm-opt %s --norm-recognize '--remarks-filter=norm.*' -o %t 2>&1 | FileCheck %s --implicit-check-not=Passed
// RUN: norm-opt %s -o %t.plain && cmp %t %t.plain
// RUN: sed -e 's|divf .s, .eight|divf %%s, %%n|' %s | norm-opt --norm-recognize | FileCheck %s --check-prefix=REPAIRED

// n is only known at run time: a constant is not proved to be it.

// CHECK: remark: [Missed] RMSNorm
// CHECK-SAME: (dynamic-extent): the extent of dims [1] is only known at run time; the sum is divided by 8
// REPAIRED: norm.rmsnorm ins(
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
#col = affine_map<(d0, d1) -> (d1)>
func.func @f(%x: tensor<8x?xf32>, %w: tensor<?xf32>) -> tensor<8x?xf32> {
  %zero = arith.constant 0.0 : f32
  %c1 = arith.constant 1 : index
  %d1 = tensor.dim %x, %c1 : tensor<8x?xf32>
  %int = arith.index_cast %d1 : index to i64
  %n = arith.sitofp %int : i64 to f32
  %eight = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  %e1 = tensor.empty() : tensor<8xf32>
  %init = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
  %sum = linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : tensor<8x?xf32>) outs(%init : tensor<8xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  } -> tensor<8xf32>
  %e2 = tensor.empty(%d1) : tensor<8x?xf32>
  %y = linalg.generic {indexing_maps = [#all, #row, #col, #all], iterator_types = ["parallel", "parallel"]}
      ins(%x, %sum, %w : tensor<8x?xf32>, tensor<8xf32>, tensor<?xf32>) outs(%e2 : tensor<8x?xf32>) {
  ^bb0(%in: f32, %s: f32, %g: f32, %out: f32):
    %mean = arith.divf %s, %eight : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    %v = arith.mulf %z, %g : f32
    linalg.yield %v : f32
  } -> tensor<8x?xf32>
  return %y : tensor<8x?xf32>
}
