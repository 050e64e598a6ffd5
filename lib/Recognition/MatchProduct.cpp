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
  const Node *next = node;
  for (size_t i = 0; next && reader.getContext().mayRead(i); ++i) {
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

  /// Returns the factors; a sign is the last one, -1.
  SmallVector<Factor> read(const Node *node);
  /// Opens a tensor that holds a part of this product as one step of it.
  const Node *openScaled(const Node *node) const;

private:
  bool holdsX(const Node *node, unsigned depth = 0);

  const Site &site;
  NodePredicate isX; // null: x is not known
  llvm::DenseMap<const Node *, bool> holding;
};
} // namespace

const Node *FactorReader::openScaled(const Node *node) const {
  for (size_t i = 0; site.context().mayRead(i); ++i) {
    auto *element = dyn_cast<ElementNode>(node);
    if (!element || (isX && isX(node)))
      break;
    Flow flow = site.flow.lookup(element->getValue());
    const Node *opened = flow.isScaled() && flow.reduction == site.reduction
                             ? site.reader.open(element)
                             : nullptr;
    if (!opened)
      break;
    node = opened;
  }
  return node;
}

/// Returns true if x is a factor of the node, such as of x * w in an op of its
/// own.
bool FactorReader::holdsX(const Node *node, unsigned depth) {
  if (!isX || !site.context().mayRead(depth))
    return false;
  auto [it, inserted] = holding.try_emplace(node, false); // ends cycles
  if (!inserted)
    return it->second;
  if (isX(node))
    return holding[node] = true;
  auto *element = dyn_cast<ElementNode>(node);
  const Node *opened = element ? site.reader.open(element) : node;
  bool isProduct = opened && (opened->is(Kind::Mul) || opened->is(Kind::Div) ||
                              opened->is(Kind::Neg));
  bool result = isProduct ? llvm::any_of(opened->getOperands(),
                                         [&](const Node *each) {
                                           return holdsX(each, depth + 1);
                                         })
                          : element && opened && holdsX(opened, depth + 1);
  return holding[node] = result;
}

