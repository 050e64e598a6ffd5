//===- LoopsAVX512.cpp - the loops with vectors of 512 bits ---------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"

namespace {
/// A chunk of 32 elements in f32. The type determines which half holds which.
struct Chunk {
  __m512 a, b;
};

struct Vectors {
  static constexpr int64_t kElements = 32;
  static Chunk zero() { return {_mm512_setzero_ps(), _mm512_setzero_ps()}; }
  static __m512 splat(float v) { return _mm512_set1_ps(v); }
  static __m512 add(__m512 a, __m512 b) { return _mm512_add_ps(a, b); }
  static __m512 mul(__m512 a, __m512 b) { return _mm512_mul_ps(a, b); }
  static __m512 fma(__m512 a, __m512 b, __m512 c) {
    return _mm512_fmadd_ps(a, b, c);
  }
  static float addLanes(__m512 v) { return _mm512_reduce_add_ps(v); }
};

struct F32 : Vectors {
  using Element = float;
  static Chunk load(const float *p) {
    return {_mm512_loadu_ps(p), _mm512_loadu_ps(p + 16)};
  }
  static Chunk loadLast(const float *p, int64_t count) {
    uint32_t mask = ~uint32_t(0) << (32 - count);
    return {_mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), p),
            _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask >> 16), p + 16)};
  }
  static Chunk roundWide(Chunk v) { return v; }
  static Chunk narrow(Chunk v) { return v; }
  static void store(float *p, Chunk v) {
    _mm512_storeu_ps(p, v.a);
    _mm512_storeu_ps(p + 16, v.b);
  }
  static void stream(float *p, Chunk v) {
    _mm512_stream_ps(p, v.a);
    _mm512_stream_ps(p + 16, v.b);
  }
};

/// The shared part of 16-bit types: 32 elements are one vector of bits.
struct Narrow : Vectors {
  using Element = uint16_t;
  static __m512i loadBits(const uint16_t *p) { return _mm512_loadu_si512(p); }
  static __m512i loadLastBits(const uint16_t *p, int64_t count) {
    return _mm512_maskz_loadu_epi16(~uint32_t(0) << (32 - count), p);
  }
  static void store(uint16_t *p, __m512i bits) { _mm512_storeu_si512(p, bits); }
  static void stream(uint16_t *p, __m512i bits) {
    _mm512_stream_si512(reinterpret_cast<__m512i *>(p), bits);
  }
};

/// Splits even and odd elements as for AVX2; NaN stays NaN.
struct BF16 : Narrow {
  static Chunk widen(__m512i bits) {
    return {_mm512_castsi512_ps(_mm512_slli_epi32(bits, 16)),
            _mm512_castsi512_ps(
                _mm512_and_si512(bits, _mm512_set1_epi32(0xFFFF0000)))};
  }
  static Chunk load(const uint16_t *p) { return widen(loadBits(p)); }
  static Chunk loadLast(const uint16_t *p, int64_t count) {
    return widen(loadLastBits(p, count));
  }
  static __m512i round(__m512 v) {
    __m512i bits = _mm512_castps_si512(v);
    __m512i odd =
        _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    return _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7FFF)),
                            odd);
  }
  static Chunk roundWide(Chunk v) {
    __m512i upper = _mm512_set1_epi32(0xFFFF0000);
    return {_mm512_castsi512_ps(_mm512_and_si512(round(v.a), upper)),
            _mm512_castsi512_ps(_mm512_and_si512(round(v.b), upper))};
  }
  static __m512i narrow(Chunk v) {
    return _mm512_mask_blend_epi16(
        0xAAAAAAAA, _mm512_srli_epi32(round(v.a), 16), round(v.b));
  }
};

struct F16 : Narrow {
  static constexpr int kNearest = _MM_FROUND_TO_NEAREST_INT;
  static Chunk widen(__m512i bits) {
    return {_mm512_cvtph_ps(_mm512_castsi512_si256(bits)),
            _mm512_cvtph_ps(_mm512_extracti64x4_epi64(bits, 1))};
  }
  static Chunk load(const uint16_t *p) { return widen(loadBits(p)); }
  static Chunk loadLast(const uint16_t *p, int64_t count) {
    return widen(loadLastBits(p, count));
  }
  static Chunk roundWide(Chunk v) {
    return {_mm512_cvtph_ps(_mm512_cvtps_ph(v.a, kNearest)),
            _mm512_cvtph_ps(_mm512_cvtps_ph(v.b, kNearest))};
  }
  static __m512i narrow(Chunk v) {
    return _mm512_inserti64x4(
        _mm512_castsi256_si512(_mm512_cvtps_ph(v.a, kNearest)),
        _mm512_cvtps_ph(v.b, kNearest), 1);
  }
};
} // namespace

void mlir::norm::runLoopsAVX512(const NormLoopsRows &rows, bool stream) {
  switch (rows.type) {
  case NormLoopsF32:
    return runType<F32>(rows, stream);
  case NormLoopsF16:
    return runType<F16>(rows, stream);
  case NormLoopsBF16:
    return runType<BF16>(rows, stream);
  }
}
