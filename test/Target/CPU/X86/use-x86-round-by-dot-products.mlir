// RUN: norm-opt %s --norm-use-x86-instructions=dot-products=true --canonicalize | FileCheck %s

// The words and two products each: 0x7FFF by one, and the last bit that stays.
// CHECK-LABEL: func @rounded(
// CHECK-DAG: %[[BIT:.*]] = arith.constant dense<65536> : vector<16xi32>
// CHECK-DAG: %[[BIAS:.*]] = arith.constant dense<32767> : vector<16xi32>
// CHECK-DAG: %[[ONES:.*]] = arith.constant dense<1> : vector<32xi16>
// CHECK: %[[ODD:.*]] = arith.andi %arg0, %[[BIT]]
// CHECK: %[[TERMS:.*]] = arith.ori %[[ODD]], %[[BIAS]]
// CHECK: %[[HALVES:.*]] = vector.bitcast %[[TERMS]] : vector<16xi32> to vector<32xi16>
// CHECK: %[[R:.*]] = llvm.call_intrinsic "llvm.x86.avx512.vpdpwssd.512"(%arg0, %[[HALVES]], %[[ONES]])
// CHECK: return %[[R]]
func.func @rounded(%w: vector<16xi32>) -> vector<16xi32> {
  %c16 = arith.constant dense<16> : vector<16xi32>
  %c1 = arith.constant dense<1> : vector<16xi32>
  %bias = arith.constant dense<0x7FFF> : vector<16xi32>
  %high = arith.shrui %w, %c16 : vector<16xi32>
  %last = arith.andi %high, %c1 : vector<16xi32>
  %biased = arith.addi %w, %bias : vector<16xi32>
  %r = arith.addi %biased, %last : vector<16xi32>
  return %r : vector<16xi32>
}

// Longer vectors go by whole registers, shorter ones by the register they fill.
// CHECK-LABEL: func @lengths
// CHECK: vector.extract_strided_slice %arg0 {offsets = [0], sizes = [16]
// CHECK: "llvm.x86.avx512.vpdpwssd.512"
// CHECK: vector.extract_strided_slice %arg0 {offsets = [16], sizes = [16]
// CHECK: "llvm.x86.avx512.vpdpwssd.512"
// CHECK: vector.insert_strided_slice {{.*}} {offsets = [16]
// CHECK: "llvm.x86.avx512.vpdpwssd.256"
// CHECK: return
func.func @lengths(%v: vector<32xi32>, %w: vector<8xi32>) -> (vector<32xi32>, vector<8xi32>) {
  %v16 = arith.constant dense<16> : vector<32xi32>
  %v1 = arith.constant dense<1> : vector<32xi32>
  %vbias = arith.constant dense<0x7FFF> : vector<32xi32>
  %0 = arith.shrui %v, %v16 : vector<32xi32>
  %1 = arith.andi %0, %v1 : vector<32xi32>
  %2 = arith.addi %v, %vbias : vector<32xi32>
  %3 = arith.addi %2, %1 : vector<32xi32>
  %w16 = arith.constant dense<16> : vector<8xi32>
  %w1 = arith.constant dense<1> : vector<8xi32>
  %wbias = arith.constant dense<0x7FFF> : vector<8xi32>
  %4 = arith.shrui %w, %w16 : vector<8xi32>
  %5 = arith.andi %4, %w1 : vector<8xi32>
  %6 = arith.addi %w, %wbias : vector<8xi32>
  %7 = arith.addi %6, %5 : vector<8xi32>
  return %3, %7 : vector<32xi32>, vector<8xi32>
}

// Scalars, lengths that fill no register, other bits, and the last bit of another
// value stay.
// CHECK-LABEL: func @others
// CHECK-NOT: llvm.call_intrinsic
// CHECK: return
func.func @others(%s: i32, %v: vector<12xi32>, %w: vector<16xi32>, %u: vector<16xi32>) -> (i32, vector<12xi32>, vector<16xi32>, vector<16xi32>) {
  %s16 = arith.constant 16 : i32
  %s1 = arith.constant 1 : i32
  %sbias = arith.constant 0x7FFF : i32
  %0 = arith.shrui %s, %s16 : i32
  %1 = arith.andi %0, %s1 : i32
  %2 = arith.addi %s, %sbias : i32
  %3 = arith.addi %2, %1 : i32
  %v16 = arith.constant dense<16> : vector<12xi32>
  %v1 = arith.constant dense<1> : vector<12xi32>
  %vbias = arith.constant dense<0x7FFF> : vector<12xi32>
  %4 = arith.shrui %v, %v16 : vector<12xi32>
  %5 = arith.andi %4, %v1 : vector<12xi32>
  %6 = arith.addi %v, %vbias : vector<12xi32>
  %7 = arith.addi %6, %5 : vector<12xi32>
  %w8 = arith.constant dense<8> : vector<16xi32>
  %w16 = arith.constant dense<16> : vector<16xi32>
  %w1 = arith.constant dense<1> : vector<16xi32>
  %wbias = arith.constant dense<0x7FFF> : vector<16xi32>
  %8 = arith.shrui %w, %w8 : vector<16xi32>
  %9 = arith.andi %8, %w1 : vector<16xi32>
  %10 = arith.addi %w, %wbias : vector<16xi32>
  %11 = arith.addi %10, %9 : vector<16xi32>
  %12 = arith.shrui %u, %w16 : vector<16xi32>
  %13 = arith.andi %12, %w1 : vector<16xi32>
  %14 = arith.addi %10, %13 : vector<16xi32>
  return %3, %7, %11, %14 : i32, vector<12xi32>, vector<16xi32>, vector<16xi32>
}
