//===- Loops.cpp - rows and bytes shared by threads -----------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Loops.h"
#include <algorithm>
#include <cstring>
#if defined(__x86_64__)
#include <emmintrin.h>
#endif

using namespace mlir::norm;

/// Threads are worth their start from this number of bytes on, which is the
/// grain of norm-to-cpu.
static constexpr int64_t kGrain = 1 << 20;

/// Runs `part(begin, end)` on each thread's share of [0, count), a multiple of
/// `unit` except for the last. `bytes` are moved in all.
template <typename Part>
static void shareOut(int64_t count, int64_t unit, int64_t bytes,
                     int32_t threads, Part part) {
  if (threads <= 1 || bytes < kGrain)
    return part(0, count);
  int64_t share = ((count + threads - 1) / threads + unit - 1) / unit * unit;
#pragma omp parallel for num_threads(threads) schedule(static, 1)
  for (int32_t i = 0; i < threads; ++i)
    part(std::min(count, i * share), std::min(count, (i + 1) * share));
}

static int64_t getElementBytes(NormLoopsType type) {
  return type == NormLoopsF32 ? 4 : 2;
}

static void runRows(const NormLoopsRows &rows, int32_t bits, bool stream) {
#if defined(__x86_64__)
  bits == 512 ? runLoopsAVX512(rows, stream) : runLoopsAVX2(rows, stream);
#endif
}

int32_t normLoopsHave(int32_t bits) {
#if defined(__x86_64__)
  if (bits == 512)
    return __builtin_cpu_supports("avx512f") &&
           __builtin_cpu_supports("avx512bw");
  return bits == 256 && __builtin_cpu_supports("avx2") &&
         __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
#else
  return 0;
#endif
}

void normLoopsRMSNorm(const NormLoopsRows *rows, int32_t bits, int32_t stream,
                      int32_t threads) {
  int64_t rowBytes = rows->cols * getElementBytes(rows->type);
  int64_t moved = 2 * rows->rows * rowBytes;
  shareOut(rows->rows, 1, moved, threads, [&](int64_t begin, int64_t end) {
    int64_t offset = begin * rowBytes;
    NormLoopsRows part = *rows;
    part.x = static_cast<const char *>(rows->x) + offset;
    part.y = static_cast<char *>(rows->y) + offset;
    part.rows = end - begin;
    runRows(part, bits, stream);
  });
}

/// Copies 16 bytes at a time past the caches.
static void streamBytes(char *to, const char *from, int64_t bytes) {
  using Vector = char __attribute__((vector_size(16)));
  for (int64_t i = 0; i < bytes; i += 16)
    __builtin_nontemporal_store(*reinterpret_cast<const Vector *>(from + i),
                                reinterpret_cast<Vector *>(to + i));
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

void normLoopsCopy(void *to, const void *from, int64_t bytes, int32_t stream,
                   int32_t threads) {
  shareOut(bytes, 64, 2 * bytes, threads, [&](int64_t begin, int64_t end) {
    char *target = static_cast<char *>(to) + begin;
    const char *source = static_cast<const char *>(from) + begin;
    if (stream)
      streamBytes(target, source, end - begin);
    else
      std::memcpy(target, source, end - begin);
  });
}
