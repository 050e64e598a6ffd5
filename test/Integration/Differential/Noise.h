//===- Noise.h - how far a result depends on rounding -----------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Monte Carlo arithmetic (D. S. Parker, 1997): the reference's program calls
// these functions after each operation whose last bits another correct
// compilation may choose otherwise. They return what they are given, or, while
// noise is on, a neighbor at random. How far results move is the error that
// another order of a sum may have: no tolerance is chosen for a program.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TEST_NOISE_H
#define NORM_TEST_NOISE_H

#include <cstdint>

namespace norm_test {

/// Why another compilation may differ after an operation.
enum NoiseKind : int32_t {
  Reordered = 1, ///< a step of a reduction: the order is free
  Function = 2,  ///< exp and its kin: docs/Codegen.md bounds them
  Rewritten = 4, ///< any other: recognition under `default` may change it
  /// Added to Reordered where a sum of numbers is infinite or nearly so.
  Overflowed = 8,
};

struct Noise {
  int32_t kinds = 0; ///< which operations are disturbed, of NoiseKind
  uint64_t state = 0;
  int64_t disturbed = 0; ///< how many values may have been
  bool isWild = false;   ///< sums near the range's end often leave it
};

/// Read by the functions below.
extern Noise noise;

/// For the kinds of `kinds`, drawing from `seed`.
void startNoise(int32_t kinds, uint64_t seed);
void stopNoise();

} // namespace norm_test

#endif // NORM_TEST_NOISE_H
