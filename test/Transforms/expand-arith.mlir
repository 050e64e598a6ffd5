// RUN: norm-opt %s --norm-expand-arith | FileCheck %s
// RUN: norm-opt %s --norm-expand-arith=include-bf16 | FileCheck %s --check-prefix=BF16

// Upstream's arith-expand compares, and the maximum of -0 and +0 is the second.
// CHECK-LABEL: func @maxima
// CHECK-NOT: arith.cmpf
// CHECK: arith.maximumf
// CHECK: arith.minimumf
// CHECK: arith.maxnumf
func.func @maxima(%a: f32, %b: vector<8xf32>) -> (f32, vector<8xf32>, f32) {
  %0 = arith.maximumf %a, %a : f32
  %1 = arith.minimumf %b, %b : vector<8xf32>
  %2 = arith.maxnumf %a, %a : f32
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

// Other conversions stay.
// CHECK-LABEL: func @bf16
// CHECK: arith.extf %{{.*}} : bf16 to f32
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// BF16-LABEL: func @bf16
// BF16-NOT: bf16 to f32
// BF16-NOT: f32 to bf16
// BF16: arith.shli
// BF16: arith.truncf %{{.*}} : f64 to f32
// BF16: return
func.func @bf16(%a: bf16, %b: f32, %c: f64) -> (f32, bf16, f32) {
  %0 = arith.extf %a : bf16 to f32
  %1 = arith.truncf %b : f32 to bf16
  %2 = arith.truncf %c : f64 to f32
  return %0, %1, %2 : f32, bf16, f32
}
