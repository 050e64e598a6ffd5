//===- MatchStatistic.cpp - is this the reciprocal root of a mean square?
//---===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Matcher.h"
#include "llvm/ADT/SmallBitVector.h"
#include <cmath>

using namespace mlir;
using namespace mlir::norm;
using Kind = Expr::Kind;

std::optional<Scale> norm::getScale(const Expr *expr) {
  Scale scale{expr, 1, 1};
  if (expr->kind == Kind::Pow)
    scale = {expr->operands[0], expr->numerator, expr->denominator};
  if (scale.value->kind != Kind::Constant && scale.value->kind != Kind::Count)
    return std::nullopt;
  return scale;
}

//===----------------------------------------------------------------------===//
// The reciprocal root: S2, S3
//===----------------------------------------------------------------------===//

/// Splits the constants off the one factor of \p expr that holds a reduction.
Check Matcher::splitScales(const Expr *&expr, SmallVectorImpl<Scale> &scales) {
  SmallVector<const Expr *> factors;
  expr = peel(expr);
  flatten(expr, factors);
  const Expr *statistic = nullptr;
  for (const Expr *factor : factors) {
    if (factor->hasReduction) {
      if (statistic)
        return refuse(Refusal::NotASquare,
                      "the statistic is a product of two reductions");
      statistic = factor;
    } else if (std::optional<Scale> scale = getScale(factor)) {
      scales.push_back(*scale);
    } else {
      return refuse(Refusal::DynamicExtent,
                    "the sum is divided by a value that is not a constant");
    }
  }
  if (!statistic)
    return refuse(Refusal::NotASquare,
                  "the statistic is not one sum of squares");
  expr = peel(statistic);
  return expr->kind == Kind::Mul && expr != statistic
             ? splitScales(expr, scales)
             : std::nullopt;
}

/// min(statistic, the largest finite value) only matters where it overflowed.
void Matcher::stripUpperBound(const Expr *&statistic) {
  statistic = peel(statistic);
  if (statistic->kind != Kind::Min)
    return;
  for (unsigned i : {0u, 1u}) {
    const Expr *bound = statistic->operands[1 - i];
    if (bound->kind != Kind::Constant || bound->value->isNegative() ||
        !(bound->value->isInfinity() || bound->value->isLargest()))
      continue;
    inverse.boundsAbove = true;
    statistic = peel(statistic->operands[i]);
    return;
  }
}

/// Takes e off statistic + e, which `added` says the mode of, or off the clamp
/// max(statistic, e).
Check Matcher::takeEpsilon(const Expr *&statistic, EpsilonMode added) {
  stripUpperBound(statistic);
  if (statistic->kind != Kind::Add && statistic->kind != Kind::Max)
    return std::nullopt;
  bool second = statistic->operands[1]->hasReduction;
  const Expr *epsilon = statistic->operands[!second];
  if (epsilon->hasReduction)
    return refuse(Refusal::NotASquare,
                  "the statistic is not one sum of squares");
  if (inverse.epsilon)
    return refuse(Refusal::RoundingNotRepresentable,
                  "expected one epsilon, found two");
  inverse.epsilon = epsilon;
  inverse.mode = added;
  if (statistic->kind == Kind::Max) {
    inverse.mode = EpsilonMode::Clamp;
    inverse.clampsMean = added == EpsilonMode::Inside;
    inverse.dropsNaN = statistic->dropsNaN;
  }
  statistic = statistic->operands[second];
  stripUpperBound(statistic);
  return std::nullopt;
}

