//===- MatchSpan.cpp - what is summed, and divided by its size ------------===//
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

/// Rejects a static part of a dynamic row, which the part may exceed, unless
/// both are read from one tensor that is long enough.
static Rejection matchPart(const Site &site, unsigned variable, unsigned inSum,
                           const Findings &found, Span &span) {
  Context &context = site.context();
  int64_t dim = *site.getDim(variable), extent = context.getExtent(inSum);
  if (ShapedType::isDynamic(extent))
    return reject(Rejection::SumNotProved, dim);
  auto readsBoth = [&](const ElementNode *a, const ElementNode *b) {
    if (a->getValue() != b->getValue())
      return false;
    for (auto [i, x, y] : llvm::enumerate(a->getIndices(), b->getIndices()))
      if (x == context.getIndex(variable) && y == context.getIndex(inSum))
        return context.isExtentOf(variable, a->getValue(), i);
    return false;
  };
  span.count = extent;
  if (!ShapedType::isDynamic(context.getExtent(variable)))
    return {};
  for (auto *a : site.reader.getOccurrences(stripExtend(found.product.x)))
    for (auto *b : site.reader.getOccurrences(stripExtend(found.statistic.x)))
      if (readsBoth(a, b))
        return {};
  return reject(Rejection::PartNotProved, extent, dim);
}

static bool isLessThan(int64_t extent, int64_t count) {
  return !ShapedType::isDynamic(extent) && extent < count;
}

/// Matches dimensions that the sum sees reshaped: each side has all of some
/// dimensions of the other one, or groups of one dimension.
static Rejection matchSplit(const Site &site, const Findings &found, Span &span,
                            llvm::DenseSet<unsigned> &used) {
  auto split = found.agreed.getSplitVariables();
  bool isReduced =
      split && llvm::all_of(split->inSum, [&](unsigned variable) {
        return llvm::is_contained(found.statistic.variables, variable) &&
               used.insert(variable).second;
      });
  if (!isReduced)
    return reject(Rejection::OtherIndices);
  for (unsigned variable : split->atRoot) {
    std::optional<int64_t> dim = site.getDim(variable);
    if (!dim || (split->group && !span.dims.empty()))
      return reject(Rejection::OtherIndices);
    span.dims.push_back(*dim);
  }
  if (split->group)
    span.groupSize = split->group->size;
  llvm::sort(span.dims);
  return {};
}

/// Determines the number of terms, unless it is known only at run time.
static Rejection countTerms(const Site &site, Span &span) {
  span.terms = span.count ? span.count : span.groupSize;
  if (span.terms || llvm::any_of(span.dims, [&](int64_t dim) {
        return ShapedType::isDynamic(site.getExtent(dim));
      }))
    return {};
  int64_t terms = 1;
  for (int64_t dim : span.dims)
    if (llvm::MulOverflow(terms, site.getExtent(dim), terms))
      return reject(Rejection::TooManyElements, span.dims);
  span.terms = terms;
  return {};
}

RejectionOr<Span> norm::matchSpan(const Site &site, const Findings &found) {
  ArrayRef<unsigned> reduced = found.statistic.variables;
  Span span;
  llvm::DenseSet<unsigned> used;
  for (auto [atRoot, inSum] : found.agreed.getVariables()) {
    if (atRoot == inSum)
      continue;
    std::optional<int64_t> dim = site.getDim(atRoot);
    if (!dim || !llvm::is_contained(reduced, inSum) ||
        !used.insert(inSum).second)
      return reject(Rejection::OtherIndices);
    if (!site.context().haveSameExtent(atRoot, inSum))
      if (Rejection rejection = matchPart(site, atRoot, inSum, found, span))
        return rejection;
    span.dims.push_back(*dim);
  }
  llvm::sort(span.dims);
  if (Rejection rejection = matchSplit(site, found, span, used))
    return rejection;
  for (unsigned variable : reduced)
    if (!used.contains(variable) && site.context().getExtent(variable) != 1)
      return reject(Rejection::OtherDimension);
  if (span.count && (span.dims.size() != 1 || *span.count < 1 ||
                     isLessThan(site.getExtent(span.dims[0]), *span.count)))
    return reject(Rejection::PartOfDims, span.dims);
  if (span.dims.empty())
    return reject(Rejection::NoDims);
  if (Rejection rejection = countTerms(site, span))
    return rejection;
  return span;
}

//===----------------------------------------------------------------------===//
// The number of terms
//===----------------------------------------------------------------------===//

// r must be sum^(-1/2) * n^(1/2), however n is spread over constants, which are
// read as numbers of a normal form: the float next to 1/n is another divisor.
// Other constants are a weight.

double norm::getDouble(const Node *number) {
  auto *constant = dyn_cast<ConstantNode>(number);
  return constant ? constant->getAttr().getValueAsDouble() : std::nan("");
}

static std::string describeConstant(const Node *number) {
  return text(cast<ConstantNode>(number)->getValue());
}

/// Returns, as a hint, trailing dims that have `count` elements, or "".
static std::string findDimsOfSize(const Site &site, const Fraction &count) {
  SmallVector<int64_t> dims;
  Fraction size(1);
  for (int64_t i = site.getRank(); i-- > 0 && size < count;) {
    size *= Fraction(site.getExtent(i));
    dims.insert(dims.begin(), i);
  }
  if (size != count || dims.empty())
    return "";
  return "; RMSNorm over dims " + text(dims) + " would divide a sum of " +
         text(count);
}

