// RUN: norm-opt %s --norm-dependent-launch | FileCheck %s

// The weight's loads go before the wait, those of the row and of a buffer that
// the function writes elsewhere do not.
// CHECK-LABEL: func.func @f
// CHECK: gpu.launch
// CHECK: %[[I:.*]] = arith.muli
// CHECK-NEXT: vector.load %arg1[%[[I]]]
// CHECK: scf.if
// CHECK: memref.load %arg1
// CHECK: nvvm.griddepcontrol wait
// CHECK: vector.load %arg0
// CHECK: vector.load %arg2
// CHECK: nvvm.griddepcontrol launch_dependents
// CHECK-NEXT: gpu.shuffle
// CHECK-NOT: nvvm.griddepcontrol
// CHECK: gpu.terminator

// No exchange between threads: dependents start at the end.
// CHECK: gpu.launch
// CHECK: nvvm.griddepcontrol wait
// CHECK: memref.store
// CHECK: nvvm.griddepcontrol launch_dependents
// CHECK-NEXT: gpu.terminator
func.func @f(%x: memref<8x128xf32>, %w: memref<128xf32>, %u: memref<128xf32>, %y: memref<8xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %i16 = arith.constant 16 : i32
  %i32 = arith.constant 32 : i32
  %zero = arith.constant 0.0 : f32
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c8, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
    %i = arith.muli %tx, %c4 : index
    %v = vector.load %x[%bx, %i] : memref<8x128xf32>, vector<4xf32>
    %m = vector.load %w[%i] : memref<128xf32>, vector<4xf32>
    %n = vector.load %u[%i] : memref<128xf32>, vector<4xf32>
    %first = arith.cmpi eq, %tx, %c0 : index
    %q = scf.if %first -> (f32) {
      %l = memref.load %w[%c0] : memref<128xf32>
      scf.yield %l : f32
    } else {
      scf.yield %zero : f32
    }
    %a = arith.mulf %v, %m : vector<4xf32>
    %b = arith.mulf %a, %n : vector<4xf32>
    %e = vector.extract %b[0] : f32 from vector<4xf32>
    %s, %valid = gpu.shuffle xor %e, %i16, %i32 : f32
    %r = arith.addf %s, %q : f32
    memref.store %r, %y[%bx] : memref<8xf32>
    gpu.terminator
  }
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c32, %sy = %c1, %sz = %c1) {
    memref.store %zero, %u[%tx] : memref<128xf32>
    gpu.terminator
  }
  return
}