/// (radicand)^(-1/2), or the reciprocal of a denominator.
Check Matcher::takeApart(const Expr *factor) {
  factor = stripExtend(factor);
  if (factor->kind == Kind::Round)
    factor = factor->operands[0];
  factor = peel(factor);
  if (factor->kind != Kind::Pow)
    return refuse(Refusal::RoundingNotRepresentable,
                  "the reciprocal root is rounded more than once");
  inverse.viaRsqrt = factor->viaRsqrt;
  // In f32 and f64 these differ in last bits: checkRounding.
  if (factor->type.getIntOrFloatBitWidth() == 16 && factor->divides)
    inverse.form = RootForm::Quotient;
  else if (factor->type.getIntOrFloatBitWidth() == 16 &&
           factor->denominator == 2 && !factor->inTwoSteps)
    inverse.form = RootForm::Rsqrt;
  if (factor->numerator == -1 && factor->denominator == 2)
    return takeRadicand(factor->operands[0]);
  if (factor->numerator == -1 && factor->denominator == 1)
    return takeDenominator(factor->operands[0]);
  return refuse(
      Refusal::WrongExponent,
      "expected the exponent -1/2, found " + Twine(factor->numerator) +
          (factor->denominator == 1 ? Twine("")
                                    : "/" + Twine(factor->denominator)));
}

/// c * root, c * (root + e) or c * max(root, e).
Check Matcher::takeDenominator(const Expr *base) {
  if (Check reason = splitScales(base, inverse.outside))
    return reason;
  SmallVector<Scale> scales(inverse.outside.begin(), inverse.outside.end());
  if (Check reason = takeEpsilon(base, EpsilonMode::Outside))
    return reason;
  if (inverse.epsilon)
    inverse.epsilonScales.assign(scales.begin(), scales.end());
  if (Check reason = splitScales(base, inverse.outside))
    return reason;
  if (base->kind == Kind::Round || base->kind == Kind::Extend)
    return refuse(Refusal::RoundingNotRepresentable,
                  "the root is rounded before its reciprocal");
  if (base->kind != Kind::Pow || base->numerator != 1 || base->denominator != 2)
    return refuse(Refusal::WrongExponent,
                  "expected the reciprocal of a square root, found the "
                  "reciprocal of the statistic itself");
  inverse.viaRsqrt |= base->viaRsqrt;
  return takeRadicand(base->operands[0]);
}

/// c * mean, c * (mean + e) or c * max(mean, e).
Check Matcher::takeRadicand(const Expr *base) {
  base = peel(base);
  if (base->kind == Kind::Mul) {
    SmallVector<const Expr *> factors;
    flatten(base, factors);
    bool hasSum = llvm::any_of(factors, [&](const Expr *factor) {
      factor = peel(factor);
      return factor->kind == Kind::Add || factor->kind == Kind::Max ||
             factor->kind == Kind::Min;
    });
    if (hasSum) {
      if (Check reason = splitScales(base, inverse.inside))
        return reason;
      SmallVector<Scale> scales(inverse.inside.begin(), inverse.inside.end());
      if (Check reason = takeEpsilon(base, EpsilonMode::Inside))
        return reason;
      if (inverse.epsilon)
        inverse.epsilonScales.assign(scales.begin(), scales.end());
      return takeMean(base);
    }
  }
  if (Check reason = takeEpsilon(base, EpsilonMode::Inside))
    return reason;
  return takeMean(base);
}

/// The sum, times constants.
Check Matcher::takeMean(const Expr *mean) {
  mean = peel(mean);
  // 16-bit arithmetic whose mean is divided in f32 and rounded after it.
  if (mean->kind == Kind::Round) {
    inverse.roundsMean = mean->operands[0]->kind != Kind::Sum;
    mean = mean->operands[0];
  }
  if (Check reason = splitScales(mean, inverse.inside))
    return reason;
  if (mean->kind == Kind::Round && mean->operands[0]->kind == Kind::Sum)
    mean = mean->operands[0]; // accumulated wider than C
  if (mean->kind == Kind::Round || mean->kind == Kind::Extend)
    return refuse(Refusal::RoundingNotRepresentable,
                  "the mean is in another type than the arithmetic around it");
  if (mean->kind != Kind::Sum && !mean->isReduction)
    return refuse(Refusal::NotASquare,
                  "the statistic is not one sum of squares");
  inverse.sum = mean;
  return std::nullopt;
}

Check Matcher::takeTerms() {
  if (inverse.sum->kind != Kind::Sum)
    return std::nullopt;
  llvm::append_range(inverse.reduced, inverse.sum->reduced);
  return takeTerm(inverse.sum->operands[0]);
}