/// Returns the square of a product of constants; -1 if that is not rational.
static Fraction getSquare(const Site &site, const Span &span,
                          ArrayRef<Factor> scales) {
  SmallVector<Factor> squares(scales);
  for (Factor &scale : squares)
    scale.exponent *= Fraction(2);
  Term square = multiply(site.context(), squares, {span.terms, nullptr});
  bool isRational = square.factors.empty() && square.radicand == Fraction(1);
  return isRational ? square.coefficient : Fraction(-1);
}

/// Matches the scales of a mean that is formed.
static Rejection matchInner(const Site &site, const Span &span,
                            ArrayRef<Factor> inner) {
  Fraction square = getSquare(site, span, inner);
  if (square == Fraction(*span.terms))
    return {};
  const auto &[constant, exponent] = inner.front();
  std::string value = describeConstant(constant);
  const auto &semantics = constant->getFloatType().getFloatSemantics();
  if (inner.size() == 1 && exponent < Fraction(0))
    return reject(Rejection::OtherReciprocal, span.dims, *span.terms, value,
                  text(getReciprocal(semantics, *span.terms)),
                  constant->getType());
  return reject(Rejection::OtherDivisor, span.dims, *span.terms,
                inner.size() == 1 ? value : text(square),
                findDimsOfSize(site, square));
}

/// Handles sqrt(sum) / sqrt(n) and x / sqrt(sum) * sqrt(n): one constant must
/// be sqrt(n), up to a power of two, which scales exactly.
static Rejection matchOuter(const Site &site, const Span &span,
                            ArrayRef<Factor> outer,
                            SmallVectorImpl<Factor> &rest) {
  auto isRoot = [&](ArrayRef<Factor> scales) {
    return getSquare(site, span, scales) == Fraction(*span.terms);
  };
  if (isRoot(outer))
    return {};
  for (auto [i, scale] : llvm::enumerate(outer)) {
    rest.assign(outer.begin(), outer.end());
    rest.erase(rest.begin() + i);
    if (isRoot(scale))
      return {};
  }
  const Node *constant = outer.front().base;
  double ratio = getDouble(constant) / std::sqrt(*span.terms);
  auto power = FloatAttr::get(constant->getType(),
                              std::exp2(std::round(std::log2(ratio))));
  const Node *scale =
      site.context().getConstant(power.getValue(), constant->getType());
  rest.assign({{scale, Fraction(1)}});
  if (outer.size() == 1 && power.getValue().isNormal() &&
      isRoot({outer.front(), {scale, Fraction(-1)}}))
    return {};
  return reject(Rejection::RootScaled, span.dims, *span.terms,
                describeConstant(constant));
}

bool norm::isNumberOfTerms(const Site &site, const Span &span,
                           const SymbolicCount &count) {
  auto variables = llvm::map_to_vector(
      span.dims, [&](int64_t dim) { return site.space[dim]; });
  return site.context().isProductOfExtents(count, variables);
}

/// Checks that the divisor is the product of exactly the summed extents.
static Rejection matchDynamic(const Site &site, const Span &span,
                              ArrayRef<Factor> scales, Divisor &divisor) {
  std::optional<SymbolicCount> product = SymbolicCount::get(1);
  for (const Factor &scale : scales) {
    auto *count = dyn_cast<CountNode>(scale.base);
    if (!count && divisor.formsMean)
      return reject(Rejection::OtherDynamicDivisor, span.dims,
                    describeConstant(scale.base));
    if (!count)
      divisor.rest.push_back(scale);
    else if (product)
      product = scale.exponent == Fraction(1, 2)
                    ? product->times(count->getCount())
                    : std::nullopt;
  }
  bool isTerms = product && isNumberOfTerms(site, span, *product);
  return isTerms ? Rejection() : reject(Rejection::CountNotProved, span.dims);
}

/// Matches the scales of the mean or, if none is formed, of its root.
static Rejection matchScales(const Site &site, const Span &span,
                             ArrayRef<Factor> scales, Divisor &divisor) {
  auto isExtent = [](const Factor &scale) {
    return scale.base->is(Kind::Count);
  };
  if (scales.empty())
    return span.terms ? reject(Rejection::NotDivided, span.dims, *span.terms)
                      : reject(Rejection::NotDividedDynamic, span.dims);
  if (!span.terms)
    return matchDynamic(site, span, scales, divisor);
  if (llvm::any_of(scales, isExtent))
    return reject(Rejection::ExtentNotProved, span.dims, *span.terms);
  return divisor.formsMean ? matchInner(site, span, scales)
                           : matchOuter(site, span, scales, divisor.rest);
}

RejectionOr<Divisor> norm::matchDivisor(const Site &site,
                                        const Findings &found) {
  const InverseRoot &inverse = found.inverse;
  SmallVector<Factor> inner(inverse.inner), outer(inverse.outer);
  auto scalesRoot = [](const Factor &scale) {
    return abs(scale.exponent) != Fraction(1, 2);
  };
  // Without an epsilon, scaling the root is the same as scaling the mean.
  if (!inverse.epsilon.base || inverse.mode != EpsilonMode::Inside ||
      llvm::all_of(inner, scalesRoot)) {
    llvm::copy_if(inner, std::back_inserter(outer), scalesRoot);
    llvm::erase_if(inner, scalesRoot);
  }
  Divisor divisor;
  divisor.formsMean = !inner.empty();
  if (divisor.formsMean)
    divisor.rest = outer;
  else
    llvm::copy_if(found.product.others, std::back_inserter(outer), isScale);
  if (Rejection rejection = matchScales(
          site, found.span, divisor.formsMean ? inner : outer, divisor))
    return rejection;
  return divisor;
}
