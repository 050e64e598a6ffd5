// What math-expand-ops makes several ops of, and nothing else.
// RUN: norm-opt %s --norm-widen-narrow-floats=expanded-only | FileCheck %s

// CHECK-LABEL: func @root
// CHECK: %[[S:.*]] = arith.addf %arg0, %arg0 : vector<4xf16>
// CHECK: %[[WIDE:.*]] = arith.extf %[[S]] : vector<4xf16> to vector<4xf32>
// CHECK: %[[R:.*]] = math.rsqrt %[[WIDE]] : vector<4xf32>
// CHECK: %[[ROUNDED:.*]] = arith.truncf %[[R]] : vector<4xf32> to vector<4xf16>
// CHECK: math.sqrt %[[ROUNDED]] : vector<4xf16>
func.func @root(%x: vector<4xf16>) -> vector<4xf16> {
  %s = arith.addf %x, %x : vector<4xf16>
  %r = math.rsqrt %s : vector<4xf16>
  %q = math.sqrt %r : vector<4xf16>
  return %q : vector<4xf16>
}

// CHECK-LABEL: func @power
// CHECK: math.fpowi %{{.*}} : f32, i32
// CHECK: math.rsqrt %{{.*}} : f64
func.func @power(%x: bf16, %y: f64, %n: i32) -> (bf16, f64) {
  %p = math.fpowi %x, %n : bf16, i32
  %r = math.rsqrt %y : f64
  return %p, %r : bf16, f64
}
