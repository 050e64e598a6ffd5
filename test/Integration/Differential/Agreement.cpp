//===- Agreement.cpp - whether two compilations agree ---------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Agreement.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Format.h"
#include <cmath>
#include <cstring>

using namespace mlir;
using namespace norm_test;
using norm::HostTensor;

/// One unit in the last place of `type` at `value`; 1 for integers.
static double getUnit(Type type, double value) {
  auto floatType = dyn_cast<FloatType>(type);
  if (!floatType)
    return 1;
  const llvm::fltSemantics &semantics = floatType.getFloatSemantics();
  int precision = APFloat::semanticsPrecision(semantics);
  int least = APFloat::semanticsMinExponent(semantics);
  int exponent = value == 0 ? least : std::max(std::ilogb(value), least);
  return std::ldexp(1.0, exponent - precision + 1);
}

/// Neither is a number, and they are the same; or the same zero.
static bool isSameKind(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::isnan(a) && std::isnan(b);
  return a == b && std::signbit(a) == std::signbit(b);
}

/// Integers of 64 bits may differ where the doubles do not.
static bool areSameBits(const HostTensor &a, const HostTensor &b, int64_t i) {
  size_t bytes = HostTensor::getElementBytes(a.getElementType());
  return std::memcmp(a.getData() + i * bytes, b.getData() + i * bytes, bytes) ==
         0;
}

/// Whether the elements at `i` are the same number, or no number alike.
static bool isSame(const HostTensor &a, const HostTensor &b, int64_t i) {
  if (!isa<FloatType>(a.getElementType()))
    return areSameBits(a, b, i);
  return isSameKind(a.getElement(i), b.getElement(i));
}

Reference::Reference(HostTensor tensor)
    : value(std::move(tensor)), spread(value.getNumElements(), 0) {}

void Reference::addRun(const HostTensor &disturbed) {
  for (size_t i = 0; i < spread.size(); ++i) {
    double a = value.getElement(i), b = disturbed.getElement(i);
    if (isSame(value, disturbed, i))
      continue;
    double distance = std::isfinite(a) && std::isfinite(b) && a != b
                          ? std::fabs(a - b)
                          : INFINITY;
    spread[i] = std::max(spread[i], distance);
  }
}

static std::string describe(const HostTensor &actual,
                            const HostTensor &expected, int64_t first,
                            int64_t count) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << count << " of " << actual.getNumElements() << " elements of "
     << HostTensor::getText(actual.getShape()) << "x" << actual.getElementType()
     << " differ, at " << first
     << llvm::format(": %.9g, expected %.9g", actual.getElement(first),
                     expected.getElement(first));
  return text;
}

namespace {
/// The elements that differ in one comparison.
struct Differences {
  int64_t first = -1, count = 0;
  void add(int64_t i) { first = count++ == 0 ? i : first; }
};
} // namespace

/// How far a number may be off whose noise moved it by `spread` at most;
/// `slack` is a unit where there was noise at all.
static double getBound(Type type, double spread, double slack, double unit) {
  if (type.isF32() || type.isF64())
    return 4 * spread + 4 * slack;
  // A single unit is a rounding that flips, more is an error that grows.
  return isa<FloatType>(type) && spread > 2 * unit ? 4 * spread : spread;
}

/// The quadratic mean of `getSpread` over elements of which noise leaves a
/// number.
static double getMeanSpread(int64_t begin, int64_t end,
                            llvm::function_ref<double(int64_t)> getSpread) {
  double sum = 0;
  int64_t count = 0;
  for (int64_t i = begin; i < end; ++i)
    if (double spread = getSpread(i); std::isfinite(spread)) {
      sum += spread * spread;
      ++count;
    }
  return count == 0 ? 0 : std::sqrt(sum / count);
}

static double getRowSpread(const Reference &reference, int64_t i) {
  ArrayRef<int64_t> shape = reference.value.getShape();
  int64_t length = shape.empty() ? 1 : shape.back(), row = i / length * length;
  return getMeanSpread(row, row + length,
                       [&](int64_t k) { return reference.spread[k]; });
}

