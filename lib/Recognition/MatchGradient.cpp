//===- MatchGradient.cpp - is this scalar the gradient dx? ----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// dx = r * (g - z * mean(z * g)) is a sum of r * g and of the projection
// -1/n * x * r^3 * sum(x * g), however r, 1/n and signs are distributed. x, g,
// r and the sum are found here; powers and constants are those of the law.
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::row;

//===----------------------------------------------------------------------===//
// The terms of the sum that a gradient is
//===----------------------------------------------------------------------===//

namespace {
struct Addend {
  SmallVector<Factor> factors;
  const SumNode *sum = nullptr; // the factor that is a sum along the row
  bool isNegated = false;
};

/// Distributes products over the sums that contain the projection.
class AddendReader {
public:
  AddendReader(const Site &site, ProjectedNodes &projected)
      : site(site), projected(projected) {}
  /// Returns false if the value is no sum of products.
  bool read(const Node *node, Addend addend, unsigned depth = 0);

  SmallVector<Addend> addends;

private:
  bool isTrivial(const Node *sum);
  bool isProjected(const Node *node);
  const Node *open(const Node *node);

  const Site &site;
  ProjectedNodes &projected;
};

struct Terms {
  SmallVector<Addend> others, projections;
  const SumNode *sum = nullptr; // that of all projections
  RowVariables variables;
};

/// The term r * g, and a residual gradient that is added to dx afterwards.
struct Direct {
  Parts parts;
  const Node *residual = nullptr;
};
} // namespace

/// Returns true for a sum over dimensions of one element, which is its term.
bool AddendReader::isTrivial(const Node *sum) {
  return llvm::all_of(sum->getVariables(), [&](unsigned variable) {
    return site.context().getExtent(variable) == 1;
  });
}

/// Returns true if the value depends on the sum that gave the candidate.
bool AddendReader::isProjected(const Node *node) {
  llvm::SmallSetVector<const Node *, 16> nodes;
  nodes.insert(node);
  bool result = false;
  for (size_t i = 0; i < nodes.size() && !result; ++i) {
    const Node *next = nodes[i];
    if (auto it = projected.find(next); it != projected.end())
      result = it->second;
    else if (auto *element = dyn_cast<ElementNode>(next))
      result = site.flow.lookup(element->getValue()).sum == site.reduction;
    else if (next->is(Kind::Sum) && !isTrivial(next)) // dy may be another sum
      result = !site.variesOverAll(next) && !matchStatistic(site.reader, next);
    else
      nodes.insert_range(next->getOperands());
  }
  return projected[node] = result;
}

/// Returns the value that this one is up to roundings, or null.
const Node *AddendReader::open(const Node *node) {
  if (auto *element = dyn_cast<ElementNode>(node))
    return site.reader.open(element);
  if (node->is(Kind::Round) || node->is(Kind::Extend) ||
      (node->is(Kind::Sum) && isTrivial(node)))
    return node->getOperand(0);
  // The sum over a unit dimension may be written as the addition to its zero.
  for (unsigned i : {0u, 1u})
    if (node->is(Kind::Add) && isConstant(node->getOperand(1 - i), 0.0))
      return node->getOperand(i);
  return nullptr;
}

bool AddendReader::read(const Node *node, Addend addend, unsigned depth) {
  const Node *inner = nullptr;
  for (const Factor &factor : collectFactors(
           node, Fraction(1),
           [&](const Node *each) { return !isProjected(each); },
           [&](const Node *each) { return open(each); }, &addend.isNegated)) {
    if (!isProjected(factor.base))
      addend.factors.push_back(factor);
    else if (inner || factor.exponent != Fraction(1))
      return false; // it is squared or divided by
    else
      inner = factor.base;
  }
  auto *sum = dyn_cast_or_null<SumNode>(inner);
  if (!inner || sum) {
    addend.sum = sum;
    addends.push_back(std::move(addend));
    return site.context().mayRead(addends.size());
  }
  bool isFma = inner->is(Kind::Fma);
  if (!site.context().mayRead(depth) || !(isFma || inner->is(Kind::Add)))
    return false;
  const Node *left = inner->getOperand(0), *right = inner->getOperand(1);
  if (isFma) {
    left = site.context().get(Kind::Mul, inner->getType(), {left, right});
    right = inner->getOperand(2);
  }
  return read(left, addend, depth + 1) && read(right, addend, depth + 1);
}

/// Returns true if a term depends on an earlier sum, and is no term r * g.
static bool hasOtherSum(const Site &site, ArrayRef<Addend> terms) {
  return llvm::any_of(terms, [&](const Addend &addend) {
    return llvm::any_of(addend.factors, [&](const Factor &factor) {
      const Node *base = factor.base;
      while (base->is(Kind::Neg))
        base = base->getOperand(0);
      auto *element = dyn_cast<ElementNode>(base);
      return element && site.flow.lookup(element->getValue()).sum;
    });
  });
}

