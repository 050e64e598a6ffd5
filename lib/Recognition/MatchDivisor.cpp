//===- MatchDivisor.cpp - is the sum divided by its number of terms? ------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// r must be sum^(-1/2) * n^(1/2), however n is spread over constants: each is
// the half power of a whole number, exact or rounded once to its type. The
// float next to 1/n is another divisor. Epsilon is its value beside the mean.
//
//===----------------------------------------------------------------------===//

#include "Match.h"
#include "norm/IR/RoundFloat.h"
#include <cmath>

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::row;

static double getDouble(const Scale &scale) {
  return cast<ConstantNode>(scale.value)->getAttr().getValueAsDouble();
}

static bool isRounded(const Scale &scale, double exact) {
  return cast<ConstantNode>(scale.value)->getAttr() ==
         FloatAttr::get(scale.value->getType(), exact);
}

static APFloat getFloat(const Scale &scale) {
  return cast<ConstantNode>(scale.value)->getValue();
}

/// Returns the whole number n if `scale` is a root of n, else nullopt.
static std::optional<int64_t> getWholeNumber(const Scale &scale) {
  if (!scale.value->is(Kind::Constant))
    return std::nullopt;
  double value = getDouble(scale);
  bool isHalf = abs(scale.exponent) == Fraction(1, 2);
  bool divides = scale.exponent < Fraction(0);
  if (!isHalf && abs(scale.exponent) != Fraction(1))
    return std::nullopt;
  double n = std::round(divides ? 1 / value : value);
  if (!isHalf)
    n = std::round(divides ? 1 / (value * value) : value * value);
  if (isHalf && !divides && value == 0)
    return 0; // a row without elements
  if (!(value > 0 && n >= 1 && n < 1e15))
    return std::nullopt;
  auto whole = static_cast<int64_t>(n);
  bool holds = !isHalf   ? isRootOf(getFloat(scale), n)
               : divides ? isReciprocalOf(getFloat(scale), whole)
                         : isRounded(scale, n);
  return holds ? std::optional(whole) : std::nullopt;
}

/// Returns the product; nullopt if one of the scales is not whole.
static std::optional<int64_t> getWholeNumber(ArrayRef<Scale> scales) {
  int64_t product = 1;
  for (const Scale &scale : scales) {
    std::optional<int64_t> n = getWholeNumber(scale);
    if (!n || llvm::MulOverflow(product, *n, product))
      return std::nullopt;
  }
  return product;
}

/// Returns, as a hint, trailing dims that have `count` elements, or "".
static std::string findDimsOfSize(const Site &site, double count) {
  SmallVector<int64_t> dims;
  double size = 1;
  for (int64_t i = site.getRank(); i-- > 0 && size < count;) {
    size *= site.getExtent(i);
    dims.insert(dims.begin(), i);
  }
  if (size != count || dims.empty())
    return "";
  return "; RMSNorm over dims " + text(dims) + " would divide a sum of " +
         text(APFloat(count));
}

namespace {
struct StaticDivisor {
  const Site &site;
  const Span &span;
  int64_t terms;

  RejectionOr<Divisor> matchInner(ArrayRef<Scale> inner, ArrayRef<Scale> outer);
  RejectionOr<Divisor> matchOuter(ArrayRef<Scale> outer);
  Rejection explain(const Scale &scale) const;
};
} // namespace

/// Explains what the only constant, which should have been n, is instead.
Rejection StaticDivisor::explain(const Scale &scale) const {
  std::string value = text(cast<ConstantNode>(scale.value)->getValue()),
              dims = text(span.dims);
  if (abs(scale.exponent) != Fraction(1, 2))
    return reject(Rejection::PowerOfDivisor, dims, terms, value);
  if (scale.exponent < Fraction(0))
    return reject(Rejection::OtherReciprocal, dims, terms, value,
                  text(getReciprocal(getFloat(scale).getSemantics(), terms)),
                  scale.value->getType());
  return reject(Rejection::OtherDivisor, dims, terms, value,
                findDimsOfSize(site, getDouble(scale)));
}

/// Handles a mean that is formed; other scales of the root are a weight.
RejectionOr<Divisor> StaticDivisor::matchInner(ArrayRef<Scale> inner,
                                               ArrayRef<Scale> outer) {
  std::string dims = text(span.dims);
  std::optional<int64_t> whole = getWholeNumber(inner);
  if (whole && *whole == terms) {
    Divisor divisor;
    divisor.rest.assign(outer.begin(), outer.end());
    return divisor;
  }
  if (!outer.empty())
    return reject(Rejection::ScaledTwice, dims, terms);
  if (inner.size() == 1)
    return explain(inner[0]);
  for (const Scale &scale : inner)
    if (!getWholeNumber(scale))
      return reject(Rejection::NoWholeDivisor, dims, terms,
                    text(cast<ConstantNode>(scale.value)->getValue()));
  return reject(Rejection::DividedInAll, dims, terms, text(whole.value_or(0)));
}

