//===- Loops.h - copies and hand-written loops as peers ---------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiled code is compared with these loops, which are in C so that
// benchmarks/peers.py can call them: copies, and RMSNorm with intrinsics. They
// share OpenMP's threads with compiled code, because two pools would compete.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TOOLS_NORM_BENCH_LOOPS_LOOPS_H
#define NORM_TOOLS_NORM_BENCH_LOOPS_LOOPS_H

#include <cstdint>

extern "C" {

enum NormLoopsType { NormLoopsF32, NormLoopsF16, NormLoopsBF16 };

/// Computes y = x * 1/sqrt(mean(x^2) + 1e-6) * w on `rows` rows in f32.
struct NormLoopsRows {
  const void *x, *w;
  void *y; // does not overlap x
  int64_t rows, cols;
  NormLoopsType type;
  /// 1 is w + 1 and one rounding at the end (Gemma). 0 also rounds 16-bit types
  /// before the weight (Llama).
  int32_t gemma;
};

/// Returns whether this CPU runs loops with vectors of 256 or 512 `bits`.
int32_t normLoopsHave(int32_t bits);

/// Computes with wide accumulators, then one pass that writes. With `stream`,
/// stores past each row's first aligned address are non-temporal and the next
/// row is prefetched.
void normLoopsRMSNorm(const NormLoopsRows *rows, int32_t bits, int32_t stream,
                      int32_t threads);

/// Copies by memcpy, or non-temporally in 64-byte lines (both addresses and
/// `bytes` are multiples of 64).
void normLoopsCopy(void *to, const void *from, int64_t bytes, int32_t stream,
                   int32_t threads);

} // extern "C"

namespace mlir::norm {
/// Runs the rows of one thread. These exist only on x86-64.
void runLoopsAVX2(const NormLoopsRows &rows, bool stream);
void runLoopsAVX512(const NormLoopsRows &rows, bool stream);
} // namespace mlir::norm

#endif // NORM_TOOLS_NORM_BENCH_LOOPS_LOOPS_H
