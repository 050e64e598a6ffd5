// RUN: norm-opt %s --norm-expand-arith --canonicalize | FileCheck %s
// test/Integration/CPU/fp8.mlir and mx.mlir run each conversion on every code and tie.

// CHECK-LABEL: func.func @round
// CHECK: arith.minsi
// CHECK: arith.maxsi
// CHECK: arith.addf
// CHECK-NOT: arith.select
// CHECK-NOT: arith.truncf
// CHECK: %[[BYTE:.*]] = arith.trunci %{{.*}} : i32 to i8
// CHECK: arith.bitcast %[[BYTE]] : i8 to f8E4M3FN
func.func @round(%a: f32) -> f8E4M3FN {
  %r = arith.truncf %a : f32 to f8E4M3FN
  return %r : f8E4M3FN
}

// NaN is not what larger numbers become.
// CHECK-LABEL: func.func @round_vector
// CHECK: arith.extf %arg0 : vector<8xbf16> to vector<8xf32>
// CHECK-NOT: arith.truncf
// CHECK: arith.select
// CHECK: arith.bitcast %{{.*}} : vector<8xi8> to vector<8xf8E5M2>
func.func @round_vector(%a: vector<8xbf16>) -> vector<8xf8E5M2> {
  %r = arith.truncf %a : vector<8xbf16> to vector<8xf8E5M2>
  return %r : vector<8xf8E5M2>
}

// CHECK-LABEL: func.func @widen
// CHECK: arith.bitcast %arg0 : vector<4xf8E4M3FN> to vector<4xi8>
// CHECK-NOT: arith.extf
// CHECK: %[[R:.*]] = arith.truncf %{{.*}} : vector<4xf32> to vector<4xf16>
// CHECK: return %[[R]]
func.func @widen(%a: vector<4xf8E4M3FN>) -> vector<4xf16> {
  %r = arith.extf %a : vector<4xf8E4M3FN> to vector<4xf16>
  return %r : vector<4xf16>
}

// CHECK-LABEL: func.func @element
// CHECK: arith.cmpf olt, %arg0
// CHECK: arith.cmpf ogt
// CHECK: arith.addf
// CHECK-NOT: arith.truncf
// CHECK: %[[CODE:.*]] = arith.trunci %{{.*}} : i32 to i4
// CHECK: arith.bitcast %[[CODE]] : i4 to f4E2M1FN
func.func @element(%a: f32) -> f4E2M1FN {
  %r = arith.truncf %a : f32 to f4E2M1FN
  return %r : f4E2M1FN
}

// CHECK-LABEL: func.func @elements_of_bf16
// CHECK: arith.extf %arg0 : vector<8xbf16> to vector<8xf32>
// CHECK-NOT: arith.truncf
// CHECK: arith.bitcast %{{.*}} : vector<8xi4> to vector<8xf4E2M1FN>
func.func @elements_of_bf16(%a: vector<8xbf16>) -> vector<8xf4E2M1FN> {
  %r = arith.truncf %a : vector<8xbf16> to vector<8xf4E2M1FN>
  return %r : vector<8xf4E2M1FN>
}

// CHECK-LABEL: func.func @widen_to_f64
// CHECK: %[[R:.*]] = arith.bitcast %{{.*}} : i32 to f32
// CHECK: arith.extf %[[R]] : f32 to f64
func.func @widen_to_f64(%a: f4E2M1FN) -> f64 {
  %r = arith.extf %a : f4E2M1FN to f64
  return %r : f64
}

// The mode is in what is added to the bits: nothing, or all but the last place.
// CHECK-LABEL: func.func @scale
// CHECK-DAG: arith.constant 4194304 : i32
// CHECK-DAG: arith.constant 2097152 : i32
// CHECK: arith.minui
// CHECK: arith.bitcast %{{.*}} : i8 to f8E8M0FNU
func.func @scale(%a: f32) -> f8E8M0FNU {
  %r = arith.truncf %a : f32 to f8E8M0FNU
  return %r : f8E8M0FNU
}

// CHECK-LABEL: func.func @scale_up
// CHECK-DAG: arith.constant 8388607 : i32
// CHECK-DAG: arith.constant 4194303 : i32
func.func @scale_up(%a: f32) -> f8E8M0FNU {
  %r = arith.truncf %a upward : f32 to f8E8M0FNU
  return %r : f8E8M0FNU
}

// CHECK-LABEL: func.func @widen_scale
// CHECK: arith.maxsi
// CHECK: arith.select
// CHECK: arith.truncf %{{.*}} : vector<4xf32> to vector<4xf16>
func.func @widen_scale(%a: vector<4xf8E8M0FNU>) -> vector<4xf16> {
  %r = arith.extf %a : vector<4xf8E8M0FNU> to vector<4xf16>
  return %r : vector<4xf16>
}
