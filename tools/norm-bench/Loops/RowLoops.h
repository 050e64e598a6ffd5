//===- RowLoops.h - RMSNorm by hand, for any vector width -------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One file per instruction set includes this header. Its traits F32, F16 and
// BF16 load and store a chunk, which is two vectors of f32. Everything is in an
// anonymous namespace, without standard containers, so that no code for a newer
// CPU is shared with other files.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TOOLS_NORM_BENCH_LOOPS_ROWLOOPS_H
#define NORM_TOOLS_NORM_BENCH_LOOPS_ROWLOOPS_H

#include "Loops.h"
#include <immintrin.h>

namespace { // NOLINT(misc-anonymous-namespace-in-header): as said above

/// `Ones<T, n>::data + k` starts n elements of which the first n - k are zero
/// bits and the last k are ones.
template <typename T, int n> struct Ones {
  T data[2 * n];
  constexpr Ones() : data() {
    for (int i = 0; i < n; ++i)
      data[n + i] = static_cast<T>(~T(0));
  }
};

template <typename Traits>
float sumSquares(const typename Traits::Element *x, int64_t n) {
  constexpr int64_t chunk = Traits::kElements;
  auto sum = [](auto &into, auto v) {
    into.a = Traits::fma(v.a, v.a, into.a);
    into.b = Traits::fma(v.b, v.b, into.b);
  };
  auto even = Traits::zero(), odd = Traits::zero();
  int64_t i = 0;
  for (; i + 2 * chunk <= n; i += 2 * chunk) {
    sum(even, Traits::load(x + i));
    sum(odd, Traits::load(x + i + chunk));
  }
  for (; i + chunk <= n; i += chunk)
    sum(even, Traits::load(x + i));
  if (i < n)
    sum(odd, Traits::loadLast(x + n - chunk, n - i));
  return Traits::addLanes(
      Traits::add(Traits::add(even.a, even.b), Traits::add(odd.a, odd.b)));
}

/// Writes one row of at least one chunk.
template <typename Traits, bool gemma, bool stream> struct Scale {
  using Element = typename Traits::Element;
  static constexpr int64_t kChunk = Traits::kElements;
  static constexpr int64_t kLine = 64 / sizeof(Element);
  static constexpr int64_t kStep = kChunk > kLine ? kChunk : kLine;

  const Element *x, *w, *next;
  Element *y;
  decltype(Traits::splat(0)) factor, one;

  auto compute(int64_t i) const {
    auto v = Traits::load(x + i), g = Traits::load(w + i);
    v = {Traits::mul(v.a, factor), Traits::mul(v.b, factor)};
    if (gemma)
      g = {Traits::add(g.a, one), Traits::add(g.b, one)};
    else
      v = Traits::roundWide(v);
    return Traits::narrow({Traits::mul(v.a, g.a), Traits::mul(v.b, g.b)});
  }

  void run(int64_t n) const {
    int64_t i = stream ? writeHead(n) : 0;
    for (; i + kStep <= n; i += kStep) {
      if (stream)
        for (int64_t k = 0; k < kStep; k += kLine)
          _mm_prefetch(reinterpret_cast<const char *>(next + i + k),
                       _MM_HINT_T0);
      for (int64_t k = i; k < i + kStep; k += kChunk)
        if (stream)
          Traits::stream(y + k, compute(k));
        else
          Traits::store(y + k, compute(k));
    }
    for (; i + kChunk <= n; i += kChunk)
      Traits::store(y + i, compute(i));
    if (i < n) // overlaps with equal values
      Traits::store(y + n - kChunk, compute(n - kChunk));
  }

  /// Stores normally up to the first full line of y; returns where it starts.
  int64_t writeHead(int64_t n) const {
    int64_t past = reinterpret_cast<uintptr_t>(y) % 64 / sizeof(Element);
    int64_t head = past == 0 ? 0 : kLine - past;
    if (head > n)
      head = n;
    for (int64_t i = 0; i < head; i += kChunk) {
      int64_t at = i + kChunk <= n ? i : n - kChunk;
      Traits::store(y + at, compute(at));
    }
    return head;
  }
};

inline float getFactor(float sum, int64_t n) {
  return 1.0f / __builtin_sqrtf(sum / static_cast<float>(n) + 1.0e-6f);
}

/// Computes a row shorter than a chunk, padded with zeros.
template <typename Traits, bool gemma>
void runShortRow(const typename Traits::Element *x,
                 const typename Traits::Element *w, typename Traits::Element *y,
                 int64_t n) {
  typename Traits::Element padded[3][Traits::kElements] = {};
  __builtin_memcpy(padded[0], x, n * sizeof(*x));
  __builtin_memcpy(padded[1], w, n * sizeof(*w));
  float factor = getFactor(sumSquares<Traits>(padded[0], Traits::kElements), n);
  Scale<Traits, gemma, false>{
      padded[0],       padded[1], padded[0], padded[2], Traits::splat(factor),
      Traits::splat(1)}
      .run(Traits::kElements);
  __builtin_memcpy(y, padded[2], n * sizeof(*y));
}

/// Computes one row. With `stream`, y is written past the caches and the next
/// row is prefetched.
template <typename Traits, bool gemma, bool stream>
void runRow(const NormLoopsRows &r, int64_t row, typename Traits::Element *y) {
  using Element = typename Traits::Element;
  auto *w = static_cast<const Element *>(r.w);
  auto *x = static_cast<const Element *>(r.x) + row * r.cols;
  if (r.cols < Traits::kElements)
    return runShortRow<Traits, gemma>(x, w, y, r.cols);
  // There may be no readable memory past the last row.
  auto *next = row + 1 < r.rows ? x + r.cols : x;
  float factor = getFactor(sumSquares<Traits>(x, r.cols), r.cols);
  Scale<Traits, gemma, stream>{
      x, w, next, y, Traits::splat(factor), Traits::splat(1)}
      .run(r.cols);
}

inline void streamLine(char *to, const char *from) {
  for (int i = 0; i < 64; i += 16)
    _mm_stream_si128(
        reinterpret_cast<__m128i *>(to + i),
        _mm_load_si128(reinterpret_cast<const __m128i *>(from + i)));
}

/// Bytes of y to collect before lines are streamed, because a load soon after
/// the stores that it overlaps would wait for them.
constexpr int64_t kStagedBytes = 4096;

/// A buffer where a piece of y is assembled.
struct Stage {
  alignas(64) char data[2 * kStagedBytes + 64];
  char *line;    // the line of y that `data` starts with
  int64_t begin; // others own the bytes of `line` before it
  int64_t end;

