//===- Reference.cpp - norm.rmsnorm evaluated as its spec says ------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reference.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cfloat>
#include <cmath>
#include <limits>

using namespace norm_test;

const Format &norm_test::format(Float type) {
  static const Format formats[] = {
      {"f16", 11, -14, 2, 0x1.FFCp15},      {"bf16", 8, -126, 2, 0x1.FEp127},
      {"f32", 24, -126, 4, 0x1.FFFFFEp127}, {"f64", 53, -1022, 8, DBL_MAX},
      {"f8E4M3FN", 4, -6, 1, 448},          {"f8E5M2", 3, -14, 1, 57344}};
  return formats[static_cast<int>(type)];
}

/// Exponent of the unit in the last place of `type` at x.
static int ulpExponent(long double x, Float type) {
  int exponent = x == 0 ? format(type).minExponent : std::ilogb(x);
  return std::max(exponent, format(type).minExponent) -
         (format(type).precision - 1);
}

long double norm_test::roundTo(long double x, Float type) {
  if (std::isinf(x) && type == Float::F8E4M3FN)
    return std::numeric_limits<long double>::quiet_NaN();
  if (!std::isfinite(x) || x == 0)
    return x;
  int unit = ulpExponent(x, type);
  // nearbyint rounds ties to even in the default mode.
  long double rounded =
      std::scalbn(std::nearbyint(std::scalbn(x, -unit)), unit);
  if (std::abs(rounded) <= format(type).largest)
    return rounded;
  // f8E4M3FN has no infinity.
  return type == Float::F8E4M3FN
             ? std::numeric_limits<long double>::quiet_NaN()
             : std::copysign(std::numeric_limits<long double>::infinity(), x);
}

double norm_test::ulpError(double actual, long double expected, Float type) {
  if (actual == expected || (std::isnan(actual) && std::isnan(expected)))
    return 0;
  long double rounded = roundTo(expected, type);
  // A reference past the largest finite value overflows to infinity, or NaN.
  if (!std::isfinite(rounded) &&
      (actual == rounded || (std::isnan(actual) && std::isnan(rounded))))
    return 0;
  if (!std::isfinite(actual) || !std::isfinite(rounded))
    return std::numeric_limits<double>::infinity();
  return double(std::abs(actual - expected) /
                std::scalbn(1.0L, ulpExponent(expected, type)));
}

static bool isNarrow(Float type) { return format(type).bytes <= 2; }

static Interval exactly(long double value) { return {value, value, value}; }

/// The bounds moved outwards by `roundings` relative errors of half an ulp.
static Interval widen(Interval v, Float type, long double roundings) {
  long double half = std::scalbn(roundings, -format(type).precision);
  // Below the normal range an error is absolute.
  long double least =
      std::scalbn(roundings, format(type).minExponent - format(type).precision);
  if (std::isfinite(v.low))
    v.low -= std::abs(v.low) * half + (v.low == 0 ? 0 : least);
  if (std::isfinite(v.high))
    v.high += std::abs(v.high) * half + (v.high == 0 ? 0 : least);
  return v;
}

Interval norm_test::cast(Interval v, Float from, Float to) {
  bool exact = format(to).precision >= format(from).precision &&
               format(to).minExponent <= format(from).minExponent;
  return exact ? v
               : Interval{roundTo(v.value, to), roundTo(v.low, to),
                          roundTo(v.high, to)};
}

namespace {
/// Operations whose results are rounded to one type.
struct Arithmetic {
  Float type;

  Interval round(Interval v) const {
    if (!isNarrow(type))
      return widen(v, type, 1);
    return {roundTo(v.value, type), roundTo(v.low, type),
            roundTo(v.high, type)};
  }
  Interval add(Interval a, long double b) const {
    return round({a.value + b, a.low + b, a.high + b});
  }
  Interval order(long double value, long double a, long double b) const {
    return round(a > b ? Interval{value, b, a} : Interval{value, a, b});
  }
  Interval multiply(Interval a, long double b) const {
    return order(a.value * b, a.low * b, a.high * b);
  }
  /// a is not negative and b is positive.
  Interval divide(Interval a, long double b) const {
    return round({a.value / b, a.low / b, a.high / b});
  }
  /// b is not negative.
  Interval divide(long double a, Interval b) const {
    return order(a / b.value, a / b.low, a / b.high);
  }
  Interval sqrt(Interval a) const {
    return round({std::sqrt(a.value), std::sqrt(std::max(a.low, 0.0L)),
                  std::sqrt(a.high)});
  }
  Interval reciprocal(Interval a) const {
    return round({1 / a.value, 1 / a.high, 1 / a.low});
  }
};
} // namespace

