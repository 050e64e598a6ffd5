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
  explicit RootReader(const Product &product)
      : node(product.root), exponent(product.divides ? -1 : 1) {}

  RejectionOr<InverseRoot> read();

private:
  Rejection step();
  Rejection takeRounding();
  Rejection takeFactors();
  Rejection takeSum(const Node *left, const Node *right);
  Rejection takeExtremum(const ExtremumNode *extremum);
  Rejection takeEpsilon(const Node *epsilon, EpsilonMode mode);

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
  bool isMean = exponent == Fraction(-1, 2) && node->is(Kind::Round);
  if (isMean && !inner->is(Kind::Sum))
    found.sumType = inner->getFloatType();
  node = inner;
  return {};
}

Rejection RootReader::takeEpsilon(const Node *epsilon, EpsilonMode mode) {
  if (epsilon->hasReduction())
    return reject(Rejection::NotOneSum);
  hasTwo |= found.epsilon != nullptr;
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
    found.clampsMean = exponent == Fraction(-1, 2);
    return takeEpsilon(bound, EpsilonMode::Clamp);
  }
  if (!constant || constant->getValue().isNegative() ||
      constant->getValue().isNaN())
    return reject(Rejection::NotOneSum);
  if (!keepsNaN)
    return reject(Rejection::BoundDropsNaN);
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

RejectionOr<InverseRoot> norm::matchInverseRoot(const Product &product) {
  return RootReader(product).read();
}
