// RUN: norm-opt %s --pass-pipeline='builtin.module(func.func(norm-split-masked-rows,canonicalize))' | FileCheck %s
// RUN: norm-compile %S/Inputs/odd-rows.mlir --emit=asm --mtriple=x86_64-linux-gnu --mcpu=x86-64-v3 -o - | FileCheck %s --check-prefix=ASM

// No masked store; of 16 bits no element goes alone but the last.
// ASM-LABEL: _mlir_ciface_f32:
// ASM-NOT: vmaskmovps %ymm{{.*}}(
// ASM-LABEL: _mlir_ciface_bf16:
// ASM-NOT: vpinsrw $1,
// ASM-NOT: vpinsrw $3,
// ASM-NOT: vpextrw $1,
// ASM-NOT: vpextrw $3,

// 15 elements are 8, 4, 2 and 1; the load keeps its mask.
// CHECK-LABEL: func @f32
// CHECK: vector.transfer_read %{{.*}}, %{{.*}}, %{{.*}} {in_bounds = [true]} : memref<8x111xf32>, vector<16xf32>
// CHECK: vector.extract_strided_slice %{{.*}} {offsets = [0], sizes = [8], strides = [1]}
// CHECK: vector.transfer_write %{{.*}}[%{{.*}}, %c96] {in_bounds = [true]} : vector<8xf32>
// CHECK: vector.transfer_write %{{.*}}[%{{.*}}, %c104] {in_bounds = [true]} : vector<4xf32>
// CHECK: vector.transfer_write %{{.*}}[%{{.*}}, %c108] {in_bounds = [true]} : vector<2xf32>
// CHECK: vector.extract_strided_slice %{{.*}} {offsets = [14], sizes = [1], strides = [1]}
// CHECK: vector.transfer_write %{{.*}}[%{{.*}}, %c110] {in_bounds = [true]} : vector<1xf32>
// CHECK-NOT: transfer_write
func.func @f32(%x: memref<8x111xf32>, %i: index) {
  %c96 = arith.constant 96 : index
  %zero = arith.constant 0.0 : f32
  %mask = vector.constant_mask [15] : vector<16xi1>
  %v = vector.transfer_read %x[%i, %c96], %zero, %mask {in_bounds = [true]} : memref<8x111xf32>, vector<16xf32>
  vector.transfer_write %v, %x[%i, %c96], %mask {in_bounds = [true]} : vector<16xf32>, memref<8x111xf32>
  return
}

// Of 16 bits the read goes in pieces too.
// CHECK-LABEL: func @narrow
// CHECK: vector.transfer_read %{{.*}} {in_bounds = [true]} : memref<8x110xi16>, vector<8xi16>
// CHECK: vector.insert_strided_slice %{{.*}} {offsets = [0], strides = [1]} : vector<8xi16> into vector<16xi16>
// CHECK: vector.transfer_read %{{.*}} {in_bounds = [true]} : memref<8x110xi16>, vector<4xi16>
// CHECK: vector.transfer_read %{{.*}} {in_bounds = [true]} : memref<8x110xi16>, vector<2xi16>
// CHECK: vector.insert_strided_slice %{{.*}} {offsets = [12], strides = [1]} : vector<2xi16> into vector<16xi16>
// CHECK-NOT: transfer_read
// CHECK: vector.transfer_write %{{.*}} {in_bounds = [true]} : vector<8xi16>
// CHECK: vector.transfer_write %{{.*}} {in_bounds = [true]} : vector<4xi16>
// CHECK: vector.transfer_write %{{.*}} {in_bounds = [true]} : vector<2xi16>
// CHECK-NOT: transfer_write
func.func @narrow(%x: memref<8x110xi16>, %i: index, %u: vector<16xi16>) -> vector<16xi16> {
  %c96 = arith.constant 96 : index
  %c14 = arith.constant 14 : index
  %zero = arith.constant 0 : i16
  %mask = vector.create_mask %c14 : vector<16xi1>
  %v = vector.transfer_read %x[%i, %c96], %zero, %mask {in_bounds = [true]} : memref<8x110xi16>, vector<16xi16>
  vector.transfer_write %u, %x[%i, %c96], %mask {in_bounds = [true]} : vector<16xi16>, memref<8x110xi16>
  return %v : vector<16xi16>
}

// A mask that is not known, and one beside a stride.
// CHECK-LABEL: func @kept
// CHECK: vector.transfer_write %{{.*}}, %{{.*}} {in_bounds = [true]} : vector<16xf32>, memref<?xf32>
// CHECK: vector.transfer_write %{{.*}}, %{{.*}} {in_bounds = [true]} : vector<16xf32>, memref<111xf32, strided<[2]>>
// CHECK-NOT: transfer_write
func.func @kept(%x: memref<?xf32>, %s: memref<111xf32, strided<[2]>>, %n: index, %v: vector<16xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %mask = vector.create_mask %n : vector<16xi1>
  %three = vector.constant_mask [3] : vector<16xi1>
  vector.transfer_write %v, %x[%c0], %mask {in_bounds = [true]} : vector<16xf32>, memref<?xf32>
  vector.transfer_write %v, %s[%c0], %three {in_bounds = [true]} : vector<16xf32>, memref<111xf32, strided<[2]>>
  return
}
