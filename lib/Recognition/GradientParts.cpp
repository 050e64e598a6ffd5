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

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

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
    return cast<PowerNode>(node)->getExponent().den == 1;
  default:
    return false;
  }
}

namespace {
class ProductReader {
public:
  ProductReader(Reader &reader, ArrayRef<unsigned> along, NodePredicate isX)
      : reader(reader), along(along), isX(isX) {}

  Parts read(ArrayRef<Factor> product, Opening opening);

private:
  bool isWhole(const Node *node) { return isX && isX(node); }
  bool isRow(const Node *node);
  bool reveals(const Node *node, unsigned depth = 0);
  const Node *open(const Node *node);

  Reader &reader;
  ArrayRef<unsigned> along;
  NodePredicate isX;
  llvm::DenseMap<const Node *, bool> rows, revealing;
};
} // namespace

bool ProductReader::isRow(const Node *node) {
  auto [it, inserted] = rows.try_emplace(node, false);
  if (inserted && !isNumber(node))
    it->second = llvm::none_of(getDependentVariables(node), [&](unsigned each) {
      return llvm::is_contained(along, each);
    });
  return it->second;
}

/// Returns the product that an element holds; null for any other node.
const Node *ProductReader::open(const Node *node) {
  auto *element = dyn_cast<ElementNode>(node);
  const Node *opened = element ? reader.open(element) : nullptr;
  return opened && (isProduct(opened) || opened->is(Kind::Element) ||
                    opened->is(Kind::Constant) || isWhole(opened))
             ? opened
             : nullptr;
}

/// Returns true if x, a value per row or a sign is below the node.
bool ProductReader::reveals(const Node *node, unsigned depth) {
  if (auto it = revealing.find(node); it != revealing.end())
    return it->second;
  revealing[node] = false; // ends a cycle of tensors in an unreachable block
  bool result = isWhole(node) || isRow(node) || node->is(Kind::Neg);
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

Parts ProductReader::read(ArrayRef<Factor> product, Opening opening) {
  auto isLeaf = [&](const Node *each) {
    return isWhole(each) || isRow(each) ||
           (opening == Opening::Wanted && !reveals(each)) ||
           !(isProduct(each) || each->is(Kind::Element));
  };
  auto openNext = [&](const Node *each) {
    bool isCast = each->is(Kind::Round) || each->is(Kind::Extend);
    return isCast ? each->getOperand(0) : open(each);
  };
  Parts parts;
  bool isNegated = false;
  for (const auto &[node, exponent] : product)
    for (const Factor &factor :
         collectFactors(node, exponent, isLeaf, openNext, &isNegated))
      if (isNumber(factor.base))
        parts.isScaled |= !isConstant(factor.base, 1.0);
      else if (isRow(factor.base) && !isWhole(factor.base))
        parts.rows.push_back(factor);
      else
        parts.varying.push_back(factor);
  parts.isScaled |= isNegated;
  return parts;
}

Parts norm::readParts(Reader &reader, ArrayRef<Factor> product,
                      ArrayRef<unsigned> along, Opening opening,
                      NodePredicate isX) {
  return ProductReader(reader, along, isX).read(product, opening);
}

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

RoundedProduct norm::readRounded(Reader &reader, const Node *node) {
  node = openRow(reader, stripExtend(openRow(reader, node)));
  const Node *inner =
      node->is(Kind::Round) ? openRow(reader, node->getOperand(0)) : node;
  return {inner, node->getFloatType()};
}

SmallVector<Value> norm::getMultiplied(Reader &reader, const Node *product) {
  Parts parts = readParts(reader, Factor{product, Fraction(1)},
                          getDependentVariables(product), Opening::All);
  SmallVector<Value> tensors;
  for (const Factor &factor : parts.varying) {
    auto *element = dyn_cast<ElementNode>(stripCasts(factor.base));
    if (!element || factor.exponent != Fraction(1))
      return {};
    tensors.push_back(element->getValue());
  }
  bool isOther = parts.isScaled || !parts.rows.empty();
  return isOther ? SmallVector<Value>() : tensors;
}

//===----------------------------------------------------------------------===//
// r
//===----------------------------------------------------------------------===//

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

RejectionOr<RowRoot> norm::readRowRoot(Reader &reader, ArrayRef<Factor> rows) {
  if (rows.empty())
    return reject(Rejection::NoCandidate);
  if (rows.size() > 1 || abs(rows[0].exponent) != Fraction(1))
    return reject(Rejection::SeveralRoots);
  const auto &[node, exponent] = rows[0];
  auto open = [&](const Node *each) {
    const Node *opened = openRow(reader, each);
    return opened == each ? nullptr : opened;
  };
  SmallVector<Factor> factors =
      collectFactors(node, exponent, /*isLeaf=*/nullptr, open);
  llvm::erase_if(factors, [](const Factor &factor) {
    return isConstant(factor.base, 1.0);
  });
  auto isBase = [](const Factor &each) { return !isNumber(each.base); };
  if (llvm::count_if(factors, isBase) != 1)
    return reject(Rejection::SeveralRoots);
  const Factor base = factors.size() == 1 ? factors[0] : rows[0];
  if (abs(base.exponent) > Fraction(1))
    return reject(Rejection::SeveralRoots);
  RowRoot root{node, exponent == Fraction(-1), base.base, base.exponent};
  if (root.base->is(Kind::Add) && root.exponent == Fraction(-1))
    for (unsigned i : {0u, 1u})
      if (root.base->getOperand(1 - i)->is(Kind::Constant))
        root.beforeEpsilon = openRow(reader, root.base->getOperand(i));
  return root;
}

//===----------------------------------------------------------------------===//
// dy and the weight
//===----------------------------------------------------------------------===//

/// Returns true if the node is the same for all indices of a batch dimension.
static bool isWeight(const Node *node, ArrayRef<unsigned> batch) {
  ArrayRef<unsigned> depends = getDependentVariables(node);
  return llvm::any_of(
      batch, [&](unsigned each) { return !llvm::is_contained(depends, each); });
}

std::optional<WeightedGradient> norm::splitWeight(Reader &reader,
                                                  ArrayRef<Factor> factors,
                                                  ArrayRef<unsigned> batch) {
  WeightedGradient g;
  for (const auto &[node, exponent] : factors) {
    const Node *&place = isWeight(node, batch) ? g.weight : g.dy;
    if (place || exponent != Fraction(1))
      return std::nullopt;
    place = node;
  }
  if (!g.dy)
    return std::nullopt;
  g.productType = g.dy->getFloatType();
  auto [product, rounded] = readRounded(reader, g.dy);
  if (g.weight || !product->is(Kind::Mul))
    return g;
  const Node *weight = product->getOperand(0), *dy = product->getOperand(1);
  if (isWeight(weight, batch) == isWeight(dy, batch))
    return g;
  if (isWeight(dy, batch))
    std::swap(weight, dy);
  return WeightedGradient{dy, weight, product->getFloatType(), rounded};
}