/// Of the whole result, beside each element's value.
static double getRelativeSpread(const Reference &reference) {
  return getMeanSpread(0, reference.spread.size(), [&](int64_t k) {
    return reference.spread[k] / std::fabs(reference.value.getElement(k));
  });
}

/// What a few elements may be off by: a last bit that flipped a rounding to 16
/// bits, or noise that by chance hardly moved the element, or its row, in all
/// of its runs, but others.
static double getRareBound(const Reference &reference, int64_t i, double unit,
                           double relativeSpread) {
  Type type = reference.value.getElementType();
  double others =
      8 * std::max(getRowSpread(reference, i),
                   relativeSpread * std::fabs(reference.value.getElement(i)));
  if (type.isF32() || type.isF64())
    return others + 4 * unit;
  if (!isa<FloatType>(type))
    return reference.spread[i] + unit;
  return std::max(reference.spread[i] + 4 * unit,
                  others > 16 * unit ? others : 0);
}

std::string norm_test::describeDisagreement(const HostTensor &actual,
                                            const Reference &reference) {
  const HostTensor &expected = reference.value;
  Type type = expected.getElementType();
  bool isWide = type.isF32() || type.isF64();
  Differences differences, neighbors;
  double relativeSpread = getRelativeSpread(reference);
  for (int64_t i = 0, e = expected.getNumElements(); i < e; ++i) {
    double a = actual.getElement(i), b = expected.getElement(i);
    double spread = reference.spread[i];
    if (isSame(actual, expected, i) || std::isinf(spread) ||
        (reference.zeros == Zeros::AnySign && a == b))
      continue;
    double distance = std::fabs(a - b), unit = getUnit(type, b);
    // A zero of the other sign is no distance.
    bool isNumber = std::isfinite(a) && std::isfinite(b) && a != b;
    double bound = getBound(type, spread, reference.isDisturbed * unit, unit);
    if (isNumber && distance <= bound)
      continue;
    if (isNumber && reference.isDisturbed && !type.isInteger(1) &&
        distance <= getRareBound(reference, i, unit, relativeSpread))
      neighbors.add(i);
    else
      differences.add(i);
  }
  if (differences.count > 0)
    return describe(actual, expected, differences.first, differences.count);
  if (neighbors.count > 1 + expected.getNumElements() / (isWide ? 50 : 500))
    return describe(actual, expected, neighbors.first, neighbors.count);
  return "";
}

std::string norm_test::describeDistance(const HostTensor &actual,
                                        const HostTensor &expected,
                                        const Reference &reference) {
  Type type = expected.getElementType();
  double units = type.isF32() || type.isF64() ? 16 : 2;
  int64_t rowLength =
      expected.getShape().empty() ? 1 : expected.getShape().back();
  Differences differences;
  double largest = 0;
  for (int64_t i = 0, e = expected.getNumElements(); i < e; ++i) {
    if (i % rowLength == 0) {
      largest = 0;
      for (int64_t k = i; k < i + rowLength; ++k)
        if (std::isfinite(expected.getElement(k)))
          largest = std::max(largest, std::fabs(expected.getElement(k)));
    }
    double a = actual.getElement(i), b = expected.getElement(i);
    // What upstream's pipeline makes of the program may be as far away, where
    // the front end wrote other constants than the framework uses.
    double own = std::fabs(reference.value.getElement(i) - b);
    double bound = 16 * reference.spread[i] + units * getUnit(type, largest) +
                   (own <= largest / 1000 ? 2 * own : 0);
    if (a != b && !isSameKind(a, b) && !std::isinf(reference.spread[i]) &&
        !(std::fabs(a - b) <= bound))
      differences.add(i);
  }
  return differences.count == 0
             ? ""
             : describe(actual, expected, differences.first, differences.count);
}
