//===- MatchStatistic.cpp - is this a root of a sum of squares? -----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The walk from r to x^2 reads through roundings, which are compared later.
//
//===----------------------------------------------------------------------===//

#include "Match.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::row;

//===----------------------------------------------------------------------===//
// The root
//===----------------------------------------------------------------------===//

namespace {
/// Walks from r to the sum, one node at a time. The exponent tells the place: 1
/// at r, -1 at the root, -1/2 at the mean.
class RootReader {
public:
  RootReader(Context &context, const Product &product)
      : context(context), node(product.root.base),
        exponent(product.root.exponent) {}

  RejectionOr<InverseRoot> read();

private:
  Rejection step();
  Rejection takeRounding();
  Rejection takeFactors();
  Rejection takeSum(const Node *left, const Node *right);
  Rejection takeExtremum(const ExtremumNode *extremum);
  Rejection takeEpsilon(const Node *epsilon, EpsilonMode mode, int power = 1);
  bool isMean() const { return exponent == Fraction(-1, 2); }

  Context &context;
  const Node *node;
  Fraction exponent;
  bool hasTwo = false; // epsilons: rejected once they are on a sum
  InverseRoot found;
};
} // namespace

/// Rounding to fewer than 16 bits is a quantization, which every mode rejects.
Rejection RootReader::takeRounding() {
  const Node *inner = node->getOperand(0);
  for (Type type : {node->getType(), inner->getType()})
    if (!isArithmeticType(type))
      return reject(Rejection::OtherArithmetic, type);
  if (isMean() && node->is(Kind::Round) && !inner->is(Kind::Sum))
    found.sumType = inner->getFloatType();
  node = inner;
  return {};
}

Rejection RootReader::takeEpsilon(const Node *epsilon, EpsilonMode mode,
                                  int power) {
  if (epsilon->hasReduction())
    return reject(Rejection::NotOneSum);
  hasTwo |= found.epsilon.base != nullptr;
  found.epsilon = {epsilon, Fraction(power)};
  found.mode = mode;
  found.outer.append(found.inner);
  found.inner.clear();
  return {};
}

Rejection RootReader::takeSum(const Node *left, const Node *right) {
  node = left->hasReduction() ? left : right;
  const Node *epsilon = node == left ? right : left;
  // A mean of squares and its root are at least 0, so adding 0.0 of either sign
  // keeps them.
  if (isConstant(epsilon, 0.0) || isConstant(epsilon, -0.0))
    return {};
  return takeEpsilon(epsilon,
                     isMean() ? EpsilonMode::Inside : EpsilonMode::Outside);
}

/// Handles bounds: max(m, e) is a clamp, max(m, 0) is m, min(m, largest) only
/// matters where m has overflowed, and min(r, K) is a clamp of the root.
Rejection RootReader::takeExtremum(const ExtremumNode *extremum) {
  unsigned at = extremum->getOperand(1)->hasReduction();
  const Node *bound = extremum->getOperand(!at);
  bool keepsNaN = extremum->keepsNaN(at);
  auto *constant = dyn_cast<ConstantNode>(bound);
  APFloat value = constant ? constant->getValue() : APFloat(1.0);
  node = extremum->getOperand(at);
  if (extremum->is(Kind::Max)) {
    bool isBelow = value.isZero() || (value.isNegative() && !value.isNaN());
    return isBelow && keepsNaN
               ? Rejection()
               : takeEpsilon(bound, EpsilonMode::Clamp, isMean() ? 2 : 1);
  }
  if (!constant || value.isNegative() || value.isNaN())
    return reject(Rejection::NotOneSum);
  if (!keepsNaN)
    return reject(Rejection::BoundDropsNaN);
  if (value.isInfinity() || value.isLargest())
    return {};
  if (exponent != Fraction(1) || !value.isNormal())
    return reject(Rejection::NotOneSum);
  return takeEpsilon(bound, EpsilonMode::Clamp, -1);
}

/// Splits the constants off the one factor that contains a reduction.
Rejection RootReader::takeFactors() {
  std::optional<Factor> statistic;
  for (const Factor &factor : collectFactors(node, exponent)) {
    if (factor.base->hasReduction()) {
      if (statistic)
        return reject(Rejection::TwoReductions);
      statistic = factor;
    } else if (!isNumber(factor.base)) {
      return reject(Rejection::NoConstantDivisor);
    } else if (!isConstant(factor.base, 1.0)) {
      found.inner.push_back(factor);
    }
  }
  if (!statistic || statistic->base == node)
    return reject(Rejection::NotOneSum);
  node = statistic->base;
  exponent = statistic->exponent;
  return {};
}

Rejection RootReader::step() {
  switch (node->getKind()) {
  case Kind::Round:
  case Kind::Extend:
    return takeRounding();
  case Kind::Add:
    return takeSum(node->getOperand(0), node->getOperand(1));
  case Kind::Max:
  case Kind::Min:
    return takeExtremum(cast<ExtremumNode>(node));
  case Kind::Abs:
    node = node->getOperand(0);
    return {};
  case Kind::Fma:
    return takeSum(context.get(Kind::Mul, node->getType(),
                               node->getOperands().drop_back()),
                   node->getOperand(2));
  default:
    return takeFactors();
  }
}

RejectionOr<InverseRoot> RootReader::read() {
  while (!node->is(Kind::Sum) &&
         !(isa<OpaqueNode>(node) && cast<OpaqueNode>(node)->isReduction()))
    if (Rejection rejection = step())
      return rejection;
  found.sum = node;
  if (hasTwo)
    return reject(Rejection::TwoEpsilons);
  if (isMean())
    return std::move(found);
  if (exponent == Fraction(1, 2) || exponent == Fraction(1))
    return reject(Rejection::ByRoot);
  if (exponent == Fraction(-1))
    return reject(Rejection::WithoutRoot);
  return reject(Rejection::OtherExponent, exponent);
}

