// RUN: norm-opt %s --norm-distribute-rows-to-gpu | FileCheck %s

// CHECK-LABEL: func.func @f
// CHECK: gpu.launch
// CHECK-SAME: function(@f_kernel0)
// CHECK: scf.for
// CHECK: arith.addf
// CHECK: gpu.terminator
// Parallel loops become threads.
// CHECK: %[[SIZE:.*]] = arith.constant 128 : index
// CHECK: gpu.launch {{.*}} threads(%{{.*}}) in (%{{.*}} = %[[SIZE]],
// CHECK-SAME: function(@f_kernel1)
// CHECK-NOT: scf.for
// CHECK: memref.store
#id = affine_map<(d0) -> (d0)>
#all = affine_map<(d0) -> ()>
func.func @f(%x: memref<64xf32>, %s: memref<f32>) {
  linalg.generic {indexing_maps = [#id, #all], iterator_types = ["reduction"]} ins(%x : memref<64xf32>) outs(%s : memref<f32>) {
  ^bb0(%a: f32, %b: f32):
    %r = arith.addf %a, %b : f32
    linalg.yield %r : f32
  }
  linalg.generic {indexing_maps = [#all, #id], iterator_types = ["parallel"]} ins(%s : memref<f32>) outs(%x : memref<64xf32>) {
  ^bb0(%a: f32, %b: f32):
    linalg.yield %a : f32
  }
  return
}
