// The inner loops of AVX2 code, in each regime, as Inputs/inner_loops.py reads them:
// full vectors, independent accumulators (carried), no gather, no float operation on
// one element, no call; the streamed version has vmovntps and prefetcht0, the other
// neither. Loops over the edges of streamed rows are only counted.

// RUN: norm-compile %s --emit=asm --mtriple=x86_64-linux-gnu --mcpu=x86-64-v3 -o %t.s
// RUN: %python %S/Inputs/inner_loops.py %t.s _mlir_ciface_large_f32 | FileCheck %s --check-prefix=LARGE-F32
// RUN: %python %S/Inputs/inner_loops.py %t.s _mlir_ciface_small_f32 | FileCheck %s --check-prefix=SMALL-F32
// RUN: %python %S/Inputs/inner_loops.py %t.s _mlir_ciface_large_f16 | FileCheck %s --check-prefix=LARGE-F16
// RUN: %python %S/Inputs/inner_loops.py %t.s _mlir_ciface_large_bf16 | FileCheck %s --check-prefix=LARGE-BF16
// RUN: %python %S/Inputs/inner_loops.py %t.s _mlir_ciface_odd_f32 | FileCheck %s --check-prefix=ODD-F32
// RUN: %python %S/Inputs/inner_loops.py %t.s _mlir_ciface_short_rows | FileCheck %s --check-prefix=SHORT-ROWS

// 64 elements a turn are 8 registers. Streamed: the first row for its sum, then the
// next row for its sum beside this row and the weight for the result (one load more is
// the factor), the strip that is left of this row, and the last row. Ordinary: x once for the sum; x and the weight once for the result, a prefetch a line of 64 bytes.
// LARGE-F32: loop: width 256, carried 8, loads 8, stores 0, nt 0, prefetch 0, fences 0, gathers 0, scalar 0, calls 0{{$}}
// LARGE-F32-NEXT: loop: width 256, carried 8, loads 25, stores 0, nt 8, prefetch 4, fences 0, gathers 0, scalar 0, calls 0{{$}}
// LARGE-F32-NEXT: loop: width 256, carried 0, loads 16, stores 0, nt 8, prefetch 0, fences 0, gathers 0, scalar 0, calls 0{{$}}
// LARGE-F32-NEXT: loop: width 256, carried 0, loads 16, stores 0, nt 8, prefetch 0, fences 0, gathers 0, scalar 0, calls 0{{$}}
// LARGE-F32-NEXT: loop: width 256, carried 8, loads 8, stores 0, nt 0, prefetch 0, fences 0, gathers 0, scalar 0, calls 0{{$}}
// LARGE-F32-NEXT: loop: width 256, carried 0, loads 16, stores 8, nt 0, prefetch 0, fences 0, gathers 0, scalar 0, calls 0{{$}}
// LARGE-F32-NEXT: edges: {{[1-9]}}

// 256 KiB are below what is ever streamed: one version.
// SMALL-F32: loop: width 256, carried 8, loads 8, stores 0, nt 0, prefetch 0, fences 0, gathers 0, scalar 0, calls 0{{$}}
// SMALL-F32-NEXT: loop: width 256, carried 0, loads 16, stores 8, nt 0, prefetch 0, fences 0, gathers 0, scalar 0, calls 0{{$}}
// SMALL-F32-NEXT: edges: 0

// The end of an odd row is outside the loops.
// ODD-F32: loop: width 256, carried 8, loads 8, stores 0, nt 0, prefetch 0, fences 0, gathers 0, scalar 0, calls 0{{$}}
// ODD-F32-NEXT: loop: width 256, carried {{[0-9]+}}, loads {{[0-9]+}}, stores {{[0-9]+}}, nt {{[1-9][0-9]*}}, prefetch {{[1-9][0-9]*}}, fences 0, gathers 0, scalar 0, calls 0{{$}}
// ODD-F32-NOT: scalar {{[1-9]}}
// ODD-F32-NOT: gathers {{[1-9]}}

// LARGE-F16: loop: width 256, carried {{[4-9]|1[0-9]}}, loads {{[0-9]+}}, stores 0, nt 0, prefetch 0, fences 0, gathers 0, scalar 0, calls 0{{$}}
// LARGE-F16: loop: width 256, carried {{[0-9]+}}, loads {{[0-9]+}}, stores {{[0-9]+}}, nt {{[1-9][0-9]*}}, prefetch {{[1-9][0-9]*}}, fences 0, gathers 0, scalar 0, calls 0{{$}}
// LARGE-F16: loop: width 256, carried {{[4-9]|1[0-9]}}, loads {{[0-9]+}}, stores 0, nt 0, prefetch 0, fences 0, gathers 0, scalar 0, calls 0{{$}}
// LARGE-F16: loop: width 256, carried {{[0-9]+}}, loads {{[0-9]+}}, stores {{[1-9][0-9]*}}, nt 0, prefetch 0, fences 0, gathers 0, scalar 0, calls 0{{$}}
// LARGE-F16-NOT: scalar {{[1-9]}}