static bool contains(const std::vector<int64_t> &list, int64_t value) {
  return llvm::is_contained(list, value);
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

static int64_t product(const std::vector<int64_t> &shape,
                       const std::vector<int64_t> &dims) {
  int64_t total = 1;
  for (int64_t dim : dims)
    total *= shape[dim];
  return total;
}

std::vector<int64_t> norm_test::batchDims(const Spec &spec) {
  std::vector<int64_t> batch;
  for (size_t d = 0; d < spec.shape.size(); ++d)
    if (!contains(spec.dims, d))
      batch.push_back(d);
  return batch;
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

/// The type of s, n and s / n (S2).
static Float sumType(const Spec &spec) {
  return spec.sumType.value_or(spec.compute);
}

/// 1 + 2^-64 a term is not enough for many f64 terms (Neumaier).
struct CompensatedSum {
  long double sum = 0, rest = 0;

  void add(long double v) {
    long double next = sum + v;
    rest += sum >= v ? (sum - next) + v : (v - next) + sum;
    sum = next;
  }
  long double get() const { return std::isfinite(sum) ? sum + rest : sum; }
};

/// Sums overflow in any order or in none, but for the last bits.
static Interval overflow(Interval v, Float type) {
  for (long double *end : {&v.value, &v.low, &v.high})
    if (*end > format(type).largest)
      *end = std::numeric_limits<long double>::infinity();
  return v;
}

/// What an implementation may give for a sum of squares, rounded to sumType.
static Interval boundSum(const Spec &spec, long double sum, int64_t n) {
  // A 16-bit C accumulates in f32; its squares are rounded above, exactly.
  Float wide = isNarrow(spec.compute) ? Float::F32 : spec.compute;
  Float accumulator =
      format(sumType(spec)).bytes > format(wide).bytes ? sumType(spec) : wide;
  Interval s = widen(exactly(sum), accumulator, n + 1);
  if (accumulator != wide && !isNarrow(spec.compute)) {
    s = widen(s, spec.compute, 1);
    // Each square may lose as much below the normal range.
    s.low -= n * std::scalbn(1.0L,
                             format(wide).minExponent - format(wide).precision);
    s.high += n * std::scalbn(1.0L, format(wide).minExponent -
                                        format(wide).precision);
  }
  return cast(overflow(s, accumulator), accumulator, sumType(spec));
}

/// S2: one sum a row, whatever the order of its additions.
static std::vector<long double> sumSquares(const Spec &spec,
                                           const std::vector<double> &x) {
  std::vector<int64_t> batch = batchDims(spec);
  std::vector<CompensatedSum> sums(product(spec.shape, batch));
  forEachIndex(spec.shape, [&](int64_t flat, const auto &index) {
    if (spec.count && index[spec.dims[0]] >= *spec.count)
      return;
    long double v = roundTo(x[flat], spec.compute);
    sums[project(index, spec.shape, batch)].add(
        isNarrow(spec.compute) ? roundTo(v * v, spec.compute) : v * v);
  });
  std::vector<long double> totals;
  for (const CompensatedSum &sum : sums)
    totals.push_back(sum.get());
  return totals;
}

/// Result::underflow for a row. Of a 16-bit C nothing is lost: the reference
/// rounds its squares too.
static double getUnderflow(const Spec &spec, long double sum, int64_t n) {
  if (isNarrow(spec.compute) || n == 0)
    return 0;
  const Format &c = format(spec.compute);
  long double kept = sum;
  if (spec.mode == Epsilon::Inside)
    kept += n * static_cast<long double>(spec.epsilon);
  // Half a unit in the last place for each square, and as much of the mean.
  return double(n * std::scalbn(1.0L, c.minExponent) / kept);
}

/// S3: the root that x is divided by, or r.
static Interval rootOrInverse(const Spec &spec, Interval sum, int64_t n,
                              bool inverse) {
  Arithmetic c{spec.compute}, wide = c;
  if (spec.root == Root::Rsqrt && isNarrow(spec.compute))
    wide.type = Float::F32;
  long double e = roundTo(spec.epsilon, spec.compute);
  Float type = sumType(spec);
  Interval mean =
      cast(Arithmetic{type}.divide(sum, roundTo(n, type)), type, spec.compute);
  if (std::isnan(mean.value))
    return exactly(mean.value);
  Interval root{};
  switch (spec.mode) {
  case Epsilon::Inside:
    root = wide.sqrt(c.add(mean, e));
    break;
  case Epsilon::Outside:
    root = wide.add(wide.sqrt(mean), e);
    break;
  case Epsilon::Clamp:
    root = wide.sqrt(mean);
    root = {std::max(root.value, e), std::max(root.low, e),
            std::max(root.high, e)};
    break;
  }
  return inverse ? cast(wide.reciprocal(root), wide.type, spec.compute) : root;
}

/// S5: the type that the last product is rounded to.
static Float productType(const Spec &spec) {
  Float z = spec.normalizedType.value_or(spec.compute), w = spec.weightType;
  if (!spec.weightDims || z == w)
    return z;
  if (format(z).bytes == format(w).bytes)
    return Float::F32; // f16 beside bf16
  return format(w).bytes > format(z).bytes ? w : z;
}

Float norm_test::errorType(const Spec &spec) {
  bool isZRounded = spec.normalizedType || isNarrow(spec.compute);
  Float type = isZRounded ? productType(spec) : spec.compute;
  bool fewer = format(spec.resultType).precision < format(type).precision;
  return fewer ? spec.resultType : type;
}

Interval norm_test::multiply(Interval a, long double b, Float type) {
  return Arithmetic{type}.multiply(a, b);
}

/// S4 to S6 for one element.
static Interval scale(const Spec &spec, long double x, Interval r,
                      std::optional<long double> weight) {
  if (spec.scaleType)
    r = cast(r, spec.compute, *spec.scaleType);
  Arithmetic c{spec.compute};
  x = roundTo(x, spec.compute);
  Interval z = spec.root == Root::Quotient ? c.divide(x, r) : c.multiply(r, x);
  Float type = spec.normalizedType.value_or(spec.compute);
  z = cast(z, spec.compute, type);
  if (weight) {
    type = productType(spec);
    z = Arithmetic{type}.multiply(z, *weight);
  }
  return cast(z, type, spec.resultType);
}

Result norm_test::evaluate(const Spec &spec, const std::vector<double> &x,
                           const std::vector<double> &weight) {
  int64_t n = spec.count.value_or(product(spec.shape, spec.dims));
  std::vector<int64_t> batch = batchDims(spec);
  Result result;
  std::vector<Interval> scales;
  for (long double sum : sumSquares(spec, x)) {
    Interval s = boundSum(spec, sum, n);
    result.underflow.push_back(getUnderflow(spec, sum, n));
    result.invRms.push_back(rootOrInverse(spec, s, n, /*inverse=*/true));
    scales.push_back(rootOrInverse(spec, s, n, spec.root != Root::Quotient));
  }
  result.y.resize(x.size());
  forEachIndex(spec.shape, [&](int64_t flat, const auto &index) {
    std::optional<long double> w;
    if (spec.weightDims)
      w = weight[project(index, spec.shape, *spec.weightDims)];
    result.y[flat] =
        scale(spec, x[flat], scales[project(index, spec.shape, batch)], w);
  });
  return result;
}

std::vector<int64_t> norm_test::rowOfElement(const Spec &spec) {
  std::vector<int64_t> rows, batch = batchDims(spec);
  forEachIndex(spec.shape, [&](int64_t, const auto &index) {
    rows.push_back(project(index, spec.shape, batch));
  });
  return rows;
}

Float norm_test::narrowestRounding(const Spec &spec) {
  Float narrowest = spec.compute;
  for (std::optional<Float> type :
       {spec.scaleType, spec.normalizedType, std::optional(spec.resultType)})
    if (type && format(*type).precision < format(narrowest).precision)
      narrowest = *type;
  return narrowest;
}
