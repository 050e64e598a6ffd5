// Gradients are calls of their own function; a mask says which operands they have.
// RUN: norm-opt %s --norm-to-library='backward-function=my_gradient' --split-input-file | FileCheck %s
// RUN: norm-opt %s --norm-to-library='backward-function=my_gradient suffix=true' --split-input-file | FileCheck %s --check-prefix=SUFFIX

// CHECK: func.func private @my_gradient(memref<?x?xf16, strided<[?, ?], offset: ?>>, memref<?x?xf16, strided<[?, ?], offset: ?>>, memref<?xf16, strided<[?], offset: ?>>, memref<?x?xf16, strided<[?, ?], offset: ?>>, memref<?xf16, strided<[?], offset: ?>>, f64, i64, i64, i64, i32, i32, i32, i32, i32, i32, i32) attributes {llvm.emit_c_interface}
// CHECK-LABEL: func.func @both
// CHECK: %[[EPSILON:.*]] = arith.constant 9.9999999747524271E-7 : f64
// dy, x, the weight, dx and dw.
// CHECK: %[[MASK:.*]] = arith.constant 103 : i32
// CHECK-NEXT: call @my_gradient({{.*}}, %[[EPSILON]], {{.*}}, %[[MASK]])
// CHECK-NOT: norm.rmsnorm
// SUFFIX: call @my_gradient_2df16_2df16_1df16_2df16_1df16_weight_dx_dw(
func.func @both(%dy: memref<8x64xf16>, %x: memref<8x64xf16>, %w: memref<64xf16>, %dx: memref<8x64xf16>, %dw: memref<64xf16>) {
  norm.rmsnorm_backward ins(%dy, %x : memref<8x64xf16>, memref<8x64xf16>) weight(%w : memref<64xf16>)
      dx(%dx : memref<8x64xf16>) dw(%dw : memref<64xf16>) dims = [1] epsilon = 1.0e-6 : f32
  return
}

// -----

// The same types, and another operand: only the mask and the suffix differ.
// CHECK-LABEL: func.func @weight
// CHECK: arith.constant 39 : i32
// SUFFIX: call @my_gradient_2df32_2df32_1df32_2df32_weight_dx(
func.func @weight(%dy: memref<8x64xf32>, %x: memref<8x64xf32>, %w: memref<64xf32>, %dx: memref<8x64xf32>) {
  norm.rmsnorm_backward ins(%dy, %x : memref<8x64xf32>, memref<8x64xf32>) weight(%w : memref<64xf32>)
      dx(%dx : memref<8x64xf32>) dims = [1] epsilon = 1.0e-6 : f32
  return
}

// CHECK-LABEL: func.func @inv_rms
// CHECK: arith.constant 0.000000e+00 : f64
// CHECK: arith.constant 43 : i32
// SUFFIX: call @my_gradient_2df32_2df32_1df32_2df32_inv_rms_dx(
func.func @inv_rms(%dy: memref<8x64xf32>, %x: memref<8x64xf32>, %r: memref<8xf32>, %dx: memref<8x64xf32>) {
  norm.rmsnorm_backward ins(%dy, %x : memref<8x64xf32>, memref<8x64xf32>) inv_rms(%r : memref<8xf32>)
      dx(%dx : memref<8x64xf32>) dims = [1]
  return
}

// CHECK-LABEL: func.func @rms
// CHECK: arith.constant 1 : i32
// CHECK: arith.constant 51 : i32
// SUFFIX: call @my_gradient_2df32_2df32_1df32_2df32_rms_dx(
func.func @rms(%dy: memref<8x64xf32>, %x: memref<8x64xf32>, %s: memref<8xf32>, %dx: memref<8x64xf32>) {
  norm.rmsnorm_backward ins(%dy, %x : memref<8x64xf32>, memref<8x64xf32>) rms(%s : memref<8xf32>)
      dx(%dx : memref<8x64xf32>) dims = [1] epsilon = 1.0e-6 : f32 epsilon_mode = outside
  return
}
