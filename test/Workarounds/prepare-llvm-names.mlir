// RUN: norm-opt %s --norm-prepare-llvm | FileCheck %s
// RUN: norm-opt %s --norm-prepare-llvm --convert-to-llvm --norm-finish-llvm | FileCheck %s --check-prefix=LLVM

// CHECK: func.func @program.log1p(
// CHECK: call @program.program.log1p(
// CHECK: call @cos(
// CHECK: call @program.kernel(
// LLVM: llvm.func @program.log1p(
// LLVM: llvm.func @_mlir_ciface_log1p(
// LLVM-NEXT: llvm.call @program.log1p(
func.func @log1p(%x: f64) -> f64 attributes {llvm.emit_c_interface} {
  %0 = call @program.log1p(%x) : (f64) -> f64
  %1 = call @cos(%0) : (f64) -> f64
  %2 = call @kernel(%1) : (f64) -> f64
  return %2 : f64
}

// A new name that was another function's.
// CHECK: func.func private @program.program.log1p(
// CHECK: constant @program.log1p :
// LLVM: llvm.func @program.program.log1p(
// LLVM: llvm.mlir.addressof @program.log1p :
func.func private @program.log1p(%x: f64) -> f64 {
  %f = func.constant @log1p : (f64) -> f64
  %0 = func.call_indirect %f(%x) : (f64) -> f64
  return %0 : f64
}

// C defines it, or its interface.
// CHECK: func.func private @cos(
// CHECK: func.func private @program.kernel(
// LLVM: llvm.func @cos(
// LLVM: llvm.func private @program.kernel(
// LLVM: llvm.call @_mlir_ciface_kernel(
// LLVM: llvm.func @_mlir_ciface_kernel(f64) -> f64
func.func private @cos(f64) -> f64
func.func private @kernel(f64) -> f64 attributes {llvm.emit_c_interface}

// Kernels have their own names.
// CHECK: gpu.module
// CHECK: func.func @log1p(
// CHECK: call @log1p(
gpu.module @kernels {
  func.func @log1p(%x: f64) -> f64 {
    %0 = func.call @log1p(%x) : (f64) -> f64
    return %0 : f64
  }
}
