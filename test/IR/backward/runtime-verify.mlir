// RUN: norm-opt %s --generate-runtime-verification | FileCheck %s

// CHECK-LABEL: func @dynamic(
// CHECK: cf.assert %{{.*}}, "{{.*}}^ B1: dy dimension 0 must have the extent of x's dimension 0
// CHECK: cf.assert %{{.*}}, "{{.*}}^ B1: dy dimension 1 must have the extent of x's dimension 1
// CHECK: cf.assert %{{.*}}, "{{.*}}^ B1: dx dimension 0 must have the extent of x's dimension 0
// CHECK: cf.assert %{{.*}}, "{{.*}}^ S5: weight dimension 0 must have the extent of x's dimension 1
// CHECK: cf.assert %{{.*}}, "{{.*}}^ B5: dw dimension 0 must have the extent of x's dimension 1
// CHECK: cf.assert %{{.*}}, "{{.*}}^ S7: count must be in [1, extent of x's dimension 1]
// CHECK: cf.assert %{{.*}}, "{{.*}}^ B8: inv_rms dimension 0 must have the extent of x's dimension 0
// CHECK: norm.rmsnorm_backward
// CHECK: cf.assert %{{.*}}, "{{.*}}^ B8: rms dimension 0 must have the extent of x's dimension 0
// CHECK: norm.rmsnorm_backward
func.func @dynamic(%dy: tensor<?x?xf32>, %x: tensor<?x?xf32>, %w: tensor<?xf32>, %r: tensor<?xf32>, %i: tensor<?x?xf32>, %j: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>) {
  %d:2 = norm.rmsnorm_backward ins(%dy, %x : tensor<?x?xf32>, tensor<?x?xf32>) weight(%w : tensor<?xf32>) inv_rms(%r : tensor<?xf32>) dx(%i : tensor<?x?xf32>) dw(%j : tensor<?xf32>) dims = [1] count = 5 -> tensor<?x?xf32>, tensor<?xf32>
  %e = norm.rmsnorm_backward ins(%dy, %x : tensor<?x?xf32>, tensor<?x?xf32>) rms(%r : tensor<?xf32>) dw(%j : tensor<?xf32>) dims = [1] epsilon = 0.0 : f32 epsilon_mode = clamp -> tensor<?xf32>
  return %d#0, %d#1, %e : tensor<?x?xf32>, tensor<?xf32>, tensor<?xf32>
}
