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
// CHECK: arith.truncf %{{.*}} : f32 to bf16
func.func @from_f64(%a: f64) -> bf16 {
  %c = arith.truncf %a : f64 to bf16
  return %c : bf16
}

// CHECK-LABEL: func @from_f80
// CHECK: arith.truncf %{{.*}} : vector<2xf80> to vector<2xf32>
// CHECK: arith.extf %{{.*}} : vector<2xf32> to vector<2xf80>
// CHECK: arith.ori
// CHECK: arith.truncf %{{.*}} : vector<2xf32> to vector<2xbf16>
func.func @from_f80(%a: vector<2xf80>) -> vector<2xbf16> {
  %c = arith.truncf %a : vector<2xf80> to vector<2xbf16>
  return %c : vector<2xbf16>
}

// Integers reach 16 bits through f64 and one rounding.
// CHECK-LABEL: func @from_integer
// CHECK: arith.sitofp %{{.*}} : i64 to f64
// CHECK: arith.truncf %{{.*}} : f64 to f32
// CHECK: arith.ori
// CHECK: arith.truncf %{{.*}} : f32 to f16
func.func @from_integer(%a: i64) -> f16 {
  %c = arith.sitofp %a : i64 to f16
  return %c : f16
}

// CHECK-LABEL: func @vector_fma
// CHECK: vector.fma %{{.*}} : vector<4xf32>
// CHECK: arith.truncf %{{.*}} : vector<4xf32> to vector<4xbf16>
func.func @vector_fma(%a: vector<4xbf16>, %b: vector<4xbf16>) -> vector<4xbf16> {
  %c = vector.fma %a, %b, %a : vector<4xbf16>
  return %c : vector<4xbf16>
}

// Every sum rounds, from the first element on.
// CHECK-LABEL: func @reduction
// CHECK-SAME: %[[ACC:[a-z0-9]+]]: f16)
// CHECK-DAG: %[[WIDE:.*]] = arith.extf %[[ACC]] : f16 to f32
// CHECK-DAG: %[[E0:.*]] = vector.extract %{{.*}}[0] : f16 from vector<2xf16>
// CHECK-DAG: %[[W0:.*]] = arith.extf %[[E0]] : f16 to f32
// CHECK: arith.addf %[[WIDE]], %[[W0]] : f32
// CHECK: arith.truncf
// CHECK: vector.extract %{{.*}}[1] : f16 from vector<2xf16>
// CHECK: arith.addf
// CHECK: arith.truncf
// CHECK-NOT: vector.reduction
func.func @reduction(%a: vector<2xf16>, %acc: f16) -> f16 {
  %c = vector.reduction <add>, %a, %acc : vector<2xf16> into f16
  return %c : f16
}

// Casts, constants and selects keep their type.
// CHECK-LABEL: func @kept
// CHECK-NEXT: arith.constant 1.000000e+00 : f16
// CHECK-NEXT: arith.select %{{.*}} : f16
// CHECK-NEXT: arith.extf %{{.*}} : f16 to f32
// CHECK-NEXT: return
func.func @kept(%p: i1, %a: f16) -> f32 {
  %one = arith.constant 1.0 : f16
  %s = arith.select %p, %a, %one : f16
  %c = arith.extf %s : f16 to f32
  return %c : f32
}

// Integers of up to 24 bits reach them through f32, and those that 16 bits hold need no rounding.
// CHECK-LABEL: func @from_byte
// CHECK: %[[WIDE:.*]] = arith.sitofp %{{.*}} : vector<4xi8> to vector<4xf32>
// CHECK: %[[SCALE:.*]] = arith.extf %{{.*}} : vector<4xbf16> to vector<4xf32>
// CHECK: %[[SCALED:.*]] = arith.mulf %[[WIDE]], %[[SCALE]] : vector<4xf32>
// CHECK: arith.truncf %[[SCALED]] : vector<4xf32> to vector<4xbf16>
func.func @from_byte(%a: vector<4xi8>, %s: vector<4xbf16>) -> vector<4xbf16> {
  %x = arith.sitofp %a : vector<4xi8> to vector<4xbf16>
  %c = arith.mulf %x, %s : vector<4xbf16>
  return %c : vector<4xbf16>
}

// CHECK-LABEL: func @from_short
// CHECK: %[[WIDE:.*]] = arith.uitofp %{{.*}} : i16 to f32
// CHECK: %[[NARROW:.*]] = arith.truncf %[[WIDE]] : f32 to bf16
// CHECK: %[[ROUNDED:.*]] = arith.extf %[[NARROW]] : bf16 to f32
// CHECK: arith.mulf %[[ROUNDED]], %{{.*}} : f32
func.func @from_short(%a: i16, %s: bf16) -> bf16 {
  %x = arith.uitofp %a : i16 to bf16
  %c = arith.mulf %x, %s : bf16
  return %c : bf16
}
