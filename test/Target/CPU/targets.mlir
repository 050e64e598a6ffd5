// What each machine's code is made of: the width of its vectors, and how it
// converts 16-bit floats. Integration/CPU/targets.mlir runs the same functions.

// RUN: norm-compile %s --emit=asm --mtriple=x86_64-linux-gnu --mcpu=x86-64-v2 -o - | FileCheck %s --check-prefix=V2 --implicit-check-not='%{{ymm|zmm}}' --implicit-check-not='{{vmul|vadd|vmov}}'
// V2-LABEL: _mlir_ciface_f32:
// V2: mulps %xmm{{[0-9]+}}, %xmm
// V2: movntps %xmm
// V2: sfence
// V2-LABEL: _mlir_ciface_f16:
// No F16C: a library converts.
// V2: __extendhfsf2
// V2-LABEL: _mlir_ciface_bf16:
// V2: pslld $16, %xmm
// V2-NOT: __

// RUN: norm-compile %s --emit=asm --mtriple=x86_64-linux-gnu --mcpu=x86-64-v3 -o - | FileCheck %s --check-prefix=V3 --implicit-check-not=%zmm --implicit-check-not='__{{ext|trunc}}'
// V3-LABEL: _mlir_ciface_f32:
// V3: vmulps {{.*}}%ymm
// V3: vmovntps %ymm
// V3-LABEL: _mlir_ciface_f16:
// V3: vcvtph2ps {{.*}}%ymm
// V3: vcvtps2ph {{.*}}%ymm
// V3-LABEL: _mlir_ciface_bf16:
// V3: vpslld $16, {{.*}}%ymm

// RUN: norm-compile %s --emit=asm --mtriple=x86_64-linux-gnu --mcpu=x86-64-v4 -o - | FileCheck %s --check-prefix=V4 --implicit-check-not='__{{ext|trunc}}'
// V4-LABEL: _mlir_ciface_f32:
// V4: vmulps {{.*}}%zmm
// V4: vmovntps %zmm
// V4-LABEL: _mlir_ciface_f16:
// V4: vcvtph2ps {{.*}}%zmm
// V4: vcvtps2ph {{.*}}%zmm
// V4-LABEL: _mlir_ciface_bf16:
// V4-NOT: vcvtneps2bf16
// V4: vpslld $16, {{.*}}%zmm

// AVX512-BF16's instruction takes subnormals for zeros: integers round here too.
// RUN: norm-compile %s --emit=asm --mtriple=x86_64-linux-gnu --mcpu=sapphirerapids -o - | FileCheck %s --check-prefix=SPR --implicit-check-not='__{{ext|trunc}}' --implicit-check-not='{{vcvtne|dpbf16}}'
// RUN: norm-compile %s --emit=asm --mtriple=x86_64-linux-gnu --mcpu=cooperlake -o - | FileCheck %s --check-prefix=SPR --implicit-check-not='__{{ext|trunc}}' --implicit-check-not='{{vcvtne|dpbf16}}'
// RUN: norm-compile %s --emit=asm --mtriple=x86_64-linux-gnu --mattr=+avxneconvert -o - | FileCheck %s --check-prefix=V3 --implicit-check-not=%zmm --implicit-check-not='{{vcvtne|dpbf16}}'
// SPR-LABEL: _mlir_ciface_f32:
// SPR: vmulps {{.*}}%zmm
// Types that LLVM has no non-temporal store for are streamed all the same.
// SPR-LABEL: _mlir_ciface_f16:
// SPR: vmovnt{{ps|dq}} %{{[yz]}}mm
// SPR-LABEL: _mlir_ciface_bf16:
// SPR: vpslld $16, {{.*}}%zmm
// SPR: vpaddd {{.*}}%zmm
// SPR: vmovntdq %zmm

// RUN: norm-compile %s --emit=asm --mtriple=aarch64-linux-gnu -o - | FileCheck %s --check-prefix=NEON --implicit-check-not='__{{ext|trunc}}' --implicit-check-not=bfcvt
// NEON-LABEL: _mlir_ciface_f32:
// NEON: fmul v{{[0-9]+}}.4s
// NEON: stnp q
// NEON: dmb ish
// NEON-LABEL: _mlir_ciface_f16:
// NEON: fcvtl v{{[0-9]+}}.4s, v{{[0-9]+}}.4h
// NEON: fcvtn{{2?}} v{{[0-9]+}}.{{[48]}}h, v{{[0-9]+}}.4s
// NEON-LABEL: _mlir_ciface_bf16:
// NEON: shl {{.*}}#16

// RUN: norm-compile %s --emit=asm --mtriple=aarch64-linux-gnu --mcpu=neoverse-v1 -o - | FileCheck %s --check-prefix=BF16
// RUN: norm-compile %s --emit=asm --mtriple=aarch64-linux-gnu --mattr=+bf16 -o - | FileCheck %s --check-prefix=BF16
// BF16-LABEL: _mlir_ciface_bf16:
// BF16: bfcvtn v{{[0-9]+}}.4h, v{{[0-9]+}}.4s

func.func @f32(%x: tensor<?x?xf32>, %w: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %i = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = norm.rmsnorm ins(%x, %w : tensor<?x?xf32>, tensor<?xf32>) outs(%i : tensor<?x?xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

func.func @f16(%x: tensor<?x?xf16>, %w: tensor<?xf16>) -> tensor<?x?xf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf16>
  %n = tensor.dim %x, %c1 : tensor<?x?xf16>
  %i = tensor.empty(%m, %n) : tensor<?x?xf16>
  %y = norm.rmsnorm ins(%x, %w : tensor<?x?xf16>, tensor<?xf16>) outs(%i : tensor<?x?xf16>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x?xf16>
  return %y : tensor<?x?xf16>
}

func.func @bf16(%x: tensor<?x?xbf16>, %w: tensor<?xbf16>) -> tensor<?x?xbf16> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xbf16>
  %n = tensor.dim %x, %c1 : tensor<?x?xbf16>
  %i = tensor.empty(%m, %n) : tensor<?x?xbf16>
  %y = norm.rmsnorm ins(%x, %w : tensor<?x?xbf16>, tensor<?xbf16>) outs(%i : tensor<?x?xbf16>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x?xbf16>
  return %y : tensor<?x?xbf16>
}

