// RUN: norm-opt %s --norm-serialize-small-loops=grain=1000 | FileCheck %s
// RUN: norm-opt %s --norm-serialize-small-loops | FileCheck %s --check-prefix=DEFAULT
// RUN: not norm-opt %s --norm-serialize-small-loops=grain=-1 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: error: norm-serialize-small-loops: grain must not be negative, got -1

// Fewer bytes than the grain or fewer rows than two: no threads, and no role, so that
// norm-stream-rows leaves the loop alone.
// CHECK-LABEL: func @rows
// CHECK: %[[FEW:.*]] = arith.cmpi slt, %{{.*}}, %{{.*}} : index
// CHECK: memref.dim
// CHECK: %[[BYTES:.*]] = arith.cmpi ult, %{{.*}}, %{{.*}} : index
// CHECK: %[[SMALL:.*]] = arith.ori %[[FEW]], %[[BYTES]]
// CHECK: scf.if %[[SMALL]] {
// CHECK: scf.for
// CHECK: memref.store
// CHECK: }{{$}}
// CHECK: } else {
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

// Without buffers there is nothing to measure.
// CHECK-LABEL: func @no_buffer
// CHECK-NOT: scf.if
func.func @no_buffer(%rows: index) {
  scf.forall (%i) in (%rows) {
    %s = arith.addi %i, %i : index
  }
  return
}
