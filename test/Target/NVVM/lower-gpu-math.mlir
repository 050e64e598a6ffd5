// RUN: norm-opt %s --pass-pipeline='builtin.module(gpu.module(norm-lower-gpu-math))' | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @f
  // CHECK: llvm.call_intrinsic "llvm.sqrt"(%{{.*}}) : (f32) -> f32
  // CHECK: llvm.call_intrinsic "llvm.fabs"(%{{.*}}) : (vector<4xf64>) -> vector<4xf64>
  // CHECK: llvm.call_intrinsic "llvm.fma"
  // CHECK: llvm.call_intrinsic "llvm.floor"
  // CHECK: llvm.call_intrinsic "llvm.ceil"
  // CHECK: llvm.call_intrinsic "llvm.trunc"
  // CHECK: llvm.call_intrinsic "llvm.roundeven"
  // CHECK: llvm.call_intrinsic "llvm.minnum"(%{{.*}}, %{{.*}}) : (f32, f32) -> f32
  // CHECK: llvm.call_intrinsic "llvm.maxnum"
  // No instruction rounds this correctly: it stays for libdevice.
  // CHECK: math.exp
  gpu.func @f(%a: f32, %b: vector<4xf64>, %p: memref<8xf32>, %q: memref<4xf64>) kernel {
    %c0 = arith.constant 0 : index
    %0 = math.sqrt %a : f32
    %1 = math.absf %b : vector<4xf64>
    %2 = math.fma %0, %a, %a : f32
    %3 = math.floor %2 : f32
    %4 = math.ceil %3 : f32
    %5 = math.trunc %4 : f32
    %6 = math.roundeven %5 : f32
    %7 = arith.minnumf %6, %a : f32
    %8 = arith.maxnumf %7, %2 : f32
    %9 = math.exp %8 : f32
    memref.store %9, %p[%c0] : memref<8xf32>
    vector.store %1, %q[%c0] : memref<4xf64>, vector<4xf64>
    gpu.return
  }
}
