//===- MatchGradient.cpp - is this scalar the gradient dx? ----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// dx = r * (g - z * mean(z * g)) is a sum of r * g and of the projection
// -1/n * x * r^3 * sum(x * g), however r, 1/n and signs are distributed. The
// powers are counted, and x, g and r are proved to be the same values in all
// of their places.
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::row;

namespace {
/// One term of the sum that a gradient is.
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
  bool isProjected(const Node *node);

  const Site &site;
  ProjectedNodes &projected;
};
} // namespace

/// Returns true for a sum over dimensions of one element, which is its term.
static bool isTrivial(Context &context, const Node *sum) {
  return llvm::all_of(sum->getVariables(), [&](unsigned variable) {
    return context.getExtent(variable) == 1;
  });
}

/// Returns true for a sum of values that are squared along the row.
static bool sumsSquares(Reader &reader, const Node *sum) {
  auto isSquare = [&](const Node *node) {
    return getSquared(reader, node) &&
           llvm::any_of(getDependentVariables(node), [&](unsigned variable) {
             return llvm::is_contained(sum->getVariables(), variable);
           });
  };
  auto open = [](const Node *node) {
    bool isRead =
        node->is(Kind::Round) || node->is(Kind::Extend) || node->is(Kind::Sum);
    return isRead ? node->getOperand(0) : nullptr;
  };
  return llvm::any_of(
      collectFactors(sum->getOperand(0), Fraction(1), isSquare, open),
      [&](const Factor &each) { return isSquare(each.base); });
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
      result =
          site.flow.lookupProjection(element->getValue()).sum == site.reduction;
    else if (next->is(Kind::Sum) && !isTrivial(site.context(), next))
      result = !sumsSquares(site.reader, next);
    else
      nodes.insert_range(next->getOperands());
  }
  return projected[node] = result;
}

bool AddendReader::read(const Node *node, Addend addend, unsigned depth) {
  constexpr unsigned kMaxDepth = 48;
  constexpr size_t kMaxAddends = 8;
  if (depth > kMaxDepth || addends.size() > kMaxAddends)
    return false;
  if (!isProjected(node)) {
    addend.factors.push_back({node, Fraction(1)});
    addends.push_back(std::move(addend));
    return true;
  }
  auto next = [&](const Node *inner, Addend with) {
    return read(inner, std::move(with), depth + 1);
  };
  if (auto *element = dyn_cast<ElementNode>(node)) {
    const Node *opened = site.reader.open(element);
    return opened && next(opened, addend);
  }
  const Node *a = node->getOperand(0);
  const Node *b = node->getOperands().size() > 1 ? node->getOperand(1) : a;
  switch (node->getKind()) {
  case Kind::Round:
  case Kind::Extend:
    return next(a, addend);
  case Kind::Neg:
    addend.isNegated = !addend.isNegated;
    return next(a, addend);
  case Kind::Add:
    // The sum over a unit dimension may be written as the addition to its zero.
    if (isConstant(b, 0.0) || isConstant(a, 0.0))
      return next(isConstant(b, 0.0) ? a : b, addend);
    return next(a, addend) && next(b, addend);
  case Kind::Fma: {
    const Node *product =
        site.context().get(Kind::Mul, node->getType(), {a, b});
    return next(product, addend) && next(node->getOperand(2), addend);
  }
  case Kind::Sum:
    if (isTrivial(site.context(), node))
      return next(a, addend);
    if (addend.sum)
      return false;
    addend.sum = cast<SumNode>(node);
    addends.push_back(std::move(addend));
    return true;
  case Kind::Mul:
  case Kind::Div:
    if (isProjected(a) && isProjected(b))
      return false;
    if (node->is(Kind::Mul) && isProjected(b))
      std::swap(a, b);
    if (!isProjected(a))
      return false; // it divides by the projection
    addend.factors.push_back({b, Fraction(node->is(Kind::Div) ? -1 : 1)});
    return next(a, addend);
  default:
    return false;
  }
}

//===----------------------------------------------------------------------===//
// dx
//===----------------------------------------------------------------------===//

