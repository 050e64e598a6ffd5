//===- MatchDivisor.cpp - is the sum divided by its number of terms?
//--------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Matcher.h"
#include <cmath>

using namespace mlir;
using namespace mlir::norm;
using Kind = Expr::Kind;

/// Trailing dims whose number of elements is `count`; empty: none.
static SmallVector<int64_t> findDimsOfSize(ArrayRef<int64_t> shape,
                                           double count) {
  SmallVector<int64_t> dims;
  double size = 1;
  for (size_t i = shape.size(); i-- > 0 && size < count;) {
    size *= shape[i];
    dims.insert(dims.begin(), i);
  }
  return size == count ? dims : SmallVector<int64_t>();
}

static APFloat roundTo(double value, Type type) {
  APFloat result(value);
  bool losesInfo;
  result.convert(cast<FloatType>(type).getFloatSemantics(),
                 APFloat::rmNearestTiesToEven, &losesInfo);
  return result;
}

static bool isReciprocal(const Scale &scale) { return scale.numerator < 0; }

/// Whether `scale` multiplies by 1/n: divides by n, or multiplies by 1/n
/// rounded once to its type.
static APFloat getExpectedFactor(const Scale &scale, int64_t n) {
  Type type = scale.value->type;
  APFloat count = roundTo(static_cast<double>(n), type);
  if (isReciprocal(scale))
    return count;
  APFloat one(count.getSemantics(), 1);
  one.divide(count, APFloat::rmNearestTiesToEven);
  return one;
}

/// The whole number that `scale` divides by; nothing where it is not one.
static std::optional<int64_t> getWholeDivisor(const Scale &scale) {
  if (scale.denominator != 1 || std::abs(scale.numerator) != 1 ||
      scale.value->kind != Kind::Constant)
    return std::nullopt;
  APFloat value = *scale.value->value;
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  double found = value.convertToDouble();
  double n = std::round(isReciprocal(scale) ? found : 1 / found);
  if (!(n >= 1 && n < 1e15) ||
      !scale.value->value->bitwiseIsEqual(getExpectedFactor(scale, n)))
    return std::nullopt;
  return static_cast<int64_t>(n);
}

/// Whether `scale` is a factor of sqrt(n), or of 1/sqrt(n), in its type. The
/// value may have come from sqrt or from a power, in f64, and been rounded.
static bool isRootOf(const Scale &scale, int64_t n, bool inverse) {
  Type type = scale.value->type;
  if (scale.value->kind != Kind::Constant)
    return false;
  double count = static_cast<double>(n);
  if (scale.denominator == 2)
    return std::abs(scale.numerator) == 1 && (scale.numerator < 0) == inverse &&
           scale.value->value->bitwiseIsEqual(roundTo(count, type));
  if (scale.denominator != 1 || std::abs(scale.numerator) != 1)
    return false;
  bool wantsInverse = inverse != (scale.numerator < 0);
  double exact = static_cast<double>(
      wantsInverse ? 1 / std::sqrt(static_cast<long double>(n))
                   : std::sqrt(static_cast<long double>(n)));
  double byDivision = wantsInverse ? 1 / std::sqrt(count) : std::sqrt(count);
  double byPower = std::pow(count, wantsInverse ? -0.5 : 0.5);
  return llvm::any_of(
      ArrayRef<double>{exact, byDivision, byPower}, [&](double value) {
        return scale.value->value->bitwiseIsEqual(roundTo(value, type));
      });
}

Check Matcher::checkDivisor(RMSNormMatch &match) {
  bool isStatic = match.count || llvm::none_of(match.dims, [&](int64_t dim) {
                    return ShapedType::isDynamic(reader.getExtent(dim));
                  });
  if (!isStatic)
    return checkDynamicDivisor(match);
  int64_t terms = 1;
  if (match.count)
    terms = *match.count;
  else
    for (int64_t dim : match.dims)
      if (llvm::MulOverflow(terms, reader.getExtent(dim), terms))
        return refuse(Refusal::InputNotRepresentable,
                      "dims " + text(match.dims) +
                          " have 2^63 or more elements");
  return checkConstantDivisor(match, terms);
}

