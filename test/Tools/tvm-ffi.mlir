// norm-compile --entry=tvm-ffi: what it writes and what it rejects. The code is run in
// test/Integration/CPU/tvm-ffi.mlir.
// REQUIRES: x86_64
// RUN: split-file %s %t
// RUN: norm-compile %t/tensor.mlir --entry=tvm-ffi --emit=llvm-ir -o - | FileCheck %s
// CHECK-DAG: c"int32[4, 2]\00"
// CHECK-DAG: c"uint8[4]\00"
// CHECK-DAG: declare extern_weak {{.*}}void @TVMFFIErrorSetRaisedFromCStr
// CHECK-DAG: define {{.*}}void @_mlir_ciface_f(
// CHECK-DAG: define {{.*}}i32 @__tvm_ffi_f(ptr {{[^,]*}}, ptr {{[^,]*}}, i32 {{[^,]*}}, ptr {{[^,]*}})

// Without it there is none.
// RUN: norm-compile %t/tensor.mlir --emit=llvm-ir -o - | FileCheck %s --check-prefix=C
// C-NOT: tvm

// RUN: not norm-compile %t/tensor.mlir --entry=tvm-ffi --emit=vector -o %t.bad 2>&1 | FileCheck %s --check-prefix=STAGE
// RUN: not norm-compile %t/tensor.mlir --entry=tvm-ffi --emit=header -o %t.bad 2>&1 | FileCheck %s --check-prefix=STAGE
// STAGE: error: --entry=tvm-ffi is made of LLVM IR: emit llvm-ir, asm, obj or shared
// RUN: not norm-compile %t/tensor.mlir --entry=tvm-ffi --target=nvvm -o %t.bad 2>&1 | FileCheck %s --check-prefix=GPU
// GPU: error: --entry needs --target=cpu
// RUN: not norm-compile %t/tensor.mlir --entry=tvm-ffi --mtriple=aarch64-linux-gnu -o %t.bad 2>&1 | FileCheck %s --check-prefix=ARM
// ARM: error: --entry=tvm-ffi is for machines like this one, not aarch64-unknown-linux-gnu
// RUN: not norm-compile %t/scalar.mlir --entry=tvm-ffi -o %t.bad 2>&1 | FileCheck %s --check-prefix=SCALAR
// SCALAR: scalar.mlir:1:1: error: --entry=tvm-ffi passes tensors of f64, f32, f16, bf16, f8E4M3FN, f8E5M2 and integers, not f32
// RUN: not norm-compile %t/index.mlir --entry=tvm-ffi -o %t.bad 2>&1 | FileCheck %s --check-prefix=INDEX
// INDEX: error: --entry=tvm-ffi passes tensors of f64, f32, f16, bf16, f8E4M3FN, f8E5M2 and integers, not tensor<4xindex>
// RUN: not ls %t.bad

//--- tensor.mlir
func.func @f(%x: tensor<4x2xi32>, %y: tensor<4xui8>) -> (tensor<4x2xi32>, tensor<4xui8>) {
  return %x, %y : tensor<4x2xi32>, tensor<4xui8>
}
//--- scalar.mlir
func.func @f(%x: f32) -> f32 {
  return %x : f32
}
//--- index.mlir
func.func @f(%x: tensor<4xindex>) -> tensor<4xindex> {
  return %x : tensor<4xindex>
}