namespace {
class GradientMatcher {
public:
  GradientMatcher(const Site &site, ProjectedNodes &projected)
      : site(site), reader(site.reader), projected(projected), found(reader),
        atSum(reader) {}
  RejectionOr<PlannedNorm> run();

private:
  Rejection decideLaw();
  Rejection readTerms();
  Parts readParts(const Addend &addend);
  SmallVector<Addend> splitSum(const Addend &addend);
  bool hasOtherSum(ArrayRef<Addend> terms);
  bool isNear();
  Rejection findDirect();
  Rejection readProjection();
  Rejection matchSum();
  RejectionOr<PlannedNorm> planAs(Precision precision);
  RejectionOr<const Node *> decideOperands(PlannedNorm &norm);
  Rejection decideWeight(PlannedNorm &norm, const Node *&weight);
  Rejection findX(NodePredicate isX);
  Rejection prove(PlannedNorm &norm, const Node *weight, Precision precision);

  const Site &site;
  Reader &reader;
  ProjectedNodes &projected;
  Findings found;
  Findings atSum; // x in the projection and in its sum
  SmallVector<Addend> others, projections;
  const Node *residual = nullptr;
  const SumNode *sum = nullptr;
  SmallVector<unsigned> along, batch; // variables of the space
  Parts directParts;
  RowRoot root;
  WeightedGradient g, inSum;
};
} // namespace

/// Returns true if something along the row is scaled by the sum. A mean that is
/// subtracted alone, as in a LayerNorm, is not near to a projection.
bool GradientMatcher::isNear() {
  bool subtracts = llvm::any_of(others, [&](const Addend &addend) {
    return addend.isNegated || addend.factors.back().base->is(Kind::Neg);
  });
  auto varies = [&](const Factor &factor) {
    return site.variesOverAll(factor.base);
  };
  return (subtracts && hasOtherSum(others)) ||
         llvm::any_of(projections, [&](const Addend &addend) {
           return llvm::any_of(addend.factors, varies);
         });
}

/// Finds the terms that contain the one sum, and the variables along a row.
Rejection GradientMatcher::readTerms() {
  const Node *node = site.node;
  if (node->is(Kind::Round))
    node = node->getOperand(0);
  AddendReader terms(site, projected);
  if (!terms.read(node, {}))
    return reject(Rejection::NoCandidate);
  bool hasSeveral = false;
  const Node *computed = nullptr;
  for (Addend &addend : terms.addends) {
    for (const Factor &factor : addend.factors)
      if (!computed && !addend.sum)
        computed = findRootBelow(reader, factor.base);
    hasSeveral |= addend.sum && sum && sum != addend.sum;
    if (addend.sum)
      sum = addend.sum;
    (addend.sum ? projections : others).push_back(std::move(addend));
  }
  if (others.empty() || !sum)
    return reject(Rejection::NoCandidate);
  SmallVector<unsigned> depends =
      getDependentVariables(computed ? computed : sum);
  for (unsigned variable : site.space)
    if (site.context().getExtent(variable) != 1)
      (llvm::is_contained(depends, variable) ? batch : along)
          .push_back(variable);
  if (along.empty() || !isNear())
    return reject(Rejection::NoCandidate);
  if (hasSeveral)
    return computed ? reject(Rejection::SeveralSums)
                    : reject(Rejection::NoCandidate);
  return {};
}

Parts GradientMatcher::readParts(const Addend &addend) {
  Parts result;
  result.isNegated = addend.isNegated;
  PartsReader partsReader(reader, along, [](const Node *) { return false; });
  for (const Factor &factor : addend.factors)
    partsReader.read(factor.base, result, factor.exponent);
  return result;
}

/// Splits a sum that the projection does not contain: r * g may be added to a
/// residual gradient before.
SmallVector<Addend> GradientMatcher::splitSum(const Addend &addend) {
  const Node *sum = addend.factors.front().base;
  auto *element = dyn_cast<ElementNode>(sum);
  if (const Node *opened = element ? reader.open(element) : nullptr)
    sum = opened;
  SmallVector<Addend> split{addend};
  if (addend.factors.size() != 1 || addend.isNegated || !sum->is(Kind::Add))
    return split;
  split.clear();
  for (const Node *operand : sum->getOperands())
    split.push_back({{{operand, Fraction(1)}}, nullptr, false});
  bool hasRow = llvm::any_of(
      split, [&](const Addend &each) { return !readParts(each).rows.empty(); });
  return hasRow ? split : SmallVector<Addend>{addend};
}