/// Returns true if something along the row is scaled by the sum. A mean that is
/// subtracted alone, as in a LayerNorm, is not near to a projection.
static bool isNear(const Site &site, const Terms &terms) {
  bool subtracts = llvm::any_of(terms.others, [&](const Addend &addend) {
    return addend.isNegated || addend.factors.back().base->is(Kind::Neg);
  });
  auto varies = [&](const Factor &factor) {
    return site.variesOverAll(factor.base);
  };
  return (subtracts && hasOtherSum(site, terms.others)) ||
         llvm::any_of(terms.projections, [&](const Addend &addend) {
           return llvm::any_of(addend.factors, varies);
         });
}

/// Finds the terms that contain the one sum, and the variables along a row.
static RejectionOr<Terms> readTerms(const Site &site,
                                    ProjectedNodes &projected) {
  AddendReader reader(site, projected);
  if (!reader.read(site.node, {}))
    return reject(Rejection::NoCandidate);
  Terms terms;
  bool hasSeveral = false;
  const Node *computed = nullptr;
  for (Addend &addend : reader.addends) {
    for (const Factor &factor : addend.factors)
      if (!computed && !addend.sum)
        computed = findRootBelow(site.reader, factor.base);
    hasSeveral |= addend.sum && terms.sum && terms.sum != addend.sum;
    terms.sum = addend.sum ? addend.sum : terms.sum;
    (addend.sum ? terms.projections : terms.others)
        .push_back(std::move(addend));
  }
  if (terms.others.empty() || !terms.sum)
    return reject(Rejection::NoCandidate);
  terms.variables = splitSpace(site, computed ? computed : terms.sum);
  if (terms.variables.along.empty() || !isNear(site, terms) ||
      (hasSeveral && !computed))
    return reject(Rejection::NoCandidate);
  if (hasSeveral)
    return reject(Rejection::SeveralSums);
  return terms;
}

//===----------------------------------------------------------------------===//
// x, g and r
//===----------------------------------------------------------------------===//

/// Takes a product as r * g or, if it is one node, as the residual gradient.
static bool take(const Site &site, const Terms &terms, ArrayRef<Factor> product,
                 bool isNode, Direct &direct) {
  Parts parts = readParts(site.reader, product, terms.variables);
  if (!parts.rows.empty() && direct.parts.rows.empty())
    direct.parts = std::move(parts);
  else if (parts.rows.empty() && isNode && !direct.residual)
    direct.residual = product[0].base;
  else
    return false;
  return true;
}

/// Finds the term r * g, which may be added to a residual gradient before.
static RejectionOr<Direct> findDirect(const Site &site, const Terms &terms) {
  Direct direct;
  for (const Addend &addend : terms.others) {
    bool isNode = !addend.isNegated && addend.factors.size() == 1;
    const Node *sum = openRow(site.reader, addend.factors.front().base);
    Direct split = direct;
    if (isNode && sum->is(Kind::Add) &&
        llvm::all_of(sum->getOperands(), [&](const Node *each) {
          return take(site, terms, Factor{each, Fraction(1)}, true, split);
        }))
      direct = split;
    else if (!take(site, terms, addend.factors, isNode, direct))
      return reject(hasOtherSum(site, terms.others) ? Rejection::SeveralSums
                                                    : Rejection::NoCandidate);
  }
  // The residual gradient is added in the type of the scalar.
  if (direct.residual && site.node->is(Kind::Round))
    return reject(Rejection::NoCandidate);
  return direct;
}

/// Returns true if the node is the same for all indices of a batch dimension.
static bool isWeight(const Node *node, ArrayRef<unsigned> batch) {
  ArrayRef<unsigned> depends = getDependentVariables(node);
  return llvm::any_of(
      batch, [&](unsigned each) { return !llvm::is_contained(depends, each); });
}

namespace {
/// Whether a product that is one factor of g is dy * w, or dy itself, as where
/// the weight of groups is applied outside of them.
enum class Weighting { Split, Whole };
} // namespace

/// Splits the factors of g into dy, which depends on all of `batch`, and w.
static std::optional<WeightedGradient> splitWeight(Reader &reader,
                                                   ArrayRef<Factor> factors,
                                                   ArrayRef<unsigned> batch,
                                                   Weighting weighting) {
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
  if (g.weight || weighting == Weighting::Whole)
    return g;
  auto [product, rounded] = readRounded(reader, g.dy);
  if (!product->is(Kind::Mul))
    return g;
  const Node *weight = product->getOperand(0), *dy = product->getOperand(1);
  if (isWeight(weight, batch) == isWeight(dy, batch))
    return g;
  if (isWeight(dy, batch))
    std::swap(weight, dy);
  if (isNumber(weight)) // no weight of a forward norm
    return g;
  return WeightedGradient{dy, weight, product->getFloatType(), rounded};
}

