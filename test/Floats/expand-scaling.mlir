// RUN: norm-opt %s --norm-expand-arith=scaling-only=true --canonicalize | FileCheck %s
// RUN: norm-opt %s --norm-expand-arith=scaling-only=true | FileCheck %s --check-prefix=THROUGH
// RUN: norm-run %s --input='4xf32=-2.5 3.75 100 448' --input='4xi32=-3 17 1000 16777217' --function=small | FileCheck %s --check-prefix=SMALL

// CHECK-LABEL: func.func @divide
// CHECK-SAME: (%[[X:.*]]: f32, %[[S:.*]]: f8E8M0FNU)
// CHECK: %[[C254:.*]] = arith.constant -2 : i8
// CHECK: %[[C:.*]] = arith.bitcast %[[S]] : f8E8M0FNU to i8
// CHECK: %[[D:.*]] = arith.subi %[[C254]], %[[C]]
// CHECK: %[[I:.*]] = arith.bitcast %[[D]] : i8 to f8E8M0FNU
// CHECK: %[[F:.*]] = arith.extf %[[I]] : f8E8M0FNU to f32
// CHECK: %[[P:.*]] = arith.mulf %[[X]], %[[F]]
// CHECK: arith.truncf %[[P]] : f32 to f4E2M1FN
func.func @divide(%x: f32, %s: f8E8M0FNU) -> f4E2M1FN {
  %r = arith.scaling_truncf %x, %s : f32, f8E8M0FNU to f4E2M1FN
  return %r : f4E2M1FN
}

// f16 holds few scales, and a scale in f32 is its exponent.
// CHECK-LABEL: func.func @in_f32
// CHECK-SAME: (%[[X:.*]]: vector<4xf16>, %[[S:.*]]: vector<4xf32>)
// CHECK-DAG: arith.extf %[[X]] : vector<4xf16> to vector<4xf32>
// CHECK-DAG: arith.truncf %[[S]] toward_zero : vector<4xf32> to vector<4xf8E8M0FNU>
// CHECK: arith.mulf %{{.*}} : vector<4xf32>
func.func @in_f32(%x: vector<4xf16>, %s: vector<4xf32>) -> vector<4xf8E5M2> {
  %r = arith.scaling_truncf %x, %s : vector<4xf16>, vector<4xf32> to vector<4xf8E5M2>
  return %r : vector<4xf8E5M2>
}

// CHECK-LABEL: func.func @multiply
// CHECK: %[[P:.*]] = arith.mulf %{{.*}} : f32
// CHECK: arith.truncf %[[P]] : f32 to f16
func.func @multiply(%x: f4E2M1FN, %s: f8E8M0FNU) -> f16 {
  %r = arith.scaling_extf %x, %s : f4E2M1FN, f8E8M0FNU to f16
  return %r : f16
}

// In f64 the quotient stays.
// CHECK-LABEL: func.func @wide
// CHECK: arith.divf %{{.*}} : f64
func.func @wide(%x: f64, %s: f8E8M0FNU) -> f32 {
  %r = arith.scaling_truncf %x, %s : f64, f8E8M0FNU to f32
  return %r : f32
}

// Between integers and f8, through f32.
// THROUGH-LABEL: func.func @small
// THROUGH: arith.fptosi %{{.*}} : tensor<4xf32> to tensor<4xi32>
// THROUGH: arith.sitofp %{{.*}} : tensor<4xi32> to tensor<4xf32>
// THROUGH: arith.truncf %{{.*}} : tensor<4xf32> to tensor<4xf8E5M2>
// SMALL: result[0]: 4xi32=-2 3 96 448
// SMALL: result[1]: 4xf32=-3 16 1024 inf
func.func @small(%x: tensor<4xf32>, %n: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xf32>) {
  %f8 = arith.truncf %x : tensor<4xf32> to tensor<4xf8E4M3FN>
  %i = arith.fptosi %f8 : tensor<4xf8E4M3FN> to tensor<4xi32>
  %g8 = arith.sitofp %n : tensor<4xi32> to tensor<4xf8E5M2>
  %g = arith.extf %g8 : tensor<4xf8E5M2> to tensor<4xf32>
  return %i, %g : tensor<4xi32>, tensor<4xf32>
}
