// RUN: norm-opt %s --norm-finish-buffers | FileCheck %s

// The buffer that was freed last comes first, and is freed once, at its last end.
// CHECK-LABEL: func @chain
// CHECK: %[[A:.*]] = memref.alloc() : memref<64xf32>
// CHECK: call @use(%[[A]])
// CHECK-NOT: memref.alloc
// CHECK: call @use(%[[A]])
// CHECK-NOT: memref.alloc
// CHECK: call @use(%[[A]])
// CHECK: memref.dealloc %[[A]]
// CHECK-NOT: memref.dealloc
// CHECK: return
func.func private @use(memref<64xf32>)
func.func @chain() {
  %a = memref.alloc() : memref<64xf32>
  call @use(%a) : (memref<64xf32>) -> ()
  memref.dealloc %a : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  call @use(%b) : (memref<64xf32>) -> ()
  memref.dealloc %b : memref<64xf32>
  %c = memref.alloc() : memref<64xf32>
  call @use(%c) : (memref<64xf32>) -> ()
  memref.dealloc %c : memref<64xf32>
  return
}

// Two that live at once are two; other types, extents and alignments are others.
// CHECK-LABEL: func @apart
// CHECK-COUNT-6: memref.alloc(
func.func @apart(%m: index, %n: index) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  memref.dealloc %a : memref<64xf32>
  %c = memref.alloc() : memref<32xf32>
  memref.dealloc %c : memref<32xf32>
  %d = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  memref.dealloc %d : memref<64xf32>
  %e = memref.alloc(%m) : memref<?xf32>
  memref.dealloc %e : memref<?xf32>
  %f = memref.alloc(%n) : memref<?xf32>
  memref.dealloc %f : memref<?xf32>
  return
}

// A buffer of another block is not freed on every way here.
// CHECK-LABEL: func @branch
// CHECK-COUNT-2: memref.alloc
func.func @branch(%c: i1) {
  scf.if %c {
    %a = memref.alloc() : memref<8xf32>
    memref.dealloc %a : memref<8xf32>
  }
  %b = memref.alloc() : memref<8xf32>
  memref.dealloc %b : memref<8xf32>
  return
}
