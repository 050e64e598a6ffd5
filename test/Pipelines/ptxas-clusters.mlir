// ptxas accepts kernels whose rows have 2 to 16 blocks, with every option, and
// spills nothing.
// REQUIRES: ptxas
// RUN: norm-compile %s --target=nvvm --emit=ptx -o %t.90.ptx
// RUN: %ptxas -arch=sm_90 -v %t.90.ptx -o %t.cubin 2>&1 | FileCheck %s
// RUN: norm-compile %s --target=nvvm --emit=ptx --chip=sm_100 -o %t.100.ptx
// RUN: %ptxas -arch=sm_100 -v %t.100.ptx -o %t.cubin 2>&1 | FileCheck %s
// RUN: norm-opt %s --norm-to-nvvm="dependent-launch=true format=cubin" -o %t.mlir
// RUN: norm-opt %s --norm-to-nvvm="chip=sm_80 ptx-version=7.4 format=cubin" -o %t.mlir
// CHECK-NOT: error
// CHECK-NOT: {{[1-9][0-9]*}} bytes spill
// CHECK: Compiling entry function
// CHECK-NOT: {{[1-9][0-9]*}} bytes spill

func.func @longest_f32(%x: tensor<4x393216xf32>, %w: tensor<393216xf32>, %i: tensor<4x393216xf32>) -> tensor<4x393216xf32> {
  %y = norm.rmsnorm ins(%x, %w : tensor<4x393216xf32>, tensor<393216xf32>) outs(%i : tensor<4x393216xf32>) dims = [1] epsilon = 1.0e-5 : f32 -> tensor<4x393216xf32>
  return %y : tensor<4x393216xf32>
}
func.func @llama_bf16(%x: tensor<4x262144xbf16>, %w: tensor<262144xbf16>, %i: tensor<4x262144xbf16>) -> tensor<4x262144xbf16> {
  %y = norm.rmsnorm ins(%x, %w : tensor<4x262144xbf16>, tensor<262144xbf16>) outs(%i : tensor<4x262144xbf16>) dims = [1] epsilon = 1.0e-5 : f32 normalized_type = bf16 -> tensor<4x262144xbf16>
  return %y : tensor<4x262144xbf16>
}
func.func @odd_f16(%x: tensor<4x40001xf16>, %w: tensor<40001xf16>, %i: tensor<4x40001xf16>) -> tensor<4x40001xf16> {
  %y = norm.rmsnorm ins(%x, %w : tensor<4x40001xf16>, tensor<40001xf16>) outs(%i : tensor<4x40001xf16>) dims = [1] epsilon = 1.0e-5 : f32 -> tensor<4x40001xf16>
  return %y : tensor<4x40001xf16>
}
func.func @single_f64(%x: tensor<1x20000xf64>, %i: tensor<1x20000xf64>) -> tensor<1x20000xf64> {
  %y = norm.rmsnorm ins(%x : tensor<1x20000xf64>) outs(%i : tensor<1x20000xf64>) dims = [1] epsilon = 0.0 : f64 -> tensor<1x20000xf64>
  return %y : tensor<1x20000xf64>
}
