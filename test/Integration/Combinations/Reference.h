//===- Reference.h - norm.rmsnorm evaluated as its spec says ----*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A second, independent statement of S1 to S9 (docs/Norm.md): plain loops over
// long doubles, which hold 11 bits more than f64. Each value is kept as what
// the spec's roundings give (casts and every step of a 16-bit C; a wide C stays
// unrounded), and as the interval of all that an implementation may give: the
// sum in any order, each step of a wide C within half an ulp. Casts are
// monotone, so that an interval is rounded end by end.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TEST_REFERENCE_H
#define NORM_TEST_REFERENCE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace norm_test {

enum class Float { F16, BF16, F32, F64, F8E4M3FN, F8E5M2 };
enum class Epsilon { Inside, Outside, Clamp };
enum class Root { Reciprocal, Rsqrt, Quotient };

/// Precision in bits with the implicit one, and the least normal exponent.
struct Format {
  const char *name;
  int precision;
  int minExponent;
  int bytes;
  double largest;
};
const Format &format(Float type);

/// x rounded to the nearest value of `type`, ties to even, subnormals kept.
long double roundTo(long double x, Float type);

/// One combination of S1 to S9.
struct Spec {
  std::vector<int64_t> shape;
  Float type = Float::F32;
  Float resultType = Float::F32;
  std::vector<int64_t> dims;
  Float compute = Float::F32;
  double epsilon = 1e-6;
  Epsilon mode = Epsilon::Inside;
  Root root = Root::Reciprocal;
  std::optional<Float> sumType;
  std::optional<Float> scaleType;
  std::optional<Float> normalizedType;
  std::optional<std::vector<int64_t>> weightDims; // absent: no weight
  Float weightType = Float::F32;
  std::optional<int64_t> count;
};

/// A value of the reference and the bounds of what the spec allows for it.
struct Interval {
  long double value, low, high;
};

struct Result {
  std::vector<Interval> y;      // x's shape, after the final rounding (S6)
  std::vector<Interval> invRms; // x's shape without dims
  /// By row: ulp that y and invRms may lose to squares, and to their mean,
  /// below the normal range of C.
  std::vector<double> underflow;
};

/// x and weight hold values that `type` and `weightType` represent exactly.
Result evaluate(const Spec &spec, const std::vector<double> &x,
                const std::vector<double> &weight);

/// One product rounded to `type`, as a gate behind the norm is.
Interval multiply(Interval a, long double b, Float type);

/// A cast of one value, as a quantization behind the norm is.
Interval cast(Interval v, Float from, Float to);

/// The dimensions of x that are not normalized.
std::vector<int64_t> batchDims(const Spec &spec);

/// The row that each element of x belongs to.
std::vector<int64_t> rowOfElement(const Spec &spec);

/// The type whose half ulps an element differs by where no rounding flips: C,
/// or what follows the last rounding that the reference does as well.
Float errorType(const Spec &spec);

/// The narrowest type that the spec rounds to on the way to a result.
Float narrowestRounding(const Spec &spec);

/// |actual - expected| in units in the last place of `type` at `expected`;
/// 0 where both are NaN or the same infinity, infinity where only one is.
double ulpError(double actual, long double expected, Float type);

} // namespace norm_test

#endif // NORM_TEST_REFERENCE_H
