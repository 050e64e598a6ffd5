// RUN: norm-opt %s --split-input-file --resolve-shaped-type-result-dims --canonicalize | FileCheck %s --check-prefix=DIM
// RUN: norm-opt %s --split-input-file --loop-invariant-code-motion | FileCheck %s --check-prefix=LICM
// RUN: norm-opt %s --split-input-file --cse | FileCheck %s --check-prefix=CSE
// RUN: norm-opt %s --split-input-file --canonicalize | FileCheck %s --check-prefix=DCE

// The extents of the results are those of their inits.
// DIM-LABEL: func @dims(
// DIM-SAME: %[[X:[^:]*]]: tensor<?x64xf32>, %[[I:[^:]*]]: tensor<?x64xf32>, %[[R:[^:]*]]: tensor<?xf32>)
// DIM-NOT: norm.rmsnorm
// DIM-DAG: %[[D0:.*]] = tensor.dim %[[I]], %c0
// DIM-DAG: %[[D1:.*]] = tensor.dim %[[R]], %c0
// DIM: return %[[D0]], %[[D1]]
func.func @dims(%x: tensor<?x64xf32>, %i: tensor<?x64xf32>, %r: tensor<?xf32>) -> (index, index) {
  %c0 = arith.constant 0 : index
  %y:2 = norm.rmsnorm ins(%x : tensor<?x64xf32>) outs(%i, %r : tensor<?x64xf32>, tensor<?xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<?x64xf32>, tensor<?xf32>
  %d0 = tensor.dim %y#0, %c0 : tensor<?x64xf32>
  %d1 = tensor.dim %y#1, %c0 : tensor<?xf32>
  return %d0, %d1 : index, index
}

// -----

// ConditionallySpeculatable: extents that the verifier has checked may be
// computed before a loop that might not run; dynamic ones may not.
// LICM-LABEL: func @hoist(
// LICM: norm.rmsnorm ins(%{{.*}} : tensor<4x64xf32>)
// LICM: scf.for
// LICM: norm.rmsnorm ins(%{{.*}} : tensor<?x64xf32>)
func.func @hoist(%x: tensor<4x64xf32>, %i: tensor<4x64xf32>, %dx: tensor<?x64xf32>, %di: tensor<?x64xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %iv = %c0 to %n step %c1 {
    %d = norm.rmsnorm ins(%dx : tensor<?x64xf32>) outs(%di : tensor<?x64xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<?x64xf32>
    %s = norm.rmsnorm ins(%x : tensor<4x64xf32>) outs(%i : tensor<4x64xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<4x64xf32>
    func.call @use(%d, %s) : (tensor<?x64xf32>, tensor<4x64xf32>) -> ()
  }
  return
}
func.func private @use(tensor<?x64xf32>, tensor<4x64xf32>)

// -----

// Two equal ops on tensors are one; on memrefs each may see other values.
// CSE-LABEL: func @twice(
// CSE: %[[Y:.*]] = norm.rmsnorm {{.*}} -> tensor<4x64xf32>
// CSE-NEXT: call @use(%[[Y]], %[[Y]])
// CSE: norm.rmsnorm ins(%{{.*}} : memref
// CSE: norm.rmsnorm ins(%{{.*}} : memref
func.func @twice(%x: tensor<4x64xf32>, %i: tensor<4x64xf32>, %m: memref<4x64xf32>, %n: memref<4x64xf32>) {
  %0 = norm.rmsnorm ins(%x : tensor<4x64xf32>) outs(%i : tensor<4x64xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<4x64xf32>
  %1 = norm.rmsnorm ins(%x : tensor<4x64xf32>) outs(%i : tensor<4x64xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<4x64xf32>
  func.call @use(%0, %1) : (tensor<4x64xf32>, tensor<4x64xf32>) -> ()
  norm.rmsnorm ins(%m : memref<4x64xf32>) outs(%n : memref<4x64xf32>) dims = [1] epsilon = 0.0 : f32
  norm.rmsnorm ins(%m : memref<4x64xf32>) outs(%n : memref<4x64xf32>) dims = [1] epsilon = 0.0 : f32
  return
}
func.func private @use(tensor<4x64xf32>, tensor<4x64xf32>)

// -----

// Without a user the op on tensors goes; the op on memrefs writes.
// DCE-LABEL: func @unused(
// DCE-NOT: tensor<4x64xf32>)
// DCE: norm.rmsnorm ins(%{{.*}} : memref
// DCE-NEXT: return
func.func @unused(%x: tensor<?x64xf32>, %i: tensor<?x64xf32>, %m: memref<4x64xf32>, %n: memref<4x64xf32>) {
  %0 = norm.rmsnorm ins(%x : tensor<?x64xf32>) outs(%i : tensor<?x64xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<?x64xf32>
  norm.rmsnorm ins(%m : memref<4x64xf32>) outs(%n : memref<4x64xf32>) dims = [1] epsilon = 0.0 : f32
  return
}
