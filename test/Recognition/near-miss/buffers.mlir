// RUN: norm-opt %s --norm-recognize '--remarks-filter=norm.*' -o %t 2>&1 | FileCheck %s --implicit-check-not=Passed
// RUN: norm-opt %s -o %t.plain && cmp %t %t.plain

// On memrefs %y may alias %x, and a store between the sum and the scaling
// changes x: buffers are not read at all.

// CHECK: remark: [Missed] RMSNorm
// CHECK-SAME: (not-on-tensors): a root on buffers
#all = affine_map<(d0, d1) -> (d0, d1)>
#row = affine_map<(d0, d1) -> (d0)>
func.func @f(%x: memref<8x8xf32>, %sum: memref<8xf32>) {
  %n = arith.constant 8.0 : f32
  %eps = arith.constant 1.0e-6 : f32
  linalg.generic {indexing_maps = [#all, #row], iterator_types = ["parallel", "reduction"]}
      ins(%x : memref<8x8xf32>) outs(%sum : memref<8xf32>) {
  ^bb0(%in: f32, %acc: f32):
    %square = arith.mulf %in, %in : f32
    %next = arith.addf %square, %acc : f32
    linalg.yield %next : f32
  }
  linalg.generic {indexing_maps = [#row, #all], iterator_types = ["parallel", "parallel"]}
      ins(%sum : memref<8xf32>) outs(%x : memref<8x8xf32>) {
  ^bb0(%s: f32, %in: f32):
    %mean = arith.divf %s, %n : f32
    %m = arith.addf %mean, %eps : f32
    %r = math.rsqrt %m : f32
    %z = arith.mulf %in, %r : f32
    linalg.yield %z : f32
  }
  return
}
