//===- HandWritten.cpp - loops with intrinsics as peers -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HandWritten.h"
#include <cmath>

using namespace mlir::norm;

#if defined(__x86_64__)
#include "HandWrittenLanes.h"

bool mlir::norm::hasHandWritten() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}

__attribute__((target("avx2,fma"))) static float sumSquares(const float *x,
                                                            int64_t n) {
  __m256 sums[4] = {_mm256_setzero_ps(), _mm256_setzero_ps(),
                    _mm256_setzero_ps(), _mm256_setzero_ps()};
  int64_t i = 0;
  for (; i + 32 <= n; i += 32)
    for (int part = 0; part < 4; ++part) {
      __m256 v = _mm256_loadu_ps(x + i + 8 * part);
      sums[part] = _mm256_fmadd_ps(v, v, sums[part]);
    }
  float total = mlir::norm::addLanes(sums);
  for (; i < n; ++i)
    total += x[i] * x[i];
  return total;
}

template <bool stream>
__attribute__((target("avx2,fma"))) static void
scale(const float *x, const float *w, float *y, float factor, int64_t n) {
  __m256 factors = _mm256_set1_ps(factor);
  int64_t i = 0;
  for (; i + 32 <= n; i += 32) {
    if (stream) {
      _mm_prefetch(reinterpret_cast<const char *>(x + n + i), _MM_HINT_T0);
      _mm_prefetch(reinterpret_cast<const char *>(x + n + i + 16), _MM_HINT_T0);
    }
    for (int64_t k = i; k < i + 32; k += 8) {
      __m256 v = _mm256_mul_ps(_mm256_loadu_ps(x + k), factors);
      v = _mm256_mul_ps(v, _mm256_loadu_ps(w + k));
      if (stream)
        _mm256_stream_ps(y + k, v);
      else
        _mm256_storeu_ps(y + k, v);
    }
  }
  for (; i < n; ++i)
    y[i] = x[i] * factor * w[i];
}

void mlir::norm::runHandWritten(const HandWrittenRows &r, bool stream) {
  for (int64_t row = 0; row < r.rows; ++row) {
    const float *x = r.x + row * r.cols;
    float *y = r.y + row * r.cols;
    float mean = sumSquares(x, r.cols) / static_cast<float>(r.cols);
    float factor = 1.0f / std::sqrt(mean + 1.0e-6f);
    if (stream)
      scale<true>(x, r.w, y, factor, r.cols);
    else
      scale<false>(x, r.w, y, factor, r.cols);
  }
  if (stream)
    _mm_sfence();
}

#else

bool mlir::norm::hasHandWritten() { return false; }
void mlir::norm::runHandWritten(const HandWrittenRows &, bool) {}

#endif
