//===- Compare.cpp - a result against its reference -----------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Compare.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>
#include <cmath>

using namespace norm_test;

/// Half an ulp of the result; past it nothing but the interval says what is
/// right.
constexpr double kUnderflowLimit = 0.5;

static Tolerance makeTolerance(const Spec &spec, Float ulpType,
                               Float narrowest) {
  bool rounds = format(narrowest).precision < format(spec.compute).precision ||
                format(narrowest).bytes <= 2;
  double limit = format(ulpType).bytes <= 2 ? 0 : kWideLimit;
  return {ulpType, limit, rounds, narrowest, kUnderflowLimit};
}

Tolerance norm_test::getTolerance(const Spec &spec) {
  return makeTolerance(spec, errorType(spec), narrowestRounding(spec));
}

Tolerance norm_test::getInvRmsTolerance(const Spec &spec) {
  return makeTolerance(spec, spec.compute, spec.compute);
}

void Comparison::add(const Comparison &other) {
  maxUlp = std::max(maxUlp, other.maxUlp);
  elements += other.elements;
  neighbors += other.neighbors;
  furthest = std::max(furthest, other.furthest);
  underflowed += other.underflowed;
  failures += other.failures;
}

std::string norm_test::describe(const Miss &miss) {
  std::string text;
  llvm::raw_string_ostream(text)
      << "element " << miss.element << " is "
      << llvm::format("%.17g, expected %.17g in [%.17g, %.17g], ", miss.actual,
                      double(miss.expected.value), double(miss.expected.low),
                      double(miss.expected.high))
      << miss.error << " ulp";
  return text;
}

static bool isInside(double actual, Interval bounds) {
  if (std::isnan(bounds.value))
    return std::isnan(actual);
  // Zero times what may have overflowed to infinity.
  bool mayBeNaN = std::isnan(bounds.low) || std::isnan(bounds.high);
  if (std::isnan(actual))
    return mayBeNaN;
  return !(actual < bounds.low) && !(actual > bounds.high);
}

Comparison norm_test::compare(llvm::function_ref<double(size_t)> actual,
                              const std::vector<Interval> &expected,
                              llvm::function_ref<double(size_t)> underflow,
                              const Tolerance &tolerance,
                              llvm::function_ref<void(const Miss &)> miss) {
  Comparison result;
  result.elements = expected.size();
  for (size_t i = 0; i < expected.size(); ++i) {
    double value = actual(i);
    double error = ulpError(value, expected[i].value, tolerance.ulpType);
    bool isNear = error <= tolerance.limit;
    bool underflows = underflow(i) > tolerance.underflow;
    bool isAllowed = isNear || underflows || tolerance.rounds;
    if (!isInside(value, expected[i]) || !isAllowed) {
      ++result.failures;
      miss({i, value, expected[i], error});
    } else if (underflows) {
      ++result.underflowed;
    } else if (isNear) {
      result.maxUlp = std::max(result.maxUlp, error);
    } else {
      ++result.neighbors;
      result.furthest =
          std::max(result.furthest,
                   ulpError(value, expected[i].value, tolerance.narrowest));
    }
  }
  return result;
}
