// RUN: norm-opt %s --norm-expand-fp8 --canonicalize | FileCheck %s
// RUN: sed 's/: f32/: f64/g' %s | not norm-opt --norm-expand-fp8 2>&1 | FileCheck %s --check-prefix=WIDE
// WIDE: error: norm-expand-fp8: no conversion from 'f64' to 'f8E4M3FN': truncate to f32 first, which rounds twice

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
