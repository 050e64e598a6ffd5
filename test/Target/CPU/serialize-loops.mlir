// RUN: norm-opt %s --norm-serialize-loops=grain=1000 | FileCheck %s
// RUN: norm-opt %s --norm-serialize-loops | FileCheck %s --check-prefix=DEFAULT
// RUN: not norm-opt %s --norm-serialize-loops=grain=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: for the --grain option: '-1' value invalid
// RUN: not norm-opt %S/Inputs/fails_in_reduction.mlir --norm-serialize-loops 2>&1 | FileCheck %s --check-prefix=RESULTS
// RESULTS: fails_in_reduction.mlir:6:8: error: norm-serialize-loops: cannot run a parallel loop with results and an assertion in one thread

// Fewer bytes than the grain or fewer rows than two: no threads. Each loop keeps the role.
// CHECK-LABEL: func @rows
// CHECK: %[[FEW:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : index
// CHECK: memref.dim
// CHECK: %[[BYTES:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : index
// CHECK: %[[SMALL:.*]] = arith.ori %[[FEW]], %[[BYTES]]
// CHECK: scf.if %[[SMALL]] {
// CHECK: scf.for
// CHECK: memref.store
// CHECK-NEXT: } {norm.loop = #norm.loop<rows>}
// CHECK-NEXT: } else {
// CHECK: scf.forall
// CHECK: memref.store
// CHECK: } {norm.loop = #norm.loop<rows>}
// DEFAULT: arith.constant 1048576 : index
func.func @rows(%y: memref<?x16xf32>, %rows: index, %v: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (%rows) {
    memref.store %v, %y[%i, %c0] : memref<?x16xf32>
  } {norm.loop = #norm.loop<rows>}
  return
}

// CHECK-LABEL: func @two
// CHECK: scf.for
// CHECK-NEXT: scf.for
// CHECK: } {norm.loop = #norm.loop<rows>, norm.plan = #norm.row_plan<lanes = 64>}
// CHECK-NEXT: } {norm.loop = #norm.loop<rows>, norm.plan = #norm.row_plan<lanes = 64>}
// CHECK-NEXT: } else {
func.func @two(%y: memref<4x?x16xf32>, %rows: index, %v: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%i, %j) in (4, %rows) {
    memref.store %v, %y[%i, %j, %c0] : memref<4x?x16xf32>
  } {norm.loop = #norm.loop<rows>, norm.plan = #norm.row_plan<lanes = 64>}
  return
}

// Without buffers there is nothing to measure.
// CHECK-LABEL: func @no_buffer
// CHECK-NOT: scf.if
func.func @no_buffer(%rows: index) {
  scf.forall (%i) in (%rows) {
    %s = arith.addi %i, %i : index
  }
  return
}

// A loop that may fail never starts threads, and keeps its role: another thread could not
// return to the caller.
// CHECK-LABEL: func @may_fail
// CHECK-NOT: scf.if
// CHECK: scf.for
// CHECK-NEXT: cf.assert
// CHECK-NEXT: memref.store
// CHECK-NEXT: } {norm.loop = #norm.loop<rows>}
func.func @may_fail(%y: memref<64x16xf32>, %ok: i1, %v: f32) {
  %c0 = arith.constant 0 : index
  scf.forall (%i) in (64) {
    cf.assert %ok, "fails"
    memref.store %v, %y[%i, %c0] : memref<64x16xf32>
  } {norm.loop = #norm.loop<rows>}
  return
}

// So may one that calls a function, and a parallel loop, in a loop that is none.
// CHECK-LABEL: func @calls
// CHECK-NOT: scf.parallel
// CHECK: scf.for
// CHECK: scf.for
// CHECK: scf.for
// CHECK-NEXT: func.call @may_fail
// CHECK-NOT: scf.parallel
func.func @calls(%y: memref<64x16xf32>, %ok: i1, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %k = %c0 to %c8 step %c1 {
    scf.parallel (%i, %j) = (%c0, %c0) to (%c8, %c8) step (%c1, %c1) {
      func.call @may_fail(%y, %ok, %v) : (memref<64x16xf32>, i1, f32) -> ()
    }
  }
  return
}