/// Returns true if a term depends on an earlier sum, and is no term r * g.
bool GradientMatcher::hasOtherSum(ArrayRef<Addend> terms) {
  return llvm::any_of(terms, [&](const Addend &addend) {
    return llvm::any_of(addend.factors, [&](const Factor &factor) {
      const Node *base = factor.base;
      while (base->is(Kind::Neg))
        base = base->getOperand(0);
      auto *element = dyn_cast<ElementNode>(base);
      return element && site.flow.lookupProjection(element->getValue()).sum;
    });
  });
}

/// Finds the term r * g. One other term may be a residual gradient, which is
/// added to dx afterwards.
Rejection GradientMatcher::findDirect() {
  SmallVector<Addend> terms;
  for (const Addend &addend : others)
    llvm::append_range(terms, splitSum(addend));
  bool isFound = false;
  for (const Addend &addend : terms) {
    Parts each = readParts(addend);
    bool isResidual = each.rows.empty() && !residual && !addend.isNegated &&
                      addend.factors.size() == 1;
    if (isFound ? !isResidual : each.rows.empty() && !isResidual)
      return reject(hasOtherSum(terms) ? Rejection::SeveralSums
                                       : Rejection::NoCandidate);
    if (each.rows.empty()) {
      residual = addend.factors.front().base;
      continue;
    }
    isFound = true;
    directParts = std::move(each);
  }
  return isFound ? Rejection() : reject(Rejection::NoCandidate);
}

/// Reads each projection as x times constants and powers of r.
Rejection GradientMatcher::findX(NodePredicate isX) {
  auto opening = root.isComputed() ? Opening::Wanted : Opening::All;
  for (const Addend &addend : projections) {
    Parts each;
    each.isNegated = addend.isNegated;
    PartsReader partsReader(reader, along, isX, opening);
    for (const Factor &factor : addend.factors)
      partsReader.read(factor.base, each, factor.exponent);
    if (each.varying.size() != 1 || each.varying[0].exponent != Fraction(1))
      return reject(Rejection::ProjectionAlongOther);
    const Node *x = each.varying[0].base;
    if (root.isComputed() && !isX(x))
      return reject(Rejection::ProjectionAlongOther);
    if (found.product.x && !isSame(reader, x, found.product.x))
      return reject(Rejection::ProjectionAlongOther);
    if (!found.product.x)
      found.product.x = x;
  }
  return {};
}

Rejection GradientMatcher::readProjection() {
  if (Rejection rejection = findDirect())
    return rejection;
  // The residual gradient is added in the type of the scalar.
  if (residual && site.node->is(Kind::Round))
    return reject(Rejection::NoCandidate);
  if (Rejection rejection = readRowRoot(reader, directParts).moveInto(root))
    return rejection;
  if (!root.isComputed())
    return findX([](const Node *) { return false; });
  if (Rejection rejection = matchComputedRoot(site, root, found))
    return rejection;
  XMatcher isX(reader, found.statistic.x);
  auto predicate = [&](const Node *node) { return isX(node); };
  if (Rejection rejection = findX(predicate))
    return rejection;
  return isX.agree(found) ? Rejection()
                          : reject(Rejection::ProjectionAlongOther);
}

/// Matches the dimensions, of which a gradient has no part alone.
static Rejection matchWholeSpan(const Site &site, Findings &found) {
  if (Rejection rejection = matchSpan(site, found).moveInto(found.span))
    return rejection;
  if (found.span.count || found.span.groupSize)
    return reject(Rejection::PartOfDims, found.span.dims);
  return {};
}

/// Matches the sum of x * g, times powers of r, with x and g outside of it.
Rejection GradientMatcher::matchSum() {
  const Node *x = found.product.x;
  llvm::DenseMap<const Node *, bool> known;
  auto isX = [&](const Node *node) {
    if (node->is(Kind::Constant) || node->is(Kind::Count) ||
        node->getType() != x->getType())
      return false;
    auto [it, inserted] = known.try_emplace(node, false);
    if (inserted) {
      Correspondence agreed(reader);
      known[node] = agreed.match(x, node);
    }
    return known[node];
  };
  Parts sumParts;
  PartsReader(reader, sum->getVariables(), isX).read(sum->getTerm(), sumParts);
  const Node *xInSum = nullptr;
  SmallVector<Factor> others;
  for (const Factor &factor : sumParts.varying)
    if (!xInSum && factor.exponent == Fraction(1) && isX(factor.base))
      xInSum = factor.base;
    else
      others.push_back(factor);
  if (!xInSum)
    return reject(Rejection::ProjectionOfOther);
  atSum.product.x = x;
  atSum.statistic.x = xInSum;
  atSum.statistic.variables.assign(sum->getVariables().begin(),
                                   sum->getVariables().end());
  atSum.inverse.sum = sum;
  auto compute = root.node->getFloatType();
  auto outer = splitWeight(reader, directParts.varying, batch, compute);
  auto inner = splitWeight(reader, others, batch, compute);
  if (!outer)
    return reject(Rejection::NoTensorForGradient);
  if (!inner || !outer->weight != !inner->weight ||
      !atSum.agreed.match(x, xInSum) ||
      !atSum.agreed.match(outer->dy, inner->dy) ||
      (outer->weight && !atSum.agreed.match(outer->weight, inner->weight)))
    return reject(Rejection::ProjectionOfOther);
  g = *outer;
  inSum = *inner;
  return matchWholeSpan(site, atSum);
}