// LARGE-BF16: loop: width 256, carried {{[4-9]|1[0-9]}}, loads {{[0-9]+}}, stores 0, nt 0, prefetch 0, fences 0, gathers 0, scalar 0, calls 0{{$}}
// LARGE-BF16: loop: width 256, carried {{[0-9]+}}, loads {{[0-9]+}}, stores {{[0-9]+}}, nt {{[1-9][0-9]*}}, prefetch {{[1-9][0-9]*}}, fences 0, gathers 0, scalar 0, calls 0{{$}}
// LARGE-BF16: loop: width 256, carried {{[4-9]|1[0-9]}}, loads {{[0-9]+}}, stores 0, nt 0, prefetch 0, fences 0, gathers 0, scalar 0, calls 0{{$}}
// LARGE-BF16: loop: width 256, carried {{[0-9]+}}, loads {{[0-9]+}}, stores {{[1-9][0-9]*}}, nt 0, prefetch 0, fences 0, gathers 0, scalar 0, calls 0{{$}}
// LARGE-BF16-NOT: scalar {{[1-9]}}

// A row of two strips is no loop. The loops over a block of rows: their sums, of which
// the last additions are of one element, and their results; the same with ordinary
// stores. No division or root is left in them.
// SHORT-ROWS: loop: width 256, carried 0, loads 16, stores 1, nt 0, prefetch 0, fences 0, gathers 0, scalar {{[0-3]}}, calls 0{{$}}
// SHORT-ROWS-NEXT: loop: width 256, {{.*}}, stores 0, nt {{[1-9][0-9]*}}, prefetch {{[1-9][0-9]*}}, fences 0, gathers 0, scalar 0, calls 0{{$}}
// SHORT-ROWS-NEXT: loop: width 256, carried 0, loads 16, stores 1, nt 0, prefetch 0, fences 0, gathers 0, scalar {{[0-3]}}, calls 0{{$}}
// SHORT-ROWS-NEXT: loop: width 256, {{.*}}, stores 16, nt 0, prefetch 0, fences 0, gathers 0, scalar 0, calls 0{{$}}
// SHORT-ROWS-NOT: loop:

func.func @large_f32(%x: tensor<8192x4096xf32>, %w: tensor<4096xf32>) -> tensor<8192x4096xf32> {
  %i = tensor.empty() : tensor<8192x4096xf32>
  %y = norm.rmsnorm ins(%x, %w : tensor<8192x4096xf32>, tensor<4096xf32>) outs(%i : tensor<8192x4096xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<8192x4096xf32>
  return %y : tensor<8192x4096xf32>
}

func.func @small_f32(%x: tensor<8x4096xf32>, %w: tensor<4096xf32>) -> tensor<8x4096xf32> {
  %i = tensor.empty() : tensor<8x4096xf32>
  %y = norm.rmsnorm ins(%x, %w : tensor<8x4096xf32>, tensor<4096xf32>) outs(%i : tensor<8x4096xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<8x4096xf32>
  return %y : tensor<8x4096xf32>
}

func.func @large_f16(%x: tensor<8192x4096xf16>, %w: tensor<4096xf16>) -> tensor<8192x4096xf16> {
  %i = tensor.empty() : tensor<8192x4096xf16>
  %y = norm.rmsnorm ins(%x, %w : tensor<8192x4096xf16>, tensor<4096xf16>) outs(%i : tensor<8192x4096xf16>) dims = [1] epsilon = 1.0e-6 : f32 normalized_type = f16 -> tensor<8192x4096xf16>
  return %y : tensor<8192x4096xf16>
}

func.func @large_bf16(%x: tensor<8192x4096xbf16>, %w: tensor<4096xbf16>) -> tensor<8192x4096xbf16> {
  %i = tensor.empty() : tensor<8192x4096xbf16>
  %y = norm.rmsnorm ins(%x, %w : tensor<8192x4096xbf16>, tensor<4096xbf16>) outs(%i : tensor<8192x4096xbf16>) dims = [1] epsilon = 1.0e-6 : f32 normalized_type = bf16 -> tensor<8192x4096xbf16>
  return %y : tensor<8192x4096xbf16>
}

func.func @odd_f32(%x: tensor<8192x4095xf32>, %w: tensor<4095xf32>) -> tensor<8192x4095xf32> {
  %i = tensor.empty() : tensor<8192x4095xf32>
  %y = norm.rmsnorm ins(%x, %w : tensor<8192x4095xf32>, tensor<4095xf32>) outs(%i : tensor<8192x4095xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<8192x4095xf32>
  return %y : tensor<8192x4095xf32>
}

func.func @short_rows(%x: tensor<131072x128xf32>, %w: tensor<128xf32>) -> tensor<131072x128xf32> {
  %i = tensor.empty() : tensor<131072x128xf32>
  %y = norm.rmsnorm ins(%x, %w : tensor<131072x128xf32>, tensor<128xf32>) outs(%i : tensor<131072x128xf32>) dims = [1] epsilon = 1.0e-6 : f32 -> tensor<131072x128xf32>
  return %y : tensor<131072x128xf32>
}