/// Handles sqrt(sum) / sqrt(n) and x / sqrt(sum) * sqrt(n): one constant must
/// be sqrt(n), up to a power of two, which scales exactly.
RejectionOr<Divisor> StaticDivisor::matchOuter(ArrayRef<Scale> outer) {
  Divisor divisor;
  divisor.isStandard = false;
  std::optional<int64_t> whole = getWholeNumber(outer);
  if (whole && *whole == terms)
    return divisor;
  for (auto [i, scale] : llvm::enumerate(outer)) {
    divisor.rest.assign(outer.begin(), outer.end());
    divisor.rest.erase(divisor.rest.begin() + i);
    std::optional<int64_t> root = getWholeNumber(scale);
    if (root && *root == terms)
      return divisor;
    if (outer.size() > 1 || scale.exponent != Fraction(1))
      continue;
    double factor = getDouble(scale) / std::sqrt(static_cast<double>(terms));
    double power = std::exp2(std::round(std::log2(factor)));
    if (!(power > 0) || !isRounded(scale, power * std::sqrt(terms)))
      continue;
    Type type = scale.value->getType();
    APFloat rest = FloatAttr::get(type, power).getValue();
    divisor.rest.push_back(
        {site.context().getConstant(rest, type), Fraction(1)});
    return divisor;
  }
  return reject(Rejection::RootScaled, text(span.dims), terms,
                text(cast<ConstantNode>(outer[0].value)->getValue()));
}

bool norm::isNumberOfTerms(const Site &site, const Span &span,
                           const SymbolicCount &count) {
  auto variables = llvm::map_to_vector(
      span.dims, [&](int64_t dim) { return site.space[dim]; });
  return site.context().isProductOfExtents(count, variables);
}

/// Checks that the divisor is the product of exactly the summed extents.
static RejectionOr<Divisor> matchDynamic(const Site &site, const Span &span,
                                         ArrayRef<Scale> inner,
                                         ArrayRef<Scale> outer) {
  std::string dims = text(span.dims);
  if (inner.empty() && outer.empty())
    return reject(Rejection::NotDividedDynamic, dims);
  Divisor divisor;
  divisor.isStandard = !inner.empty();
  std::optional<SymbolicCount> product = SymbolicCount::get(1);
  bool hasCount = false;
  std::optional<std::string> found;
  for (ArrayRef<Scale> scales : {inner, outer})
    for (const Scale &scale : scales) {
      auto *count = dyn_cast<CountNode>(scale.value);
      bool isRest = scales.data() == outer.data() && !inner.empty();
      if (isRest || (!count && scales.data() == outer.data())) {
        divisor.rest.push_back(scale);
        continue;
      }
      if (auto *constant = dyn_cast<ConstantNode>(scale.value))
        found = text(constant->getValue());
      hasCount = true;
      product = product && count && scale.exponent == Fraction(1, 2)
                    ? product->times(count->getCount())
                    : std::nullopt;
    }
  if (hasCount && product && isNumberOfTerms(site, span, *product))
    return divisor;
  return found ? reject(Rejection::OtherDynamicDivisor, dims, *found)
               : reject(Rejection::CountNotProved, dims);
}

SmallVector<Scale, 2> norm::getInner(const Findings &found) {
  SmallVector<Scale, 2> inner(found.inverse.inner);
  for (const Scale &scale : found.statistic.scales)
    inner.push_back({scale.value, scale.exponent * Fraction(-1, 2)});
  return inner;
}

RejectionOr<std::optional<int64_t>> norm::countTerms(const Site &site,
                                                     const Span &span) {
  if (span.count || span.groupSize)
    return span.count ? span.count : span.groupSize;
  int64_t terms = 1;
  bool overflows = false;
  for (int64_t dim : span.dims)
    if (ShapedType::isDynamic(site.getExtent(dim)))
      return std::optional<int64_t>();
  for (int64_t dim : span.dims)
    overflows |= llvm::MulOverflow(terms, site.getExtent(dim), terms);
  if (overflows)
    return reject(Rejection::TooManyElements, span.dims);
  return std::optional(terms);
}

static RejectionOr<Divisor> matchStatic(const Site &site, const Span &span,
                                        int64_t terms, ArrayRef<Scale> inner,
                                        ArrayRef<Scale> outer) {
  auto isExtent = [](const Scale &scale) {
    return !scale.value->is(Kind::Constant);
  };
  if (llvm::any_of(inner, isExtent) || llvm::any_of(outer, isExtent))
    return reject(Rejection::ExtentNotProved, span.dims, terms);
  if (inner.empty() && outer.empty())
    return reject(Rejection::NotDivided, span.dims, terms);
  StaticDivisor matcher{site, span, terms};
  return inner.empty() ? matcher.matchOuter(outer)
                       : matcher.matchInner(inner, outer);
}