/// Finds dy, the residual gradient and the weight; returns the weight as it is
/// read, or null.
RejectionOr<const Node *> GradientMatcher::decideOperands(PlannedNorm &norm) {
  norm.normalizedType = {};
  if (g.rounded && g.rounded.getWidth() < norm.computeType.getWidth())
    norm.normalizedType = g.rounded;
  if (Rejection rejection = matchInput(site, found, norm))
    return rejection;
  if (!llvm::is_sorted(norm.order))
    return reject(Rejection::NoTensorForX);
  PlannedGradient gradient;
  auto dy = findOperand(site, g.dy);
  if (!dy)
    return reject(Rejection::NoTensorForGradient);
  gradient.dy = *dy;
  if (residual) {
    auto added = findOperand(site, residual);
    if (!added || added->op ||
        getElementTypeOrSelf(added->value.getType()) != site.node->getType())
      return reject(Rejection::NoTensorForGradient);
    gradient.residual = *added;
  }
  norm.gradient = std::move(gradient);
  const Node *weight = nullptr;
  if (g.weight)
    if (Rejection rejection = decideWeight(norm, weight))
      return rejection;
  if (Rejection rejection = checkOperands(site, norm))
    return rejection;
  return weight;
}

/// P is the wider type of T and of the weight as it is multiplied.
Rejection GradientMatcher::decideWeight(PlannedNorm &norm,
                                        const Node *&weight) {
  FloatType z = norm.normalizedType ? norm.normalizedType : norm.computeType;
  auto gives = [&](const Node *each) {
    return isArithmeticType(each->getType()) &&
           getWiderFloatType(z, each->getFloatType()) == g.productType;
  };
  weight = findNarrow(reader, g.weight);
  if (!gives(weight))
    weight = g.weight;
  if (Rejection rejection = matchWeight(site, weight, norm))
    return rejection;
  if (weight != g.weight && gives(g.weight)) {
    PlannedNorm other = norm;
    other.weight = PlannedWeight();
    if (!matchWeight(site, g.weight, other))
      norm.gradient->wideWeight = other.weight;
  }
  // dy * w, with the weight in it once more, has no such forward norm.
  auto again =
      splitWeight(reader, Factor{g.dy, Fraction(1)}, batch, norm.computeType);
  if (again && again->weight && isSame(reader, again->weight, g.weight))
    return reject(Rejection::WeightTwice);
  return {};
}

static bool haveOneBase(const Factor &a, const Factor &b) {
  return a.base == b.base;
}

/// Says in which factor a term of the program differs from that of the law.
static Rejection explain(const Comparison &comparison, const Site &site,
                         const Span &span, Rejection otherwise) {
  if (comparison.isBounded ||
      comparison.forms[0].node == comparison.forms[1].node)
    return otherwise; // only roundings differ
  auto isProjection = [](const Factor &factor) {
    return factor.base->is(Kind::Sum) && factor.exponent == Fraction(1);
  };
  auto isElement = [](const Factor &factor) { // something else than r
    return factor.base->is(Kind::Element);
  };
  auto isCount = [](const Factor &factor) {
    return factor.base->is(Kind::Count);
  };
  for (const Term &expected : comparison.forms[1].terms) {
    bool projects = llvm::any_of(expected.factors, isProjection);
    for (const Term &found : comparison.forms[0].terms) {
      if (llvm::any_of(found.factors, isCount))
        return reject(Rejection::CountNotProved, span.dims);
      if (projects && llvm::any_of(found.factors, isProjection) &&
          llvm::any_of(found.factors, isElement))
        return reject(Rejection::ProjectionPower);
      if (found.factors.size() != expected.factors.size() ||
          !llvm::all_of_zip(found.factors, expected.factors, haveOneBase))
        continue;
      if (found.factors != expected.factors)
        return projects ? reject(Rejection::ProjectionPower) : otherwise;
      if (found.coefficient == expected.coefficient)
        continue;
      if (!projects)
        return reject(Rejection::DirectScaled);
      int64_t n = 0;
      if (auto terms = countTerms(site, span); terms && *terms)
        n = **terms;
      return reject(Rejection::ProjectionDivisor, n);
    }
  }
  return otherwise;
}

