// Arithmetic on whole tensors, which some front ends mix with linalg.
// RUN: norm-run %s --input=2x3xf32=1,2,3,4,5,6 --expected-output=2x3xf32=2,6,12,20,30,42
// RUN: norm-run %s --pipeline=simt --input=2x3xf32=1,2,3,4,5,6 --expected-output=2x3xf32=2,6,12,20,30,42
// RUN: norm-compile %s --target=nvvm --emit=ptx -o - | FileCheck %s
// CHECK: .entry main_kernel0
func.func @main(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %one = arith.constant dense<1.0> : tensor<2x3xf32>
  %a = arith.addf %x, %one : tensor<2x3xf32>
  %b = arith.mulf %x, %a : tensor<2x3xf32>
  return %b : tensor<2x3xf32>
}
