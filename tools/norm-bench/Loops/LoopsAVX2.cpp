//===- LoopsAVX2.cpp - the loops with vectors of 256 bits -----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"

namespace {
/// A chunk of 16 elements in f32. The type determines which half holds which.
struct Chunk {
  __m256 a, b;
};

struct Vectors {
  static constexpr int64_t kElements = 16;
  static Chunk zero() { return {_mm256_setzero_ps(), _mm256_setzero_ps()}; }
  static __m256 splat(float v) { return _mm256_set1_ps(v); }
  static __m256 add(__m256 a, __m256 b) { return _mm256_add_ps(a, b); }
  static __m256 mul(__m256 a, __m256 b) { return _mm256_mul_ps(a, b); }
  static __m256 fma(__m256 a, __m256 b, __m256 c) {
    return _mm256_fmadd_ps(a, b, c);
  }
  static float addLanes(__m256 v) {
    __m128 four =
        _mm_add_ps(_mm256_castps256_ps128(v), _mm256_extractf128_ps(v, 1));
    __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
  }
};

struct F32 : Vectors {
  using Element = float;
  static Chunk load(const float *p) {
    return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)};
  }
  static Chunk loadLast(const float *p, int64_t count) {
    static constexpr Ones<uint32_t, 16> ones;
    Chunk mask = load(reinterpret_cast<const float *>(ones.data + count));
    Chunk v = load(p);
    return {_mm256_and_ps(v.a, mask.a), _mm256_and_ps(v.b, mask.b)};
  }
  static Chunk roundWide(Chunk v) { return v; }
  static Chunk narrow(Chunk v) { return v; }
  static void store(float *p, Chunk v) {
    _mm256_storeu_ps(p, v.a);
    _mm256_storeu_ps(p + 8, v.b);
  }
  static void stream(float *p, Chunk v) {
    _mm256_stream_ps(p, v.a);
    _mm256_stream_ps(p + 8, v.b);
  }
};

/// The shared part of 16-bit types: 16 elements are one vector of bits.
struct Narrow : Vectors {
  using Element = uint16_t;
  static __m256i loadBits(const uint16_t *p) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i *>(p));
  }
  static __m256i loadLastBits(const uint16_t *p, int64_t count) {
    static constexpr Ones<uint16_t, 16> ones;
    return _mm256_and_si256(loadBits(p), loadBits(ones.data + count));
  }
  static void store(uint16_t *p, __m256i bits) {
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(p), bits);
  }
  static void stream(uint16_t *p, __m256i bits) {
    _mm256_stream_si256(reinterpret_cast<__m256i *>(p), bits);
  }
};

/// Even elements are in `a`, odd ones in `b`. NaN stays NaN, because a widened
/// value has no low bits that rounding could carry.
struct BF16 : Narrow {
  static Chunk widen(__m256i bits) {
    return {_mm256_castsi256_ps(_mm256_slli_epi32(bits, 16)),
            _mm256_castsi256_ps(
                _mm256_and_si256(bits, _mm256_set1_epi32(0xFFFF0000)))};
  }
  static Chunk load(const uint16_t *p) { return widen(loadBits(p)); }
  static Chunk loadLast(const uint16_t *p, int64_t count) {
    return widen(loadLastBits(p, count));
  }
  /// Rounds; the lower half is unspecified.
  static __m256i round(__m256 v) {
    __m256i bits = _mm256_castps_si256(v);
    __m256i odd =
        _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
    return _mm256_add_epi32(_mm256_add_epi32(bits, _mm256_set1_epi32(0x7FFF)),
                            odd);
  }
  static Chunk roundWide(Chunk v) {
    __m256i upper = _mm256_set1_epi32(0xFFFF0000);
    return {_mm256_castsi256_ps(_mm256_and_si256(round(v.a), upper)),
            _mm256_castsi256_ps(_mm256_and_si256(round(v.b), upper))};
  }
  static __m256i narrow(Chunk v) {
    return _mm256_blend_epi16(_mm256_srli_epi32(round(v.a), 16), round(v.b),
                              0xAA);
  }
};

struct F16 : Narrow {
  static constexpr int kNearest = _MM_FROUND_TO_NEAREST_INT;
  static Chunk widen(__m256i bits) {
    return {_mm256_cvtph_ps(_mm256_castsi256_si128(bits)),
            _mm256_cvtph_ps(_mm256_extracti128_si256(bits, 1))};
  }
  static Chunk load(const uint16_t *p) {
    auto *halves = reinterpret_cast<const __m128i *>(p);
    return {_mm256_cvtph_ps(_mm_loadu_si128(halves)),
            _mm256_cvtph_ps(_mm_loadu_si128(halves + 1))};
  }
  static Chunk loadLast(const uint16_t *p, int64_t count) {
    return widen(loadLastBits(p, count));
  }
  static Chunk roundWide(Chunk v) {
    return {_mm256_cvtph_ps(_mm256_cvtps_ph(v.a, kNearest)),
            _mm256_cvtph_ps(_mm256_cvtps_ph(v.b, kNearest))};
  }
  static __m256i narrow(Chunk v) {
    return _mm256_set_m128i(_mm256_cvtps_ph(v.b, kNearest),
                            _mm256_cvtps_ph(v.a, kNearest));
  }
};
} // namespace

void mlir::norm::runLoopsAVX2(const NormLoopsRows &rows, bool stream) {
  switch (rows.type) {
  case NormLoopsF32:
    return runType<F32>(rows, stream);
  case NormLoopsF16:
    return runType<F16>(rows, stream);
  case NormLoopsBF16:
    return runType<BF16>(rows, stream);
  }
}
