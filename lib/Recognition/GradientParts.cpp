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

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

/// Returns true for a product of the first operand, or of both.
static bool isProduct(const Node *node) {
  if (node->is(Kind::Fma))
    return isConstant(node->getOperand(2), -0.0);
  auto *power = dyn_cast<PowerNode>(node);
  return (power && power->getExponent().den == 1) ||
         llvm::is_contained(
             {Kind::Mul, Kind::Div, Kind::Neg, Kind::Extend, Kind::Round},
             node->getKind());
}

namespace {
enum class Role { Number, X, Row, Other };

class ProductReader {
public:
  ProductReader(Reader &reader, const RowVariables &variables,
                NodePredicate isX)
      : reader(reader), variables(variables), isX(isX) {}

  Parts read(ArrayRef<Factor> product, Opening opening);

private:
  Role getRole(const Node *node);
  const Node *open(const Node *node);
  SmallVector<Factor> collect(const Factor &factor, bool &isNegated,
                              NodePredicate isWhole = nullptr);
  bool reveals(const Node *node);
  bool hasTwoVarying(const Node *node);

  Reader &reader;
  const RowVariables &variables;
  NodePredicate isX;
  llvm::DenseMap<const Node *, Role> roles;
};
} // namespace

Role ProductReader::getRole(const Node *node) {
  if (isNumber(node))
    return Role::Number;
  auto [it, isNew] = roles.try_emplace(node, Role::Other);
  if (!isNew)
    return it->second;
  if (isX && isX(node))
    return it->second = Role::X;
  ArrayRef<unsigned> depends = getDependentVariables(node);
  auto isDependent = [&](unsigned variable) {
    return llvm::is_contained(depends, variable);
  };
  bool isRow = llvm::none_of(variables.along, isDependent) &&
               llvm::all_of(variables.batch, isDependent);
  return it->second = isRow ? Role::Row : Role::Other;
}

/// Returns the product that a cast or an element holds; null for other nodes.
const Node *ProductReader::open(const Node *node) {
  if (node->is(Kind::Round) || node->is(Kind::Extend))
    return node->getOperand(0);
  auto *element = dyn_cast<ElementNode>(node);
  const Node *opened = element ? reader.open(element) : nullptr;
  bool isRead = opened && (isProduct(opened) || opened->is(Kind::Element) ||
                           getRole(opened) < Role::Row);
  return isRead ? opened : nullptr;
}

SmallVector<Factor> ProductReader::collect(const Factor &factor,
                                           bool &isNegated,
                                           NodePredicate isWhole) {
  auto isLeaf = [&](const Node *each) {
    return getRole(each) != Role::Other || (isWhole && isWhole(each)) ||
           !(isProduct(each) || each->is(Kind::Element));
  };
  return collectFactors(
      factor.base, factor.exponent, isLeaf,
      [&](const Node *each) { return open(each); }, &isNegated);
}

/// Returns true if x, a value per row or a sign is below the node.
bool ProductReader::reveals(const Node *node) {
  bool isNegated = false;
  return llvm::any_of(collect({node, Fraction(1)}, isNegated),
                      [&](const Factor &factor) {
                        Role role = getRole(factor.base);
                        return role == Role::X || role == Role::Row;
                      }) ||
         isNegated;
}

/// Returns true for a product of two values that vary along the row, such as an
/// x that was gated.
bool ProductReader::hasTwoVarying(const Node *node) {
  while (const Node *opened = open(node))
    node = opened;
  return node->is(Kind::Mul) &&
         llvm::all_of(node->getOperands(), [&](const Node *each) {
           return getRole(each) == Role::Other;
         });
}

Parts ProductReader::read(ArrayRef<Factor> product, Opening opening) {
  Parts parts;
  bool isNegated = false;
  auto isWhole = [&](const Node *node) {
    return opening == Opening::Wanted
               ? !reveals(node)
               : opening == Opening::Varying && hasTwoVarying(node);
  };
  for (const Factor &each : product)
    for (const Factor &factor : collect(each, isNegated, isWhole))
      if (Role role = getRole(factor.base); role != Role::Number)
        (role == Role::Row ? parts.rows : parts.varying).push_back(factor);
  return parts;
}

