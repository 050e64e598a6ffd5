// norm-compile --entry=tvm-ffi: functions that the TVM FFI calls check all that they are called
// with, and an assertion that fails is an error of the call. The loader is a C program here,
// test/Python/tvm-ffi.test has the package.
// REQUIRES: x86_64, linux
// RUN: clang-22 -std=c11 -O1 -Wall -Werror -rdynamic %S/Inputs/tvm_ffi.c -lm -o %t.exe
// RUN: norm-compile %s --entry=tvm-ffi --emit=shared -o %t.so
// RUN: %t.exe %t.so | FileCheck %s
// RUN: norm-compile %s --entry=tvm-ffi --dispatch --emit=shared -o %t.dispatch.so
// RUN: %t.exe %t.dispatch.so | FileCheck %s

// The names that others see are those of the program.
// RUN: llvm-nm -D --defined-only %t.so | FileCheck %s --check-prefix=NAMES
// NAMES-NOT: norm_tvm_ffi
// NAMES-NOT: shape

// CHECK: fine
// CHECK-NEXT: norm: right
// CHECK-NEXT: add: 0, 4000 4100
// CHECK-NEXT: none: 0
// CHECK-NEXT: TypeError: argument 0 has DLPack's type code 0 with 32 bits and 1 lanes, expected float32[?, ?]
// CHECK-NEXT: TypeError: argument 0 has DLPack's type code 2 with 64 bits and 1 lanes, expected float32[?, ?]
// CHECK-NEXT: TypeError: argument 0 has DLPack's type code 2 with 32 bits and 2 lanes, expected float32[?, ?]
// CHECK-NEXT: ValueError: argument 0 has rank 1, expected float32[?, ?]
// CHECK-NEXT: ValueError: argument 0 is not on the CPU
// CHECK-NEXT: ValueError: argument 0 is not contiguous
// CHECK-NEXT: ValueError: argument 0 is a null pointer
// CHECK-NEXT: ValueError: argument 0 is not aligned to its elements
// CHECK-NEXT: TypeError: 2 arguments, expected 2 and 1 results to write
// CHECK-NEXT: ValueError: result 0 has 2 elements in dimension 0, expected 3
// CHECK-NEXT: ValueError: ERROR: Runtime op verification failed
// CHECK: must have the extent of x's dimension 1
// CHECK: ValueError: argument 1 has shape [-1], expected float32[?]
// CHECK-NEXT: ValueError: result 0 overlaps argument 0
// CHECK-NEXT: ValueError: argument 1 has shape [5], expected bfloat16[4]
// CHECK-NEXT: TypeError: argument 0 is not a tensor, expected bfloat16[4]
// CHECK-NEXT: fine
// CHECK-NEXT: ValueError: the first must be true
// CHECK-NEXT: fine

func.func @norm(%x: tensor<?x?xf32>, %w: tensor<?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %x, %c0 : tensor<?x?xf32>
  %columns = tensor.dim %x, %c1 : tensor<?x?xf32>
  %init = tensor.empty(%rows, %columns) : tensor<?x?xf32>
  %y = norm.rmsnorm ins(%x, %w : tensor<?x?xf32>, tensor<?xf32>)
                    outs(%init : tensor<?x?xf32>) dims = [1] epsilon = 1.0e-6 : f32
                    -> tensor<?x?xf32>
  return %y : tensor<?x?xf32>
}

#map = affine_map<(d0) -> (d0)>
func.func @add(%x: tensor<4xbf16>, %y: tensor<4xbf16>) -> tensor<4xbf16> {
  %r = linalg.generic {indexing_maps = [#map, #map, #map], iterator_types = ["parallel"]}
      ins(%x, %y : tensor<4xbf16>, tensor<4xbf16>) outs(%x : tensor<4xbf16>) {
  ^bb0(%a: bf16, %b: bf16, %c: bf16):
    %s = arith.addf %a, %b : bf16
    linalg.yield %s : bf16
  } -> tensor<4xbf16>
  return %r : tensor<4xbf16>
}

func.func @check(%x: tensor<4xi1>) -> tensor<4xi1> {
  %c0 = arith.constant 0 : index
  %first = tensor.extract %x[%c0] : tensor<4xi1>
  cf.assert %first, "the first must be true"
  return %x : tensor<4xi1>
}

func.func @none() {
  return
}
