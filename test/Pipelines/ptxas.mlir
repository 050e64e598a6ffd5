// ptxas accepts the kernels of every kind of row, for three generations, and
// spills nothing.
// REQUIRES: ptxas
// RUN: norm-compile %s --target=nvvm --emit=ptx --chip=sm_80 -o %t.80.ptx
// RUN: %ptxas -arch=sm_80 -v %t.80.ptx -o %t.cubin 2>&1 | FileCheck %s
// RUN: norm-compile %s --target=nvvm --emit=ptx -o %t.90.ptx
// RUN: %ptxas -arch=sm_90 -v %t.90.ptx -o %t.cubin 2>&1 | FileCheck %s
// RUN: norm-compile %s --target=nvvm --emit=ptx --chip=sm_100 -o %t.100.ptx
// RUN: %ptxas -arch=sm_100 -v %t.100.ptx -o %t.cubin 2>&1 | FileCheck %s
// CHECK-NOT: error
// CHECK-NOT: {{[1-9][0-9]*}} bytes spill
// CHECK: Compiling entry function
// CHECK-NOT: {{[1-9][0-9]*}} bytes spill

// A cubin is an ELF file.
// RUN: norm-compile %s --target=nvvm --emit=cubin -o %t.cubin
// RUN: llvm-readelf -h %t.cubin | FileCheck %s --check-prefix=ELF
// ELF: Machine: NVIDIA CUDA

func.func @llama_f16(%x: tensor<?x4096xf16>, %w: tensor<4096xf16>, %i: tensor<?x4096xf16>) -> tensor<?x4096xf16> {
  %y = norm.rmsnorm ins(%x, %w : tensor<?x4096xf16>, tensor<4096xf16>) outs(%i : tensor<?x4096xf16>) dims = [1] epsilon = 1.0e-5 : f32 normalized_type = f16 -> tensor<?x4096xf16>
  return %y : tensor<?x4096xf16>
}
func.func @longest_in_registers(%x: tensor<4x24576xf32>, %w: tensor<24576xf32>, %i: tensor<4x24576xf32>) -> tensor<4x24576xf32> {
  %y = norm.rmsnorm ins(%x, %w : tensor<4x24576xf32>, tensor<24576xf32>) outs(%i : tensor<4x24576xf32>) dims = [1] epsilon = 1.0e-5 : f32 -> tensor<4x24576xf32>
  return %y : tensor<4x24576xf32>
}
func.func @strips(%x: tensor<4x262144xbf16>, %w: tensor<262144xbf16>, %i: tensor<4x262144xbf16>) -> tensor<4x262144xbf16> {
  %y = norm.rmsnorm ins(%x, %w : tensor<4x262144xbf16>, tensor<262144xbf16>) outs(%i : tensor<4x262144xbf16>) dims = [1] epsilon = 1.0e-5 : f32 -> tensor<4x262144xbf16>
  return %y : tensor<4x262144xbf16>
}
func.func @dynamic(%x: tensor<?x?xf32>, %w: tensor<?xf32>, %i: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %y = norm.rmsnorm ins(%x, %w : tensor<?x?xf32>, tensor<?xf32>) outs(%i : tensor<?x?xf32>) dims = [1] epsilon = 1.0e-5 : f32 -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
func.func @odd(%x: tensor<4x4095xbf16>, %w: tensor<4095xbf16>, %i: tensor<4x4095xbf16>) -> tensor<4x4095xbf16> {
  %y = norm.rmsnorm ins(%x, %w : tensor<4x4095xbf16>, tensor<4095xbf16>) outs(%i : tensor<4x4095xbf16>) dims = [1] epsilon = 1.0e-5 : f32 -> tensor<4x4095xbf16>
  return %y : tensor<4x4095xbf16>
}
func.func @small_f64(%x: tensor<100x64xf64>, %i: tensor<100x64xf64>) -> tensor<100x64xf64> {
  %y = norm.rmsnorm ins(%x : tensor<100x64xf64>) outs(%i : tensor<100x64xf64>) dims = [1] epsilon = 0.0 : f64 -> tensor<100x64xf64>
  return %y : tensor<100x64xf64>
}
func.func @native_bf16(%x: tensor<4x512xbf16>, %i: tensor<4x512xbf16>) -> tensor<4x512xbf16> {
  %y = norm.rmsnorm ins(%x : tensor<4x512xbf16>) outs(%i : tensor<4x512xbf16>) dims = [1] epsilon = 1.0e-5 : f32 compute_type = bf16 -> tensor<4x512xbf16>
  return %y : tensor<4x512xbf16>
}
func.func @statistics(%x: tensor<8x2048xf16>, %i: tensor<8x2048xf16>, %r: tensor<8xf32>) -> (tensor<8x2048xf16>, tensor<8xf32>) {
  %y:2 = norm.rmsnorm ins(%x : tensor<8x2048xf16>) outs(%i, %r : tensor<8x2048xf16>, tensor<8xf32>) dims = [1] epsilon = 1.0e-5 : f32 count = 500 -> tensor<8x2048xf16>, tensor<8xf32>
  return %y#0, %y#1 : tensor<8x2048xf16>, tensor<8xf32>
}