/// Compares the scalar with the op that is planned in its place.
Rejection GradientMatcher::prove(PlannedNorm &norm, const Node *weight,
                                 Precision precision) {
  LawBook &laws = site.laws;
  Names names;
  nameRow(site, root, found, norm, names);
  auto add = [&](StringRef name, const Node *node, const Node *summed) {
    names.add(node, laws.getElement(name, node->getType(), Place::Result),
              Place::Result);
    for (const Node *each : {summed, findNarrow(reader, summed)})
      if (each->getType() == node->getType())
        names.add(each, laws.getElement(name, node->getType(), Place::Sum),
                  Place::Sum);
  };
  const PlannedGradient &gradient = *norm.gradient;
  add("x", norm.input.node, atSum.statistic.x);
  add("dy", gradient.dy.node, inSum.dy);
  if (weight)
    add("w", weight, inSum.weight);
  LawBook::Types types{norm.input.node->getType(), gradient.dy.node->getType(),
                       weight ? weight->getType() : Type(),
                       site.node->getType(), root.getSign()};
  const Node *law =
      laws.getLaw(LawBook::Result::InputGradient, norm, types, names.terms);
  if (residual && law) {
    const Node *added =
        laws.getElement("residual", residual->getType(), Place::Result);
    for (const Named &named : names.inResult)
      if (named.node->getType() == residual->getType() &&
          isSame(reader, named.node, residual))
        added = named.expression;
    names.add(residual, added, Place::Result);
    Context &context = site.context();
    law = context.rebuildRounded(
        context.get(Kind::Add, types.result, {law, added}), {law, added});
  }
  Comparison comparison =
      compareWithLaw(site, names, site.node, law, norm.computeType, precision);
  Rejection rejection = judge(site, comparison, precision, norm);
  return rejection ? explain(comparison, site, found.span, std::move(rejection))
                   : Rejection();
}

Rejection GradientMatcher::decideLaw() {
  if (Rejection rejection = readTerms())
    return rejection;
  if (Rejection rejection = readProjection())
    return rejection;
  if (Rejection rejection = matchSum())
    return rejection;
  if (!root.isComputed()) {
    found.span = atSum.span;
    found.statistic.x = found.product.x;
  }
  if (Rejection rejection = matchRowSpan(site, root, found))
    return rejection;
  if (found.span.dims != atSum.span.dims)
    return reject(Rejection::ProjectionDims, atSum.span.dims, found.span.dims);
  return {};
}

RejectionOr<PlannedNorm> GradientMatcher::planAs(Precision precision) {
  PlannedNorm norm;
  norm.op = site.body->op;
  norm.scalar = site.scalar;
  norm.space = site.spaceMap;
  if (Rejection rejection = decideRow(site, root, found, precision, norm))
    return rejection;
  RejectionOr<const Node *> weight = decideOperands(norm);
  if (!weight)
    return weight.takeRejection();
  if (Rejection rejection = findRoot(site, root, found, norm))
    return rejection;
  if (Rejection rejection = prove(norm, *weight, precision))
    return rejection;
  return norm;
}

RejectionOr<PlannedNorm> GradientMatcher::run() {
  if (Rejection rejection = decideLaw())
    return rejection;
  auto plan = [&](Precision precision) { return planAs(precision); };
  if (root.isComputed() || !root.beforeEpsilon)
    return planAsAllowed(site, plan);
  // Of a saved root either r or the root before epsilon may have been saved.
  found.inverse.mode = EpsilonMode::Outside;
  if (auto outside = planAsAllowed(site, plan))
    return outside;
  found.inverse.mode = EpsilonMode::Inside;
  return planAsAllowed(site, plan);
}

RejectionOr<PlannedNorm> norm::decideGradient(const Site &site,
                                              ProjectedNodes &projected) {
  return GradientMatcher(site, projected).run();
}

