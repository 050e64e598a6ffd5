// Streamed rows on buffers at every offset from a cache line, odd lengths, in
// place, and with two threads: no element differs and none outside is written.
// cache-bytes=1 streams whatever the size, which the object shows; the machine's
// cache decides otherwise.
// REQUIRES: x86_64

// RUN: norm-opt %s --norm-to-cpu=cache-bytes=1 -o %t.llvm.mlir
// RUN: norm-compile %s --emit=header -o %t.h
// RUN: mlir-translate --mlir-to-llvmir %t.llvm.mlir -o %t.ll
// RUN: clang-22 -O2 -march=x86-64-v3 -Wno-override-module -S %t.ll -o %t.s
// RUN: FileCheck %s --input-file=%t.s --check-prefix=ASM
// ASM: prefetcht1
// ASM-COUNT-8: vmovntps %ymm
// ASM: sfence
// RUN: clang-22 -O2 -include %t.h %S/Inputs/buffers.c %t.s -o %t.exe
// RUN: %t.exe | FileCheck %s
// CHECK: 204 pairs of calls, 0 wrong

// RUN: norm-opt %s '--norm-to-cpu=cache-bytes=1 threads=2 grain=1' -o %t.threads.mlir
// RUN: FileCheck %s --input-file=%t.threads.mlir --check-prefix=FENCE
// FENCE: nontemporal
// FENCE: llvm.call_intrinsic "llvm.x86.sse.sfence"()
// FENCE-NEXT: omp.terminator
// RUN: mlir-translate --mlir-to-llvmir %t.threads.mlir -o %t.threads.ll
// RUN: clang-22 -O2 -march=x86-64-v3 -Wno-override-module -S %t.threads.ll -o %t.threads.s
// RUN: clang-22 -O2 -include %t.h %S/Inputs/buffers.c %t.threads.s -o %t.threads.exe -L%llvm_lib_dir -Wl,-rpath,%llvm_lib_dir -lomp
// RUN: %t.threads.exe | FileCheck %s

func.func @poly(%x: tensor<9x?xf32>) -> tensor<9x?xf32> {
  %c1 = arith.constant 1 : index
  %two = arith.constant 2.0 : f32
  %n = tensor.dim %x, %c1 : tensor<9x?xf32>
  %e = tensor.empty(%n) : tensor<9x?xf32>
  %y = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]} ins(%x : tensor<9x?xf32>) outs(%e : tensor<9x?xf32>) {
  ^bb0(%a: f32, %o: f32):
    %d = arith.mulf %a, %two : f32
    %q = arith.mulf %a, %a : f32
    %r = arith.subf %d, %q : f32
    linalg.yield %r : f32
  } -> tensor<9x?xf32>
  return %y : tensor<9x?xf32>
}
