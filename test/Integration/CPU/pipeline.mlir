// Rows that are streamed while the next one is summed give the bits of rows that are
// not, at offsets from a cache line, of odd lengths, in place, of one row and of none,
// with one thread and with two.
// REQUIRES: x86_64

// RUN: norm-opt %s --norm-to-cpu=cache-bytes=1 | mlir-translate --mlir-to-llvmir -o %t.ll
// RUN: clang-22 -O2 -march=x86-64-v3 -Wno-override-module -S %t.ll -o %t.s
// RUN: FileCheck %s --input-file=%t.s --check-prefix=ASM
// ASM: vmovntps
// RUN: sed 's/@norm/@plain/' %s | norm-opt --norm-to-cpu=cache-bytes=1000000000000 | mlir-translate --mlir-to-llvmir -o %t.plain.ll
// RUN: clang-22 -O2 -march=x86-64-v3 -Wno-override-module -c %t.plain.ll -o %t.plain.o
// RUN: norm-compile %s --emit=header -o %t.h
// RUN: clang-22 -O2 -include %t.h %S/Inputs/pipeline.c %t.s %t.plain.o -o %t.exe
// RUN: %t.exe | FileCheck %s
// CHECK: 320 pairs of calls, 0 wrong

// RUN: norm-opt %s '--norm-to-cpu=cache-bytes=1 threads=2 grain=1' | mlir-translate --mlir-to-llvmir -o %t.threads.ll
// RUN: clang-22 -O2 -march=x86-64-v3 -Wno-override-module -c %t.threads.ll -o %t.threads.o
// RUN: clang-22 -O2 -include %t.h %S/Inputs/pipeline.c %t.threads.o %t.plain.o -o %t.threads.exe -L%llvm_lib_dir -Wl,-rpath,%llvm_lib_dir -lomp
// RUN: %t.threads.exe | FileCheck %s

func.func @norm(%x: tensor<?x?xf32>, %w: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %i = tensor.empty(%m, %n) : tensor<?x?xf32>
  %y = norm.rmsnorm ins(%x, %w : tensor<?x?xf32>, tensor<?xf32>) outs(%i : tensor<?x?xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}
