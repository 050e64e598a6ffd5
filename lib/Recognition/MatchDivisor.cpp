//===- MatchDivisor.cpp - is the sum divided by its number of terms? ------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// r must be sum^(-1/2) * n^(1/2), however n is spread over constants: each is
// the half power of a whole number, exactly or rounded once to its type. The
// float next to 1/n is another divisor.
//
//===----------------------------------------------------------------------===//

#include "Match.h"
#include <cmath>

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::row;

static double getDouble(const Scale &scale) {
  APFloat value = cast<ConstantNode>(scale.value)->getValue();
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  return value.convertToDouble();
}

static bool isRounded(const Scale &scale, double exact) {
  APFloat rounded(exact);
  bool losesInfo;
  rounded.convert(scale.value->getFloatType().getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &losesInfo);
  return rounded.bitwiseIsEqual(cast<ConstantNode>(scale.value)->getValue());
}

/// 1/n as it is divided in the type of the constant.
static APFloat getReciprocal(const Scale &scale, int64_t n) {
  const auto &semantics = scale.value->getFloatType().getFloatSemantics();
  APFloat one(semantics, 1), count(semantics);
  count.convertFromAPInt(APInt(64, n), /*IsSigned=*/true,
                         APFloat::rmNearestTiesToEven);
  one.divide(count, APFloat::rmNearestTiesToEven);
  return one;
}

/// Whether the constant is sqrt(n), or its reciprocal: it may have come from a
/// root or from a power, in f64, and been rounded.
static bool isRootOf(const Scale &scale, int64_t n) {
  double count = static_cast<double>(n);
  bool isInverse = scale.exponent < Fraction(0);
  auto wide = static_cast<long double>(n);
  double exact = isInverse ? 1 / std::sqrt(wide) : std::sqrt(wide);
  double byDivision = isInverse ? 1 / std::sqrt(count) : std::sqrt(count);
  double byPower = std::pow(count, isInverse ? -0.5 : 0.5);
  return llvm::any_of(ArrayRef<double>{exact, byDivision, byPower},
                      [&](double value) { return isRounded(scale, value); });
}

/// The whole number whose root `scale` is a factor by; nothing: none.
static std::optional<int64_t> getWhole(const Scale &scale) {
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
    return 0; // of a row without elements
  if (!(value > 0 && n >= 1 && n < 1e15))
    return std::nullopt;
  auto whole = static_cast<int64_t>(n);
  bool holds = !isHalf   ? isRootOf(scale, whole)
               : divides ? cast<ConstantNode>(scale.value)
                               ->getValue()
                               .bitwiseIsEqual(getReciprocal(scale, whole))
                         : isRounded(scale, n);
  return holds ? std::optional(whole) : std::nullopt;
}

/// The product of all; nothing where one is not whole.
static std::optional<int64_t> getWhole(ArrayRef<Scale> scales) {
  int64_t product = 1;
  for (const Scale &scale : scales) {
    std::optional<int64_t> n = getWhole(scale);
    if (!n || llvm::MulOverflow(product, *n, product))
      return std::nullopt;
  }
  return product;
}

/// Trailing dims whose number of elements is `count`, as a hint; empty: none.
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

  Attempt<Divisor> matchInner(ArrayRef<Scale> inner, ArrayRef<Scale> outer);
  Attempt<Divisor> matchOuter(ArrayRef<Scale> outer);
  Rejection explain(const Scale &scale) const;
};
} // namespace

/// What the one constant that should have been n is.
Rejection StaticDivisor::explain(const Scale &scale) const {
  std::string value = text(cast<ConstantNode>(scale.value)->getValue()),
              dims = text(span.dims);
  if (abs(scale.exponent) != Fraction(1, 2))
    return reject(Why::PowerOfDivisor, dims, terms, value);
  if (scale.exponent < Fraction(0))
    return reject(Why::OtherReciprocal, dims, terms, value,
                  text(getReciprocal(scale, terms)), scale.value->getType());
  return reject(Why::OtherDivisor, dims, terms, value,
                findDimsOfSize(site, getDouble(scale)));
}

/// The mean is formed; what scales the root besides is a weight.
Attempt<Divisor> StaticDivisor::matchInner(ArrayRef<Scale> inner,
                                           ArrayRef<Scale> outer) {
  std::string dims = text(span.dims);
  std::optional<int64_t> whole = getWhole(inner);
  if (whole && *whole == terms) {
    Divisor divisor;
    divisor.rest.assign(outer.begin(), outer.end());
    return divisor;
  }
  if (!outer.empty())
    return reject(Why::ScaledTwice, dims, terms);
  if (inner.size() == 1)
    return explain(inner[0]);
  for (const Scale &scale : inner)
    if (!getWhole(scale))
      return reject(Why::NoWholeDivisor, dims, terms,
                    text(cast<ConstantNode>(scale.value)->getValue()));
  return reject(Why::DividedInAll, dims, terms, text(whole.value_or(0)));
}

