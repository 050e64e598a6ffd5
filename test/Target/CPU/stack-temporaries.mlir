// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-finish-loops))' | FileCheck %s

// Once, before the loop.
// CHECK-LABEL: func @small
// CHECK-NEXT: %[[B:.*]] = memref.alloca() {alignment = 64 : i64} : memref<16xf32>
// CHECK: scf.for
// CHECK-NOT: alloc
// CHECK: memref.store %{{.*}}, %[[B]]
// CHECK-NOT: dealloc
// CHECK: return
func.func @small(%n: index, %v: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %b = memref.alloc() {alignment = 64 : i64} : memref<16xf32>
    memref.store %v, %b[%c0] : memref<16xf32>
    memref.dealloc %b : memref<16xf32>
  }
  return
}

// The first op of the function is one of several.
// CHECK-LABEL: func @first
// CHECK-COUNT-2: memref.alloca() : memref<16xf32>
// CHECK-NOT: memref.{{alloc|dealloc}}
// CHECK: return
func.func @first(%i: index, %v: f32) {
  %a = memref.alloc() : memref<16xf32>
  %b = memref.alloc() : memref<16xf32>
  memref.store %v, %a[%i] : memref<16xf32>
  memref.store %v, %b[%i] : memref<16xf32>
  memref.dealloc %a : memref<16xf32>
  memref.dealloc %b : memref<16xf32>
  return
}

// Large, of unknown size, one a thread, and one that outlives its block.
// CHECK-LABEL: func @others
// CHECK-NOT: memref.alloca(
// CHECK: return
func.func @others(%n: index, %v: f32) -> memref<4xf32> {
  %c0 = arith.constant 0 : index
  %large = memref.alloc() : memref<1000xf32>
  memref.store %v, %large[%c0] : memref<1000xf32>
  memref.dealloc %large : memref<1000xf32>
  %dynamic = memref.alloc(%n) : memref<?xf32>
  memref.store %v, %dynamic[%c0] : memref<?xf32>
  memref.dealloc %dynamic : memref<?xf32>
  scf.forall (%i) in (%n) {
    %b = memref.alloc() : memref<16xf32>
    memref.store %v, %b[%c0] : memref<16xf32>
    memref.dealloc %b : memref<16xf32>
  }
  %result = memref.alloc() : memref<4xf32>
  memref.store %v, %result[%c0] : memref<4xf32>
  return %result : memref<4xf32>
}
