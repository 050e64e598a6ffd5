//===- Reference.cpp - norm.rmsnorm evaluated as its spec says ------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reference.h"
#include <algorithm>
#include <cmath>
#include <limits>

using namespace norm_test;

const Format &norm_test::format(Float type) {
  static const Format formats[] = {{"f16", 11, -14, 2},
                                   {"bf16", 8, -126, 2},
                                   {"f32", 24, -126, 4},
                                   {"f64", 53, -1022, 8}};
  return formats[static_cast<int>(type)];
}

static int maxExponent(Float type) { return 1 - format(type).minExponent; }

/// Exponent of the unit in the last place of `type` at x.
static int ulpExponent(long double x, Float type) {
  int exponent = x == 0 ? format(type).minExponent : std::ilogb(x);
  return std::max(exponent, format(type).minExponent) -
         (format(type).precision - 1);
}

long double norm_test::roundTo(long double x, Float type) {
  if (!std::isfinite(x) || x == 0)
    return x;
  int unit = ulpExponent(x, type);
  // nearbyint rounds ties to even in the default mode.
  long double rounded =
      std::scalbn(std::nearbyint(std::scalbn(x, -unit)), unit);
  if (std::abs(rounded) >= std::scalbn(1.0L, maxExponent(type) + 1))
    return std::copysign(std::numeric_limits<long double>::infinity(), x);
  return rounded;
}

double norm_test::ulpError(double actual, double expected, Float type) {
  if (std::isnan(actual) && std::isnan(expected))
    return 0;
  double expectedRounded = roundTo(expected, type);
  if (actual == expected || actual == expectedRounded)
    return actual == expected
               ? 0
               : double(std::abs((long double)actual - expected) /
                        std::scalbn(1.0L, ulpExponent(expected, type)));
  if (!std::isfinite(actual) || !std::isfinite(expectedRounded))
    return std::numeric_limits<double>::infinity();
  return std::abs((long double)actual - expected) /
         std::scalbn(1.0L, ulpExponent(expected, type));
}

namespace {
/// The arithmetic of the compute type: 16-bit types round each step, wider ones
/// stay exact so that the result is a reference for them.
struct Arithmetic {
  Float compute;
  long double operator()(long double value) const {
    bool narrow = compute == Float::F16 || compute == Float::BF16;
    return narrow ? roundTo(value, compute) : value;
  }
};
} // namespace

static bool contains(const std::vector<int64_t> &list, int64_t value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

/// Row-major position of `index` in the sub-shape of `dims`.
static int64_t project(const std::vector<int64_t> &index,
                       const std::vector<int64_t> &shape,
                       const std::vector<int64_t> &dims) {
  int64_t position = 0;
  for (int64_t dim : dims)
    position = position * shape[dim] + index[dim];
  return position;
}

template <typename Visit>
static void forEachIndex(const std::vector<int64_t> &shape, Visit visit) {
  int64_t total = 1;
  for (int64_t extent : shape)
    total *= extent;
  std::vector<int64_t> index(shape.size(), 0);
  for (int64_t flat = 0; flat < total; ++flat) {
    visit(flat, index);
    for (int64_t d = int64_t(shape.size()) - 1; d >= 0; --d) {
      if (++index[d] < shape[d])
        break;
      index[d] = 0;
    }
  }
}

static long double inverseRoot(const Spec &spec, long double sum, int64_t n) {
  Arithmetic c{spec.compute};
  long double e = roundTo(spec.epsilon, spec.compute);
  long double mean = c(c(sum) / c((long double)n));
  switch (spec.mode) {
  case Epsilon::Inside:
    return c(1 / c(std::sqrt(c(mean + e))));
  case Epsilon::Outside:
    return c(1 / c(c(std::sqrt(mean)) + e));
  case Epsilon::Clamp: {
    long double root = c(std::sqrt(mean));
    return c(1 / (std::isnan(root) ? root : std::max(root, e)));
  }
  }
  return 0;
}

Result norm_test::evaluate(const Spec &spec, const std::vector<double> &x,
                           const std::vector<double> &weight) {
  Arithmetic c{spec.compute};
  int64_t n = 1;
  std::vector<int64_t> batch;
  for (size_t d = 0; d < spec.shape.size(); ++d) {
    if (contains(spec.dims, d))
      n *= spec.shape[d];
    else
      batch.push_back(d);
  }
  n = spec.count.value_or(n);

  int64_t rows = 1;
  for (int64_t dim : batch)
    rows *= spec.shape[dim];
  std::vector<long double> sums(rows, 0);
  forEachIndex(spec.shape, [&](int64_t flat, const auto &index) {
    if (spec.count && index[spec.dims[0]] >= *spec.count)
      return;
    long double v = roundTo(x[flat], spec.compute);
    sums[project(index, spec.shape, batch)] += c(v * v);
  });

  Result result;
  for (long double &sum : sums) {
    sum = inverseRoot(spec, sum, n);
    result.invRms.push_back(sum);
  }
  result.y.resize(x.size());
  forEachIndex(spec.shape, [&](int64_t flat, const auto &index) {
    long double r = sums[project(index, spec.shape, batch)];
    if (spec.scaleType)
      r = roundTo(r, *spec.scaleType);
    long double z = c(roundTo(x[flat], spec.compute) * r);
    if (spec.normalizedType)
      z = roundTo(z, *spec.normalizedType);
    if (spec.weightDims) {
      z *= weight[project(index, spec.shape, *spec.weightDims)];
      Float zType = spec.normalizedType.value_or(spec.compute);
      // S5: the product is rounded in the wider of the two types; f16 with bf16
      // multiply in f32, which is exact here.
      if (format(zType).bytes == 2 && zType == spec.weightType)
        z = roundTo(z, zType);
    }
    result.y[flat] = z;
  });
  return result;
}
