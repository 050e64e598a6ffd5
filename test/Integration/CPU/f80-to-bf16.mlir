// REQUIRES: x86_64
// RUN: norm-run %s --input=3xf64=1.00390625,-1.00390625,1.01171875 --input=3xf64=2e-19,-2e-19,-2e-19 --expected-output=3xbf16=1.0078125,-1.0078125,1.0078125 | FileCheck %s
// RUN: norm-compile %s --emit=obj -o %t.o
// CHECK: max ulp 0 over 3 elements

// One rounding: these are beside ties of bf16, by less than an f32 holds.
func.func @main(%x: tensor<3xf64>, %y: tensor<3xf64>) -> tensor<3xbf16> {
  %a = arith.extf %x : tensor<3xf64> to tensor<3xf80>
  %b = arith.extf %y : tensor<3xf64> to tensor<3xf80>
  %s = arith.addf %a, %b : tensor<3xf80>
  %0 = arith.truncf %s : tensor<3xf80> to tensor<3xbf16>
  return %0 : tensor<3xbf16>
}

func.func @quadruple(%x: tensor<16xf128>) -> tensor<16xbf16> {
  %0 = arith.truncf %x : tensor<16xf128> to tensor<16xbf16>
  return %0 : tensor<16xbf16>
}
