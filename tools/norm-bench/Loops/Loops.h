//===- Loops.h - copies and hand-written loops as peers ---------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What compiled code is measured against, in C so that benchmarks/peers.py can
// call it: copies, and RMSNorm with intrinsics. All share OpenMP's threads with
// compiled code: a second pool would spin beside the first.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TOOLS_NORM_BENCH_LOOPS_LOOPS_H
#define NORM_TOOLS_NORM_BENCH_LOOPS_LOOPS_H

#include <cstdint>

extern "C" {

enum NormLoopsType { NormLoopsF32, NormLoopsF16, NormLoopsBF16 };

/// y = x * 1/sqrt(mean(x^2) + 1e-6) * w on `rows` rows, computed in f32.
struct NormLoopsRows {
  const void *x, *w;
  void *y; // apart from x
  int64_t rows, cols;
  NormLoopsType type;
  /// 1: w + 1 and one rounding at the end (Gemma). 0: 16-bit types round
  /// before the weight too (Llama).
  int32_t gemma;
};

/// Whether this CPU runs the loops with vectors of `bits` bits, 256 or 512.
int32_t normLoopsHave(int32_t bits);

/// Wide accumulators, then one pass that writes. With `stream`, stores past
/// each row's first aligned address are non-temporal and the next row is
/// prefetched.
void normLoopsRMSNorm(const NormLoopsRows *rows, int32_t bits, int32_t stream,
                      int32_t threads);

/// Whether this CPU has non-temporal stores that normLoopsCopy uses.
int32_t normLoopsHaveStream();

/// memcpy, or a non-temporal copy of 64-byte lines (both addresses and `bytes`
/// are multiples of 64).
void normLoopsCopy(void *to, const void *from, int64_t bytes, int32_t stream,
                   int32_t threads);

} // extern "C"

namespace mlir::norm {
/// The rows of one thread. Defined where the compiler makes x86-64.
void runLoopsAVX2(const NormLoopsRows &rows, bool stream);
void runLoopsAVX512(const NormLoopsRows &rows, bool stream);
} // namespace mlir::norm

#endif // NORM_TOOLS_NORM_BENCH_LOOPS_LOOPS_H
