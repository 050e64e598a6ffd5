// RUN: norm-opt %s --norm-outline-loops='min-loops=2' --split-input-file | FileCheck %s
// RUN: norm-opt %s --norm-outline-loops='min-loops=9' --split-input-file | FileCheck %s --check-prefix=FEW

// Equal bodies on other buffers are one function, which has its own constants and
// what was computed for it alone. LLVM must not inline it again.
// FEW-LABEL: func.func @layers
// FEW-NOT: call
// CHECK-LABEL: func.func private @layers__loop(
// CHECK-SAME: memref<8xf32>, %{{.*}}: memref<8xf32>
// CHECK-SAME: passthrough = ["noinline"]
// CHECK: arith.constant 8 : index
// CHECK: scf.for
// CHECK: return
// CHECK-LABEL: func.func private @layers__loop_0(
// CHECK: arith.addi
// CHECK: scf.for
// CHECK-LABEL: func.func @layers
// CHECK-SAME: %[[A:.*]]: memref<8xf32>, %[[B:.*]]: memref<8xf32>, %[[C:.*]]: memref<8xf32>
// CHECK: call @layers__loop(%[[A]], %[[B]])
// CHECK: call @layers__loop(%[[B]], %[[C]])
// CHECK-NOT: arith.addi
// CHECK: call @layers__loop_0(
// CHECK-NOT: scf.for
// CHECK: return
func.func @layers(%a: memref<8xf32>, %b: memref<8xf32>, %c: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %a[%i] : memref<8xf32>
    memref.store %v, %b[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    %v = memref.load %b[%i] : memref<8xf32>
    memref.store %v, %c[%i] : memref<8xf32>
  }
  %m = arith.addi %n, %c1 : index
  scf.for %i = %c0 to %m step %c1 {
    %v = memref.load %c[%i] : memref<8xf32>
    memref.store %v, %a[%i] : memref<8xf32>
  }
  return
}

// -----

// A value that a loop yields is the call's result. A linalg op is a loop as well.
// CHECK-LABEL: func.func private @yields__loop(
// CHECK-SAME: -> f32
// CHECK-LABEL: func.func private @yields__loop_0(
// CHECK: linalg.copy
// CHECK-LABEL: func.func @yields
// CHECK: %[[S:.*]] = call @yields__loop(
// CHECK: call @yields__loop_0(
// CHECK: return %[[S]]
func.func @yields(%a: memref<8xf32>, %b: memref<8xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %s = scf.for %i = %c0 to %c8 step %c1 iter_args(%t = %zero) -> f32 {
    %v = memref.load %a[%i] : memref<8xf32>
    %u = arith.addf %t, %v : f32
    scf.yield %u : f32
  }
  linalg.copy ins(%a : memref<8xf32>) outs(%b : memref<8xf32>)
  return %s : f32
}

// -----

// A loop over layers stays, and what is in it becomes functions.
// CHECK-LABEL: func.func private @scan__loop(
// CHECK-LABEL: func.func @scan
// CHECK: scf.for
// CHECK: call @scan__loop(
// CHECK: call @scan__loop(
// CHECK-NOT: scf.for
func.func @scan(%a: memref<8xf32>, %b: memref<8xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  scf.for %k = %c0 to %n step %c1 {
    scf.for %i = %c0 to %c8 step %c1 {
      %v = memref.load %a[%i] : memref<8xf32>
      memref.store %v, %b[%i] : memref<8xf32>
    }
    scf.for %i = %c0 to %c8 step %c1 {
      %v = memref.load %b[%i] : memref<8xf32>
      memref.store %v, %a[%i] : memref<8xf32>
    }
  }
  return
}

// -----

// A read does not move past a write.
// CHECK-LABEL: func.func private @write_between__loop
// CHECK-LABEL: func.func @write_between
// CHECK: %[[V:.*]] = memref.load
// CHECK: memref.store
// CHECK: call @write_between__loop{{.*}}%[[V]]
func.func @write_between(%a: memref<8xf32>, %b: memref<8xf32>, %w: f32) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %v = memref.load %a[%c0] : memref<8xf32>
  memref.store %w, %a[%c0] : memref<8xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %v, %b[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %w, %a[%i] : memref<8xf32>
  }
  return
}

// -----

// A nest that returns a buffer stays: who frees it is not decided yet.
// CHECK-LABEL: func.func @returns_buffer
// CHECK: scf.if
// CHECK: call @returns_buffer__loop(
func.func @returns_buffer(%a: memref<8xf32>, %b: memref<8xf32>, %which: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %v = arith.constant 1.0 : f32
  %c = scf.if %which -> (memref<8xf32>) {
    scf.for %i = %c0 to %c8 step %c1 {
      memref.store %v, %a[%i] : memref<8xf32>
    }
    scf.yield %a : memref<8xf32>
  } else {
    scf.yield %b : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %v, %c[%i] : memref<8xf32>
  }
  scf.for %i = %c0 to %c8 step %c1 {
    memref.store %v, %b[%i] : memref<8xf32>
  }
  return
}

// -----

// A view moves with the loop, which is vectorized by its layout: the argument is the
// buffer.
// CHECK-LABEL: func.func private @views__loop(
// CHECK-SAME: %[[WHOLE:.*]]: memref<16xf32>
// CHECK: %[[HALF:.*]] = memref.subview %[[WHOLE]][8] [8] [1]
// CHECK: %[[ROWS:.*]] = memref.expand_shape %[[HALF]]
// CHECK: linalg.fill {{.*}}outs(%[[ROWS]]
// CHECK-LABEL: func.func @views(
// CHECK-SAME: %[[A:.*]]: memref<16xf32>
// CHECK: call @views__loop(%[[A]])
// CHECK: call @views__loop(%[[A]])
func.func @views(%a: memref<16xf32>) {
  %zero = arith.constant 0.0 : f32
  %half = memref.subview %a[8] [8] [1] : memref<16xf32> to memref<8xf32, strided<[1], offset: 8>>
  %rows = memref.expand_shape %half [[0, 1]] output_shape [2, 4]
      : memref<8xf32, strided<[1], offset: 8>> into memref<2x4xf32, strided<[4, 1], offset: 8>>
  linalg.fill ins(%zero : f32) outs(%rows : memref<2x4xf32, strided<[4, 1], offset: 8>>)
  linalg.fill ins(%zero : f32) outs(%rows : memref<2x4xf32, strided<[4, 1], offset: 8>>)
  return
}

// -----

// A comparison costs LLVM time for each argument of its function: each choice has its own.
// CHECK-LABEL: func.func private @versions__loop(
// CHECK-SAME: %[[ROWS:.*]]: index
// CHECK: %[[MOST:.*]] = arith.constant 4 : index
// CHECK: %[[IS_FEW:.*]] = arith.cmpi ule, %[[ROWS]], %[[MOST]]
// CHECK: scf.if %[[IS_FEW]]
// CHECK-LABEL: func.func @versions(
// CHECK-NOT: scf.if
// CHECK: call @versions__loop(
// CHECK-NOT: scf.if
// CHECK: call @versions__loop(
// CHECK: return
func.func @versions(%a: memref<8xf32>, %b: memref<8xf32>, %rows: index) {
  %zero = arith.constant 0.0 : f32
  %few = arith.constant 4 : index
  %isFew = arith.cmpi ule, %rows, %few : index
  scf.if %isFew {
    linalg.fill ins(%zero : f32) outs(%a : memref<8xf32>)
  }
  scf.if %isFew {
    linalg.fill ins(%zero : f32) outs(%b : memref<8xf32>)
  }
  return
}
