// Products of bytes are of pairs by one instruction, or two, wherever x86 has them: LLVM makes these of
// norm-vectorize-products' multiplications, shuffles and additions. They lose nothing that `exact` keeps.

// RUN: norm-compile %s --mtriple=x86_64-linux-gnu --mcpu=x86-64-v3 --emit=asm -o - | FileCheck %s --check-prefixes=CHECK,AVX2 --implicit-check-not=vpmulld
// RUN: norm-compile %s --mtriple=x86_64-linux-gnu --mcpu=cooperlake --emit=asm -o - | FileCheck %s --check-prefixes=CHECK,VNNI --implicit-check-not=vpmulld
// RUN: norm-compile %s --mtriple=x86_64-linux-gnu --mcpu=sapphirerapids --rounding=exact --emit=asm -o - | FileCheck %s --check-prefixes=CHECK,VNNI --implicit-check-not=vpmulld
// RUN: norm-compile %s --mtriple=x86_64-linux-gnu --mcpu=sapphirerapids --emit=asm -o - | FileCheck %s --check-prefixes=CHECK,AMX --implicit-check-not=vpmulld

// CHECK-LABEL: {{^}}_mlir_ciface_few:
// AVX2: vpmaddwd {{.*}}%ymm
// VNNI: {{vpdpwssd|vpmaddwd}} {{.*}}%zmm
// AMX: {{vpdpwssd|vpmaddwd}} {{.*}}%zmm
// CHECK-LABEL: {{^}}_mlir_ciface_turned:
// AVX2: vpmaddwd {{.*}}%ymm
// VNNI: {{vpdpwssd|vpmaddwd}} {{.*}}%zmm
// CHECK-LABEL: {{^}}_mlir_ciface_many:
// AVX2: vpmaddwd {{.*}}%ymm
// VNNI: {{vpdpwssd|vpmaddwd}} {{.*}}%zmm
// AMX: tdpbssd

func.func @few(%a: tensor<2x64xi8>, %b: tensor<64x256xi8>, %c: tensor<2x256xi32>) -> tensor<2x256xi32> {
  %r = linalg.matmul ins(%a, %b : tensor<2x64xi8>, tensor<64x256xi8>) outs(%c : tensor<2x256xi32>) -> tensor<2x256xi32>
  return %r : tensor<2x256xi32>
}

func.func @turned(%a: tensor<64xi8>, %b: tensor<256x64xi8>, %c: tensor<256xi32>) -> tensor<256xi32> {
  %r = linalg.matvec ins(%b, %a : tensor<256x64xi8>, tensor<64xi8>) outs(%c : tensor<256xi32>) -> tensor<256xi32>
  return %r : tensor<256xi32>
}

func.func @many(%a: tensor<32x64xi8>, %b: tensor<64x256xi8>, %c: tensor<32x256xi32>) -> tensor<32x256xi32> {
  %r = linalg.matmul ins(%a, %b : tensor<32x64xi8>, tensor<64x256xi8>) outs(%c : tensor<32x256xi32>) -> tensor<32x256xi32>
  return %r : tensor<32x256xi32>
}
