//===- Bandwidth.cpp - what this machine's memory does --------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bandwidth.h"
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <unistd.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

using namespace mlir::norm;

static constexpr int64_t mebibyte = 1 << 20;

/// Returns the size of the last cache, which two such buffers exceed. The limit
/// is 64, because a virtual machine reports the cache of a whole socket and
/// pages take time.
static int64_t getMebibytes() {
  int64_t cache = 0;
#ifdef _SC_LEVEL3_CACHE_SIZE
  cache = sysconf(_SC_LEVEL3_CACHE_SIZE) / mebibyte;
#endif
  return std::clamp<int64_t>(cache, 32, 64);
}

namespace {
struct Free {
  void operator()(char *memory) const { std::free(memory); }
};
using Buffer = std::unique_ptr<char, Free>;
} // namespace

/// Allocates a buffer and writes to it, so that it has pages of its own.
static Buffer allocate(int64_t bytes) {
  Buffer buffer(static_cast<char *>(std::aligned_alloc(64, bytes)));
  if (buffer)
    std::memset(buffer.get(), 1, bytes);
  return buffer;
}

/// Copies past the caches if the processor can, as loops over large rows do.
static void copyBuffer(char *to, const char *from, int64_t bytes) {
#ifdef __SSE2__
  for (int64_t i = 0; i < bytes; i += 16)
    _mm_stream_si128(
        reinterpret_cast<__m128i *>(to + i),
        _mm_load_si128(reinterpret_cast<const __m128i *>(from + i)));
  _mm_sfence();
#else
  // A call through a volatile pointer is not optimized away.
  void *(*volatile copy)(void *, const void *, size_t) = std::memcpy;
  copy(to, from, bytes);
#endif
}

CopyRate mlir::norm::measureCopyRate() {
  CopyRate rate{0, getMebibytes()};
  int64_t bytes = rate.mebibytes * mebibyte;
  Buffer from = allocate(bytes), to = allocate(bytes);
  if (!from || !to)
    return rate;
  for (int turn = 0; turn < 3; ++turn) {
    auto start = std::chrono::steady_clock::now();
    copyBuffer(to.get(), from.get(), bytes);
    std::chrono::duration<double, std::nano> time =
        std::chrono::steady_clock::now() - start;
    rate.gigabytesPerSecond =
        std::max(rate.gigabytesPerSecond, 2 * bytes / time.count());
  }
  return rate;
}