RejectionOr<Divisor> norm::matchDivisor(const Site &site,
                                        const Findings &found) {
  const InverseRoot &inverse = found.inverse;
  const Span &span = found.span;
  SmallVector<Scale, 2> inner = getInner(found), outer(inverse.outer);
  auto scalesRoot = [](const Scale &scale) {
    return abs(scale.exponent) != Fraction(1, 2);
  };
  // Without an epsilon, scaling the root is the same as scaling the mean.
  if (!inverse.epsilon || inverse.mode != EpsilonMode::Inside ||
      llvm::all_of(inner, scalesRoot)) {
    llvm::copy_if(inner, std::back_inserter(outer), scalesRoot);
    llvm::erase_if(inner, scalesRoot);
  }
  bool usesNumerator = false;
  if (inner.empty())
    for (const Factor &factor : found.product.others)
      if (auto scale = getScale(factor)) {
        outer.push_back(*scale);
        usesNumerator = true;
      }
  RejectionOr<std::optional<int64_t>> terms = countTerms(site, span);
  if (!terms)
    return terms.takeRejection();
  RejectionOr<Divisor> matched =
      *terms ? matchStatic(site, span, **terms, inner, outer)
             : matchDynamic(site, span, inner, outer);
  if (matched) {
    matched->usesNumerator = usesNumerator;
    matched->terms = static_cast<double>(terms->value_or(0));
  }
  return matched;
}

//===----------------------------------------------------------------------===//
// Epsilon
//===----------------------------------------------------------------------===//

SmallVector<Factor> norm::getEpsilonFactors(const Site &site,
                                            const Findings &found) {
  const InverseRoot &inverse = found.inverse;
  SmallVector<Factor> factors;
  if (found.divisor.isStandard || inverse.clampsRoot || !inverse.epsilon)
    return factors;
  bool isMean = inverse.mode == EpsilonMode::Inside || inverse.clampsMean;
  for (const Scale &scale : getInner(found))
    factors.push_back(
        {scale.value, scale.exponent * Fraction(isMean ? -2 : -1)});
  auto terms = static_cast<int64_t>(found.divisor.terms);
  factors.push_back(
      {site.context().getNumber(Fraction(terms), inverse.epsilon->getType()),
       Fraction(1, isMean ? 1 : 2)});
  return factors;
}

/// Returns the product, close enough for an epsilon; NaN if an extent is known
/// only at run time.
static double getValue(ArrayRef<Factor> factors) {
  double product = 1;
  for (const auto &[base, exponent] : factors) {
    double power = static_cast<double>(int64_t(exponent.num)) /
                   static_cast<double>(int64_t(exponent.den));
    if (auto *number = dyn_cast<NumberNode>(base); number)
      product *= number->getValue() == Fraction(0) // known at run time
                     ? std::nan("")
                     : std::pow(int64_t(number->getValue().num), power);
    else if (base->is(Kind::Constant))
      product *= std::pow(getDouble({base, exponent}), power);
    else
      return std::nan("");
  }
  return product;
}

Rejection norm::takeEpsilon(const ConstantNode *epsilon, PlannedNorm &norm) {
  norm.epsilon =
      roundTo(epsilon->getValue(), norm.computeType.getFloatSemantics());
  if ((norm.epsilon.isNegative() && !norm.epsilon.isZero()) ||
      !norm.epsilon.isFinite())
    return reject(Rejection::EpsilonOutOfRange, norm.epsilon);
  norm.epsilon.clearSign();
  return {};
}

Rejection norm::matchEpsilon(const Site &site, const Findings &found,
                             PlannedNorm &norm) {
  const InverseRoot &inverse = found.inverse;
  norm.mode = inverse.mode;
  norm.epsilon = APFloat::getZero(norm.computeType.getFloatSemantics());
  if (!inverse.epsilon)
    return {};
  auto *constant = dyn_cast<ConstantNode>(stripCasts(inverse.epsilon));
  if (!constant)
    return reject(Rejection::EpsilonOfProgram);
  if (Rejection rejection = takeEpsilon(constant, norm))
    return rejection;
  double factor = getValue(getEpsilonFactors(site, found));
  if ((factor == 1 && !inverse.clampsMean && !inverse.clampsRoot) ||
      norm.epsilon.isZero())
    return {};
  double epsilon = FloatAttr::getValueAsDouble(norm.epsilon) / factor;
  if (inverse.clampsMean)
    epsilon = std::sqrt(epsilon);
  if (inverse.clampsRoot) // r is at most K: the root is at least 1/K
    epsilon = 1 / epsilon;
  if (std::isnan(epsilon))
    return reject(Rejection::EpsilonScaled);
  norm.epsilon = FloatAttr::get(norm.computeType, epsilon).getValue();
  // A smaller epsilon may be 0 in C and give NaN for a row of zeros.
  if (!norm.epsilon.isNormal())
    return reject(Rejection::EpsilonVanishes, APFloat(epsilon),
                  norm.computeType);
  return {};
}
