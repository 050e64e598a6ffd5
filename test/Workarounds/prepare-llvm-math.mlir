// RUN: norm-opt %s --norm-prepare-llvm | FileCheck %s
// RUN: norm-run %s --function=small --input=f64=1e-20 --input=f32=1e-20 --expected-output=f64=1e-20 --expected-output=f32=1e-20 | FileCheck %s --check-prefix=EXACT
// RUN: norm-run %s --function=small --pipeline=upstream --input=f64=1e-20 --input=f32=1e-20 --expected-output=f64=1e-20 --expected-output=f32=1e-20 | FileCheck %s --check-prefix=EXACT
// EXACT-COUNT-2: max ulp 0 over

// exp(x) - 1 and log(1 + x) are 0 here.
// CHECK-LABEL: func @program.small
// CHECK: call @expm1(%{{.*}}) : (f64) -> f64
// CHECK: call @log1pf(%{{.*}}) : (f32) -> f32
func.func @small(%a: tensor<f64>, %b: tensor<f32>) -> (tensor<f64>, tensor<f32>) {
  %x = tensor.extract %a[] : tensor<f64>
  %y = tensor.extract %b[] : tensor<f32>
  %e = math.expm1 %x : f64
  %l = math.log1p %y : f32
  %r = tensor.from_elements %e : tensor<f64>
  %s = tensor.from_elements %l : tensor<f32>
  return %r, %s : tensor<f64>, tensor<f32>
}

// Others have their instruction or intrinsic, or stay for convert-math-to-libm.
// CHECK-LABEL: func @program.others
// CHECK: math.sqrt
// CHECK: math.exp
// CHECK: math.tanh
func.func @others(%x: f32) -> (f32, f32, f32) {
  %0 = math.sqrt %x : f32
  %1 = math.exp %x : f32
  %2 = math.tanh %x : f32
  return %0, %1, %2 : f32, f32, f32
}

// CHECK-LABEL: func @program.vector
// CHECK-COUNT-2: call @expm1(
func.func @vector(%x: vector<2xf64>) -> vector<2xf64> {
  %0 = math.expm1 %x : vector<2xf64>
  return %0 : vector<2xf64>
}

// CHECK-LABEL: func @program.narrow
// CHECK: arith.extf
// CHECK: call @log1pf(
// CHECK: arith.truncf
func.func @narrow(%x: bf16) -> bf16 {
  %0 = math.log1p %x : bf16
  return %0 : bf16
}
