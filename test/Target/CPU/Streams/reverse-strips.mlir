// RUN: norm-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(norm-reverse-strips))' | FileCheck %s
// RUN: sed 's/4160/8320/g' %s | norm-opt --split-input-file --pass-pipeline='builtin.module(func.func(norm-reverse-strips))' | FileCheck %s --check-prefix=LONG
// RUN: sed 's/4160/8256/g' %s | norm-opt --split-input-file --pass-pipeline='builtin.module(func.func(norm-reverse-strips))' | FileCheck %s --check-prefix=FITS

// The strips go down, their pieces and prefetches with them; the sum goes up.
// CHECK-LABEL: func @scale
// CHECK: scf.for %[[K:.*]] = %c0 to %c16384 step %c64 iter_args
// CHECK-NEXT: vector.transfer_read %{{.*}}[%{{.*}}, %[[K]]]
// CHECK: scf.for %[[K:.*]] = %c0 to %c16384 step %c64 {
// CHECK-NEXT: %[[ENDS:.*]] = arith.constant 16320 : index
// CHECK-NEXT: %[[COLUMN:.*]] = arith.subi %[[ENDS]], %[[K]] : index
// CHECK-NEXT: memref.prefetch %{{.*}}[%{{.*}}, %[[COLUMN]]]
// CHECK-NEXT: vector.transfer_read %{{.*}}[%{{.*}}, %[[COLUMN]]]
// CHECK: %[[UPPER:.*]] = arith.addi %[[COLUMN]], %c32
// CHECK-NOT: %[[K]]
// CHECK: vector.store %{{.*}}[%{{.*}}, %[[COLUMN]]] {nontemporal = true}
// CHECK-NEXT: vector.store %{{.*}}[%{{.*}}, %[[UPPER]]] {nontemporal = true}
func.func @scale(%x: memref<8x16384xf32>, %y: memref<8x16384xf32>, %i: index) -> vector<64xf32> {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c16384 = arith.constant 16384 : index
  %zero = arith.constant 0.0 : f32
  %start = arith.constant dense<0.0> : vector<64xf32>
  %sum = scf.for %k = %c0 to %c16384 step %c64 iter_args(%s = %start) -> (vector<64xf32>) {
    %v = vector.transfer_read %x[%i, %k], %zero {in_bounds = [true]} : memref<8x16384xf32>, vector<64xf32>
    %t = arith.addf %s, %v : vector<64xf32>
    scf.yield %t : vector<64xf32>
  } {norm.loop = #norm.loop<statistic>}
  scf.for %k = %c0 to %c16384 step %c64 {
    memref.prefetch %x[%i, %k], read, locality<2>, data : memref<8x16384xf32>
    %v = vector.transfer_read %x[%i, %k], %zero {in_bounds = [true]} : memref<8x16384xf32>, vector<64xf32>
    %w = arith.mulf %v, %sum : vector<64xf32>
    %low = vector.extract_strided_slice %w {offsets = [0], sizes = [32], strides = [1]} : vector<64xf32> to vector<32xf32>
    %high = vector.extract_strided_slice %w {offsets = [32], sizes = [32], strides = [1]} : vector<64xf32> to vector<32xf32>
    %upper = arith.addi %k, %c32 : index
    vector.store %low, %y[%i, %k] {nontemporal = true} : memref<8x16384xf32>, vector<32xf32>
    vector.store %high, %y[%i, %upper] {nontemporal = true} : memref<8x16384xf32>, vector<32xf32>
  } {norm.loop = #norm.loop<strips>}
  return %sum : vector<64xf32>
}

// -----

// Of three loops over a row the second goes down, also from a first strip that
// is not at zero and in place. A row of 128 strips, 32 KiB, fits the cache and is
// not worth it; one of 129 is.
// CHECK-LABEL: func @zigzag
// CHECK-NOT: arith.subi
// LONG-LABEL: func @zigzag
// LONG: scf.for
// LONG-NEXT: vector.transfer_read
// LONG: scf.for %[[K:.*]] = %c64 to
// LONG-NEXT: %[[ENDS:.*]] = arith.constant 8320 : index
// LONG-NEXT: %[[COLUMN:.*]] = arith.subi %[[ENDS]], %[[K]] : index
// LONG-NEXT: vector.transfer_read %{{.*}}[%[[COLUMN]]]
// LONG-NOT: %[[K]]
// LONG: vector.transfer_write %{{.*}}[%[[COLUMN]]]
// LONG: scf.for
// LONG-NEXT: vector.transfer_read
// LONG-NOT: arith.subi
// FITS-LABEL: func @zigzag
// FITS-NOT: arith.subi
func.func @zigzag(%x: memref<4160xf32>) {
  %c64 = arith.constant 64 : index
  %c4160 = arith.constant 4160 : index
  %zero = arith.constant 0.0 : f32
  scf.for %k = %c64 to %c4160 step %c64 {
    %v = vector.transfer_read %x[%k], %zero {in_bounds = [true]} : memref<4160xf32>, vector<64xf32>
    vector.transfer_write %v, %x[%k] {in_bounds = [true]} : vector<64xf32>, memref<4160xf32>
  } {norm.loop = #norm.loop<strips>}
  scf.for %k = %c64 to %c4160 step %c64 {
    %v = vector.transfer_read %x[%k], %zero {in_bounds = [true]} : memref<4160xf32>, vector<64xf32>
    vector.transfer_write %v, %x[%k] {in_bounds = [true]} : vector<64xf32>, memref<4160xf32>
  } {norm.loop = #norm.loop<strips>}
  scf.for %k = %c64 to %c4160 step %c64 {
    %v = vector.transfer_read %x[%k], %zero {in_bounds = [true]} : memref<4160xf32>, vector<64xf32>
    vector.transfer_write %v, %x[%k] {in_bounds = [true]} : vector<64xf32>, memref<4160xf32>
  } {norm.loop = #norm.loop<strips>}
  return
}

// -----

// The loop before reads another buffer.
// CHECK-LABEL: func @unrelated
// CHECK-NOT: arith.subi
func.func @unrelated(%x: memref<16384xf32>, %y: memref<16384xf32>, %z: memref<16384xf32>) {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c16384 = arith.constant 16384 : index
  %zero = arith.constant 0.0 : f32
  %fill = arith.constant dense<0.0> : vector<64xf32>
  scf.for %k = %c0 to %c16384 step %c64 {
    vector.transfer_write %fill, %z[%k] {in_bounds = [true]} : vector<64xf32>, memref<16384xf32>
  } {norm.loop = #norm.loop<strips>}
  scf.for %k = %c0 to %c16384 step %c64 {
    %v = vector.transfer_read %x[%k], %zero {in_bounds = [true]} : memref<16384xf32>, vector<64xf32>
    vector.transfer_write %v, %y[%k] {in_bounds = [true]} : vector<64xf32>, memref<16384xf32>
  } {norm.loop = #norm.loop<strips>}
  return
}

// -----

// A strip that writes what the next one reads must come before it: the column
// is another strip's, a view of the same buffer starts elsewhere, the place of
// a scalar is not known, or the strip overlaps the next one.
// CHECK-LABEL: func @dependent
// CHECK-NOT: arith.subi
func.func @dependent(%x: memref<16448xf32>, %z: memref<16384xf32>, %s: memref<f32>) {
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %c64 = arith.constant 64 : index
  %c16384 = arith.constant 16384 : index
  %zero = arith.constant 0.0 : f32
  %view = memref.subview %x[64] [16384] [1] : memref<16448xf32> to memref<16384xf32, strided<[1], offset: 64>>
  scf.for %k = %c0 to %c16384 step %c64 {
    %v = vector.transfer_read %x[%k], %zero {in_bounds = [true]} : memref<16448xf32>, vector<64xf32>
    %w = vector.transfer_read %z[%k], %zero {in_bounds = [true]} : memref<16384xf32>, vector<64xf32>
    vector.transfer_write %w, %z[%k] {in_bounds = [true]} : vector<64xf32>, memref<16384xf32>
  } {norm.loop = #norm.loop<strips>}
  scf.for %k = %c0 to %c16384 step %c64 {
    %v = vector.transfer_read %x[%k], %zero {in_bounds = [true]} : memref<16448xf32>, vector<64xf32>
    %next = arith.addi %k, %c64 : index
    vector.transfer_write %v, %x[%next] {in_bounds = [true]} : vector<64xf32>, memref<16448xf32>
  } {norm.loop = #norm.loop<strips>}
  scf.for %k = %c0 to %c16384 step %c64 {
    %v = vector.transfer_read %x[%k], %zero {in_bounds = [true]} : memref<16448xf32>, vector<64xf32>
    vector.transfer_write %v, %view[%k] {in_bounds = [true]} : vector<64xf32>, memref<16384xf32, strided<[1], offset: 64>>
  } {norm.loop = #norm.loop<strips>}
  scf.for %k = %c0 to %c16384 step %c64 {
    %v = vector.transfer_read %x[%k], %zero {in_bounds = [true]} : memref<16448xf32>, vector<64xf32>
    %e = vector.extract %v[0] : f32 from vector<64xf32>
    memref.store %e, %s[] : memref<f32>
  } {norm.loop = #norm.loop<strips>}
  scf.for %k = %c0 to %c16384 step %c32 {
    %v = vector.transfer_read %x[%k], %zero {in_bounds = [true]} : memref<16448xf32>, vector<64xf32>
    vector.transfer_write %v, %x[%k] {in_bounds = [true]} : vector<64xf32>, memref<16448xf32>
  } {norm.loop = #norm.loop<strips>}
  return
}

// -----

// Where the row ends is not known, or what a strip leaves to the next one.
// CHECK-LABEL: func @unknown
// CHECK-NOT: arith.subi
func.func @unknown(%x: memref<16384xf32>, %n: index) -> vector<64xf32> {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c16384 = arith.constant 16384 : index
  %zero = arith.constant 0.0 : f32
  %start = arith.constant dense<0.0> : vector<64xf32>
  scf.for %k = %c0 to %n step %c64 {
    %v = vector.transfer_read %x[%k], %zero {in_bounds = [true]} : memref<16384xf32>, vector<64xf32>
    vector.transfer_write %v, %x[%k] {in_bounds = [true]} : vector<64xf32>, memref<16384xf32>
  } {norm.loop = #norm.loop<strips>}
  scf.for %k = %c0 to %n step %c64 {
    %v = vector.transfer_read %x[%k], %zero {in_bounds = [true]} : memref<16384xf32>, vector<64xf32>
    vector.transfer_write %v, %x[%k] {in_bounds = [true]} : vector<64xf32>, memref<16384xf32>
  } {norm.loop = #norm.loop<strips>}
  %sum = scf.for %k = %c0 to %c16384 step %c64 iter_args(%s = %start) -> (vector<64xf32>) {
    %v = vector.transfer_read %x[%k], %zero {in_bounds = [true]} : memref<16384xf32>, vector<64xf32>
    vector.transfer_write %s, %x[%k] {in_bounds = [true]} : vector<64xf32>, memref<16384xf32>
    scf.yield %v : vector<64xf32>
  } {norm.loop = #norm.loop<strips>}
  return %sum : vector<64xf32>
}
