// The streamed loop of Llama's order in bf16 with AVX2: four vectors of 16
// elements a turn, no shuffle, no test for NaN, and words are packed only once.

// REQUIRES: x86_64
// RUN: norm-compile %s --emit=asm --mcpu=x86-64-v3 -o - | FileCheck %s
// CHECK-LABEL: _mlir_ciface_main:
// CHECK: prefetcht1
// CHECK-NOT: vcmpunordps
// CHECK-NOT: {{vpack|vpunpck|vpermq|vpshuf|vpmov}}
// CHECK-NOT: call
// CHECK: vmovntdq {{.*}}%ymm
// CHECK-NOT: vcmpunordps
// CHECK-NOT: {{vpack|vpunpck|vpermq|vpshuf|vpmov}}
// CHECK-NOT: call
// CHECK: vmovntdq {{.*}}%ymm
// CHECK: vmovntdq {{.*}}%ymm
// CHECK: vmovntdq {{.*}}%ymm
// CHECK-NOT: vmovnt
// CHECK: jb

// AVX512-VNNI rounds by vpternlogd and vpdpwssd.
// RUN: norm-compile %s --emit=asm --mcpu=cascadelake -o - | FileCheck %s --check-prefix=VNNI
// VNNI-LABEL: _mlir_ciface_main:
// VNNI: prefetcht1
// VNNI: vpternlog
// VNNI: vpdpwssd {{.*}}%zmm
// VNNI: vmovntdq {{.*}}%zmm
// VNNI: jb

func.func @main(%x: tensor<4096x4096xbf16>, %w: tensor<4096xbf16>) -> tensor<4096x4096xbf16> {
  %init = tensor.empty() : tensor<4096x4096xbf16>
  %y = norm.rmsnorm ins(%x, %w : tensor<4096x4096xbf16>, tensor<4096xbf16>)
      outs(%init : tensor<4096x4096xbf16>) dims = [1] epsilon = 1.0e-6 : f32
      normalized_type = bf16 -> tensor<4096x4096xbf16>
  return %y : tensor<4096x4096xbf16>
}
