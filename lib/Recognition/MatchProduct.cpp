//===- MatchProduct.cpp - which factors are x, r and w --------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Match.h"

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::row;

const Node *norm::findNarrow(Reader &reader, const Node *node) {
  constexpr unsigned kMaxViews = 16; // between the value and its widening
  const Node *next = node;
  for (unsigned i = 0; i < kMaxViews && next; ++i) {
    if (next->is(Kind::Extend))
      return next->getOperand(0);
    auto *element = dyn_cast<ElementNode>(next);
    next = element ? reader.open(element) : nullptr;
  }
  return node;
}

/// Returns true if `node` may be r: a statistic, or a root of one and something
/// else, which has its own reason for rejection.
static bool isRoot(const Node *node) {
  if (node->isStatistic())
    return true;
  node = stripCasts(node);
  if (!node->hasReduction())
    return false;
  return node->is(Kind::Rsqrt) || node->is(Kind::Sqrt) ||
         node->is(Kind::Power) ||
         (node->is(Kind::Div) && node->getOperand(0)->is(Kind::Constant));
}

namespace {
/// Takes a product apart, also through tensors that hold a part of it; r and
/// its constants stay whole.
class FactorReader {
public:
  FactorReader(const Site &site, NodePredicate isX) : site(site), isX(isX) {}

  void read(const Node *node);
  /// Opens a tensor that holds a part of this product as one step of it.
  const Node *openScaled(const Node *node) const;

  SmallVector<Factor> factors;
  bool isNegated = false;

private:
  const Site &site;
  NodePredicate isX;
};
} // namespace

const Node *FactorReader::openScaled(const Node *node) const {
  constexpr unsigned kMaxOpened = 64; // tensors of one product
  for (unsigned i = 0; i < kMaxOpened; ++i) {
    auto *element = dyn_cast<ElementNode>(node);
    if (!element)
      break;
    Flow flow = site.flow.lookup(element->getValue());
    const Node *opened =
        flow.isScaled() && flow.reduction == site.reduction && !isX(node)
            ? site.reader.open(element)
            : nullptr;
    if (!opened)
      break;
    node = opened;
  }
  return node;
}

void FactorReader::read(const Node *node) {
  auto isLeaf = [&](const Node *each) {
    return isX(each) || (isRoot(each) && !each->is(Kind::Neg));
  };
  auto open = [&](const Node *each) {
    const Node *opened = openScaled(each);
    return opened == each ? nullptr : opened;
  };
  factors = collectFactors(node, Fraction(1), isLeaf, open, &isNegated);
}

bool norm::takesRoot(const Node *node) {
  for (; node && !node->is(Kind::Sum); node = getReducing(node))
    if (node->is(Kind::Rsqrt) || node->is(Kind::Sqrt) || node->is(Kind::Power))
      return true;
  return false;
}

/// Returns the factor that is r. x may be a sum too, but without a root.
static const Factor *findRoot(ArrayRef<Factor> factors) {
  const Factor *found = nullptr;
  for (const Factor &factor : factors)
    if (isRoot(factor.base) &&
        (!found || (!takesRoot(found->base) && takesRoot(factor.base))))
      found = &factor;
  return found;
}

static RejectionOr<Product> makeProduct(const FactorReader &reader,
                                        const Node *value) {
  Product product;
  product.value = value;
  product.isNegated = reader.isNegated;
  const Factor *root = findRoot(reader.factors);
  if (!root)
    return reject(Rejection::NoCandidate);
  product.root = root->base;
  product.divides = root->exponent == Fraction(-1);
  for (const Factor &factor : reader.factors)
    if (&factor != root && !isConstant(factor.base, 1.0))
      product.others.push_back(factor);
  if (product.others.empty())
    return reject(Rejection::NoCandidate);
  if (llvm::any_of(product.others, [](const Factor &factor) {
        return isRoot(factor.base) && takesRoot(factor.base);
      }))
    return reject(Rejection::SeveralRoots);
  return product;
}

/// Matches y = w * z with a rounded z (Llama), or one product (Gemma, T5).
static RejectionOr<Product> readProduct(const Site &site, NodePredicate isX) {
  const Node *value = site.node;
  if (value->is(Kind::Round))
    value = value->getOperand(0);
  FactorReader whole(site, isX);
  value = whole.openScaled(value);
  whole.read(value);
  if (findRoot(whole.factors))
    return makeProduct(whole, value);
  // No factor is a root: one must be the rounded z, and the others are w.
  for (const Factor &factor : whole.factors) {
    const Node *z = whole.openScaled(stripExtend(factor.base));
    const Node *inner =
        z->is(Kind::Round) ? whole.openScaled(z->getOperand(0)) : z;
    if (inner == factor.base || factor.exponent != Fraction(1))
      continue;
    FactorReader part(site, isX);
    part.read(inner);
    if (!findRoot(part.factors))
      continue;
    RejectionOr<Product> product = makeProduct(part, inner);
    if (!product)
      return product;
    product->normalizedType = z->getFloatType();
    product->isNegated ^= whole.isNegated;
    for (const Factor &other : whole.factors) {
      if (&other == &factor)
        continue;
      if (product->outer || other.exponent != Fraction(1))
        return reject(Rejection::SecondWeight);
      product->outer = other.base;
    }
    return product;
  }
  return reject(Rejection::NoCandidate);
}

