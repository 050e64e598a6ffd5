//===- Bandwidth.cpp - what this machine's memory does --------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bandwidth.h"
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <new>
#include <unistd.h>

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

/// 16 bytes.
using Vector = char __attribute__((vector_size(16)));

CopyRate mlir::norm::measureCopyRate() {
  CopyRate rate{0, getMebibytes()};
  int64_t count = rate.mebibytes * mebibyte / sizeof(Vector);
  std::unique_ptr<Vector[]> from(new (std::nothrow) Vector[count]),
      to(new (std::nothrow) Vector[count]);
  if (!from || !to)
    return rate;
  // So that they have pages of their own.
  std::fill_n(from.get(), count, Vector{1});
  std::fill_n(to.get(), count, Vector{2});
  for (int i = 0; i < 3; ++i) {
    auto start = std::chrono::steady_clock::now();
    // Past the caches, as loops over large rows write.
    for (int64_t k = 0; k < count; ++k)
      __builtin_nontemporal_store(from[k], &to[k]);
    std::atomic_thread_fence(std::memory_order_seq_cst);
    std::chrono::duration<double, std::nano> time =
        std::chrono::steady_clock::now() - start;
    rate.gigabytesPerSecond = std::max(
        rate.gigabytesPerSecond, 2 * rate.mebibytes * mebibyte / time.count());
  }
  return rate;
}
