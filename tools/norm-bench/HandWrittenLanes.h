//===- HandWrittenLanes.h - what the AVX2 loops share -----------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TOOLS_NORM_BENCH_HANDWRITTENLANES_H
#define NORM_TOOLS_NORM_BENCH_HANDWRITTENLANES_H

#include <immintrin.h>

namespace mlir::norm {

/// The sum of all lanes of four accumulators.
__attribute__((target("avx2,fma"))) inline float
addLanes(const __m256 (&sums)[4]) {
  alignas(32) float lanes[8];
  _mm256_store_ps(lanes, _mm256_add_ps(_mm256_add_ps(sums[0], sums[1]),
                                       _mm256_add_ps(sums[2], sums[3])));
  float total = 0;
  for (float lane : lanes)
    total += lane;
  return total;
}

} // namespace mlir::norm

#endif // NORM_TOOLS_NORM_BENCH_HANDWRITTENLANES_H
