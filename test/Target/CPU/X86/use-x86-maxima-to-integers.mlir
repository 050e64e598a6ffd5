// RUN: norm-opt %s --norm-use-x86-instructions | FileCheck %s

// CHECK-LABEL: func @row
// CHECK: scf.for {{.*}} iter_args(%[[MOST:.*]] = %{{.*}}) -> (vector<64xf32>)
// CHECK: %[[SIZE:.*]] = math.absf
// CHECK-DAG: %[[A:.*]] = arith.bitcast %[[MOST]] : vector<64xf32> to vector<64xi32>
// CHECK-DAG: %[[B:.*]] = arith.bitcast %[[SIZE]] : vector<64xf32> to vector<64xi32>
// CHECK: %[[NEXT:.*]] = arith.maxsi %[[A]], %[[B]] : vector<64xi32>
// CHECK: %[[FLOAT:.*]] = arith.bitcast %[[NEXT]] : vector<64xi32> to vector<64xf32>
// CHECK: scf.yield %[[FLOAT]]
// CHECK: arith.maxsi {{.*}} : vector<32xi32>
// CHECK: arith.maxsi {{.*}} : i32
// CHECK-NOT: arith.maximumf
func.func @row(%x: memref<4096xf32>) -> f32 {
  %c0 = arith.constant 0 : index
  %c64 = arith.constant 64 : index
  %c4096 = arith.constant 4096 : index
  %zero = arith.constant 0.0 : f32
  %least = arith.constant dense<0xFF800000> : vector<64xf32>
  %most = scf.for %i = %c0 to %c4096 step %c64 iter_args(%m = %least) -> (vector<64xf32>) {
    %v = vector.transfer_read %x[%i], %zero {in_bounds = [true]} : memref<4096xf32>, vector<64xf32>
    %a = math.absf %v : vector<64xf32>
    %n = arith.maximumf %m, %a : vector<64xf32>
    scf.yield %n : vector<64xf32>
  }
  %low = vector.extract_strided_slice %most {offsets = [0], sizes = [32], strides = [1]} : vector<64xf32> to vector<32xf32>
  %high = vector.extract_strided_slice %most {offsets = [32], sizes = [32], strides = [1]} : vector<64xf32> to vector<32xf32>
  %half = arith.maximumf %low, %high : vector<32xf32>
  %one = vector.extract %half[3] : f32 from vector<32xf32>
  %top = arith.maximumf %one, %zero : f32
  return %top : f32
}

// Under a mask, the other lanes are the neutral element.
// CHECK-LABEL: func @masked
// CHECK: arith.maxsi
func.func @masked(%x: vector<16xf32>, %mask: vector<16xi1>) -> vector<16xf32> {
  %least = arith.constant dense<0xFF800000> : vector<16xf32>
  %a = math.absf %x : vector<16xf32>
  %v = arith.select %mask, %a, %least : vector<16xi1>, vector<16xf32>
  %m = arith.maximumf %least, %v : vector<16xf32>
  return %m : vector<16xf32>
}

// Negative numbers have the other order, and -0 and a NaN with a sign are below
// all magnitudes.
// CHECK-LABEL: func @signs
// CHECK-NOT: arith.maxsi
func.func @signs(%x: f32, %y: f32, %v: vector<2xf32>) -> (f32, f32, f32, f32, vector<2xf32>) {
  %a = math.absf %x : f32
  %0 = arith.maximumf %a, %y : f32
  %minus_zero = arith.constant -0.0 : f32
  %1 = arith.maximumf %a, %minus_zero : f32
  %nan = arith.constant 0xFFC00000 : f32
  %2 = arith.maximumf %a, %nan : f32
  %root = math.sqrt %a : f32
  %n = arith.negf %root : f32
  %3 = arith.maximumf %n, %a : f32
  %b = math.absf %v : vector<2xf32>
  %mixed = arith.constant dense<[0.0, -1.0]> : vector<2xf32>
  %4 = arith.maximumf %b, %mixed : vector<2xf32>
  return %0, %1, %2, %3, %4 : f32, f32, f32, f32, vector<2xf32>
}

// One sign anywhere in a loop reaches its other turns.
// CHECK-LABEL: func @carried
// CHECK-NOT: arith.maxsi
func.func @carried(%x: f32, %n: index) -> f32 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %a = math.absf %x : f32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%m = %zero) -> (f32) {
    %k = arith.maximumf %m, %a : f32
    %l = arith.subf %k, %x : f32
    scf.yield %l : f32
  }
  return %r : f32
}

// maxnumf ignores NaN, a minimum is not one of magnitudes, and f64 has no such
// instruction before AVX-512.
// CHECK-LABEL: func @others
// CHECK-NOT: arith.maxsi
func.func @others(%x: f32, %y: f64) -> (f32, f32, f64) {
  %zero = arith.constant 0.0 : f32
  %a = math.absf %x : f32
  %0 = arith.maxnumf %a, %zero : f32
  %1 = arith.minimumf %a, %zero : f32
  %b = math.absf %y : f64
  %2 = arith.maximumf %b, %b : f64
  return %0, %1, %2 : f32, f32, f64
}
