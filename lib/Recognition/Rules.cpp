//===- Rules.cpp - how far two expressions of one form are apart ----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bound adds the roundings that the program and the op do not share, as
// docs/Recognition.md derives it. The rules are named after what the program
// has and the op has not.
//
//===----------------------------------------------------------------------===//

#include "Law.h"
#include <cmath>

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::row;

/// Returns the nodes of an expression.
static llvm::SmallSetVector<const Node *, 16> collectNodes(const Node *root) {
  llvm::SmallSetVector<const Node *, 16> nodes;
  nodes.insert(root);
  for (size_t i = 0; i < nodes.size(); ++i)
    nodes.insert_range(nodes[i]->getOperands());
  return nodes;
}

static bool contains(const Node *root, StringRef name) {
  return llvm::any_of(collectNodes(root), [&](const Node *node) {
    auto *symbol = dyn_cast<SymbolNode>(node);
    return symbol && symbol->getName() == name;
  });
}

/// Returns true for the number that the program has in place of epsilon, such
/// as e * n.
static bool isMadeOfEpsilon(const Node *node) {
  return (node->is(Kind::Mul) || node->is(Kind::Power)) &&
         !node->hasReduction() && contains(node, "e") &&
         llvm::all_of(collectNodes(node), [](const Node *each) {
           auto *symbol = dyn_cast<SymbolNode>(each);
           return symbol ? symbol->getSign() == Sign::Number
                         : !each->is(Kind::Element);
         });
}

static bool isPowerOfTwo(const Node *node) {
  auto *constant = dyn_cast<ConstantNode>(node);
  return constant && constant->getValue().getExactLog2Abs() != INT_MIN;
}

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

namespace {
/// Adds up the roundings of one expression, in units of the unit roundoff u of
/// the compute type. Values that the other expression has too are exact.
class Roundings {
public:
  Roundings(FloatType compute, const Node *other)
      : compute(compute), shared(collectNodes(other)) {}

  /// Returns the most that a value is off, relatively to itself or, for a sum,
  /// to the sum of its absolute terms; infinity if values decide.
  double get(const Node *node);

  /// The most that a value is off where it is rounded to a narrower type.
  double narrowed = 0;

private:
  double getOfOperation(const Node *node);
  /// Returns the unit roundoff of a type; what is computed in narrower types
  /// than C is not counted.
  double getUnit(Type type) const {
    int more = int(getDigits(type)) - int(getDigits(compute));
    return more < 0 ? 0 : std::exp2(-more);
  }
  static unsigned getDigits(Type type) {
    return APFloat::semanticsPrecision(
        cast<FloatType>(type).getFloatSemantics());
  }

  FloatType compute;
  llvm::SmallSetVector<const Node *, 16> shared;
  llvm::DenseMap<const Node *, double> known;
};
} // namespace

/// Returns the unit roundoffs by which a constant differs from what it is read
/// as: a reciprocal or a root that was rounded once.
static double getOfConstant(const ConstantNode *constant) {
  const APFloat &value = constant->getValue();
  return value.isInteger() || isPowerOfTwo(constant) ? 0 : 1;
}

double Roundings::getOfOperation(const Node *node) {
  if (isMadeOfEpsilon(node)) {
    // The op has epsilon itself, rounded once.
    auto *power = dyn_cast<PowerNode>(node);
    return power ? std::abs(int64_t(power->getExponent().num)) : 1;
  }
  SmallVector<double, 3> operands;
  for (const Node *operand : node->getOperands())
    operands.push_back(get(operand));
  double most = operands.empty() ? 0 : *llvm::max_element(operands);
  double unit = isa<FloatType>(node->getType()) ? getUnit(node->getType()) : 0;
  switch (node->getKind()) {
  case Kind::Constant:
    return unit * getOfConstant(cast<ConstantNode>(node));
  case Kind::Mul:
  case Kind::Div: {
    bool isExact = isPowerOfTwo(node->getOperand(1)) ||
                   (node->is(Kind::Mul) && isPowerOfTwo(node->getOperand(0)));
    return operands[0] + operands[1] + (isExact ? 0 : unit);
  }
  case Kind::Add:
    return most + unit;
  case Kind::Fma:
    return std::max(operands[0] + operands[1], operands[2]) + unit;
  case Kind::Sqrt:
    return most / 2 + unit;
  case Kind::Rsqrt:
    return most / 2 + 2 * unit;
  case Kind::Power: {
    auto *power = cast<PowerNode>(node);
    if (power->getSpelling() == PowerNode::Spelling::ExpOfLog)
      return INFINITY;
    Fraction exponent = abs(power->getExponent());
    return most * double(int64_t(exponent.num)) / int64_t(exponent.den) +
           2 * unit;
  }
  case Kind::Round:
    if (node->getWidth() >= compute.getWidth())
      return most + unit;
    narrowed = std::max(narrowed, most);
    return 0;
  case Kind::Opaque:
    return INFINITY;
  default:
    return most;
  }
}

double Roundings::get(const Node *node) {
  if (shared.contains(node))
    return 0;
  if (auto it = known.find(node); it != known.end())
    return it->second;
  double result = getOfOperation(node);
  return known[node] = result;
}

