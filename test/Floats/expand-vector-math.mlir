// RUN: norm-opt %s --norm-expand-vector-math | FileCheck %s
// RUN: norm-opt %s --norm-expand-vector-math=fma=true | FileCheck %s --check-prefix=FMA
// Results are measured in test/Integration/CPU/vector-math.mlir.

// Bounds that NaN passes, an integer n, x - n ln 2 in two steps, a polynomial, and
// the two halves of 2^n.
// CHECK-LABEL: func @exp
// CHECK-SAME: %[[X:.*]]: vector<64xf32>
// CHECK: %[[TOP:.*]] = arith.constant dense<8.900000e+01> : vector<64xf32>
// CHECK: %[[ABOVE:.*]] = arith.cmpf ogt, %[[X]], %[[TOP]]
// CHECK: %[[LOW:.*]] = arith.select %[[ABOVE]], %{{.*}}, %[[X]]
// CHECK: dense<-1.760000e+02>
// CHECK: arith.cmpf olt, %[[LOW]]
// CHECK: dense<1.44269502>
// CHECK: dense<0x4B4000FE>
// CHECK: %[[N:.*]] = arith.addf
// CHECK-DAG: %[[HIGH:.*]] = arith.constant dense<0.693145751>
// CHECK-DAG: %[[LOW2:.*]] = arith.constant dense<1.42860677E-6>
// CHECK: arith.mulf %{{.*}}, %[[HIGH]]
// CHECK: arith.subf
// CHECK: arith.mulf %{{.*}}, %[[LOW2]]
// CHECK: arith.subf
// CHECK: %[[BITS:.*]] = arith.bitcast %[[N]] : vector<64xf32> to vector<64xi32>
// CHECK: %[[HALF:.*]] = arith.shrui %[[BITS]]
// CHECK: arith.subi %[[BITS]], %[[HALF]]
// CHECK-COUNT-2: arith.shli
// CHECK-NOT: math.
// CHECK-NOT: fastmath
// CHECK: return
// FMA-LABEL: func @exp
// FMA-COUNT-8: math.fma
// FMA-NOT: math.
// FMA: return
func.func @exp(%x: vector<64xf32>) -> vector<64xf32> {
  %y = math.exp %x : vector<64xf32>
  return %y : vector<64xf32>
}

// tanh is made of exp; absf and copysign are instructions.
// CHECK-LABEL: func @others
// CHECK-NOT: math.{{exp|log|tanh|erf|fma}}
// CHECK: math.copysign
// CHECK-NOT: math.{{exp|log|tanh|erf|fma}}
// CHECK: return
func.func @others(%x: vector<8xf32>) -> vector<8xf32> {
  %0 = math.exp2 %x : vector<8xf32>
  %1 = math.expm1 %0 : vector<8xf32>
  %2 = math.log %1 : vector<8xf32>
  %3 = math.log1p %2 : vector<8xf32>
  %4 = math.tanh %3 : vector<8xf32>
  %5 = math.erf %4 : vector<8xf32>
  return %5 : vector<8xf32>
}

// Scalars, f64 and 16-bit types are for libm and for norm-widen-narrow-floats.
// CHECK-LABEL: func @left_alone
// CHECK: math.exp %{{.*}} : f32
// CHECK: math.exp %{{.*}} : vector<4xf64>
// CHECK: math.exp %{{.*}} : vector<4xbf16>
func.func @left_alone(%a: f32, %b: vector<4xf64>, %c: vector<4xbf16>) -> (f32, vector<4xf64>, vector<4xbf16>) {
  %0 = math.exp %a : f32
  %1 = math.exp %b : vector<4xf64>
  %2 = math.exp %c : vector<4xbf16>
  return %0, %1, %2 : f32, vector<4xf64>, vector<4xbf16>
}

// Any shape, scalable vectors too.
// CHECK-LABEL: func @shapes
// CHECK-NOT: math.exp
// CHECK: return
func.func @shapes(%a: vector<2x4xf32>, %b: vector<[4]xf32>) -> (vector<2x4xf32>, vector<[4]xf32>) {
  %0 = math.exp %a : vector<2x4xf32>
  %1 = math.exp %b : vector<[4]xf32>
  return %0, %1 : vector<2x4xf32>, vector<[4]xf32>
}

// A sum with 1 hides what is below e^-86, so that 2^(n-1) is one normal factor.
// CHECK-LABEL: func @summand
// CHECK: dense<-8.600000e+01>
// CHECK: %[[N:.*]] = arith.bitcast
// CHECK: %[[F:.*]] = arith.shli %[[N]]
// CHECK-NOT: arith.sh
// CHECK: %[[H:.*]] = arith.mulf
// CHECK: arith.addf %[[H]], %[[H]]
// CHECK: return
func.func @summand(%x: vector<64xf32>) -> vector<64xf32> {
  %one = arith.constant dense<1.0> : vector<64xf32>
  %e = math.exp %x : vector<64xf32>
  %y = arith.addf %one, %e : vector<64xf32>
  return %y : vector<64xf32>
}

// A tiny constant, a constant per element, and another use show it.
// CHECK-LABEL: func @not_hidden
// CHECK: dense<-1.760000e+02>
// CHECK: arith.shrui
// CHECK: arith.shrui
// CHECK: arith.shrui
// CHECK: return
func.func @not_hidden(%x: vector<2xf32>, %y: vector<2xf32>, %z: vector<2xf32>) -> (vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>) {
  %tiny = arith.constant dense<1.0e-30> : vector<2xf32> // below 2^-90
  %two = arith.constant dense<[1.0, 0.0]> : vector<2xf32>
  %one = arith.constant dense<1.0> : vector<2xf32>
  %0 = math.exp %x : vector<2xf32>
  %1 = arith.addf %0, %tiny : vector<2xf32>
  %2 = math.exp %y : vector<2xf32>
  %3 = arith.addf %2, %two : vector<2xf32>
  %4 = math.exp %z : vector<2xf32>
  %5 = arith.addf %4, %one : vector<2xf32>
  return %1, %3, %4, %5 : vector<2xf32>, vector<2xf32>, vector<2xf32>, vector<2xf32>
}
