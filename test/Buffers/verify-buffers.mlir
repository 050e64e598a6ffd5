// RUN: norm-opt %s --norm-verify-buffers --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @f(
// CHECK-SAME: %[[X:.*]]: memref<?x8xf32>, %[[Y:.*]]: memref<?x8xf32>)
// CHECK: %[[DX:.*]] = builtin.unrealized_conversion_cast %[[X]] : memref<?x8xf32> to !llvm.struct
// CHECK: %[[PX:.*]] = llvm.extractvalue %[[DX]][1]
// CHECK: %[[AX:.*]] = llvm.ptrtoint %[[PX]] : !llvm.ptr to i64
// CHECK: builtin.unrealized_conversion_cast %[[Y]]
// CHECK: arith.cmpi ne, %[[AX]], %c0
// CHECK: cf.assert %{{.*}}, "f: argument 0 is a null pointer"
// CHECK: arith.remui
// CHECK: cf.assert %{{.*}}, "f: argument 0 is not aligned to its elements of 4 bytes"
// CHECK: cf.assert %{{.*}}, "f: argument 0 has not the extents of memref<?x8xf32>"
// CHECK: cf.assert %{{.*}}, "f: argument 0 has not the strides and the offset of memref<?x8xf32>"
// CHECK: cf.assert %{{.*}}, "f: argument 1 is a null pointer"
// CHECK: cf.assert %{{.*}}, "f: argument 1, which is written, overlaps argument 0 and is not the same buffer"
// CHECK-NOT: cf.assert
// CHECK: memref.load
func.func @f(%x: memref<?x8xf32>, %y: memref<?x8xf32>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0, %c0] : memref<?x8xf32>
  memref.store %v, %y[%c0, %c0] : memref<?x8xf32>
  return
}

// -----

// Nothing is written: no pair to compare. Layouts of dynamic strides hold anything.
// CHECK-LABEL: func.func @reads
// CHECK-NOT: overlaps
// CHECK: cf.assert %{{.*}}, "reads: argument 1 has not the extents of memref<?xi1, strided<[?], offset: ?>>"
// CHECK-NOT: overlaps
// CHECK: return
func.func @reads(%x: memref<?xf32>, %y: memref<?xi1, strided<[?], offset: ?>>) -> f32 {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<?xf32>
  return %v : f32
}

// -----

// Through views; a call writes what it is given.
// CHECK-LABEL: func.func @views
// CHECK: "views: argument 2, which is written, overlaps argument 0 and is not the same buffer"
// CHECK: "views: argument 2, which is written, overlaps argument 1, which is written too"
// CHECK-LABEL: func.func private @callee
// CHECK-NOT: cf.assert
func.func @views(%x: memref<8xf32>, %called: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<8xf32>
  %half = memref.subview %y[4] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: 4>>
  memref.store %v, %half[%c0] : memref<4xf32, strided<[1], offset: 4>>
  call @callee(%called) : (memref<8xf32>) -> ()
  return
}
func.func private @callee(%x: memref<8xf32>) {
  return
}

// -----

// The second loop reads x where the first has written y. The loop in two parts does
// not, and neither does a row that is read strip by strip before each is written.
// CHECK-LABEL: func.func @again
// CHECK: "again: argument 1, which is written, overlaps argument 0, which is read again after that: not even the same buffer will do"
// CHECK: "again: argument 2, which is written, overlaps argument 0 and is not the same buffer"
// CHECK: "again: argument 2, which is written, overlaps argument 1, which is written too"
func.func @again(%x: memref<8xf32>, %y: memref<8xf32>, %z: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %x[%i] : memref<8xf32>
    memref.store %v, %y[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %x[%i] : memref<8xf32>
    memref.store %v, %z[%i] : memref<8xf32>
  }
  return
}

// CHECK-LABEL: func.func @parts
// CHECK: "parts: argument 1, which is written, overlaps argument 0 and is not the same buffer"
func.func @parts(%x: memref<8xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  scf.for %i = %c0 to %c6 step %c1 {
    %v = memref.load %x[%i] : memref<8xf32>
    memref.store %v, %y[%i] : memref<8xf32>
  }
  %a = memref.load %x[%c6] : memref<8xf32>
  memref.store %a, %y[%c6] : memref<8xf32>
  %b = memref.load %x[%c7] : memref<8xf32>
  memref.store %b, %y[%c7] : memref<8xf32>
  return
}

// CHECK-LABEL: func.func @same_place
// CHECK: "same_place: argument 1, which is written, overlaps argument 0, which is read again after that: not even the same buffer will do"
func.func @same_place(%x: memref<8xf32>, %y: memref<8xf32>, %i: index) -> f32 {
  %a = memref.load %x[%i] : memref<8xf32>
  memref.store %a, %y[%i] : memref<8xf32>
  %b = memref.load %x[%i] : memref<8xf32>
  return %b : f32
}

// -----

// A version that is only taken where buffers are apart does nothing to them for the check: its
// fetches would be unknown uses.
// CHECK-LABEL: func.func @versions
// CHECK: cf.assert %{{.*}}, "versions: argument 1, which is written, overlaps argument 0 and is not the same buffer"
// CHECK-NOT: cf.assert
// CHECK: scf.if
func.func @versions(%x: memref<8xf32>, %y: memref<8xf32>, %i: index, %large: i1) {
  scf.if %large {
    memref.prefetch %x[%i], read, locality<2>, data : memref<8xf32>
    %v = memref.load %x[%i] : memref<8xf32>
    memref.store %v, %y[%i] : memref<8xf32>
  } else {
    %v = memref.load %x[%i] : memref<8xf32>
    memref.store %v, %y[%i] : memref<8xf32>
  } {norm.versions}
  return
}