Parts norm::readParts(Reader &reader, ArrayRef<Factor> product,
                      const RowVariables &variables, Opening opening,
                      NodePredicate isX) {
  return ProductReader(reader, variables, isX).read(product, opening);
}

const Node *norm::takeX(SmallVectorImpl<Factor> &factors, NodePredicate isX) {
  auto *it = llvm::find_if(factors, [&](const Factor &factor) {
    return factor.exponent == Fraction(1) && isX(factor.base);
  });
  if (it == factors.end())
    return nullptr;
  const Node *x = it->base;
  factors.erase(it);
  return x;
}

const Node *norm::openRow(Reader &reader, const Node *node) {
  for (size_t i = 0; reader.getContext().mayRead(i); ++i) {
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

//===----------------------------------------------------------------------===//
// r
//===----------------------------------------------------------------------===//

RowVariables norm::splitSpace(const Site &site, const Node *row) {
  RowVariables result;
  ArrayRef<unsigned> depends = getDependentVariables(row);
  for (unsigned variable : site.space)
    if (site.context().getExtent(variable) != 1)
      (llvm::is_contained(depends, variable) ? result.batch : result.along)
          .push_back(variable);
  return result;
}

const Node *norm::findRootBelow(Reader &reader, const Node *node) {
  llvm::SmallSetVector<const Node *, 16> nodes;
  nodes.insert(node);
  for (size_t i = 0; i < nodes.size() && reader.getContext().mayRead(i); ++i) {
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
  RowRoot root{node, exponent == Fraction(-1), base.base, base.exponent, node};
  if (root.divides) {
    auto one = APFloat::getOne(node->getFloatType().getFloatSemantics());
    Context &context = reader.getContext();
    root.saved = context.get(Kind::Div, node->getType(),
                             {context.getConstant(one, node->getType()), node});
  }
  if (root.base->is(Kind::Add) && root.exponent == Fraction(-1))
    for (unsigned i : {0u, 1u})
      if (root.base->getOperand(1 - i)->is(Kind::Constant))
        root.beforeEpsilon = openRow(reader, root.base->getOperand(i));
  return root;
}

Rejection
norm::matchRowAndX(const Site &site, const RowRoot &root,
                   function_ref<RejectionOr<const Node *>(NodePredicate)> read,
                   Findings &found) {
  if (!root.isComputed()) {
    Rejection rejection = read(nullptr).moveInto(found.product.x);
    found.statistic.x = found.product.x;
    return rejection;
  }
  found.product.value = root.node;
  found.product.root = {root.node, Fraction(root.divides ? -1 : 1)};
  if (Rejection rejection = matchRow(site, found))
    return rejection;
  if (found.inverse.mode == EpsilonMode::Clamp)
    return reject(Rejection::GradientOfClamp);
  XMatcher isX(site.reader, found.statistic.x);
  if (Rejection rejection = read([&](const Node *node) {
                              return isX(node);
                            }).moveInto(found.product.x))
    return rejection;
  const Correspondence *agreed = isX.find(found.product.x);
  if (!agreed)
    return reject(Rejection::ProjectionAlongOther);
  found.agreed = *agreed;
  return {};
}

RejectionOr<Span> norm::matchWholeSpan(const Site &site,
                                       const Findings &found) {
  RejectionOr<Span> span = matchSpan(site, found);
  if (span && (span->count || span->groupSize))
    return reject(Rejection::PartOfDims, span->dims);
  return span;
}

Rejection norm::matchRowSpan(const Site &site, Findings &found) {
  if (Rejection rejection = matchWholeSpan(site, found).moveInto(found.span))
    return rejection;
  if (Rejection rejection = matchDivisor(site, found).moveInto(found.divisor))
    return rejection;
  return found.divisor.rest.empty() ? Rejection()
                                    : reject(Rejection::NoConstantDivisor);
}
