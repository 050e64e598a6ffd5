// RUN: norm-opt %s --split-input-file --resolve-shaped-type-result-dims --canonicalize | FileCheck %s --check-prefix=DIM
// RUN: norm-opt %s --split-input-file --cse | FileCheck %s --check-prefix=CSE

// The extents of the results are those of their inits.
// DIM-LABEL: func @dims(
// DIM-SAME: %[[X:[^:]*]]: tensor<?x?xf32>, %[[I:[^:]*]]: tensor<?x?xf32>, %[[J:[^:]*]]: tensor<?xf32>)
// DIM-DAG: %[[D0:.*]] = tensor.dim %[[I]], %c0
// DIM-DAG: %[[D1:.*]] = tensor.dim %[[J]], %c0
// DIM: return %[[D0]], %[[D1]]
func.func @dims(%x: tensor<?x?xf32>, %i: tensor<?x?xf32>, %j: tensor<?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %d:2 = norm.rmsnorm_backward ins(%x, %x : tensor<?x?xf32>, tensor<?x?xf32>) dx(%i : tensor<?x?xf32>) dw(%j : tensor<?xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<?x?xf32>, tensor<?xf32>
  %0 = tensor.dim %d#0, %c0 : tensor<?x?xf32>
  %1 = tensor.dim %d#1, %c0 : tensor<?xf32>
  return %0, %1 : index, index
}

// -----

// On memrefs dx is written between the reads of it.
// CSE-LABEL: func @written(
// CSE: memref.load
// CSE: norm.rmsnorm_backward
// CSE: memref.load
func.func @written(%x: memref<4x8xf32>, %i: memref<4x8xf32>) -> (f32, f32) {
  %c0 = arith.constant 0 : index
  %a = memref.load %i[%c0, %c0] : memref<4x8xf32>
  norm.rmsnorm_backward ins(%x, %x : memref<4x8xf32>, memref<4x8xf32>) dx(%i : memref<4x8xf32>) dims = [1] epsilon = 0.0 : f32
  %b = memref.load %i[%c0, %c0] : memref<4x8xf32>
  return %a, %b : f32, f32
}
