//===- GradientParts.cpp - take the products of a gradient apart ----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::row;

static constexpr unsigned kMaxDepth = 24; // of a product, with its tensors
static constexpr unsigned kMaxRead = 256; // nodes below a product

/// Returns true for a product of the first operand, or of both.
static bool isProduct(const Node *node) {
  switch (node->getKind()) {
  case Kind::Mul:
  case Kind::Div:
  case Kind::Neg:
  case Kind::Extend:
  case Kind::Round:
    return true;
  case Kind::Fma:
    return isConstant(node->getOperand(2), -0.0);
  case Kind::Power:
    return cast<PowerNode>(node)->getDenominator() == 1;
  default:
    return false;
  }
}

bool PartsReader::isRow(const Node *node) {
  auto [it, inserted] = rows.try_emplace(node, false);
  if (inserted && !node->is(Kind::Constant) && !node->is(Kind::Count))
    rows[node] = llvm::none_of(getDependentVariables(node), [&](unsigned each) {
      return llvm::is_contained(along, each);
    });
  return rows[node];
}

/// Returns the product that an element holds; null for any other node.
const Node *PartsReader::open(const Node *node) {
  auto *element = dyn_cast<ElementNode>(node);
  const Node *opened = element ? reader.open(element) : nullptr;
  return opened && (isProduct(opened) || opened->is(Kind::Element) ||
                    isX(opened) || opened->is(Kind::Constant))
             ? opened
             : nullptr;
}

bool PartsReader::reveals(const Node *node, unsigned depth) {
  if (auto it = revealing.find(node); it != revealing.end())
    return it->second;
  revealing[node] = false; // ends a cycle of tensors in an unreachable block
  bool result = isX(node) || isRow(node) || node->is(Kind::Neg);
  if (!result && depth < kMaxDepth) {
    if (const Node *opened = open(node))
      result = reveals(opened, depth + 1);
    else if (isProduct(node))
      result = llvm::any_of(node->getOperands(), [&](const Node *each) {
        return reveals(each, depth + 1);
      });
  }
  return revealing[node] = result;
}

void PartsReader::read(const Node *node, Parts &parts,
                       const Fraction &exponent) {
  auto isLeaf = [&](const Node *each) {
    return isX(each) || isRow(each) ||
           (opening == Opening::Wanted && !reveals(each)) ||
           !(isProduct(each) || each->is(Kind::Element));
  };
  auto openNext = [&](const Node *each) -> const Node * {
    if (!each->is(Kind::Round) && !each->is(Kind::Extend))
      return open(each);
    return each->getOperand(0);
  };
  for (const Factor &factor :
       collectFactors(node, exponent, isLeaf, openNext, &parts.isNegated))
    if (auto scale = getScale(factor))
      parts.addScale(*scale);
    else if (isRow(factor.base) && !isX(factor.base))
      parts.rows.push_back(factor);
    else
      parts.varying.push_back(factor);
}

//===----------------------------------------------------------------------===//
// r
//===----------------------------------------------------------------------===//

const Node *norm::openRow(Reader &reader, const Node *node) {
  for (unsigned i = 0; i < kMaxDepth; ++i) {
    auto *element = dyn_cast<ElementNode>(node);
    const Node *opened = element ? reader.open(element) : nullptr;
    if (!opened || opened->is(Kind::Opaque))
      return node;
    node = opened;
  }
  return node;
}

RejectionOr<RowRoot> norm::readRowRoot(Reader &reader, const Parts &parts) {
  if (parts.rows.empty())
    return reject(Rejection::NoCandidate);
  if (parts.rows.size() > 1 || abs(parts.rows[0].exponent) != Fraction(1))
    return reject(Rejection::SeveralRoots);
  RowRoot root;
  root.node = parts.rows[0].base;
  root.divides = parts.rows[0].exponent == Fraction(-1);
  root.exponent = parts.rows[0].exponent;
  const Node *node = root.node;
  for (unsigned i = 0; i < kMaxDepth; ++i) {
    node = openRow(reader, node);
    if (node->is(Kind::Rsqrt) || node->is(Kind::Sqrt))
      root.exponent *= Fraction(node->is(Kind::Sqrt) ? 1 : -1, 2);
    else if (auto *power = dyn_cast<PowerNode>(node))
      root.exponent *= Fraction(power->getNumerator(), power->getDenominator());
    else if (node->is(Kind::Div) && isConstant(node->getOperand(0), 1.0))
      root.exponent = -root.exponent;
    else if (!node->is(Kind::Extend) && !node->is(Kind::Round))
      break;
    root.isRounded |=
        node->is(Kind::Round) ||
        (!node->is(Kind::Extend) && node->getWidth() < root.node->getWidth());
    node = node->getOperand(node->is(Kind::Div));
  }
  root.base = node;
  if (abs(root.exponent) > Fraction(1))
    return reject(Rejection::SeveralRoots);
  auto isNumber = [](const Node *each) {
    return each->is(Kind::Constant) || each->is(Kind::Count);
  };
  if ((node->is(Kind::Mul) || node->is(Kind::Div)) &&
      llvm::none_of(node->getOperands(), isNumber))
    return reject(Rejection::SeveralRoots);
  if (node->is(Kind::Add) && root.exponent == Fraction(-1))
    for (unsigned i : {0u, 1u})
      if (node->getOperand(1 - i)->is(Kind::Constant))
        root.beforeEpsilon = openRow(reader, node->getOperand(i));
  return root;
}