/// Returns the bound in ulp, to which the last operation of each side adds half
/// of one.
static std::optional<double> getBound(const Node *found, const Node *expected,
                                      FloatType compute) {
  Roundings own(compute, expected), other(compute, found);
  double atEnd = own.get(found) + other.get(expected);
  double bound = std::max(atEnd, own.narrowed + other.narrowed) - 1;
  return std::isfinite(bound)
             ? std::optional(std::ceil(std::max(bound, 1.0) * 10) / 10)
             : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static bool isPower(const Node *node, int numerator, int denominator) {
  auto *power = dyn_cast<PowerNode>(node);
  return power && power->getExponent() == Fraction(numerator, denominator);
}

static bool isExpOfLog(const Node *node) {
  auto *power = dyn_cast<PowerNode>(node);
  return power && power->getSpelling() == PowerNode::Spelling::ExpOfLog;
}

static bool isRsqrt(const Node *node) {
  return node->is(Kind::Rsqrt) || (isPower(node, -1, 2) && !isExpOfLog(node));
}

static bool isRootAsPower(const Node *node) { return isPower(node, 1, 2); }

static bool isInverseInRoot(const Node *node) {
  return node->is(Kind::Sqrt) && node->getOperand(0)->is(Kind::Div) &&
         isConstant(node->getOperand(0)->getOperand(0), 1.0);
}

static bool isQuotientByRoot(const Node *node) {
  return node->is(Kind::Div) && takesRoot(node->getOperand(1)) &&
         !node->getOperand(0)->is(Kind::Constant);
}

static bool isRoundedReciprocal(const Node *node) {
  auto *constant = dyn_cast<ConstantNode>(node);
  return constant && !constant->getValue().isInteger() &&
         getReciprocalOf(abs(constant->getValue()));
}

static bool sumsScaledTerms(const Node *node) {
  auto *sum = dyn_cast<SumNode>(node);
  return sum &&
         llvm::any_of(collectNodes(sum->getTerm()), [](const Node *each) {
           auto *symbol = dyn_cast<SymbolNode>(each);
           return each->is(Kind::Constant) ||
                  (symbol && symbol->getName() == "n");
         });
}

static bool isFma(const Node *node) { return node->is(Kind::Fma); }

static bool isScaledEpsilon(const Node *node) {
  return node->is(Kind::Mul) && isMadeOfEpsilon(node);
}

static bool isSquareOfEpsilon(const Node *node) {
  return node->is(Kind::Power) && isMadeOfEpsilon(node) &&
         cast<PowerNode>(node)->getExponent() > Fraction(0);
}

static bool isInverseOfEpsilon(const Node *node) {
  return node->is(Kind::Power) && isMadeOfEpsilon(node) &&
         cast<PowerNode>(node)->getExponent() < Fraction(0);
}

/// Returns true for x * w and for w * r, which the op does not multiply.
static bool isOtherProduct(const Node *node) {
  if (!node->is(Kind::Mul))
    return false;
  const Node *a = node->getOperand(0), *b = node->getOperand(1);
  auto isWeight = [](const Node *each) {
    return !each->hasReduction() && contains(each, "w");
  };
  auto isOfRow = [](const Node *each) {
    return each->isStatistic() ||
           (!each->hasReduction() && contains(each, "x"));
  };
  return (isWeight(a) && isOfRow(b)) || (isWeight(b) && isOfRow(a));
}

/// Returns true for a bound of the statistic that gives a number for a NaN, or
/// that is 0.
static bool isOtherExtremum(const Node *node) {
  auto *extremum = dyn_cast<ExtremumNode>(node);
  return extremum && node->hasReduction() &&
         (extremum->getSpelling() ||
          llvm::any_of(node->getOperands(),
                       [](const Node *each) { return isConstant(each, 0.0); }));
}

/// What a node is that only the program has, by the name of the rule in
/// docs/Recognition.md.
static constexpr struct {
  llvm::StringLiteral name;
  bool (*isUsedIn)(const Node *);
} kRules[] = {{"rsqrt", isRsqrt},
              {"power", isRootAsPower},
              {"log", isExpOfLog},
              {"inverse", isInverseInRoot},
              {"quotient", isQuotientByRoot},
              {"reciprocal", isRoundedReciprocal},
              {"scaled-term", sumsScaledTerms},
              {"fma", isFma},
              {"epsilon", isScaledEpsilon},
              {"clamp", isSquareOfEpsilon},
              {"cap", isInverseOfEpsilon},
              {"order", isOtherProduct},
              {"maximum", isOtherExtremum}};

/// Returns true if a number beside the sum is the root of its count.
static bool hasRootOfCount(ArrayRef<const Node *> nodes, int64_t terms) {
  return llvm::any_of(nodes, [&](const Node *node) {
    auto *constant = dyn_cast<ConstantNode>(node);
    return constant && isRootOf(constant->getValue(), double(terms));
  });
}

Difference norm::getDifference(const Node *found, const Node *expected,
                               FloatType compute,
                               std::optional<int64_t> terms) {
  Difference difference;
  llvm::SmallSetVector<const Node *, 16> theirs = collectNodes(expected);
  SmallVector<const Node *> own;
  llvm::copy_if(collectNodes(found), std::back_inserter(own),
                [&](const Node *node) { return !theirs.contains(node); });
  for (const auto &rule : kRules)
    if (llvm::any_of(own, rule.isUsedIn))
      difference.rules.push_back(rule.name);
  if (terms && *terms > 1 && hasRootOfCount(own, *terms))
    difference.rules.push_back("root-of-n");
  if (stripCasts(found)->is(Kind::Add) && !stripCasts(expected)->is(Kind::Add))
    difference.rules.push_back("distribute");
  if (difference.rules.empty())
    difference.rules.push_back("order");
  difference.ulps = getBound(found, expected, compute);
  return difference;
}