RejectionOr<Product> norm::matchProduct(const Site &site) {
  return readProduct(site, [](const Node *) { return false; });
}

//===----------------------------------------------------------------------===//
// x
//===----------------------------------------------------------------------===//

SmallVector<const Node *> norm::getSquaredForms(Reader &reader,
                                                const Node *squared) {
  constexpr unsigned kMaxForms = 16; // also of a cycle of tensors
  SmallVector<const Node *> forms{squared};
  while (forms.size() < kMaxForms) {
    auto *element = dyn_cast<ElementNode>(squared);
    const Node *opened = element ? reader.open(element) : squared;
    if (!opened || !(opened->is(Kind::Abs) || opened->is(Kind::Neg) ||
                     opened->is(Kind::Extend)))
      break;
    squared = opened->getOperand(0);
    forms.push_back(squared);
  }
  if (squared->is(Kind::Round) && isArithmeticType(squared->getType()))
    forms.push_back(squared->getOperand(0));
  return forms;
}

XMatcher::XMatcher(Reader &reader, const Node *squared)
    : reader(reader), forms(getSquaredForms(reader, squared)) {}

bool XMatcher::operator()(const Node *node) {
  if (node->is(Kind::Constant) || node->is(Kind::Count))
    return false;
  auto [it, inserted] = known.try_emplace(node, false);
  Correspondence agreed(reader);
  if (inserted)
    known[node] = match(node, agreed);
  return known[node];
}

bool XMatcher::agree(Findings &found) {
  return match(found.product.x, found.agreed);
}

bool XMatcher::match(const Node *node, Correspondence &agreed) {
  for (const Node *form : forms)
    for (const Node *atRoot : {node, stripExtend(node)}) {
      if (atRoot->getType() != form->getType())
        continue;
      agreed = Correspondence(reader);
      if (agreed.match(atRoot, form))
        return true;
      beyondBound |= agreed.isBeyondBound();
    }
  return false;
}

/// Opens a factor's tensor that holds a product, such as x * w in an op of its
/// own: one that contains x, or else one that varies as x does.
static bool openFactor(const Site &site, Product &product, XMatcher &isX) {
  auto hasX = [&](const Factor &factor) { return isX(factor.base); };
  for (bool holdsX : {true, false})
    for (Factor &factor : product.others) {
      auto *element = dyn_cast<ElementNode>(factor.base);
      const Node *opened = element && factor.exponent == Fraction(1)
                               ? site.reader.open(element)
                               : nullptr;
      if (!opened || !(opened->is(Kind::Mul) || opened->is(Kind::Div) ||
                       opened->is(Kind::Neg) || opened->is(Kind::Element)))
        continue;
      FactorReader inner(site, isX);
      inner.read(opened);
      if (!(holdsX ? llvm::any_of(inner.factors, hasX)
                   : site.variesOverAll(factor.base)))
        continue;
      product.isNegated ^= inner.isNegated;
      factor = inner.factors.front();
      product.others.append(inner.factors.begin() + 1, inner.factors.end());
      return true;
    }
  return false;
}

/// Explains why no factor is x.
static Rejection explain(const Site &site, const Statistic &statistic) {
  const Node *squared = stripExtend(statistic.x);
  if (auto *element = dyn_cast<ElementNode>(squared))
    if (const Node *opened = site.reader.open(element);
        opened && (!opened->is(Kind::Add) || opened->hasReduction()))
      squared = opened;
  if (getSquared(site.reader, squared))
    return reject(Rejection::OtherTerm, "powers 4/1");
  if (!squared->is(Kind::Add))
    return reject(Rejection::OtherTensor);
  // The term x - mean(x) contains the sum of x over the same variables.
  bool isCentered = llvm::any_of(
      normalize(site.context(), squared).terms, [](const Term &term) {
        return term.coefficient < Fraction(0) &&
               llvm::any_of(
                   term.factors,
                   [](const Factor &factor) {
                     return factor.base->is(Kind::Sum);
                   });
      });
  return reject(isCentered ? Rejection::Centered : Rejection::SquareOfSum);
}

Rejection norm::matchX(const Site &site, Findings &found) {
  const Statistic &statistic = found.statistic;
  Product &product = found.product;
  XMatcher isX(site.reader, statistic.x);
  if (Rejection rejection = readProduct(site, isX).moveInto(product))
    return rejection;
  for (unsigned opened = 0; opened < 16; ++opened) {
    auto *it = llvm::find_if(product.others, [&](const Factor &factor) {
      return factor.exponent == Fraction(1) && isX(factor.base);
    });
    if (it != product.others.end()) {
      product.x = it->base;
      product.others.erase(it);
      break;
    }
    if (!openFactor(site, product, isX))
      break;
  }
  if (!product.x && isX.beyondBound)
    return reject(Rejection::TooLarge, int64_t(Correspondence::kMaxPairs),
                  int64_t(Correspondence::kMaxOpened),
                  explain(site, statistic).explanation);
  if (!product.x)
    return explain(site, statistic);
  // A product of x and its own norm is not a norm with a weight.
  if (llvm::any_of(product.others,
                   [&](const Factor &factor) { return isX(factor.base); }))
    return reject(Rejection::Gate);
  isX.agree(found);
  return {};
}