const Node *norm::findRootBelow(Reader &reader, const Node *node) {
  llvm::SmallSetVector<const Node *, 16> nodes;
  nodes.insert(node);
  for (size_t i = 0; i < nodes.size() && i < kMaxRead; ++i) {
    const Node *next = nodes[i];
    if (next->isStatistic() && takesRoot(next))
      return next;
    auto *element = dyn_cast<ElementNode>(next);
    const Node *opened = element ? reader.open(element) : nullptr;
    if (opened && (isProduct(opened) || opened->is(Kind::Element) ||
                   opened->is(Kind::Add)))
      nodes.insert(opened);
    else if (isProduct(next) || next->is(Kind::Add) || next->is(Kind::Sum))
      nodes.insert_range(next->getOperands());
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// dy and the weight
//===----------------------------------------------------------------------===//

/// Returns true if the node is the same for all indices of a batch dimension.
static bool isWeight(const Node *node, ArrayRef<unsigned> batch) {
  SmallVector<unsigned> depends = getDependentVariables(node);
  return llvm::any_of(
      batch, [&](unsigned each) { return !llvm::is_contained(depends, each); });
}

/// Reads one value as dy * w: through the tensors and casts that hold it.
static std::optional<WeightedGradient> splitProduct(Reader &reader,
                                                    const Node *node,
                                                    ArrayRef<unsigned> batch,
                                                    FloatType compute) {
  WeightedGradient found;
  for (unsigned i = 0; i < kMaxDepth; ++i) {
    if (auto *element = dyn_cast<ElementNode>(node)) {
      node = reader.open(element);
      if (!node)
        return std::nullopt;
    } else if (node->is(Kind::Extend)) {
      node = node->getOperand(0);
      if (!isArithmeticType(node->getType()))
        return std::nullopt;
    } else if (node->is(Kind::Round)) {
      if (found.rounded)
        return std::nullopt;
      found.rounded = node->getFloatType();
      node = node->getOperand(0);
    } else {
      break;
    }
  }
  if (!node->is(Kind::Mul))
    return std::nullopt;
  const Node *a = node->getOperand(0), *b = node->getOperand(1);
  if (isWeight(a, batch) == isWeight(b, batch))
    return std::nullopt;
  found.dy = isWeight(a, batch) ? b : a;
  found.weight = isWeight(a, batch) ? a : b;
  found.productType = node->getFloatType();
  if (!found.rounded && found.productType.getWidth() < compute.getWidth())
    found.rounded = found.productType;
  return found;
}

std::optional<WeightedGradient> norm::splitWeight(Reader &reader,
                                                  ArrayRef<Factor> factors,
                                                  ArrayRef<unsigned> batch,
                                                  FloatType compute) {
  WeightedGradient found;
  for (const Factor &factor : factors) {
    const Node *&place = isWeight(factor.base, batch) ? found.weight : found.dy;
    if (place || factor.exponent != Fraction(1))
      return std::nullopt;
    place = factor.base;
  }
  if (!found.dy)
    return std::nullopt;
  found.productType = found.dy->getFloatType();
  if (found.weight)
    return found;
  auto split = splitProduct(reader, found.dy, batch, compute);
  return split ? split : found;
}

SmallVector<Value> norm::getMultiplied(Reader &reader, const Node *product) {
  Parts parts;
  SmallVector<unsigned> along = getDependentVariables(product);
  PartsReader(
      reader, along, [](const Node *) { return false; }, Opening::All)
      .read(product, parts);
  SmallVector<Value> tensors;
  for (const Factor &factor : parts.varying) {
    auto *element = dyn_cast<ElementNode>(stripCasts(factor.base));
    if (!element || factor.exponent != Fraction(1))
      return {};
    tensors.push_back(element->getValue());
  }
  return parts.rows.empty() && parts.scales.empty() ? tensors
                                                    : SmallVector<Value>();
}
