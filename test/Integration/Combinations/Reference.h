//===- Reference.h - norm.rmsnorm evaluated as its spec says ----*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A second, independent statement of S1 to S9 (docs/Norm.md): plain loops over
// doubles. Arithmetic in C = f32 or f64 is not rounded at all (long double), so
// it is the exact reference; narrowing casts that the op asks for (S3 scale
// type, S4 normalised type, S6 result) and every step of a 16-bit C are.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TEST_REFERENCE_H
#define NORM_TEST_REFERENCE_H

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace norm_test {

enum class Float { F16, BF16, F32, F64 };
enum class Epsilon { Inside, Outside, Clamp };

/// Precision in bits with the implicit one, and the least normal exponent.
struct Format {
  const char *name;
  int precision;
  int minExponent;
  int bytes;
};
const Format &format(Float type);

/// x rounded to the nearest value of `type`, ties to even, subnormals kept.
long double roundTo(long double x, Float type);

/// One combination of S1 to S9.
struct Spec {
  std::vector<int64_t> shape;
  Float type = Float::F32;
  std::vector<int64_t> dims;
  Float compute = Float::F32;
  double epsilon = 1e-6;
  Epsilon mode = Epsilon::Inside;
  std::optional<Float> scaleType;
  std::optional<Float> normalizedType;
  std::optional<std::vector<int64_t>> weightDims; // absent: no weight
  Float weightType = Float::F32;
  std::optional<int64_t> count;
};

struct Result {
  std::vector<double> y;      // x's shape, before the final rounding (S6)
  std::vector<double> invRms; // x's shape without dims
};

/// x and weight hold values that `type` and `weightType` represent exactly.
Result evaluate(const Spec &spec, const std::vector<double> &x,
                const std::vector<double> &weight);

/// |actual - expected| in units in the last place of `type` at `expected`;
/// 0 where both are NaN or the same infinity, infinity where only one is.
double ulpError(double actual, double expected, Float type);

} // namespace norm_test

#endif // NORM_TEST_REFERENCE_H
