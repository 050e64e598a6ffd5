//===- RowLoops.h - RMSNorm by hand, for any vector width -------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One file per instruction set includes this header, with its vectors' size.
// Everything is in an anonymous namespace, without standard containers, so that
// no code for a newer CPU is shared with other files.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TOOLS_NORM_BENCH_LOOPS_ROWLOOPS_H
#define NORM_TOOLS_NORM_BENCH_LOOPS_ROWLOOPS_H

#include "Loops.h"
#include <immintrin.h>

namespace { // NOLINT(misc-anonymous-namespace-in-header): as said above

template <typename T, int bytes>
using Vector = T __attribute__((vector_size(bytes)));

template <typename To, typename From> To bitCast(const From &from) {
  To to;
  static_assert(sizeof(to) == sizeof(from), "the same bits");
  __builtin_memcpy(&to, &from, sizeof(to));
  return to;
}

/// Two vectors of f32, and the bits of as many elements of a type.
template <typename Bits, int bytes> struct Vectors {
  using Element = Bits;
  using Floats = Vector<float, bytes>;
  using Words = Vector<uint32_t, bytes>;
  static constexpr int64_t kElements = 2 * bytes / 4;
  using Raw = Vector<Bits, kElements * sizeof(Bits)>;
  /// The type determines which elements each has.
  struct Chunk {
    Floats a, b;
  };

  static Raw loadBits(const Element *p) {
    Raw bits;
    __builtin_memcpy(&bits, p, sizeof(bits));
    return bits;
  }
  /// Loads zeros in the place of all elements but the last `count`.
  static Raw loadLastBits(const Element *p, int64_t count) {
    struct Ones {
      Element data[2 * kElements] = {};
      constexpr Ones() {
        for (int64_t i = kElements; i < 2 * kElements; ++i)
          data[i] = static_cast<Element>(-1);
      }
    };
    static constexpr Ones ones;
    return loadBits(p) & loadBits(ones.data + count);
  }
  static void store(Element *p, Raw bits) {
    __builtin_memcpy(p, &bits, sizeof(bits));
  }
  static void stream(Element *p, Raw bits) {
    // Lines are of 64 bytes.
    using Aligned = Raw __attribute__((aligned(sizeof(Raw) < 64 ? 32 : 64)));
    __builtin_nontemporal_store(bits, reinterpret_cast<Aligned *>(p));
  }
};

template <int bytes> struct F32 : Vectors<uint32_t, bytes> {
  using typename Vectors<uint32_t, bytes>::Chunk;
  using typename Vectors<uint32_t, bytes>::Raw;
  static Chunk widen(Raw bits) { return bitCast<Chunk>(bits); }
  static Chunk roundWide(Chunk v) { return v; }
  static Raw narrow(Chunk v) { return bitCast<Raw>(v); }
};

/// Even elements are in `a`, odd ones in `b`. NaN stays NaN, because a widened
/// value has no low bits that rounding could carry.
template <int bytes> struct BF16 : Vectors<uint16_t, bytes> {
  using typename Vectors<uint16_t, bytes>::Chunk;
  using typename Vectors<uint16_t, bytes>::Floats;
  using typename Vectors<uint16_t, bytes>::Raw;
  using typename Vectors<uint16_t, bytes>::Words;
  static constexpr uint32_t kUpper = 0xFFFF0000;
  static Chunk widen(Raw bits) {
    auto words = bitCast<Words>(bits);
    return {bitCast<Floats>(words << 16), bitCast<Floats>(words & kUpper)};
  }
  /// Rounds; the lower half is unspecified.
  static Words round(Floats v) {
    auto bits = bitCast<Words>(v);
    return bits + 0x7FFF + (bits >> 16 & 1);
  }
  static Chunk roundWide(Chunk v) {
    return {bitCast<Floats>(round(v.a) & kUpper),
            bitCast<Floats>(round(v.b) & kUpper)};
  }
  static Raw narrow(Chunk v) {
    return bitCast<Raw>(round(v.a) >> 16 | (round(v.b) & kUpper));
  }
};

template <int bytes> struct F16 : Vectors<uint16_t, bytes> {
  using typename Vectors<uint16_t, bytes>::Chunk;
  using typename Vectors<uint16_t, bytes>::Floats;
  using typename Vectors<uint16_t, bytes>::Raw;
  struct Halves {
    Vector<_Float16, bytes / 2> a, b;
  };
  static Chunk widen(Halves v) {
    return {__builtin_convertvector(v.a, Floats),
            __builtin_convertvector(v.b, Floats)};
  }
  static Chunk widen(Raw bits) { return widen(bitCast<Halves>(bits)); }
  static Halves round(Chunk v) {
    return {__builtin_convertvector(v.a, decltype(Halves::a)),
            __builtin_convertvector(v.b, decltype(Halves::b))};
  }
  static Chunk roundWide(Chunk v) { return widen(round(v)); }
  static Raw narrow(Chunk v) { return bitCast<Raw>(round(v)); }
};

template <int bytes> float addLanes(Vector<float, bytes> v) {
  if constexpr (bytes == 8) {
    return v[0] + v[1];
  } else {
    struct Halves {
      Vector<float, bytes / 2> low, high;
    };
    auto halves = bitCast<Halves>(v);
    return addLanes<bytes / 2>(halves.low + halves.high);
  }
}

template <typename Traits>
float sumSquares(const typename Traits::Element *x, int64_t n) {
  constexpr int64_t chunk = Traits::kElements;
  typename Traits::Chunk even = {}, odd = {};
  auto sum = [](auto &into, auto bits) {
    auto v = Traits::widen(bits);
    into.a = __builtin_elementwise_fma(v.a, v.a, into.a);
    into.b = __builtin_elementwise_fma(v.b, v.b, into.b);
  };
  int64_t i = 0;
  for (; i + 2 * chunk <= n; i += 2 * chunk) {
    sum(even, Traits::loadBits(x + i));
    sum(odd, Traits::loadBits(x + i + chunk));
  }
  for (; i + chunk <= n; i += chunk)
    sum(even, Traits::loadBits(x + i));
  if (i < n)
    sum(odd, Traits::loadLastBits(x + n - chunk, n - i));
  return addLanes<sizeof(even.a)>((even.a + even.b) + (odd.a + odd.b));
}

/// Writes one row of at least one chunk.
template <typename Traits, bool gemma, bool stream> struct Scale {
  using Element = typename Traits::Element;
  static constexpr int64_t kChunk = Traits::kElements;
  static constexpr int64_t kLine = 64 / sizeof(Element);
  static constexpr int64_t kStep = kChunk > kLine ? kChunk : kLine;

  const Element *x, *w, *next;
  Element *y;
  float factor;

  auto compute(int64_t i) const {
    auto v = Traits::widen(Traits::loadBits(x + i));
    auto g = Traits::widen(Traits::loadBits(w + i));
    v = {v.a * factor, v.b * factor};
    if (gemma)
      g = {g.a + 1.0f, g.b + 1.0f};
    else
      v = Traits::roundWide(v);
    return Traits::narrow({v.a * g.a, v.b * g.b});
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
  Scale<Traits, gemma, false>{padded[0], padded[1], padded[0], padded[2],
                              factor}
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
  Scale<Traits, gemma, stream>{x, w, next, y, factor}.run(r.cols);
}

/// Bytes of y to collect before lines are streamed, because a load soon after
/// the stores that it overlaps would wait for them.
constexpr int64_t kStagedBytes = 4096;

/// A buffer where a piece of y is assembled.
struct Stage {
  using Line = Vectors<uint32_t, 32>;
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
      Line::stream(bitCast<uint32_t *>(line + at),
                   Line::loadBits(bitCast<uint32_t *>(data + at)));
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

/// Computes with vectors of `bytes`.
template <int bytes> void runVectors(const NormLoopsRows &rows, bool stream) {
  switch (rows.type) {
  case NormLoopsF32:
    return runType<F32<bytes>>(rows, stream);
  case NormLoopsF16:
    return runType<F16<bytes>>(rows, stream);
  case NormLoopsBF16:
    return runType<BF16<bytes>>(rows, stream);
  }
}

} // namespace

#endif // NORM_TOOLS_NORM_BENCH_LOOPS_ROWLOOPS_H