//===----------------------------------------------------------------------===//
// The sum
//===----------------------------------------------------------------------===//

const Node *norm::getSquared(Reader &reader, const Node *node) {
  if (auto *power = dyn_cast<PowerNode>(node))
    return power->getExponent() == Fraction(2) ? power->getBase() : nullptr;
  if (!node->is(Kind::Mul) && !node->is(Kind::Fma))
    return nullptr;
  if (node->is(Kind::Fma) && !isConstant(node->getOperand(2), -0.0))
    return nullptr;
  const Node *a = node->getOperand(0), *b = node->getOperand(1);
  if (a == b)
    return a;
  // Constants are not views.
  if (!stripExtend(a)->is(Kind::Element) || !stripExtend(b)->is(Kind::Element))
    return nullptr;
  return isSame(reader, a, b) ? a : nullptr;
}

/// Describes the term of a sum that is not x^2.
static std::string describeTerm(const Node *term) {
  if (auto *power = dyn_cast<PowerNode>(term))
    return llvm::formatv("powers {0}/{1}", power->getExponent().num,
                         power->getExponent().den);
  if (auto *opaque = dyn_cast<OpaqueNode>(term))
    return opaque->getName().str() + " values";
  return term->is(Kind::Abs)   ? "|x|"
         : term->is(Kind::Mul) ? "products"
                               : "something else";
}

/// Strips the casts of a partial sum or a square.
static const Node *stripRounding(const Node *term) {
  term = stripExtend(term);
  while ((term->is(Kind::Round) || term->is(Kind::Extend)) &&
         isArithmeticType(term->getType()) &&
         isArithmeticType(term->getOperand(0)->getType()))
    term = term->getOperand(0);
  return term;
}

/// Returns the only factor of a sum's term that is no number, which may be
/// rounded before it is scaled; null if there are several.
static const Node *takeScales(const Node *term, NodePredicate isLeaf,
                              SmallVectorImpl<Factor> &scales) {
  const Node *inner = nullptr;
  auto open = [&](const Node *node) {
    const Node *stripped = stripRounding(node);
    return stripped == node ? nullptr : stripped;
  };
  for (const Factor &factor :
       collectFactors(stripRounding(term), Fraction(1), isLeaf, open)) {
    if (isNumber(factor.base))
      scales.push_back(factor);
    else if (inner || factor.exponent != Fraction(1))
      return nullptr;
    else
      inner = factor.base;
  }
  return inner;
}

RejectionOr<Statistic> norm::matchStatistic(Reader &reader, const Node *sum) {
  if (auto *opaque = dyn_cast<OpaqueNode>(sum))
    return reject(Rejection::OtherReduction, opaque->getName());
  Statistic found;
  auto isLeaf = [&](const Node *node) {
    return node->is(Kind::Sum) || getSquared(reader, node);
  };
  while (sum && sum->is(Kind::Sum)) {
    llvm::append_range(found.variables, sum->getVariables());
    found.terms.push_back(sum->getOperand(0));
    sum = takeScales(sum->getOperand(0), isLeaf, found.scales);
  }
  found.x = sum ? getSquared(reader, sum) : nullptr;
  if (found.x)
    return std::move(found);
  const Node *term = stripExtend(found.terms.back());
  if (auto *element = dyn_cast<ElementNode>(term))
    if (const Node *opened = reader.open(element))
      term = stripExtend(opened);
  return reject(Rejection::OtherTerm, describeTerm(term));
}

Rejection norm::matchRow(const Site &site, Findings &found) {
  RootReader root(site.context(), found.product);
  if (Rejection rejection = root.read().moveInto(found.inverse))
    return rejection;
  if (Rejection rejection = matchStatistic(site.reader, found.inverse.sum)
                                .moveInto(found.statistic))
    return rejection;
  for (const auto &[base, exponent] : found.statistic.scales)
    found.inverse.inner.push_back({base, exponent * Fraction(-1, 2)});
  return {};
}

std::optional<Statistic> norm::skipPadding(Reader &reader,
                                           Statistic statistic) {
  Context &context = reader.getContext();
  auto *padded = dyn_cast<ElementNode>(stripExtend(statistic.x));
  auto pad = padded ? padded->getValue().getDefiningOp<tensor::PadOp>()
                    : tensor::PadOp();
  Value padding = pad ? pad.getConstantPaddingValue() : Value();
  if (!padding || !matchPattern(padding, m_AnyZeroFloat()))
    return std::nullopt;
  SmallVector<AffineExpr> indices(padded->getIndices());
  for (int64_t dim : llvm::seq(pad.getSourceType().getRank())) {
    if (!pad.getPaddedDims().test(dim))
      continue;
    auto index = dyn_cast<AffineDimExpr>(indices[dim]);
    auto *it = index ? llvm::find(statistic.variables, index.getPosition())
                     : statistic.variables.end();
    if (it == statistic.variables.end() ||
        !context.isExtentOf(*it, pad.getResult(), dim))
      return std::nullopt;
    *it = context.addVariable(pad.getSourceType().getDimSize(dim));
    if (pad.getSourceType().isDynamicDim(dim))
      context.getInfo(*it).sources.push_back(
          context.getExtents().getExtent(pad.getSource(), dim));
    indices[dim] = context.getIndex(*it);
  }
  const Node *inner = reader.read(pad.getSource(), std::move(indices));
  statistic.padded = padded;
  statistic.x = statistic.x == padded
                    ? inner
                    : context.get(Kind::Extend, statistic.x->getType(), inner);
  return statistic;
}
