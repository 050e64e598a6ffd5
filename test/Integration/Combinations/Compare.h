//===- Compare.h - a result against its reference ---------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TEST_COMPARE_H
#define NORM_TEST_COMPARE_H

#include "Reference.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace norm_test {

/// Errors of f32 and f64 in ulp (DESIGN, numbers are gates).
constexpr double kWideLimit = 4;

/// In what an element's error is counted, and how much of it passes.
struct Tolerance {
  Float ulpType;
  double limit;     // ulp, where no rounding to fewer bits flips
  bool rounds;      // one may
  Float narrowest;  // to which
  double underflow; // ulp that a row may lose to it before only the interval
                    // counts
};

/// Of y, and of inv_rms.
Tolerance getTolerance(const Spec &spec);
Tolerance getInvRmsTolerance(const Spec &spec);

struct Comparison {
  double maxUlp = 0; // without neighbors and rows that underflow
  int64_t elements = 0;
  int64_t neighbors = 0;   // inside the interval, past the limit
  double furthest = 0;     // neighbor, in ulp of the narrowest rounding
  int64_t underflowed = 0; // elements of such rows
  int64_t failures = 0;

  void add(const Comparison &other);
};

/// An element that does not pass.
struct Miss {
  size_t element;
  double actual;
  Interval expected;
  double error;
};
std::string describe(const Miss &miss);

/// `underflow` is Result's, by element.
Comparison compare(llvm::function_ref<double(size_t)> actual,
                   const std::vector<Interval> &expected,
                   llvm::function_ref<double(size_t)> underflow,
                   const Tolerance &tolerance,
                   llvm::function_ref<void(const Miss &)> miss);

} // namespace norm_test

#endif // NORM_TEST_COMPARE_H