SmallVector<Factor> FactorReader::read(const Node *node) {
  auto isLeaf = [&](const Node *each) {
    return (isX && isX(each)) || (isRoot(each) && !each->is(Kind::Neg));
  };
  auto open = [&](const Node *each) -> const Node * {
    const Node *opened = openScaled(each);
    if (opened != each)
      return opened;
    auto *element = dyn_cast<ElementNode>(each);
    return element && holdsX(element) ? site.reader.open(element) : nullptr;
  };
  bool isNegated = false;
  SmallVector<Factor> factors =
      collectFactors(node, Fraction(1), isLeaf, open, &isNegated);
  FloatType type = node->getFloatType();
  auto minus = APFloat::getOne(type.getFloatSemantics(), /*Negative=*/true);
  if (isNegated)
    factors.push_back({site.context().getConstant(minus, type), Fraction(1)});
  return factors;
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

/// Matches a product of x and r, in which both may be scaled.
static RejectionOr<Product> readScaled(FactorReader &reader,
                                       const Node *value) {
  SmallVector<Factor> others = reader.read(value);
  const Factor *root = findRoot(others);
  if (!root)
    return reject(Rejection::NoCandidate);
  Product product{value, *root, nullptr, {}, {}, nullptr};
  others.erase(root);
  llvm::erase_if(others, [](const Factor &factor) {
    return isConstant(factor.base, 1.0);
  });
  if (llvm::all_of(others, isSign))
    return reject(Rejection::NoCandidate);
  if (llvm::any_of(others, [](const Factor &factor) {
        return isRoot(factor.base) && takesRoot(factor.base);
      }))
    return reject(Rejection::SeveralRoots);
  product.others = std::move(others);
  return product;
}

/// Matches y = w * z with a rounded z (Llama), or one product (Gemma, T5).
static RejectionOr<Product> readProduct(const Site &site, NodePredicate isX) {
  FactorReader reader(site, isX);
  const Node *value = site.node;
  if (value->is(Kind::Round))
    value = value->getOperand(0);
  value = reader.openScaled(value);
  RejectionOr<Product> whole = readScaled(reader, value);
  if (whole.getRejection().id != Rejection::NoCandidate)
    return whole;
  // No factor is a root: one must be the rounded z, and the others are w.
  SmallVector<Factor> factors = reader.read(value);
  for (const Factor &factor : factors) {
    const Node *z = reader.openScaled(stripExtend(factor.base));
    const Node *inner =
        z->is(Kind::Round) ? reader.openScaled(z->getOperand(0)) : z;
    if (inner == factor.base || factor.exponent != Fraction(1))
      continue;
    RejectionOr<Product> product = readScaled(reader, inner);
    if (product.getRejection().id == Rejection::NoCandidate)
      continue;
    if (!product)
      return product;
    product->normalizedType = z->getFloatType();
    for (const Factor &other : factors) {
      auto *sign = llvm::find_if(product->others, isSign);
      if (&other == &factor)
        continue;
      if (isSign(other) && sign != product->others.end())
        product->others.erase(sign); // -(-z) is z
      else if (isSign(other))
        product->others.push_back(other);
      else if (product->outer || other.exponent != Fraction(1))
        return reject(Rejection::SecondWeight);
      else
        product->outer = other.base;
    }
    return product;
  }
  return reject(Rejection::NoCandidate);
}

//===----------------------------------------------------------------------===//
// x
//===----------------------------------------------------------------------===//

SmallVector<const Node *> norm::getSquaredForms(Reader &reader,
                                                const Node *squared) {
  SmallVector<const Node *> forms{squared};
  while (reader.getContext().mayRead(forms.size())) {
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

/// A widened value and the narrow one count as equal.
const Correspondence *XMatcher::find(const Node *node) {
  auto [it, inserted] = known.try_emplace(node);
  if (!inserted || node->is(Kind::Constant) || node->is(Kind::Count))
    return it->second.get();
  for (const Node *form : forms)
    for (const Node *atRoot : {node, stripExtend(node)}) {
      if (atRoot->getType() != form->getType())
        continue;
      Correspondence agreed(reader);
      if (agreed.match(atRoot, form)) {
        it->second = std::make_unique<Correspondence>(agreed);
        return it->second.get();
      }
    }
  return nullptr;
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
  bool isCentered = llvm::any_of(squared->getOperands(), [](const Node *term) {
    return term->isStatistic() && !takesRoot(term);
  });
  return reject(isCentered ? Rejection::Centered : Rejection::SquareOfSum);
}

/// Finds x, which the statistic squares, among the factors. Agrees variables.
static Rejection matchX(const Site &site, Findings &found) {
  Product &product = found.product;
  XMatcher isX(site.reader, found.statistic.x);
  if (Rejection rejection = readProduct(site, isX).moveInto(product))
    return rejection;
  auto *x = llvm::find_if(product.others, [&](const Factor &factor) {
    return factor.exponent == Fraction(1) && isX(factor.base);
  });
  if (x == product.others.end())
    return explain(site, found.statistic);
  product.x = x->base;
  product.others.erase(x);
  // A product of x and its own norm is not a norm with a weight.
  if (llvm::any_of(product.others,
                   [&](const Factor &factor) { return isX(factor.base); }))
    return reject(Rejection::Gate);
  found.agreed = *isX.find(product.x);
  return {};
}

Rejection norm::matchProduct(const Site &site, Findings &found) {
  if (Rejection rejection = readProduct(site, nullptr).moveInto(found.product))
    return rejection;
  if (Rejection rejection = matchRow(site, found))
    return rejection;
  Rejection rejection = matchX(site, found);
  auto unpadded =
      rejection ? skipPadding(site.reader, found.statistic) : std::nullopt;
  if (!unpadded)
    return rejection;
  found.statistic = *unpadded;
  return matchX(site, found);
}
