// RUN: norm-opt %s --norm-widen-narrow-floats | FileCheck %s

// Two products, two roundings: nothing between them may be dropped.
// CHECK-LABEL: func @products
// CHECK: arith.mulf {{.*}} : f32
// CHECK-NEXT: arith.truncf {{.*}} : f32 to f16
// CHECK: arith.extf {{.*}} : f16 to f32
// CHECK: arith.mulf {{.*}} : f32
// CHECK-NEXT: arith.truncf {{.*}} : f32 to f16
// CHECK-NOT: fastmath
func.func @products(%a: f16, %b: f16) -> f16 {
  %c = arith.mulf %a, %b : f16
  %d = arith.mulf %c, %b : f16
  return %d : f16
}

// CHECK-LABEL: func @compare
// CHECK: arith.cmpf olt, %{{.*}}, %{{.*}} : vector<4xf32>
func.func @compare(%a: vector<4xf16>, %b: vector<4xf16>) -> vector<4xi1> {
  %c = arith.cmpf olt, %a, %b : vector<4xf16>
  return %c : vector<4xi1>
}

// f64 to 16 bits: to f32 rounded to odd, then once more.
// CHECK-LABEL: func @from_f64
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK: arith.ori
// CHECK: arith.addi
// CHECK: arith.cmpf uno
// CHECK: arith.bitcast %{{.*}} : i16 to bf16
func.func @from_f64(%a: f64) -> bf16 {
  %c = arith.truncf %a : f64 to bf16
  return %c : bf16
}