/// Reads each projection as one x times constants and powers of r.
static RejectionOr<const Node *> readX(const Site &site, const Terms &terms,
                                       NodePredicate isX) {
  const Node *x = nullptr;
  for (const Addend &addend : terms.projections) {
    Parts parts = readParts(site.reader, addend.factors, terms.variables,
                            isX ? Opening::Wanted : Opening::Varying, isX);
    if (parts.varying.size() != 1 || parts.varying[0].exponent != Fraction(1))
      return reject(Rejection::ProjectionAlongOther);
    const Node *each = parts.varying[0].base;
    if ((isX && !isX(each)) || (x && !isSame(site.reader, each, x)))
      return reject(Rejection::ProjectionAlongOther);
    x = x ? x : each;
  }
  return x;
}

/// Matches the sum of x * g, times powers of r, with x and g outside of it.
static RejectionOr<Projected> matchSum(const Site &site, const Terms &terms,
                                       const Node *x, const WeightedGradient &g,
                                       Weighting weighting) {
  auto isX = [&](const Node *node) {
    return node->getType() == x->getType() &&
           Correspondence(site.reader).match(x, node);
  };
  ArrayRef<unsigned> along = terms.sum->getVariables();
  Parts parts = readParts(
      site.reader, Factor{terms.sum->getTerm(), Fraction(1)},
      {llvm::to_vector(along), terms.variables.batch}, Opening::Wanted, isX);
  Findings found(site.reader);
  found.product.x = x;
  found.statistic.x = takeX(parts.varying, isX);
  if (!found.statistic.x)
    return reject(Rejection::ProjectionOfOther);
  found.statistic.variables.assign(along.begin(), along.end());
  found.inverse.sum = terms.sum;
  auto inner =
      splitWeight(site.reader, parts.varying, terms.variables.batch, weighting);
  if (!inner || !g.weight != !inner->weight ||
      !found.agreed.match(x, found.statistic.x) ||
      !found.agreed.match(g.dy, inner->dy) ||
      (g.weight && !found.agreed.match(g.weight, inner->weight)))
    return reject(Rejection::ProjectionOfOther);
  RejectionOr<Span> span = matchWholeSpan(site, found);
  if (!span)
    return span.takeRejection();
  return Projected{found.statistic.x, *inner, *span};
}

static RejectionOr<GradientLaw>
infer(const Site &site, ProjectedNodes &projected, Weighting weighting) {
  RejectionOr<Terms> terms = readTerms(site, projected);
  if (!terms)
    return terms.takeRejection();
  RejectionOr<Direct> direct = findDirect(site, *terms);
  if (!direct)
    return direct.takeRejection();
  GradientLaw law(site.reader);
  Findings &found = law.found;
  law.residual = direct->residual;
  if (Rejection rejection =
          readRowRoot(site.reader, direct->parts.rows).moveInto(law.root))
    return rejection;
  auto read = [&](NodePredicate isX) { return readX(site, *terms, isX); };
  if (Rejection rejection = matchRowAndX(site, law.root, read, found))
    return rejection;
  auto g = splitWeight(site.reader, direct->parts.varying,
                       terms->variables.batch, weighting);
  if (!g)
    return reject(Rejection::NoTensorForGradient);
  law.g = *g;
  RejectionOr<Projected> summed =
      matchSum(site, *terms, found.product.x, *g, weighting);
  if (!summed)
    return summed.takeRejection();
  // dy * w, with the weight in it once more, has no such forward norm.
  auto again = splitWeight(site.reader, Factor{g->dy, Fraction(1)},
                           terms->variables.batch, Weighting::Split);
  if (g->weight && again && again->weight &&
      isSame(site.reader, again->weight, g->weight))
    return reject(Rejection::WeightTwice);
  law.projected = *summed;
  found.span = summed->span;
  if (!law.root.isComputed())
    return law;
  if (Rejection rejection = matchRowSpan(site, found))
    return rejection;
  if (found.span.dims != summed->span.dims)
    return reject(Rejection::ProjectionDims, summed->span.dims,
                  found.span.dims);
  return law;
}

RejectionOr<PlannedNorm> norm::decideGradient(const Site &site,
                                              ProjectedNodes &projected) {
  auto decide = [&](Weighting weighting) -> RejectionOr<PlannedNorm> {
    RejectionOr<GradientLaw> law = infer(site, projected, weighting);
    return law ? planGradient(site, *law) : law.takeRejection();
  };
  RejectionOr<PlannedNorm> norm = decide(Weighting::Split);
  if (norm)
    return norm;
  Rejection rejection = norm.takeRejection();
  bool isPlaceless = rejection.id == Rejection::NoTensorForGradient ||
                     rejection.id == Rejection::NoTensorForWeight;
  if (isPlaceless)
    if (auto whole = decide(Weighting::Whole))
      return whole;
  return rejection;
}
