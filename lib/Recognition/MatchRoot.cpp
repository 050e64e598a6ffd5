//===- MatchRoot.cpp - is this the reciprocal root of a statistic? --------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Match.h"

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::row;

namespace {
/// Walks from r to the sum, one node at a time. The exponent tells the place: 1
/// at r, -1 at the root, -1/2 at the mean.
class RootReader {
public:
  RootReader(const Product &product, Deviations &deviations)
      : deviations(deviations), node(product.root),
        exponent(product.divides ? -1 : 1) {}

  RejectionOr<InverseRoot> read();

private:
  Rejection step();
  Rejection takeRounding();
  Rejection takeFactors();
  Rejection takeSum(const Node *left, const Node *right);
  Rejection takeExtremum(const ExtremumNode *extremum);
  Rejection takeEpsilon(const Node *epsilon, EpsilonMode mode);

  Deviations &deviations;
  const Node *node;
  Fraction exponent;
  bool hasTwo = false; // epsilons: rejected once they are on a sum
  InverseRoot found;
};
} // namespace

/// Allows one rounding of r, to scale_type, and one of the mean, from sum_type.
/// Rounding to fewer than 16 bits is a quantization, which every mode rejects.
Rejection RootReader::takeRounding() {
  const Node *inner = node->getOperand(0);
  for (Type type : {node->getType(), inner->getType()})
    if (!isArithmeticType(type))
      return reject(Rejection::OtherArithmetic, type);
  bool isMean = exponent == Fraction(-1, 2);
  bool sums = inner->is(Kind::Sum);
  if (!isMean)
    deviations.addNarrow(reject(exponent == Fraction(1)
                                    ? Rejection::RoundedTwice
                                    : Rejection::RootRounded));
  else if (node->is(Kind::Extend) || (!sums && found.sumType))
    deviations.addNarrow(reject(Rejection::MeanInOtherType));
  else if (!sums)
    found.sumType = inner->getFloatType();
  node = inner;
  return {};
}

Rejection RootReader::takeEpsilon(const Node *epsilon, EpsilonMode mode) {
  if (epsilon->hasReduction())
    return reject(Rejection::NotOneSum);
  hasTwo |= found.epsilon != nullptr;
  // A rounding between epsilon and the root rounds the radicand.
  if (found.sumType)
    deviations.addNarrow(reject(Rejection::MeanInOtherType));
  found.epsilon = epsilon;
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
  if ((isConstant(epsilon, 0.0) || isConstant(epsilon, -0.0)) &&
      isNonNegative(node))
    return {};
  return takeEpsilon(epsilon, exponent == Fraction(-1, 2)
                                  ? EpsilonMode::Inside
                                  : EpsilonMode::Outside);
}

/// Handles bounds: max(m, e) is a clamp, max(m, 0) is m, min(m, largest) only
/// matters where m has overflowed, and min(r, K) is a clamp of the root.
Rejection RootReader::takeExtremum(const ExtremumNode *extremum) {
  unsigned at = extremum->getOperand(1)->hasReduction();
  const Node *bound = extremum->getOperand(!at);
  bool keepsNaN = extremum->keepsNaN(at);
  auto *constant = dyn_cast<ConstantNode>(bound);
  node = extremum->getOperand(at);
  if (extremum->is(Kind::Max)) {
    bool isZero =
        constant && !constant->getValue().isNaN() &&
        (constant->getValue().isZero() || constant->getValue().isNegative());
    if (isZero && keepsNaN && isNonNegative(node))
      return {};
    if (!keepsNaN)
      deviations.addInexact(Rejection::DropsNaN);
    found.clampsMean = exponent == Fraction(-1, 2);
    return takeEpsilon(bound, EpsilonMode::Clamp);
  }
  if (!constant || constant->getValue().isNegative() ||
      constant->getValue().isNaN())
    return reject(Rejection::NotOneSum);
  if (!keepsNaN)
    return reject(Rejection::BoundDropsNaN);
  deviations.addInexact(Rejection::UpperBound);
  if (constant->getValue().isInfinity() || constant->getValue().isLargest())
    return {};
  if (exponent != Fraction(1) || !constant->getValue().isNormal())
    return reject(Rejection::NotOneSum);
  found.clampsRoot = true;
  return takeEpsilon(bound, EpsilonMode::Clamp);
}

