// RUN: norm-opt %s --norm-annotate-kernels=dependent-launch=true | FileCheck %s
// RUN: norm-opt %s --norm-annotate-kernels | FileCheck %s --check-prefix=ALONE
// ALONE-NOT: nvvm.griddepcontrol

gpu.module @kernels {
  // All accesses to global memory wait; dependents start at the first exchange.
  // CHECK-LABEL: gpu.func @row
  // CHECK-NEXT: nvvm.griddepcontrol wait
  // CHECK: vector.load
  // CHECK: nvvm.griddepcontrol launch_dependents
  // CHECK-NEXT: gpu.shuffle
  // CHECK-NOT: nvvm.griddepcontrol
  // CHECK: gpu.return
  gpu.func @row(%x: memref<128xf32>, %y: memref<8xf32>) kernel {
    %c0 = arith.constant 0 : index
    %i16 = arith.constant 16 : i32
    %i32 = arith.constant 32 : i32
    %i = gpu.thread_id x
    %v = vector.load %x[%i] : memref<128xf32>, vector<4xf32>
    %e = vector.extract %v[0] : f32 from vector<4xf32>
    %s, %valid = gpu.shuffle xor %e, %i16, %i32 : f32
    %t, %valid1 = gpu.shuffle xor %s, %i16, %i32 : f32
    memref.store %t, %y[%c0] : memref<8xf32>
    gpu.return
  }

  // No exchange between threads: dependents start at the end.
  // CHECK-LABEL: gpu.func @element
  // CHECK-NEXT: nvvm.griddepcontrol wait
  // CHECK: memref.store
  // CHECK-NEXT: nvvm.griddepcontrol launch_dependents
  // CHECK-NEXT: gpu.return
  gpu.func @element(%y: memref<8xf32>) kernel {
    %i = gpu.thread_id x
    %zero = arith.constant 0.0 : f32
    memref.store %zero, %y[%i] : memref<8xf32>
    gpu.return
  }
}
