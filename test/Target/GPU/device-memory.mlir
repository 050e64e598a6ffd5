// RUN: norm-opt %s --norm-device-memory --split-input-file --verify-diagnostics | FileCheck %s

memref.global "private" constant @w : memref<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]>

// CHECK-LABEL: func.func @moves
// CHECK: %[[A:.*]] = gpu.alloc  (%{{.*}}) : memref<?xf32>
// CHECK: gpu.memcpy  %[[A]], %arg0
// CHECK: %[[W:.*]] = memref.get_global @w
// CHECK: %[[D:.*]] = gpu.alloc  () : memref<4xf32>
// CHECK: gpu.memcpy  %[[D]], %[[W]]
// CHECK: gpu.launch
// CHECK: memref.load %[[D]]
// CHECK: gpu.dealloc  %[[A]]
// CHECK: gpu.dealloc  %[[D]]
func.func @moves(%x: memref<?xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc(%n) : memref<?xf32>
  memref.copy %x, %a : memref<?xf32> to memref<?xf32>
  %w = memref.get_global @w : memref<4xf32>
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %c1, %gy = %c1, %gz = %c1) threads(%tx, %ty, %tz) in (%sx = %c1, %sy = %c1, %sz = %c1) {
    %v = memref.load %w[%c0] : memref<4xf32>
    memref.store %v, %a[%c0] : memref<?xf32>
    gpu.terminator
  }
  memref.dealloc %a : memref<?xf32>
  return
}

// -----

// CHECK-LABEL: func.func @host_read
// CHECK: %[[H:.*]] = memref.alloc(%{{.*}}) : memref<?xf32>
// CHECK: gpu.memcpy  %[[H]], %arg0
// CHECK: memref.load %[[H]]
// CHECK: memref.dealloc %[[H]]
func.func @host_read(%x: memref<?xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %v = memref.load %x[%c0] : memref<?xf32>
  return %v : f32
}

// -----

func.func @strided_read(%x: memref<4xf32, strided<[2]>>) -> f32 {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{the host cannot read one element of a strided buffer}}
  %v = memref.load %x[%c0] : memref<4xf32, strided<[2]>>
  return %v : f32
}

// -----

func.func @host_write(%x: memref<4xf32>, %v: vector<4xf32>) {
  %c0 = arith.constant 0 : index
  // expected-error @+1 {{'vector.transfer_write' would access device memory from the host}}
  vector.transfer_write %v, %x[%c0] {in_bounds = [true]} : vector<4xf32>, memref<4xf32>
  return
}

// -----

func.func @strided(%x: memref<4x4xf32, strided<[8, 1]>>, %y: memref<4x4xf32>) {
  // expected-error @+1 {{a strided copy cannot run on the host for a GPU}}
  memref.copy %x, %y : memref<4x4xf32, strided<[8, 1]>> to memref<4x4xf32>
  return
}
