// --verify-buffers: each function looks at the buffers that it is called with.
// REQUIRES: linux, x86_64
// RUN: rm -rf %t && mkdir %t
// RUN: %python %S/Inputs/verify.py %s %t | FileCheck %s
// RUN: %python %S/Inputs/verify.py %s %t --threads=2 | FileCheck %s

// CHECK: apart: returned 0{{$}}
// CHECK-NEXT: side by side: returned 0{{$}}
// CHECK-NEXT: in place: returned 0{{$}}
// CHECK-NEXT: one element further: SIGABRT norm: argument 2, which is written, overlaps argument 0 and is not the same buffer{{$}}
// CHECK-NEXT: one element before: SIGABRT norm: argument 2, which is written, overlaps argument 0 and is not the same buffer{{$}}
// CHECK-NEXT: one row further: SIGABRT norm: argument 2, which is written, overlaps argument 0 and is not the same buffer{{$}}
// CHECK-NEXT: last element: SIGABRT norm: argument 2, which is written, overlaps argument 0 and is not the same buffer{{$}}
// CHECK-NEXT: in the weight: SIGABRT norm: argument 2, which is written, overlaps argument 1{{$}}
// CHECK-NEXT: on the weight: SIGABRT norm: argument 2, which is written, overlaps argument 1{{$}}
// CHECK-NEXT: another type in the same place: SIGABRT widen: argument 1, which is written, overlaps argument 0{{$}}
// CHECK-NEXT: same rows, other strides: SIGABRT rows: argument 1, which is written, overlaps argument 0 and is not the same buffer{{$}}
// What lies between the rows of a buffer counts as its own.
// CHECK-NEXT: rows in turns: SIGABRT rows: argument 1, which is written, overlaps argument 0 and is not the same buffer{{$}}
// CHECK-NEXT: strided in place: returned 0{{$}}
// CHECK-NEXT: backwards, apart: returned 0{{$}}
// CHECK-NEXT: backwards, one element over: SIGABRT all: argument 1, which is written, overlaps argument 0 and is not the same buffer{{$}}
// CHECK-NEXT: two outputs in one: SIGABRT two: argument 2, which is written, overlaps argument 1, which is written too{{$}}
// CHECK-NEXT: two outputs overlap: SIGABRT two: argument 2, which is written, overlaps argument 1, which is written too{{$}}
// x is read again for the second output.
// CHECK-NEXT: first output in place: SIGABRT two: argument 1, which is written, overlaps argument 0, which is read again after that: not even the same buffer will do{{$}}
// CHECK-NEXT: second output in place: returned 0{{$}}
// CHECK-NEXT: null input: SIGABRT norm: argument 0 is a null pointer{{$}}
// CHECK-NEXT: null output: SIGABRT norm: argument 2 is a null pointer{{$}}
// CHECK-NEXT: null of no rows: returned 0{{$}}
// CHECK-NEXT: between elements: SIGABRT norm: argument 0 is not aligned to its elements of 4 bytes{{$}}
// CHECK-NEXT: strided for a type that is not: SIGABRT norm: argument 0 has not the strides and the offset of memref<?x64xf32>{{$}}
// CHECK-NEXT: transposed: SIGABRT norm: argument 0 has not the strides and the offset of memref<?x64xf32>{{$}}
// CHECK-NEXT: an offset: SIGABRT norm: argument 0 has not the strides and the offset of memref<?x64xf32>{{$}}
// CHECK-NEXT: too short: SIGABRT norm: argument 0 has not the extents of memref<?x64xf32>{{$}}
// CHECK-NEXT: negative extent: SIGABRT norm: argument 0 has not the extents of memref<?x64xf32>{{$}}
// CHECK-NEXT: one row, any stride: returned 0{{$}}

// Without the option there are no checks.
// RUN: norm-compile %s --emit=llvm-mlir -o - | FileCheck %s --check-prefix=NONE --implicit-check-not=norm_assert --implicit-check-not=abort
// NONE: llvm.func @program.norm

// norm-run's own buffers pass.
// RUN: norm-run %s --verify-buffers --function=norm --input=4x64xf32=2 --input=64xf32=1 --expected-output=4x64xf32=1 | FileCheck %s --check-prefix=RUNS
// RUN: norm-run %s --verify-buffers --function=norm --input=0x64xf32=2 --input=64xf32=1 --expected-output=0x64xf32=1 | FileCheck %s --check-prefix=RUNS
// RUNS: result[0]: max ulp 0 over

// RUN: not norm-run %s --verify-buffers --pipeline=simt --function=norm --input=4x64xf32=2 --input=64xf32=1 2>&1 | FileCheck %s --check-prefix=SIMT
// SIMT: error: --verify-buffers needs --pipeline=cpu
// RUN: not norm-compile %s --verify-buffers --target=nvvm --emit=ptx -o %t/bad.ptx 2>&1 | FileCheck %s --check-prefix=NVVM
// NVVM: error: --verify-buffers needs --target=cpu

func.func @norm(%x: tensor<?x64xf32>, %w: tensor<64xf32>) -> tensor<?x64xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?x64xf32>
  %i = tensor.empty(%m) : tensor<?x64xf32>
  %y = norm.rmsnorm ins(%x, %w : tensor<?x64xf32>, tensor<64xf32>) outs(%i : tensor<?x64xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

func.func @widen(%x: tensor<8x64xf16>) -> tensor<8x64xf32> {
  %i = tensor.empty() : tensor<8x64xf32>
  %y = norm.rmsnorm ins(%x : tensor<8x64xf16>) outs(%i : tensor<8x64xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}

func.func @rows(%x: memref<8x32xf32, strided<[?, 1], offset: ?>>, %y: memref<8x32xf32, strided<[?, 1], offset: ?>>) {
  %t = bufferization.to_tensor %x restrict : memref<8x32xf32, strided<[?, 1], offset: ?>> to tensor<8x32xf32>
  %i = tensor.empty() : tensor<8x32xf32>
  %r = norm.rmsnorm ins(%t : tensor<8x32xf32>) outs(%i : tensor<8x32xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<8x32xf32>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<8x32xf32>, memref<8x32xf32, strided<[?, 1], offset: ?>>) -> ()
  return
}

func.func @all(%x: memref<8x64xf32, strided<[?, ?], offset: ?>>, %y: memref<8x64xf32>) {
  %t = bufferization.to_tensor %x restrict : memref<8x64xf32, strided<[?, ?], offset: ?>> to tensor<8x64xf32>
  %i = tensor.empty() : tensor<8x64xf32>
  %r = norm.rmsnorm ins(%t : tensor<8x64xf32>) outs(%i : tensor<8x64xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<8x64xf32>
  bufferization.materialize_in_destination %r in restrict writable %y : (tensor<8x64xf32>, memref<8x64xf32>) -> ()
  return
}

// Two norms of x, one over its rows and one over its columns: two loops.
func.func @two(%x: tensor<4x64xf32>) -> (tensor<4x64xf32>, tensor<4x64xf32>) {
  %i = tensor.empty() : tensor<4x64xf32>
  %y = norm.rmsnorm ins(%x : tensor<4x64xf32>) outs(%i : tensor<4x64xf32>) dims = [1] epsilon = 0.0 : f32 -> tensor<4x64xf32>
  %z = norm.rmsnorm ins(%x : tensor<4x64xf32>) outs(%i : tensor<4x64xf32>) dims = [0] epsilon = 0.0 : f32 -> tensor<4x64xf32>
  return %y, %z : tensor<4x64xf32>, tensor<4x64xf32>
}
