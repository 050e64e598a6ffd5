//===- Values.cpp - narrow floats and what rows should be -----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Program.h"
#include <algorithm>
#include <cmath>
#include <cstring>

using namespace norm::bench;

namespace {
struct Format {
  int mantissa; ///< bits without the implicit one
  int least;    ///< exponent of the smallest normal number
  double most;  ///< largest number
};
} // namespace

/// Integers are numbers below 2^8 without a fraction.
static Format getFormat(Element element) {
  switch (element) {
  case Element::F64:
    return {52, -1022, 0x1.fffffffffffffp1023};
  case Element::F32:
    return {23, -126, 0x1.fffffep127};
  case Element::F16:
    return {10, -14, 65504.0};
  case Element::BF16:
    return {7, -126, 0x1.fep127};
  case Element::I8:
    return {7, 7, 127};
  case Element::F8E4M3FN:
    return {3, -6, 448};
  }
  return {};
}

double norm::bench::getUnit(double value, Element element) {
  Format format = getFormat(element);
  int exponent = format.least;
  if (value != 0 && std::isfinite(value))
    exponent = std::max(std::ilogb(value), format.least);
  return std::ldexp(1.0, exponent - format.mantissa);
}

double norm::bench::roundTo(double value, Element element) {
  if (!std::isfinite(value))
    return value;
  Format format = getFormat(element);
  double unit = getUnit(value, element);
  double rounded = std::nearbyint(value / unit) * unit;
  return std::fabs(rounded) > format.most ? std::copysign(INFINITY, value)
                                          : rounded;
}

double norm::bench::getUlp(double actual, double expected, Element element) {
  if (actual == expected || (std::isnan(actual) && std::isnan(expected)))
    return 0;
  double ulp = std::fabs(actual - expected) / getUnit(expected, element);
  return std::isnan(ulp) ? INFINITY : ulp;
}

static double loadFP8(uint8_t bits) {
  int exponent = bits >> 3 & 15, mantissa = bits & 7;
  double value = exponent ? std::ldexp(8 + mantissa, exponent - 10)
                          : std::ldexp(mantissa, -9);
  if ((bits & 127) == 127)
    value = NAN;
  return bits >> 7 ? -value : value;
}

double norm::bench::load(const void *data, int64_t position, Element element) {
  if (element == Element::F64)
    return static_cast<const double *>(data)[position];
  if (element == Element::F32)
    return static_cast<const float *>(data)[position];
  if (element == Element::I8)
    return static_cast<const int8_t *>(data)[position];
  if (element == Element::F8E4M3FN)
    return loadFP8(static_cast<const uint8_t *>(data)[position]);
  uint16_t bits = static_cast<const uint16_t *>(data)[position];
  if (element == Element::BF16) {
    uint32_t wide = uint32_t(bits) << 16;
    float value;
    std::memcpy(&value, &wide, sizeof(value));
    return value;
  }
  int exponent = bits >> 10 & 31, mantissa = bits & 1023;
  double value = exponent == 31 ? (mantissa ? NAN : INFINITY)
                 : exponent     ? std::ldexp(1024 + mantissa, exponent - 25)
                                : std::ldexp(mantissa, -24);
  return bits >> 15 ? -value : value;
}

/// Stores finite f32, f16 and bf16 only, as inputs are.
void norm::bench::store(void *data, int64_t position, Element element,
                        double value) {
  float single = static_cast<float>(roundTo(value, element));
  if (element == Element::F32) {
    static_cast<float *>(data)[position] = single;
    return;
  }
  uint32_t bits;
  std::memcpy(&bits, &single, sizeof(bits));
  uint16_t narrow = bits >> 16;
  if (element == Element::F16) {
    float magnitude = std::fabs(single);
    // Exponents are rebased from 127 to 15; the unit of subnormals is 2^-24.
    narrow =
        (narrow & 0x8000) |
        (magnitude < 0x1p-14f ? static_cast<uint16_t>(magnitude * 0x1p24f)
                              : (bits >> 13 & 0x3FFFF) - ((127 - 15) << 10));
  }
  static_cast<uint16_t *>(data)[position] = narrow;
}

bool norm::bench::isVariant(const std::string &variant) {
  return variant == "llama" || variant == "gemma" || variant == "plain" ||
         variant == "bias" || variant == "residual" || variant == "residuals";
}

using Row = std::vector<double>;

/// Returns 1 / sqrt(mean(x^2) + eps).
static double getInverseRoot(const Row &x) {
  double sum = 0;
  for (double v : x)
    sum += v * v;
  double epsilon = static_cast<double>(1.0e-6f);
  return 1.0 / std::sqrt(sum / static_cast<double>(x.size()) + epsilon);
}

/// The variants are those of tools/norm-bench/Program.cpp.
std::vector<Row> norm::bench::computeRow(const std::string &variant,
                                         const std::vector<Row> &arguments,
                                         Element element) {
  std::vector<Row> results;
  Row x = arguments[0];
  size_t next = 1;
  size_t summands = variant == "residual" ? 1 : variant == "residuals" ? 2 : 0;
  for (size_t end = next + summands; next < end; ++next)
    for (size_t i = 0; i < x.size(); ++i)
      x[i] = roundTo(x[i] + arguments[next][i], element);
  if (summands)
    results.push_back(x);
  const Row *w = variant == "plain" ? nullptr : &arguments[next++];
  const Row *bias = variant == "bias" ? &arguments[next++] : nullptr;
  double inverse = getInverseRoot(x);
  // The reference for f32 is not rounded, to keep its last bits.
  auto narrow = [&](double v) {
    return element == Element::F32 ? v : roundTo(v, element);
  };
  Row y(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    double z = x[i] * inverse;
    if (variant == "plain")
      y[i] = narrow(z);
    else if (variant == "gemma")
      y[i] = narrow(z * (1.0 + (*w)[i]));
    else
      y[i] = narrow(narrow(z) * (*w)[i]);
    if (bias)
      y[i] = narrow(y[i] + (*bias)[i]);
  }
  results.push_back(y);
  return results;
}
