// RUN: norm-opt %s --norm-expand-arith --split-input-file --verify-diagnostics | FileCheck %s

// Upstream's arith-expand compares, and the maximum of -0 and +0 is the second.
// CHECK-LABEL: func @maxima
// CHECK-NOT: arith.cmpf
// CHECK: arith.maximumf
// CHECK: arith.minimumf
// CHECK: arith.maxnumf
func.func @maxima(%a: f32, %b: f32, %v: vector<8xf32>, %w: vector<8xf32>) -> (f32, vector<8xf32>, f32) {
  %0 = arith.maximumf %a, %b : f32
  %1 = arith.minimumf %v, %w : vector<8xf32>
  %2 = arith.maxnumf %a, %b : f32
  return %0, %1, %2 : f32, vector<8xf32>, f32
}

// CHECK-LABEL: func @divisions
// CHECK-NOT: ceildiv
// CHECK-NOT: floordiv
// CHECK: arith.divsi
func.func @divisions(%a: i64, %b: i64, %v: vector<4xi32>) -> (i64, i64, i64, vector<4xi32>) {
  %0 = arith.ceildivsi %a, %b : i64
  %1 = arith.ceildivui %a, %b : i64
  %2 = arith.floordivsi %a, %b : i64
  %3 = arith.floordivsi %v, %v : vector<4xi32>
  return %0, %1, %2, %3 : i64, i64, i64, vector<4xi32>
}

// -----

// CHECK-LABEL: func @to_nearest
// CHECK: arith.truncf %{{.*}} to_nearest_even : f32 to bf16
func.func @to_nearest(%a: f32) -> bf16 {
  %0 = arith.truncf %a to_nearest_even : f32 to bf16
  return %0 : bf16
}

// -----

func.func @toward_zero(%a: f32) -> f16 {
  // expected-error@+1 {{norm-expand-arith: rounding toward_zero to 'f16' is not supported}}
  %0 = arith.truncf %a toward_zero : f32 to f16
  return %0 : f16
}
