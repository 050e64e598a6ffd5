// A kernel with a loop may have the registers of a whole SM; others are left to ptxas.
// RUN: norm-opt %s --norm-annotate-kernels | FileCheck %s

gpu.module @kernels {
  // CHECK: gpu.func @loop({{.*}}) kernel attributes {nvvm.minctasm = 1 : i32}
  gpu.func @loop(%n: index, %p: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = arith.constant 1.0 : f32
    scf.for %i = %c0 to %n step %c1 {
      memref.store %v, %p[%i] : memref<?xf32>
    }
    gpu.return
  }
  // CHECK: gpu.func @straight({{.*}}) kernel {
  gpu.func @straight(%p: memref<?xf32>) kernel {
    %c0 = arith.constant 0 : index
    %v = arith.constant 1.0 : f32
    memref.store %v, %p[%c0] : memref<?xf32>
    gpu.return
  }
}
