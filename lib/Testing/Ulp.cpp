//===- Ulp.cpp - comparison in units in the last place --------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Testing/Ulp.h"
#include "norm/IR/RoundFloat.h"
#include <cmath>
#include <limits>

using namespace mlir;
using namespace mlir::norm;

double norm::getUlpError(double actual, double expected,
                         const llvm::fltSemantics &semantics) {
  if (actual == expected || (std::isnan(actual) && std::isnan(expected)))
    return 0;
  APFloat rounded = roundTo(APFloat(expected), semantics);
  // A reference past the largest finite value overflows to infinity.
  if (rounded.isInfinity() && rounded.convertToDouble() == actual)
    return 0;
  if (!std::isfinite(actual) || !rounded.isFinite())
    return std::numeric_limits<double>::infinity();
  int minExponent = APFloat::semanticsMinExponent(semantics);
  int exponent =
      expected == 0 ? minExponent : std::max(std::ilogb(expected), minExponent);
  int precision = APFloat::semanticsPrecision(semantics);
  return std::abs(static_cast<long double>(actual) - expected) /
         std::scalbn(1.0L, exponent - (precision - 1));
}

static double getError(const HostTensor &actual, const HostTensor &expected,
                       int64_t i) {
  if (auto type = dyn_cast<FloatType>(actual.getElementType()))
    return getUlpError(actual.getElement(i), expected.getElement(i),
                       type.getFloatSemantics());
  APSInt a = actual.getInteger(i), x = expected.getInteger(i);
  return (a.isSigned() ? llvm::APIntOps::abds(a, x)
                       : llvm::APIntOps::abdu(a, x))
      .roundToDouble();
}

UlpReport norm::compareTensors(const HostTensor &actual,
                               const HostTensor &expected, double maxUlp) {
  UlpReport report;
  for (int64_t i = 0, e = actual.getNumElements(); i < e; ++i) {
    double error = getError(actual, expected, i);
    if (error > maxUlp)
      ++report.overLimit;
    if (error > report.maxUlp || i == 0) {
      report.maxUlp = error;
      report.worst = i;
    }
  }
  return report;
}
