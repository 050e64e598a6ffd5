// One source for machines of each kind: results in ulp of f64. x86-64-v2 and v3
// run where this machine has what they need, the others in qemu-user.
// RUN: norm-compile %s --emit=header -o %t.h

// RUN: norm-compile %s --emit=obj --mtriple=aarch64-linux-gnu -o %t.aarch64.o
// RUN: norm-compile %s --emit=obj --mtriple=aarch64-linux-gnu --mcpu=neoverse-v1 -o %t.neoverse.o
// RUN: llvm-readelf -h %t.aarch64.o | FileCheck %s --check-prefix=ELF
// RUN: llvm-readelf -h %t.neoverse.o | FileCheck %s --check-prefix=ELF
// ELF: Machine: AArch64

// RUN: %if x86_64 %{ norm-compile %s --emit=obj --mcpu=x86-64-v2 -o %t.v2.o %}
// RUN: %if x86_64 %{ clang-22 -O2 -include %t.h %S/Inputs/targets.c %t.v2.o -lm -o %t.v2.exe %}
// RUN: %if x86_64 %{ %t.v2.exe | FileCheck %s %}
// RUN: %if x86_64-v3 %{ norm-compile %s --emit=obj --mcpu=x86-64-v3 -o %t.v3.o %}
// RUN: %if x86_64-v3 %{ clang-22 -O2 -include %t.h %S/Inputs/targets.c %t.v3.o -lm -o %t.v3.exe %}
// RUN: %if x86_64-v3 %{ %t.v3.exe | FileCheck %s %}
// RUN: %if x86_64-v4 %{ norm-compile %s --emit=obj --mcpu=x86-64-v4 -o %t.v4.o %}
// RUN: %if x86_64-v4 %{ clang-22 -O2 -include %t.h %S/Inputs/targets.c %t.v4.o -lm -o %t.v4.exe %}
// RUN: %if x86_64-v4 %{ %t.v4.exe | FileCheck %s %}
// RUN: %if qemu-aarch64 %{ aarch64-linux-gnu-gcc -O2 -static -include %t.h %S/Inputs/targets.c %t.aarch64.o -lm -o %t.aarch64.exe %}
// RUN: %if qemu-aarch64 %{ qemu-aarch64 %t.aarch64.exe | FileCheck %s %}
// RUN: %if qemu-aarch64 %{ aarch64-linux-gnu-gcc -O2 -static -include %t.h %S/Inputs/targets.c %t.neoverse.o -lm -o %t.neoverse.exe %}
// RUN: %if qemu-aarch64 %{ qemu-aarch64 -cpu max %t.neoverse.exe | FileCheck %s %}

// CHECK: f32: max ulp {{[0-3]\.[0-9]+}}, 0 over the limit, 0 bad specials
// CHECK-NEXT: {{^}}f16: max ulp 0.5{{[0-9]+}}, 0 over the limit, 0 bad specials
// CHECK-NEXT: bf16: max ulp 0.5{{[0-9]+}}, 0 over the limit, 0 bad specials

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