  explicit Stage(void *y) {
    begin = end = reinterpret_cast<uintptr_t>(y) % 64;
    line = static_cast<char *>(y) - begin;
  }
  void streamLines() {
    int64_t at = 0;
    if (begin > 0 && end >= 64) {
      __builtin_memcpy(line + begin, data + begin, 64 - begin);
      begin = 0;
      at = 64;
    }
    for (; at + 64 <= end; at += 64)
      streamLine(line + at, data + at);
    end -= at;
    __builtin_memmove(data, data + at, end);
    line += at;
  }
  void finish() {
    streamLines();
    __builtin_memcpy(line + begin, data + begin, end - begin);
  }
};

/// Computes rows that share cache lines with their neighbors. A line that is
/// both stored and streamed to is slow, so rows are assembled in the first
/// level cache and whole lines are streamed.
template <typename Traits, bool gemma>
void runStagedRows(const NormLoopsRows &r) {
  using Element = typename Traits::Element;
  Stage stage(r.y);
  for (int64_t row = 0; row < r.rows; ++row) {
    if (stage.end >= kStagedBytes)
      stage.streamLines();
    runRow<Traits, gemma, false>(
        r, row, reinterpret_cast<Element *>(stage.data + stage.end));
    stage.end += r.cols * sizeof(Element);
  }
  stage.finish();
  _mm_sfence();
}

template <typename Traits, bool gemma, bool stream>
void runRows(const NormLoopsRows &r) {
  using Element = typename Traits::Element;
  int64_t rowBytes = r.cols * sizeof(Element);
  if (stream && rowBytes % 64 != 0 && rowBytes <= kStagedBytes)
    return runStagedRows<Traits, gemma>(r);
  for (int64_t row = 0; row < r.rows; ++row)
    runRow<Traits, gemma, stream>(r, row,
                                  static_cast<Element *>(r.y) + row * r.cols);
  if (stream)
    _mm_sfence();
}

template <typename Traits> void runType(const NormLoopsRows &r, bool stream) {
  if (r.gemma)
    stream ? runRows<Traits, true, true>(r) : runRows<Traits, true, false>(r);
  else
    stream ? runRows<Traits, false, true>(r) : runRows<Traits, false, false>(r);
}

} // namespace

#endif // NORM_TOOLS_NORM_BENCH_LOOPS_ROWLOOPS_H
