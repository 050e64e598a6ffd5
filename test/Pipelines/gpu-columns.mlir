// Sums of rows, the loop over the rows outside or inside: two kernels, whose threads load
// 16 bytes at a time, 8 rows ahead, and call nothing; ptxas spills nothing.
// RUN: norm-compile %s --target=nvvm --emit=ptx -o %t.ptx
// RUN: FileCheck %s --input-file=%t.ptx
// RUN: %if ptxas %{ %ptxas -arch=sm_90 -v %t.ptx -o %t.cubin 2>&1 | FileCheck %s --check-prefix=PTXAS %}
// Each kernel, that of the channels too, may have the registers of five blocks an SM;
// only the second stage, which adds few parts, takes more.
// PTXAS-NOT: {{[1-9][0-9]*}} bytes spill
// PTXAS: for channels_kernel0{{$}}
// PTXAS-NEXT: 0 bytes spill stores, 0 bytes spill loads
// PTXAS-NEXT: Used {{[1-9]?[0-9]}} registers
// PTXAS-NOT: {{[1-9][0-9]*}} bytes spill
// PTXAS: for outside_kernel0{{$}}
// PTXAS-NEXT: 0 bytes spill stores, 0 bytes spill loads
// PTXAS-NEXT: Used {{[1-9]?[0-9]}} registers
// PTXAS-NOT: {{[1-9][0-9]*}} bytes spill
// PTXAS: for inside_kernel0{{$}}
// PTXAS-NEXT: 0 bytes spill stores, 0 bytes spill loads
// PTXAS-NEXT: Used {{[1-9]?[0-9]}} registers
// PTXAS-NOT: {{[1-9][0-9]*}} bytes spill

// CHECK-NOT: .local
// CHECK-LABEL: .entry inside_kernel0(
// CHECK: ld.global.v4.b32
// CHECK: add.rn.f32
// CHECK: st.global.v4.b32
// CHECK-LABEL: .entry outside_kernel0(
// CHECK-NOT: ld.global.b
// CHECK-COUNT-8: ld.global.v4.b32
// CHECK: add.rn.f32
// CHECK-NOT: call
// CHECK-COUNT-2: st.global.v4.b32
// CHECK-NOT: st.global
// CHECK-LABEL: .entry outside_kernel0_unaligned(
// CHECK-LABEL: .entry outside_kernel1(
// CHECK-NOT: ld.global.b
// CHECK: ld.global.v4.b32
// CHECK-NOT: outside_kernel2
// A norm over channels is one kernel, which masks nothing: it loads eight rows twice.
// CHECK-LABEL: .entry channels_kernel0(
// CHECK-COUNT-16: ld.global.v4.b32
// CHECK-NOT: ld.global.v4
// CHECK-COUNT-8: st.global.v4.b32
// CHECK-NOT: channels_kernel1

func.func @inside(%x: tensor<?x?xbf16>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d1, d0)>, affine_map<(d0, d1) -> (d0)>], iterator_types = ["parallel", "reduction"]} ins(%x : tensor<?x?xbf16>) outs(%y : tensor<?xf32>) {
  ^bb0(%a: bf16, %b: f32):
    %w = arith.extf %a : bf16 to f32
    %c = arith.addf %w, %b : f32
    linalg.yield %c : f32
  } -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
func.func @outside(%x: tensor<4096x4096xbf16>) -> tensor<4096xf32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4096xf32>) -> tensor<4096xf32>
  %0 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d1)>], iterator_types = ["reduction", "parallel"]} ins(%x : tensor<4096x4096xbf16>) outs(%f : tensor<4096xf32>) {
  ^bb0(%a: bf16, %b: f32):
    %w = arith.extf %a : bf16 to f32
    %c = arith.addf %w, %b : f32
    linalg.yield %c : f32
  } -> tensor<4096xf32>
  return %0 : tensor<4096xf32>
}
func.func @channels(%x: tensor<8x64x56x56xbf16>, %w: tensor<64xbf16>) -> tensor<8x64x56x56xbf16> {
  %e = tensor.empty() : tensor<8x64x56x56xbf16>
  %0 = norm.rmsnorm ins(%x, %w : tensor<8x64x56x56xbf16>, tensor<64xbf16>) outs(%e : tensor<8x64x56x56xbf16>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<8x64x56x56xbf16>
  return %0 : tensor<8x64x56x56xbf16>
}