/// Splits the constants off the one factor that contains a reduction.
Rejection RootReader::takeFactors() {
  const Node *statistic = nullptr;
  Fraction next;
  for (const Factor &factor : collectFactors(node, exponent)) {
    if (factor.base->hasReduction()) {
      if (statistic)
        return reject(Rejection::TwoReductions);
      statistic = factor.base;
      next = factor.exponent;
    } else if (auto scale = getScale(factor)) {
      if (!isConstant(scale->value, 1.0))
        found.inner.push_back(*scale);
    } else {
      return reject(Rejection::NoConstantDivisor);
    }
  }
  if (!statistic || statistic == node)
    return reject(Rejection::NotOneSum);
  node = statistic;
  exponent = next;
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
    if (!isNonNegative(node->getOperand(0)))
      return reject(Rejection::NotOneSum);
    node = node->getOperand(0);
    return {};
  case Kind::Fma:
    if (node->getOperand(0)->hasReduction() !=
            node->getOperand(1)->hasReduction() &&
        !node->getOperand(2)->hasReduction()) {
      // The node is sum * (1/n) + e, rounded once.
      bool second = node->getOperand(1)->hasReduction();
      const Node *fma = node;
      deviations.addInexact(Rejection::Fused);
      if (Rejection rejection =
              takeSum(fma->getOperand(second), fma->getOperand(2)))
        return rejection;
      auto scale = getScale({fma->getOperand(!second), exponent});
      if (!scale)
        return reject(Rejection::NoConstantDivisor);
      found.inner.push_back(*scale);
      return {};
    }
    return reject(Rejection::NotOneSum);
  default:
    return takeFactors();
  }
}

RejectionOr<InverseRoot> RootReader::read() {
  const Node *narrow = stripExtend(node);
  found.isWidened = narrow != node;
  node = narrow;
  if (node->is(Kind::Round) && exponent == Fraction(1)) {
    found.scaleType = node->getFloatType();
    node = node->getOperand(0);
  }
  found.type = node->getFloatType();
  while (!node->is(Kind::Sum) &&
         !(isa<OpaqueNode>(node) && cast<OpaqueNode>(node)->isReduction()))
    if (Rejection rejection = step())
      return rejection;
  found.sum = node;
  if (hasTwo)
    return reject(Rejection::TwoEpsilons);
  if (exponent == Fraction(-1, 2))
    return std::move(found);
  if (exponent == Fraction(1, 2) || exponent == Fraction(1))
    return reject(Rejection::ByRoot);
  if (exponent == Fraction(-1))
    return reject(Rejection::WithoutRoot);
  std::string power;
  llvm::raw_string_ostream os(power);
  os << exponent.num;
  if (exponent.den != 1)
    os << '/' << exponent.den;
  return reject(Rejection::OtherExponent, power);
}

RejectionOr<InverseRoot> norm::matchInverseRoot(const Product &product,
                                                Deviations &deviations) {
  return RootReader(product, deviations).read();
}

//===----------------------------------------------------------------------===//
// The spelling that the op has itself
//===----------------------------------------------------------------------===//

/// Returns the rejection by `exact` of a step from r to the sum, or nullopt.
static std::optional<Rejection::Id> judge(const Node *node, const Node *inner,
                                          unsigned numRoots,
                                          unsigned &numDivisions) {
  switch (node->getKind()) {
  case Kind::Rsqrt:
    return Rejection::ByRsqrt;
  case Kind::Power:
    return Rejection::ByPower;
  case Kind::Sqrt:
    return numRoots > 0 || (inner->is(Kind::Div) &&
                            inner->getOperand(1)->hasReduction())
               ? std::optional(Rejection::RootOfReciprocal)
               : std::nullopt;
  case Kind::Mul:
    return numRoots > 0 ? Rejection::ByReciprocal : Rejection::ScaledRoot;
  case Kind::Div:
    if (numRoots > 0) // sum / n
      return ++numDivisions > 1 || !isa<SumNode>(stripCasts(inner))
                 ? std::optional(Rejection::OtherOrder)
                 : std::nullopt;
    return isConstant(node->getOperand(0), 1.0)
               ? std::nullopt
               : std::optional(Rejection::ScaledRoot);
  default:
    return std::nullopt;
  }
}

void norm::noteSpelling(const Findings &found, Deviations &deviations) {
  const Product &product = found.product;
  const Statistic &statistic = found.statistic;
  unsigned numRoots = 0, numDivisions = 0;
  for (const Node *node = product.root; !node->is(Kind::Sum);
       node = getReducing(node)) {
    if (std::optional<Rejection::Id> id =
            judge(node, getReducing(node), numRoots, numDivisions))
      deviations.addInexact(*id);
    numRoots += node->is(Kind::Sqrt);
  }
  const Node *term = stripExtend(statistic.terms.back());
  if (statistic.isFused)
    deviations.addInexact(Rejection::Fused);
  auto *power = dyn_cast<PowerNode>(term);
  if (!statistic.scales.empty())
    deviations.addInexact(Rejection::OtherOrder);
  else if (power && power->getSpelling() != PowerNode::Spelling::Power)
    deviations.addInexact(Rejection::ByPower);
  if (!product.others.empty() && !product.weighsLast)
    deviations.addInexact(Rejection::OtherOrder);
}
