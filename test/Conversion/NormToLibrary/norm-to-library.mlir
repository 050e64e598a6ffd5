// RUN: norm-opt %s --norm-to-library=function=my_rmsnorm --split-input-file | FileCheck %s
// RUN: norm-opt %s --norm-to-library='function=my_rmsnorm suffix=true' --split-input-file | FileCheck %s --check-prefix=SUFFIX

// The declaration has no size, stride or offset of an op: another one, of
// another size, calls it too.
// CHECK: func.func private @my_rmsnorm(memref<?x?xf16, strided<[?, ?], offset: ?>>, memref<?xf16, strided<[?], offset: ?>>, memref<?x?xf16, strided<[?, ?], offset: ?>>, f64, i64, i64, i64, i32, i32, i32, i32, i32, i32) attributes {llvm.emit_c_interface}
// CHECK-NOT: func.func private
// SUFFIX: func.func private @my_rmsnorm_2df16_1df16_2df16(
// CHECK-LABEL: func.func @defaults
// CHECK-SAME: %[[X:[a-z0-9]+]]: memref<8x64xf16>, %[[W:[a-z0-9]+]]: memref<64xf16>, %[[Y:[a-z0-9]+]]: memref<8x64xf16>
func.func @defaults(%x: memref<8x64xf16>, %w: memref<64xf16>, %y: memref<8x64xf16>) {
  // CHECK: %[[CX:.*]] = memref.cast %[[X]] : memref<8x64xf16> to memref<?x?xf16, strided<[?, ?], offset: ?>>
  // CHECK: %[[CW:.*]] = memref.cast %[[W]]
  // CHECK: %[[CY:.*]] = memref.cast %[[Y]]
  // Epsilon in C, no count, dims 0b10, the weight over them.
  // CHECK: %[[EPS:.*]] = arith.constant 9.9999999747524271E-7 : f64
  // CHECK: %[[COUNT:.*]] = arith.constant 0 : i64
  // CHECK: %[[DIMS:.*]] = arith.constant 2 : i64
  // CHECK: %[[WDIMS:.*]] = arith.constant 2 : i64
  // CHECK: %[[MODE:.*]] = arith.constant 0 : i32
  // CHECK: %[[FORM:.*]] = arith.constant 0 : i32
  // C is f32 (3) without the attribute; the others are absent.
  // CHECK: %[[C:.*]] = arith.constant 3 : i32
  // CHECK: %[[SUM:.*]] = arith.constant 0 : i32
  // CHECK: %[[SCALE:.*]] = arith.constant 0 : i32
  // CHECK: %[[NORMALIZED:.*]] = arith.constant 0 : i32
  // CHECK: call @my_rmsnorm(%[[CX]], %[[CW]], %[[CY]], %[[EPS]], %[[COUNT]], %[[DIMS]], %[[WDIMS]], %[[MODE]], %[[FORM]], %[[C]], %[[SUM]], %[[SCALE]], %[[NORMALIZED]])
  // CHECK-NOT: norm.rmsnorm
  // SUFFIX: call @my_rmsnorm_2df16_1df16_2df16(
  norm.rmsnorm ins(%x, %w : memref<8x64xf16>, memref<64xf16>)
               outs(%y : memref<8x64xf16>) dims = [1] epsilon = 1.0e-6 : f32
  return
}

// CHECK-LABEL: func.func @every_attribute
func.func @every_attribute(%x: memref<?x32xf16>, %w: memref<?xf16>, %y: memref<?x32xf16>) {
  // CHECK: %[[COUNT:.*]] = arith.constant 5 : i64
  // CHECK: %[[WDIMS:.*]] = arith.constant 1 : i64
  // CHECK: %[[MODE:.*]] = arith.constant 2 : i32
  // CHECK: %[[FORM:.*]] = arith.constant 1 : i32
  // CHECK: %[[C:.*]] = arith.constant 3 : i32
  // CHECK: %[[SUM:.*]] = arith.constant 4 : i32
  // CHECK: %[[SCALE:.*]] = arith.constant 2 : i32
  // CHECK: %[[NORMALIZED:.*]] = arith.constant 1 : i32
  // CHECK: call @my_rmsnorm({{.*}}, %[[COUNT]], %{{.*}}, %[[WDIMS]], %[[MODE]], %[[FORM]], %[[C]], %[[SUM]], %[[SCALE]], %[[NORMALIZED]])
  norm.rmsnorm ins(%x, %w : memref<?x32xf16>, memref<?xf16>)
               outs(%y : memref<?x32xf16>) dims = [1] epsilon = 1.0e-3 : f32
               epsilon_mode = clamp root_form = rsqrt compute_type = f32 sum_type = f64
               scale_type = bf16 normalized_type = f16 weight_dims = [0] count = 5
  return
}

// -----

// A strided view of rank 3, no weight, inv_rms.
// CHECK: func.func private @my_rmsnorm(memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>, memref<?x?x?xf32, strided<[?, ?, ?], offset: ?>>, memref<?xf32, strided<[?], offset: ?>>, f64,
// SUFFIX: func.func private @my_rmsnorm_3df32_3df32_1df32_inv_rms(
// CHECK-LABEL: func.func @two_results
func.func @two_results(%x: memref<2x4x?xf32, strided<[99, 9, 1], offset: 3>>,
                       %y: memref<2x4x?xf32>, %r: memref<2xf32>) {
  // CHECK: %[[DIMS:.*]] = arith.constant 6 : i64
  // CHECK: %[[WDIMS:.*]] = arith.constant 0 : i64
  // CHECK: call @my_rmsnorm({{.*}}, %[[DIMS]], %[[WDIMS]],
  norm.rmsnorm ins(%x : memref<2x4x?xf32, strided<[99, 9, 1], offset: 3>>)
               outs(%y, %r : memref<2x4x?xf32>, memref<2xf32>)
               dims = [1, 2] epsilon = 1.0e-6 : f32
  return
}

// -----

// A declaration that is there is taken; nothing to replace is no error.
// CHECK: func.func private @my_rmsnorm(memref<?x?xf64, strided<[?, ?], offset: ?>>, {{.*}}) attributes {mine}
// CHECK-NOT: func.func private
func.func private @my_rmsnorm(memref<?x?xf64, strided<[?, ?], offset: ?>>, memref<?x?xf64, strided<[?, ?], offset: ?>>,
                              f64, i64, i64, i64, i32, i32, i32, i32, i32, i32) attributes {mine}
func.func @declared(%x: memref<?x?xf64, strided<[?, ?], offset: ?>>, %y: memref<8x64xf64>) {
  // CHECK-LABEL: func.func @declared
  // CHECK-SAME: %[[X:[a-z0-9]+]]: memref<?x?xf64, strided<[?, ?], offset: ?>>
  // CHECK: call @my_rmsnorm(%[[X]],
  norm.rmsnorm ins(%x : memref<?x?xf64, strided<[?, ?], offset: ?>>) outs(%y : memref<8x64xf64>)
               dims = [1] epsilon = 1.0e-6 : f64
  return
}

// -----

// CHECK-LABEL: func.func @nothing
// CHECK-NEXT: return
func.func @nothing() {
  return
}