//===----------------------------------------------------------------------===//
// What dx and dw have in common
//===----------------------------------------------------------------------===//

Rejection norm::matchComputedRoot(const Site &site, const RowRoot &root,
                                  Findings &found) {
  found.product.value = found.product.root = root.node;
  found.product.divides = root.divides;
  if (Rejection rejection = matchRow(site, found))
    return rejection;
  if (found.inverse.mode == EpsilonMode::Clamp)
    return reject(Rejection::GradientOfClamp);
  return {};
}

static Rejection decideSavedRow(const Site &site, const RowRoot &root,
                                const Findings &found, PlannedNorm &norm) {
  norm.computeType = root.node->getFloatType();
  norm.mode = found.inverse.mode;
  if (norm.mode == EpsilonMode::Inside)
    return {};
  norm.rootForm = getRootForm(site, root.divides, norm.computeType);
  for (const Node *operand : root.base->getOperands())
    if (auto *constant = dyn_cast<ConstantNode>(operand))
      return takeEpsilon(constant, norm);
  return {};
}

Rejection norm::matchRowSpan(const Site &site, const RowRoot &root,
                             Findings &found) {
  if (!root.isComputed())
    return {};
  if (Rejection rejection = matchWholeSpan(site, found))
    return rejection;
  if (Rejection rejection = matchDivisor(site, found).moveInto(found.divisor))
    return rejection;
  return found.divisor.rest.empty() ? Rejection()
                                    : reject(Rejection::NoConstantDivisor);
}

Rejection norm::decideRow(const Site &site, const RowRoot &root,
                          const Findings &found, Precision precision,
                          PlannedNorm &norm) {
  norm.dims = found.span.dims;
  return root.isComputed() ? decideStatistic(site, found, precision, norm)
                           : decideSavedRow(site, root, found, norm);
}

Rejection norm::findRoot(const Site &site, const RowRoot &root,
                         const Findings &found, PlannedNorm &norm) {
  const Node *node = root.node;
  PlannedGradient &gradient = *norm.gradient;
  if (root.isComputed()) {
    for (auto *element : site.reader.getOccurrences(found.inverse.sum))
      gradient.statistics.push_back(element->getValue());
    return {};
  }
  gradient.isRootBeforeEpsilon = norm.mode != EpsilonMode::Inside;
  if (gradient.isRootBeforeEpsilon)
    node = root.beforeEpsilon;
  else if (root.divides)
    node = site.context().get(
        Kind::Div, node->getType(),
        {site.context().getConstant(
             APFloat::getOne(node->getFloatType().getFloatSemantics()),
             node->getType()),
         node});
  if (node->getType() != norm.computeType)
    return reject(Rejection::RoundedTwice);
  SmallVector<int64_t> batch;
  for (int64_t dim = 0, e = site.getRank(); dim < e; ++dim)
    if (!llvm::is_contained(norm.dims, dim))
      batch.push_back(dim);
  for (const ElementNode *element : site.reader.getOccurrences(node))
    if (site.holdsDims(element, batch) &&
        site.isAvailable(element->getValue())) {
      gradient.root.tensor = element->getValue();
      return {};
    }
  if (!findElements(site, node, batch, gradient.root))
    return reject(Rejection::NoTensorForRoot);
  return {};
}

void norm::nameRow(const Site &site, const RowRoot &root, const Findings &found,
                   const PlannedNorm &norm, Names &names) {
  nameStatistic(site, found, norm, names);
  names.isGradient = true;
  if (root.isComputed())
    return;
  Context &context = site.context();
  auto add = [&](const Node *node, const Node *expression) {
    names.add(node, expression, Place::Result);
    names.add(node, expression, Place::Sum);
  };
  const Node *r = site.laws.getRowValue("r", norm.computeType, root.getSign());
  if (norm.gradient->isRootBeforeEpsilon) {
    add(root.beforeEpsilon, r);
    add(root.base, site.laws.getRowValue("r + e", root.base->getType(),
                                         Sign::NonNegative));
    return;
  }
  auto power = [&](const Node *node, const Fraction &exponent) {
    return context.getPower(r, exponent, node->getType());
  };
  add(root.node, root.divides ? power(root.node, Fraction(-1)) : r);
  if (root.base != root.node && !root.isRounded)
    add(root.base, power(root.base, Fraction(1) / root.exponent));
}
