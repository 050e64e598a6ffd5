// RUN: norm-opt %s --norm-narrow-temporaries | FileCheck %s

// CHECK-LABEL: func @row
// CHECK: %[[ROW:.*]] = memref.alloc() {alignment = 64 : i64} : memref<1x4096xbf16>
// CHECK: vector.transfer_write %arg0, %[[ROW]]{{.*}} : vector<64xbf16>, memref<1x4096xbf16>
// CHECK: memref.store %arg1, %[[ROW]]
// CHECK: %[[V:.*]] = vector.transfer_read %[[ROW]]{{.*}} : memref<1x4096xbf16>, vector<64xbf16>
// CHECK: %[[W:.*]] = arith.extf %[[V]] : vector<64xbf16> to vector<64xf32>
// CHECK: %[[S:.*]] = memref.load %[[ROW]]
// CHECK: %[[T:.*]] = arith.extf %[[S]] : bf16 to f32
// CHECK: memref.dealloc %[[ROW]]
// CHECK: return %[[W]], %[[T]]
func.func @row(%v: vector<64xbf16>, %s: bf16, %i: index) -> (vector<64xf32>, f32) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %row = memref.alloc() {alignment = 64 : i64} : memref<1x4096xf32>
  %w = arith.extf %v : vector<64xbf16> to vector<64xf32>
  vector.transfer_write %w, %row[%c0, %i] {in_bounds = [true]} : vector<64xf32>, memref<1x4096xf32>
  %t = arith.extf %s : bf16 to f32
  memref.store %t, %row[%c0, %c0] : memref<1x4096xf32>
  %r = vector.transfer_read %row[%c0, %i], %zero {in_bounds = [true]} : memref<1x4096xf32>, vector<64xf32>
  %q = memref.load %row[%c0, %i] : memref<1x4096xf32>
  memref.dealloc %row : memref<1x4096xf32>
  return %r, %q : vector<64xf32>, f32
}

// Lanes that a mask leaves out are read as zeros of the narrow type.
// CHECK-LABEL: func @masked
// CHECK: %[[ZERO:.*]] = arith.constant 0.000000e+00 : f16
// CHECK: vector.transfer_read %{{.*}}, %[[ZERO]], %arg1 {{.*}} : memref<20xf16>, vector<16xf16>
func.func @masked(%v: vector<16xf16>, %mask: vector<16xi1>, %i: index) -> vector<16xf32> {
  %zero = arith.constant 0.0 : f32
  %row = memref.alloc() : memref<20xf32>
  %w = arith.extf %v : vector<16xf16> to vector<16xf32>
  vector.transfer_write %w, %row[%i], %mask {in_bounds = [true]} : vector<16xf32>, memref<20xf32>
  %r = vector.transfer_read %row[%i], %zero, %mask {in_bounds = [true]} : memref<20xf32>, vector<16xf32>
  return %r : vector<16xf32>
}

// An f32 beside them, another narrow type, a padding that is not zero, a view, an
// 8-bit float, whose conversions cost more, and a caller's buffer.
// CHECK-LABEL: func @others
// CHECK-NOT: memref.alloc() : memref<{{.*}}16>
// CHECK: return
func.func @others(%f: f32, %b: bf16, %h: f16, %v: f8E5M2, %i: index, %out: memref<8xf32>) -> (memref<4xf32, strided<[1], offset: ?>>, vector<4xf32>, f32, f32, f32) {
  %one = arith.constant 1.0 : f32
  %wide = arith.extf %b : bf16 to f32
  %half = arith.extf %h : f16 to f32
  %byte = arith.extf %v : f8E5M2 to f32
  %0 = memref.alloc() : memref<8xf32>
  memref.store %wide, %0[%i] : memref<8xf32>
  memref.store %f, %0[%i] : memref<8xf32>
  %r0 = memref.load %0[%i] : memref<8xf32>
  %1 = memref.alloc() : memref<8xf32>
  memref.store %wide, %1[%i] : memref<8xf32>
  memref.store %half, %1[%i] : memref<8xf32>
  %r1 = memref.load %1[%i] : memref<8xf32>
  %2 = memref.alloc() : memref<8xf32>
  memref.store %wide, %2[%i] : memref<8xf32>
  %r2 = vector.transfer_read %2[%i], %one : memref<8xf32>, vector<4xf32>
  %3 = memref.alloc() : memref<8xf32>
  memref.store %wide, %3[%i] : memref<8xf32>
  %r3 = memref.subview %3[%i] [4] [1] : memref<8xf32> to memref<4xf32, strided<[1], offset: ?>>
  %4 = memref.alloc() : memref<8xf32>
  memref.store %byte, %4[%i] : memref<8xf32>
  %r4 = memref.load %4[%i] : memref<8xf32>
  memref.store %wide, %out[%i] : memref<8xf32>
  return %r3, %r2, %r0, %r1, %r4 : memref<4xf32, strided<[1], offset: ?>>, vector<4xf32>, f32, f32, f32
}
