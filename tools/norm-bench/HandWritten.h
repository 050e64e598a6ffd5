//===- HandWritten.h - loops with intrinsics as peers -----------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TOOLS_NORM_BENCH_HANDWRITTEN_H
#define NORM_TOOLS_NORM_BENCH_HANDWRITTEN_H

#include <cstdint>

namespace mlir::norm {

/// y = x * 1/sqrt(mean(x^2) + 1e-6) * w on `rows` rows, f32.
struct HandWrittenRows {
  const float *x = nullptr, *w = nullptr;
  float *y = nullptr;
  int64_t rows = 0, cols = 0;
};

/// Whether this CPU has AVX2 and FMA.
bool hasHandWritten();

/// Four AVX2 accumulators, then one pass that writes. With `stream`, stores are
/// non-temporal (y and rows on multiples of 32 bytes) and the next row is
/// prefetched. Rows that are no multiple of 32 elements end in scalar code.
void runHandWritten(const HandWrittenRows &rows, bool stream);

/// The same on bf16 or f16 in f32 arithmetic: Llama's order rounds before the
/// weight, the other multiplies by 1 + w and rounds once (Gemma).
struct HandWrittenNarrowRows {
  const uint16_t *x = nullptr, *w = nullptr;
  uint16_t *y = nullptr;
  int64_t rows = 0, cols = 0;
  bool isBF16 = true, llama = true;
};

/// Whether this CPU has F16C as well.
bool hasHandWrittenNarrow();

/// As runHandWritten; rows are multiples of 32 elements.
void runHandWrittenNarrow(const HandWrittenNarrowRows &rows, bool stream);

} // namespace mlir::norm

#endif // NORM_TOOLS_NORM_BENCH_HANDWRITTEN_H
