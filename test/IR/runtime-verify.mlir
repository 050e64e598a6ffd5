// RUN: norm-opt %s --generate-runtime-verification --canonicalize --cse --split-input-file | FileCheck %s

// CHECK-LABEL: func @dynamic(
// CHECK-SAME: %[[X:[^:]*]]: tensor<?x?xf32>, %[[W:[^:]*]]: tensor<?xf32>, %[[I:[^:]*]]: tensor<?x?xf32>, %[[R:[^:]*]]: tensor<?xf32>)
// CHECK-DAG: %[[X0:.*]] = tensor.dim %[[X]], %c0
// CHECK-DAG: %[[X1:.*]] = tensor.dim %[[X]], %c1
// CHECK-DAG: %[[W0:.*]] = tensor.dim %[[W]], %c0
// CHECK-DAG: %[[I0:.*]] = tensor.dim %[[I]], %c0
// CHECK-DAG: %[[I1:.*]] = tensor.dim %[[I]], %c1
// CHECK-DAG: %[[R0:.*]] = tensor.dim %[[R]], %c0
// CHECK-DAG: %[[S5:.*]] = arith.cmpi eq, %[[W0]], %[[X0]]
// CHECK-DAG: cf.assert %[[S5]], "{{.*}}^ S5: weight dimension 0 must have the extent of x's dimension 0
// CHECK-DAG: %[[S60:.*]] = arith.cmpi eq, %[[I0]], %[[X0]]
// CHECK-DAG: cf.assert %[[S60]], "{{.*}}^ S6: result dimension 0 must have the extent of x's dimension 0
// CHECK-DAG: %[[S61:.*]] = arith.cmpi eq, %[[I1]], %[[X1]]
// CHECK-DAG: cf.assert %[[S61]], "{{.*}}^ S6: result dimension 1 must have the extent of x's dimension 1
// CHECK-DAG: %[[S7:.*]] = arith.cmpi sge, %[[X1]], %c5
// CHECK-DAG: cf.assert %[[S7]], "{{.*}}^ S7: count must be in [1, extent of x's dimension 1]
// CHECK-DAG: %[[S8:.*]] = arith.cmpi eq, %[[R0]], %[[X0]]
// CHECK-DAG: cf.assert %[[S8]], "{{.*}}^ S8: inv_rms dimension 0 must have the extent of x's dimension 0
// CHECK: norm.rmsnorm
func.func @dynamic(%x: tensor<?x?xf32>, %w: tensor<?xf32>, %i: tensor<?x?xf32>, %r: tensor<?xf32>) -> (tensor<?x?xf32>, tensor<?xf32>) {
  %y:2 = norm.rmsnorm ins(%x, %w : tensor<?x?xf32>, tensor<?xf32>) outs(%i, %r : tensor<?x?xf32>, tensor<?xf32>) dims = [1] epsilon = 0.0 : f32 weight_dims = [0] count = 5 -> tensor<?x?xf32>, tensor<?xf32>
  return %y#0, %y#1 : tensor<?x?xf32>, tensor<?xf32>
}

// -----

// Memrefs, and an extent that is static in one operand only.
// CHECK-LABEL: func @memref(
// CHECK-SAME: %[[X:[^:]*]]: memref<4x?xf32>, %[[W:[^:]*]]: memref<8xf32>
// CHECK-DAG: %[[X1:.*]] = memref.dim %[[X]], %c1
// CHECK-DAG: %[[S:.*]] = arith.cmpi eq, %[[X1]], %c8
// CHECK-DAG: cf.assert %[[S]], "{{.*}}S5: weight dimension 0 must have the extent of x's dimension 1
// CHECK-DAG: cf.assert %[[S]], "{{.*}}S6: result dimension 1 must have the extent of x's dimension 1
// CHECK-NOT: cf.assert
// CHECK: norm.rmsnorm
func.func @memref(%x: memref<4x?xf32>, %w: memref<8xf32>, %i: memref<4x8xf32>) {
  norm.rmsnorm ins(%x, %w : memref<4x?xf32>, memref<8xf32>) outs(%i : memref<4x8xf32>) dims = [1] epsilon = 0.0 : f32
  return
}

// -----

// The verifier has seen everything.
// CHECK-LABEL: func @static(
// CHECK-NOT: cf.assert
// CHECK: return
func.func @static(%x: tensor<4x8xf32>, %w: tensor<8xf32>) -> tensor<4x8xf32> {
  %y = norm.rmsnorm ins(%x, %w : tensor<4x8xf32>, tensor<8xf32>) outs(%x : tensor<4x8xf32>) dims = [1] epsilon = 0.0 : f32 count = 4 -> tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
