// One over a root in f32 becomes an approximation and one step of Newton's method. A root
// that something else needs, another numerator and other types stay.
// RUN: norm-opt %s --pass-pipeline='builtin.module(math-expand-ops{ops=rsqrt},gpu.module(norm-lower-gpu-math{approximate-roots=true}))' | FileCheck %s

gpu.module @kernels {
  // CHECK-LABEL: gpu.func @f
  // CHECK-SAME: (%[[A:[a-z0-9]+]]: f32
  // CHECK-DAG: %[[ONE:.*]] = arith.constant 1.000000e+00 : f32
  // CHECK-DAG: %[[HALF:.*]] = arith.constant 5.000000e-01 : f32
  // CHECK: %[[R:.*]] = llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"(%[[A]]) : (f32) -> f32
  // CHECK: %[[T:.*]] = arith.mulf %[[A]], %[[R]]
  // CHECK: %[[MINUS:.*]] = arith.negf %[[T]]
  // CHECK: %[[E:.*]] = llvm.call_intrinsic "llvm.fma"(%[[MINUS]], %[[R]], %[[ONE]])
  // CHECK: %[[STEP:.*]] = llvm.call_intrinsic "llvm.minnum"(%[[E]], %[[ONE]])
  // CHECK: %[[H:.*]] = arith.mulf %[[R]], %[[HALF]]
  // CHECK: llvm.call_intrinsic "llvm.fma"(%[[STEP]], %[[H]], %[[R]])
  // CHECK: memref.store
  // CHECK: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"
  // CHECK: memref.store
  gpu.func @f(%a: f32, %p: memref<8xf32>) kernel {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    %root = math.sqrt %a : f32
    %y = arith.divf %one, %root : f32
    memref.store %y, %p[%c0] : memref<8xf32>
    %z = math.rsqrt %a : f32
    memref.store %z, %p[%c0] : memref<8xf32>
    gpu.return
  }

  // CHECK-LABEL: gpu.func @others
  // CHECK-NOT: rsqrt.approx
  gpu.func @others(%a: f32, %b: f64, %p: memref<8xf32>, %q: memref<8xf64>) kernel {
    %c0 = arith.constant 0 : index
    %one = arith.constant 1.0 : f32
    %root = math.sqrt %a : f32
    memref.store %root, %p[%c0] : memref<8xf32>
    %y = arith.divf %one, %root : f32
    memref.store %y, %p[%c0] : memref<8xf32>
    %two = arith.constant 2.0 : f32
    %other = math.sqrt %y : f32
    %z = arith.divf %two, %other : f32
    memref.store %z, %p[%c0] : memref<8xf32>
    %w = math.rsqrt %b : f64
    memref.store %w, %q[%c0] : memref<8xf64>
    gpu.return
  }
}
