// The kernel of a bf16 row of 4096, from norm.rmsnorm to PTX.

// RUN: norm-opt %s --norm-to-nvvm='chip=sm_90' | FileCheck %s --check-prefix=HOST
// The image, and the host code that launches it.
// HOST: llvm.func @program.main
// HOST: gpu.launch_func
// HOST-SAME: @norm_kernels::@main_kernel0
// HOST: llvm.func @_mlir_ciface_main
// HOST: gpu.binary @norm_kernels [#gpu.object<#nvvm.target<O = 3, chip = "sm_90">

// RUN: norm-compile %s --target=nvvm --emit=vector -o - | FileCheck %s --check-prefix=VECTOR
// The row is loaded once, stays in registers, and leaves once.
// VECTOR: gpu.launch_func @norm_kernels::@main_kernel0 blocks in (%c64, %c1, %c1) threads in (%c256, %c1, %c1)
// VECTOR: gpu.func @main_kernel0(
// VECTOR-COUNT-2: vector.load %arg{{[0-9]+}}[%{{.*}}, %{{.*}}] {alignment = 16 : i64} : memref<64x4096xbf16>, vector<8xbf16>
// VECTOR-NOT: : memref<64x4096xbf16>, vector<8xbf16>
// VECTOR-COUNT-2: vector.load {{.*}} : memref<4096xbf16>, vector<8xbf16>
// VECTOR-COUNT-2: vector.store {{.*}} {alignment = 16 : i64} : memref<64x4096xbf16>, vector<8xbf16>
// VECTOR-NOT: vector.{{load|store}} {{.*}}vector<8xbf16>
// VECTOR: gpu.return

// RUN: norm-compile %s --target=nvvm --emit=llvm-ir -o - | FileCheck %s --check-prefix=IR
// IR: @norm_kernels_binary = {{.*}}.target sm_90
// IR: call void @mgpuLaunchKernel
// IR: define void @_mlir_ciface_main

// RUN: norm-compile %s --target=nvvm --emit=ptx -o %t.ptx
// RUN: FileCheck %s --check-prefix=PTX --input-file=%t.ptx
// RUN: norm-opt %s --norm-to-nvvm='rounding=exact format=ptx' | FileCheck %s --check-prefix=EXACT
// PTX: .target sm_90
// PTX: .visible .entry main_kernel0(
// PTX: .maxntid 256, 1, 1
// PTX-NOT: .local
// PTX-COUNT-2: ld.global.v4.b32
// Two bf16 of a word: one shifted, one masked.
// PTX-COUNT-8: and.b32 {{.*}}, -65536
// f32 statistics, rounded at each operation: no contraction.
// PTX-NOT: fma.rn
// PTX-COUNT-16: mul.rn.f32
// The weight is on its way before the reduction waits.
// PTX-COUNT-2: ld.global.v4.b32
// PTX-NOT: ld.global
// PTX-COUNT-5: shfl.sync.bfly.b32
// PTX: bar.sync
// PTX-COUNT-3: shfl.sync.bfly.b32
// PTX-NOT: shfl
// PTX-NOT: ld.global
// 1/4096 is exact, so LLVM multiplies.
// PTX: mul.rn.f32 {{.*}}, 0f39800000
// One over the root: an approximation and one step of Newton's method, but not in
// rounding=exact.
// PTX: rsqrt.approx.f32
// PTX-COUNT-2: fma.rn.f32
// EXACT: sqrt.rn.f32
// EXACT: rcp.rn.f32
// Llama rounds before the weight: a truncation, then a product in bf16.
// PTX: cvt.rn.bf16x2.f32
// PTX: mul.rn.bf16x2
// PTX-NOT: ld.global
// PTX-COUNT-2: st.global.v4.b32
// PTX-NOT: st.global
// PTX: .visible .entry main_kernel0_unaligned(

func.func @main(%x: tensor<64x4096xbf16>, %w: tensor<4096xbf16>) -> tensor<64x4096xbf16> {
  %i = tensor.empty() : tensor<64x4096xbf16>
  %y = norm.rmsnorm ins(%x, %w : tensor<64x4096xbf16>, tensor<4096xbf16>) outs(%i : tensor<64x4096xbf16>) dims = [1] epsilon = 1.0e-5 : f32 normalized_type = bf16 -> tensor<64x4096xbf16>
  return %y : tensor<64x4096xbf16>
}