/// sqrt(sum) / sqrt(n), or x / sqrt(sum) * sqrt(n): one of the constants, or
/// one of them but for a power of two, which scales exactly.
Attempt<Divisor> StaticDivisor::matchOuter(ArrayRef<Scale> outer) {
  Divisor divisor;
  divisor.isStandard = false;
  std::optional<int64_t> whole = getWhole(outer);
  if (whole && *whole == terms)
    return divisor;
  for (auto [i, scale] : llvm::enumerate(outer)) {
    divisor.rest.assign(outer.begin(), outer.end());
    divisor.rest.erase(divisor.rest.begin() + i);
    std::optional<int64_t> root = getWhole(scale);
    if (root && *root == terms)
      return divisor;
    if (outer.size() > 1 || scale.exponent != Fraction(1))
      continue;
    double factor = getDouble(scale) / std::sqrt(static_cast<double>(terms));
    double power = std::exp2(std::round(std::log2(factor)));
    if (!(power > 0) || !isRounded(scale, power * std::sqrt(terms)))
      continue;
    Type type = scale.value->getType();
    APFloat rest(power);
    bool losesInfo;
    rest.convert(cast<FloatType>(type).getFloatSemantics(),
                 APFloat::rmNearestTiesToEven, &losesInfo);
    divisor.rest.push_back(
        {site.context().getConstant(rest, type), Fraction(1)});
    return divisor;
  }
  return reject(Why::RootScaled, text(span.dims), terms,
                text(cast<ConstantNode>(outer[0].value)->getValue()));
}

/// The divisor must be the extents of the very dimensions that are summed.
static Attempt<Divisor> matchDynamic(const Site &site, const Span &span,
                                     ArrayRef<Scale> inner,
                                     ArrayRef<Scale> outer) {
  SmallVector<unsigned> variables;
  for (int64_t dim : span.dims)
    variables.push_back(site.space[dim]);
  std::string dims = text(span.dims);
  if (inner.empty() && outer.empty())
    return reject(Why::NotDividedDynamic, dims);
  Divisor divisor;
  divisor.isStandard = !inner.empty();
  std::optional<SymbolicCount> product = SymbolicCount::get(1);
  bool hasCount = false;
  std::string found = "a count that is not proved to be it";
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
  if (hasCount && product &&
      site.context().isProductOfExtents(*product, variables))
    return divisor;
  return reject(Why::OtherDynamicDivisor, dims, found);
}

Attempt<Divisor> norm::matchDivisor(const Site &site,
                                    const InverseRoot &inverse,
                                    const Statistic &statistic,
                                    const Product &product, const Span &span) {
  SmallVector<Scale, 2> inner(inverse.inner), outer(inverse.outer);
  for (const Scale &scale : statistic.scales)
    inner.push_back({scale.value, scale.exponent * Fraction(-1, 2)});
  // Without an epsilon a root that is scaled is no other place than the mean.
  if (inner.empty() || llvm::none_of(inner, [](const Scale &scale) {
        return abs(scale.exponent) == Fraction(1, 2);
      })) {
    outer.append(inner);
    inner.clear();
  } else if (!inverse.epsilon || inverse.mode != EpsilonMode::Inside) {
    for (size_t i = 0; i < inner.size();)
      if (abs(inner[i].exponent) == Fraction(1, 2)) {
        ++i;
      } else {
        outer.push_back(inner[i]);
        inner.erase(inner.begin() + i);
      }
  }
  bool usesNumerator = false;
  if (inner.empty())
    for (const Factor &factor : product.others)
      if (auto scale = getScale(factor)) {
        outer.push_back(*scale);
        usesNumerator = true;
      }
  bool isStatic = span.count || llvm::none_of(span.dims, [&](int64_t dim) {
                    return ShapedType::isDynamic(site.getExtent(dim));
                  });
  Attempt<Divisor> divisor = reject(Why::NoCandidate);
  int64_t terms = span.count.value_or(1);
  if (!isStatic) {
    divisor = matchDynamic(site, span, inner, outer);
    terms = 0;
  } else {
    if (!span.count)
      for (int64_t dim : span.dims)
        if (llvm::MulOverflow(terms, site.getExtent(dim), terms))
          return reject(Why::TooManyElements, span.dims);
    for (ArrayRef<Scale> scales : {ArrayRef<Scale>(inner), ArrayRef(outer)})
      for (const Scale &scale : scales)
        if (!scale.value->is(Kind::Constant))
          return reject(Why::ExtentNotProved, span.dims, terms);
    StaticDivisor matcher{site, span, terms};
    if (inner.empty() && outer.empty())
      return reject(Why::NotDivided, span.dims, terms);
    divisor = inner.empty() ? matcher.matchOuter(outer)
                            : matcher.matchInner(inner, outer);
  }
  if (divisor) {
    divisor->usesNumerator = usesNumerator;
    divisor->terms = static_cast<double>(terms);
  }
  return divisor;
}
