//===- HandWrittenNarrow.cpp - 16-bit loops with intrinsics as peers ------===//
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

#define NORM_AVX2 __attribute__((target("avx2,fma,f16c"), always_inline))

bool mlir::norm::hasHandWrittenNarrow() {
  return hasHandWritten() && __builtin_cpu_supports("f16c");
}

namespace {
/// 16 elements as f32. Which half holds which element is up to the type.
struct Wide {
  __m256 a, b;
};

/// Elements at even places in `a`, at odd ones in `b`. NaN stays NaN, since
/// those of widened values have no lower bits that rounding could carry.
struct BF16 {
  NORM_AVX2 static Wide load(const uint16_t *p) {
    __m256i bits = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p));
    return {_mm256_castsi256_ps(_mm256_slli_epi32(bits, 16)),
            _mm256_castsi256_ps(
                _mm256_and_si256(bits, _mm256_set1_epi32(0xFFFF0000)))};
  }
  /// The lower half is left as it comes.
  NORM_AVX2 static __m256i round(__m256 v) {
    __m256i bits = _mm256_castps_si256(v);
    __m256i odd =
        _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    return _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7FFF)),
                            odd);
  }
  NORM_AVX2 static Wide roundWide(Wide v) {
    __m256i upper = _mm256_set1_epi32(0xFFFF0000);
    return {_mm256_castsi256_ps(_mm256_and_si256(round(v.a), upper)),
            _mm256_castsi256_ps(_mm256_and_si256(round(v.b), upper))};
  }
  NORM_AVX2 static __m256i narrow(Wide v) {
    return _mm256_blend_epi16(_mm256_srli_epi32(round(v.a), 16), round(v.b),
                              0xAA);
  }
};

struct F16 {
  NORM_AVX2 static Wide load(const uint16_t *p) {
    auto *halves = reinterpret_cast<const __m128i *>(p);
    return {_mm256_cvtph_ps(_mm_loadu_si128(halves)),
            _mm256_cvtph_ps(_mm_loadu_si128(halves + 1))};
  }
  NORM_AVX2 static Wide roundWide(Wide v) {
    return {_mm256_cvtph_ps(_mm256_cvtps_ph(v.a, _MM_FROUND_TO_NEAREST_INT)),
            _mm256_cvtph_ps(_mm256_cvtps_ph(v.b, _MM_FROUND_TO_NEAREST_INT))};
  }
  NORM_AVX2 static __m256i narrow(Wide v) {
    return _mm256_set_m128i(_mm256_cvtps_ph(v.b, _MM_FROUND_TO_NEAREST_INT),
                            _mm256_cvtps_ph(v.a, _MM_FROUND_TO_NEAREST_INT));
  }
};
} // namespace

template <typename Type>
__attribute__((target("avx2,fma,f16c"))) static float
sumSquares(const uint16_t *x, int64_t n) {
  __m256 sums[4] = {_mm256_setzero_ps(), _mm256_setzero_ps(),
                    _mm256_setzero_ps(), _mm256_setzero_ps()};
  for (int64_t i = 0; i < n; i += 32)
    for (int part = 0; part < 2; ++part) {
      Wide v = Type::load(x + i + 16 * part);
      sums[2 * part] = _mm256_fmadd_ps(v.a, v.a, sums[2 * part]);
      sums[2 * part + 1] = _mm256_fmadd_ps(v.b, v.b, sums[2 * part + 1]);
    }
  return mlir::norm::addLanes(sums);
}

template <typename Type, bool llama, bool stream>
__attribute__((target("avx2,fma,f16c"))) static void
scale(const uint16_t *x, const uint16_t *w, uint16_t *y, float factor,
      int64_t n) {
  __m256 factors = _mm256_set1_ps(factor), one = _mm256_set1_ps(1);
  for (int64_t i = 0; i < n; i += 32) {
    if (stream)
      _mm_prefetch(reinterpret_cast<const char *>(x + n + i), _MM_HINT_T0);
    for (int64_t k = i; k < i + 32; k += 16) {
      Wide v = Type::load(x + k), g = Type::load(w + k);
      v = {_mm256_mul_ps(v.a, factors), _mm256_mul_ps(v.b, factors)};
      if (llama)
        v = Type::roundWide(v);
      else
        g = {_mm256_add_ps(g.a, one), _mm256_add_ps(g.b, one)};
      __m256i bits =
          Type::narrow({_mm256_mul_ps(v.a, g.a), _mm256_mul_ps(v.b, g.b)});
      if (stream)
        _mm256_stream_si256(reinterpret_cast<__m256i *>(y + k), bits);
      else
        _mm256_storeu_si256(reinterpret_cast<__m256i *>(y + k), bits);
    }
  }
}

template <typename Type, bool llama, bool stream>
static void runRows(const HandWrittenNarrowRows &r) {
  for (int64_t row = 0; row < r.rows; ++row) {
    const uint16_t *x = r.x + row * r.cols;
    float mean = sumSquares<Type>(x, r.cols) / static_cast<float>(r.cols);
    float factor = 1.0f / std::sqrt(mean + 1.0e-6f);
    scale<Type, llama, stream>(x, r.w, r.y + row * r.cols, factor, r.cols);
  }
  if (stream)
    _mm_sfence();
}

template <typename Type>
static void runType(const HandWrittenNarrowRows &r, bool stream) {
  if (r.llama)
    stream ? runRows<Type, true, true>(r) : runRows<Type, true, false>(r);
  else
    stream ? runRows<Type, false, true>(r) : runRows<Type, false, false>(r);
}

void mlir::norm::runHandWrittenNarrow(const HandWrittenNarrowRows &rows,
                                      bool stream) {
  rows.isBF16 ? runType<BF16>(rows, stream) : runType<F16>(rows, stream);
}

#else

bool mlir::norm::hasHandWrittenNarrow() { return false; }
void mlir::norm::runHandWrittenNarrow(const HandWrittenNarrowRows &, bool) {}

#endif