/// x^2, perhaps scaled (x^2 / n), or a sum in its turn (a mean of means).
Check Matcher::takeTerm(const Expr *term) {
  inverse.terms.push_back(term);
  term = stripExtend(term);
  if (term->kind == Kind::Round && term->hasReduction)
    term = term->operands[0];
  SmallVector<const Expr *> factors;
  flatten(peel(term), factors);
  const Expr *inner = nullptr;
  for (size_t i = 0; i < factors.size(); ++i) {
    const Expr *factor = peel(factors[i]);
    if (factor->kind == Kind::Mul && factor != factors[i]) {
      flatten(factor, factors);
      continue;
    }
    std::optional<Scale> scale = getScale(factor);
    if (scale)
      inverse.inside.push_back(*scale);
    else if (inner)
      return std::nullopt; // checkSquare says why
    else
      inner = factor;
  }
  if (inner && inner->kind == Kind::Sum) {
    llvm::append_range(inverse.reduced, inner->reduced);
    return takeTerm(inner->operands[0]);
  }
  if (inner && inner->kind == Kind::Pow && inner->numerator == 2 &&
      inner->denominator == 1)
    square = inner;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Epsilon: S3
//===----------------------------------------------------------------------===//

/// The product of scales, near enough for an epsilon.
static double getValue(ArrayRef<Scale> scales) {
  double product = 1;
  for (const Scale &scale : scales) {
    if (scale.value->kind != Kind::Constant)
      return std::nan("");
    APFloat value = *scale.value->value;
    bool losesInfo;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    product *=
        std::pow(value.convertToDouble(),
                 static_cast<double>(scale.numerator) / scale.denominator);
  }
  return product;
}

Check Matcher::checkEpsilon(RMSNormMatch &match) {
  match.mode = inverse.mode;
  match.epsilon = APFloat::getZero(compute.getFloatSemantics());
  if (!inverse.epsilon)
    return std::nullopt;
  if (inverse.epsilon->kind != Kind::Constant)
    return refuse(Refusal::EpsilonNotUniform,
                  "expected a constant epsilon, found a value of the program");
  bool losesInfo;
  match.epsilon = *inverse.epsilon->value;
  match.epsilon.convert(compute.getFloatSemantics(),
                        APFloat::rmNearestTiesToEven, &losesInfo);
  if ((match.epsilon.isNegative() && !match.epsilon.isZero()) ||
      !match.epsilon.isFinite())
    return refuse(Refusal::EpsilonNegative,
                  "expected a finite epsilon of at least 0, found " +
                      text(match.epsilon));
  match.epsilon.clearSign();
  // x * K / (root(s) * A + e) with K / A = root(n) is x / (root(s/n) + e/K).
  double factor = getValue(inverse.epsilonScales);
  double byRoot = inverse.mode == EpsilonMode::Inside || inverse.clampsMean
                      ? getValue(inverse.outside) / getValue(inverse.numerator)
                      : 1 / getValue(inverse.numerator);
  if (inverse.mode == EpsilonMode::Inside)
    byRoot *= byRoot;
  if (factor == 1 && byRoot == 1 && !inverse.clampsMean)
    return std::nullopt;
  APFloat wide = match.epsilon;
  wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  double epsilon = wide.convertToDouble() * factor;
  if (inverse.clampsMean)
    epsilon = std::sqrt(epsilon);
  epsilon *= byRoot;
  if (!std::isfinite(epsilon))
    return refuse(Refusal::EpsilonNotUniform,
                  "epsilon is scaled by an extent that is not a constant");
  reorders |= factor != 1 || byRoot != 1;
  match.epsilon = APFloat(epsilon);
  match.epsilon.convert(compute.getFloatSemantics(),
                        APFloat::rmNearestTiesToEven, &losesInfo);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The sum: S1, S2, S7
//===----------------------------------------------------------------------===//

/// What a sum that is not one of squares sums.
static std::string describeTerm(const Expr *term) {
  if (term->kind == Kind::Pow)
    return "powers " + std::to_string(term->numerator) + "/" +
           std::to_string(term->denominator);
  if (term->kind == Kind::Abs)
    return "|x|";
  if (term->kind == Kind::Mul)
    return "products";
  return "something else";
}

Check Matcher::checkSquare(RMSNormMatch &match) {
  const Expr *sum = inverse.sum;
  if (sum->kind != Kind::Sum)
    return refuse(Refusal::NotASum,
                  "expected a sum of squares, found " + sum->name);
  if (!square)
    return refuse(Refusal::NotASquare,
                  "expected a sum of x^2, found a sum of " +
                      describeTerm(stripExtend(inverse.terms.back())));
  if (x)
    return std::nullopt;
  if (stripExtend(square->operands[0])->kind == Kind::Add)
    return refuse(Refusal::NotASquare,
                  "the statistic squares a sum or a difference (a centred "
                  "value?), not the scaled tensor itself");
  return refuse(Refusal::DifferentTensor,
                "the statistic squares another tensor, or the same one at "
                "other indices, than the one that is scaled");
}

static bool isLessThan(int64_t extent, int64_t count) {
  return !ShapedType::isDynamic(extent) && extent < count;
}

/// Dimensions that the sum sees reshaped: each is all of some of the other
/// side.
Check Matcher::checkSplitDims(RMSNormMatch &match,
                              llvm::DenseSet<unsigned> &used) {
  auto split = reducedOf.getSplitDims(reader);
  bool isReduced = split && llvm::all_of(split->second, [&](unsigned dim) {
                     return llvm::is_contained(inverse.reduced, dim) &&
                            used.insert(dim).second;
                   });
  if (!isReduced || llvm::any_of(split->first, [&](unsigned dim) {
        return dim >= reader.getRank();
      }))
    return refuse(Refusal::DifferentTensor,
                  "the statistic squares the same tensor at other indices");
  llvm::append_range(match.dims, split->first);
  llvm::sort(match.dims);
  return std::nullopt;
}

Check Matcher::checkDims(RMSNormMatch &match) {
  const Expr *sum = inverse.sum;
  llvm::SmallBitVector reduced(reader.getRank());
  llvm::DenseSet<unsigned> used;
  for (auto [rootDim, sumDim] : reducedOf.getDims()) {
    if (rootDim == sumDim)
      continue;
    if (!llvm::is_contained(inverse.reduced, sumDim) ||
        rootDim >= reader.getRank() || !used.insert(sumDim).second)
      return refuse(Refusal::DifferentTensor,
                    "the statistic squares the same tensor at other indices");
    // A static part of a dynamic row is within it, or the program is invalid.
    if (!reader.haveSameExtent(rootDim, sumDim)) {
      if (ShapedType::isDynamic(reader.getExtent(sumDim)))
        return refuse(Refusal::DynamicExtent,
                      "the sum is not proved to run over all of dimension " +
                          Twine(rootDim));
      match.count = reader.getExtent(sumDim);
    }
    match.dims.push_back(rootDim);
  }
  if (Check reason = checkSplitDims(match, used))
    return reason;
  for (int64_t dim : match.dims)
    reduced.set(dim);
  for (unsigned dim : inverse.reduced)
    if (!used.contains(dim) && reader.getExtent(dim) != 1)
      return refuse(Refusal::DifferentTensor,
                    "the sum runs over a dimension that x does not have");
  if (match.count &&
      (match.dims.size() != 1 || *match.count < 1 ||
       isLessThan(reader.getExtent(match.dims[0]), *match.count)))
    return refuse(Refusal::InputNotRepresentable,
                  "the statistic covers only a part of dims " +
                      text(match.dims) +
                      "; that is supported for one static "
                      "dimension");
  if (match.dims.empty())
    return refuse(Refusal::DimsNotBroadcast,
                  "no dimension of x is both reduced and scaled");
  if (getDependentDims(sum, reader.getRank()).anyCommon(reduced))
    return refuse(Refusal::DimsNotBroadcast,
                  "the statistic depends on a dimension that it reduces");
  return std::nullopt;
}