Check Matcher::checkConstantDivisor(const RMSNormMatch &match, int64_t terms) {
  std::string sum = "sum over dims " + text(match.dims) + " has " +
                    std::to_string(terms) + " terms but is ";
  SmallVector<Scale> all(inverse.inside.begin(), inverse.inside.end());
  llvm::append_range(all, inverse.outside);
  llvm::append_range(all, inverse.numerator);
  if (all.empty())
    return refuse(Refusal::WrongDivisor,
                  sum + "not divided; RMSNorm divides by " + Twine(terms));
  if (llvm::any_of(all, [](const Scale &scale) {
        return scale.value->kind != Kind::Constant;
      }))
    return refuse(Refusal::DynamicExtent,
                  sum + "divided by an extent that is not proved to be " +
                      Twine(terms));

  // sqrt(sum) / sqrt(n), or x / sqrt(sum) * sqrt(n).
  if (inverse.inside.empty()) {
    bool isNumerator = inverse.outside.empty();
    if (all.size() == 1 && isRootOf(all[0], terms, /*inverse=*/!isNumerator))
      return std::nullopt;
    return refuse(Refusal::WrongDivisor,
                  sum + "not divided, and its root is scaled by " +
                      text(*all[0].value->value) + "; expected sqrt(" +
                      Twine(terms) + ") or its reciprocal");
  }
  if (!inverse.outside.empty() || !inverse.numerator.empty())
    return refuse(Refusal::WrongDivisor,
                  sum + "scaled both before and after its root");
  if (all.size() > 1) {
    reorders = true;
    int64_t product = 1;
    for (const Scale &scale : all) {
      std::optional<int64_t> n = getWholeDivisor(scale);
      if (!n || llvm::MulOverflow(product, *n, product))
        return refuse(Refusal::WrongDivisor,
                      sum + "scaled by " + text(*scale.value->value) +
                          ", which divides by no whole number");
    }
    if (product == terms)
      return std::nullopt;
    return refuse(Refusal::WrongDivisor,
                  sum + "divided by " + Twine(product) + " in all");
  }
  const Scale &scale = all[0];
  if (scale.denominator != 1 || std::abs(scale.numerator) != 1)
    return refuse(Refusal::WrongDivisor,
                  sum + "scaled by a power of " + text(*scale.value->value));
  APFloat expected = getExpectedFactor(scale, terms);
  if (scale.value->value->bitwiseIsEqual(expected))
    return std::nullopt;
  std::string found = text(*scale.value->value);
  if (!isReciprocal(scale))
    return refuse(Refusal::WrongDivisor,
                  sum + "multiplied by " + found + "; expected exactly " +
                      text(expected) + ", 1/(" + Twine(terms) +
                      ") rounded to " + text(scale.value->type));
  APFloat value = *scale.value->value;
  bool losesInfo;
  value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                &losesInfo);
  std::string hint;
  SmallVector<int64_t> dims =
      findDimsOfSize(reader.getShape(), value.convertToDouble());
  if (!dims.empty())
    hint =
        "; RMSNorm over dims " + text(dims) + " would divide a sum of " + found;
  return refuse(Refusal::WrongDivisor, sum + "divided by " + found + hint);
}

/// The divisor must be the extents of the very dimensions that are summed.
Check Matcher::checkDynamicDivisor(const RMSNormMatch &match) {
  SymbolicCount terms;
  bool isKnown = match.input && !match.isInputInBody();
  for (int64_t dim : match.dims) {
    if (!isKnown)
      break;
    std::optional<SymbolicCount> next = terms.times(norm::getExtent(
        match.input, llvm::find(match.order, dim) - match.order.begin()));
    isKnown = next.has_value();
    if (next)
      terms = *next;
  }
  std::string sum =
      "the extent of dims " + text(match.dims) + " is only known at run time; ";
  bool isRoot = inverse.inside.empty();
  ArrayRef<Scale> scales = !isRoot                   ? inverse.inside
                           : inverse.outside.empty() ? inverse.numerator
                                                     : inverse.outside;
  size_t all =
      inverse.inside.size() + inverse.outside.size() + inverse.numerator.size();
  if (all == 0)
    return refuse(Refusal::WrongDivisor, sum + "the sum is not divided");
  const Scale &scale = scales[0];
  int expected = scales.data() == inverse.numerator.data() ? 1 : -1;
  auto isTerms = [&](const SymbolicCount &count) {
    return (isKnown && count == terms) ||
           reader.isProductOfExtents(count, match.dims);
  };
  if (all == 1 && scale.value->kind == Kind::Count &&
      scale.numerator == expected && scale.denominator == (isRoot ? 2 : 1) &&
      isTerms(*scale.value->count))
    return std::nullopt;
  return refuse(Refusal::DynamicExtent,
                sum + "the sum is divided by " +
                    (scale.value->kind == Kind::Constant
                         ? text(*scale.value->value)
                         : std::string("a count that is not proved to be it")));
}
