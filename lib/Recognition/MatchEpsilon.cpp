//===- MatchEpsilon.cpp - what epsilon is beside the mean -----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Match.h"
#include <cmath>

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::row;

static APFloat convert(APFloat value, const llvm::fltSemantics &semantics) {
  bool losesInfo;
  value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return value;
}

/// The product of scales, near enough for an epsilon; NaN where an extent is
/// only known at run time.
static double getValue(ArrayRef<Scale> scales, double exponent) {
  double product = 1;
  for (const Scale &scale : scales) {
    auto *constant = dyn_cast<ConstantNode>(scale.value);
    if (!constant)
      return std::nan("");
    double value =
        convert(constant->getValue(), APFloat::IEEEdouble()).convertToDouble();
    double power = static_cast<double>(int64_t(scale.exponent.num)) /
                   static_cast<double>(int64_t(scale.exponent.den));
    product *= std::pow(value, power * exponent);
  }
  return product;
}

/// With (sum * a + e)^(-1/2), e counts as e / (a * n) beside the mean; with the
/// root, as e / (b * n^(1/2)), b being what scales the root itself.
static double getFactor(const InverseRoot &inverse, const Statistic &statistic,
                        double terms) {
  if (terms == 0) // dynamic, and not the mean
    return std::nan("");
  bool isMean = inverse.mode == EpsilonMode::Inside || inverse.clampsMean;
  SmallVector<Scale, 2> inner(inverse.inner);
  for (const Scale &scale : statistic.scales)
    inner.push_back({scale.value, scale.exponent * Fraction(-1, 2)});
  double scaled = getValue(inner, isMean ? -2 : -1);
  return 1 / (scaled * (isMean ? terms : std::sqrt(terms)));
}

Check norm::matchEpsilon(const InverseRoot &inverse, const Statistic &statistic,
                         const Divisor &divisor, PlannedNorm &norm,
                         Deviations &deviations) {
  const auto &semantics = norm.computeType.getFloatSemantics();
  norm.mode = inverse.mode;
  norm.epsilon = APFloat::getZero(semantics);
  if (!inverse.epsilon)
    return std::nullopt;
  auto *constant = dyn_cast<ConstantNode>(stripCasts(inverse.epsilon));
  if (!constant)
    return reject(Why::EpsilonOfProgram);
  norm.epsilon = convert(constant->getValue(), semantics);
  if ((norm.epsilon.isNegative() && !norm.epsilon.isZero()) ||
      !norm.epsilon.isFinite())
    return reject(Why::EpsilonOutOfRange, norm.epsilon);
  norm.epsilon.clearSign();
  double factor =
      divisor.isStandard ? 1 : getFactor(inverse, statistic, divisor.terms);
  if (inverse.clampsRoot) // r is at most K: the root is at least 1/K
    factor = 1;
  if ((factor == 1 && !inverse.clampsMean && !inverse.clampsRoot) ||
      norm.epsilon.isZero())
    return std::nullopt;
  double epsilon =
      convert(norm.epsilon, APFloat::IEEEdouble()).convertToDouble() * factor;
  if (inverse.clampsMean)
    epsilon = std::sqrt(epsilon);
  if (inverse.clampsRoot)
    epsilon = 1 / epsilon;
  if (std::isnan(epsilon))
    return reject(Why::EpsilonScaled);
  deviations.addInexact(Why::OtherOrder);
  norm.epsilon = convert(APFloat(epsilon), semantics);
  // A smaller epsilon may be 0 in C, and a row of zeros NaN.
  if (!norm.epsilon.isNormal())
    return reject(Why::EpsilonVanishes, APFloat(epsilon), norm.computeType);
  return std::nullopt;
}
