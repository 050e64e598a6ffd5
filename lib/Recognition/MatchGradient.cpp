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
  SmallVector<const Node *> roundings;

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
  if (!node->is(Kind::Extend) && !node->is(Kind::Neg))
    roundings.push_back(node);
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
  Rejection matchPowers();
  Rejection matchDivisor();
  Rejection decideOperands();
  Rejection findX(NodePredicate isX);
  void noteRoundings();
  void noteSpelling();
  Rejection checkWeightTypes();

  const Site &site;
  Reader &reader;
  ProjectedNodes &projected;
  Deviations deviations;
  PlannedNorm norm;
  Findings found;
  Findings atSum; // x in the projection and in its sum
  SmallVector<Addend> others, projections;
  const Node *residual = nullptr;
  const SumNode *sum = nullptr;
  SmallVector<unsigned> along, batch; // variables of the space
  Parts directParts, sumParts;
  SmallVector<Parts> parts; // per projection
  RowRoot root;
  WeightedGradient g, inSum;
  SmallVector<const Node *> roundings;
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
  roundings = terms.roundings;
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
    parts.push_back(std::move(each));
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
  if (Rejection rejection = matchComputedRoot(site, root, found, deviations))
    return rejection;
  XMatcher isX(reader, found.statistic.x);
  auto predicate = [&](const Node *node) { return isX(node); };
  if (Rejection rejection = findX(predicate))
    return rejection;
  return isX.agree(found, deviations) ? Rejection()
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

/// Counts r: once in r * g and three times in the projection, or for an epsilon
/// outside of the root twice, and once 1/s.
Rejection GradientMatcher::matchPowers() {
  SmallVector<Factor> inTerm = collectPowers(reader, root, sumParts);
  auto [unit, exponent] = root.getUnit();
  std::optional<EpsilonMode> mode;
  for (Parts &each : parts) {
    each.rows.append(inTerm);
    SmallVector<Factor> powers = collectPowers(reader, root, each);
    const Factor *ofUnit = nullptr, *before = nullptr;
    bool hasOther = false;
    for (const Factor &factor : powers) {
      if (factor.base == unit)
        ofUnit = &factor;
      else if (factor.base == root.beforeEpsilon)
        before = &factor;
      else if (factor.base == root.base)
        return reject(Rejection::TermRounded,
                      unit->getType()); // r * g alone is
      else
        hasOther = true;
    }
    bool isOutside = before && ofUnit && before->exponent == Fraction(-1) &&
                     ofUnit->exponent == exponent * Fraction(2);
    bool isInside =
        !before && ofUnit && ofUnit->exponent == exponent * Fraction(3);
    if (hasOther || (!isOutside && !isInside))
      return reject(Rejection::ProjectionPower);
    EpsilonMode own = isOutside ? EpsilonMode::Outside : EpsilonMode::Inside;
    if (mode.value_or(own) != own ||
        (root.isComputed() && found.inverse.mode != own))
      return reject(Rejection::ProjectionPower);
    mode = own;
  }
  found.inverse.mode = *mode;
  return {};
}

/// Returns the product of counts that divide; nullopt if one does not.
static std::optional<SymbolicCount> multiplyCounts(ArrayRef<Scale> counts) {
  std::optional<SymbolicCount> product = SymbolicCount::get(1);
  for (const Scale &each : counts)
    product = product && each.exponent == Fraction(-1)
                  ? product->times(cast<CountNode>(each.value)->getCount())
                  : std::nullopt;
  return product;
}

/// Checks that r * g has the factor 1 and the projection -1/n.
Rejection GradientMatcher::matchDivisor() {
  SmallVector<Scale> none, counts;
  auto scale = multiplyScales(directParts.scales, none);
  if (!scale || *scale != Fraction(directParts.isNegated ? -1 : 1) ||
      !none.empty())
    return reject(Rejection::DirectScaled);
  Fraction factor(0);
  std::optional<SymbolicCount> count;
  for (Parts &each : parts) {
    SmallVector<Scale> all(each.scales), counts;
    all.append(sumParts.scales);
    auto product = multiplyScales(all, counts);
    auto divisor = multiplyCounts(counts);
    if (!product || !divisor || (count && !(*count == *divisor)))
      return reject(Rejection::ProjectionDivisor,
                    site.context().getExtent(along[0]));
    Fraction own = each.isNegated != sumParts.isNegated ? -*product : *product;
    // Parts of both signs cancel, and leave the rounding of larger terms.
    if (own > Fraction(0))
      return reject(Rejection::ProjectionDivisor,
                    site.context().getExtent(along[0]));
    factor += own;
    count = divisor;
  }
  std::optional<int64_t> n;
  if (Rejection rejection = countTerms(site, atSum.span).moveInto(n))
    return rejection;
  if (n)
    return count->isConstant() && factor == Fraction(-1, *n)
               ? Rejection()
               : reject(Rejection::ProjectionDivisor, *n);
  if (factor != Fraction(-1) || !isNumberOfTerms(site, atSum.span, *count))
    return reject(Rejection::CountNotProved, atSum.span.dims);
  return {};
}

/// Notes each rounding to less than C, which the op does not have.
void GradientMatcher::noteRoundings() {
  auto note = [&](Type type) {
    if (type.getIntOrFloatBitWidth() < norm.computeType.getWidth())
      deviations.addNarrow(reject(Rejection::TermRounded, type));
  };
  for (ArrayRef<const Node *> each :
       {ArrayRef(roundings), ArrayRef(directParts.roundings),
        ArrayRef(sumParts.roundings)})
    for (const Node *rounding : each)
      note(rounding->getType());
  for (const Parts &each : parts)
    for (const Node *rounding : each.roundings)
      note(rounding->getType());
  note(sum->getType());
  note(findNarrow(reader, sum->getTerm())->getType());
}

/// Notes another spelling than that of the op, for `exact`.
void GradientMatcher::noteSpelling() {
  Context &context = site.context();
  FloatType type = norm.computeType;
  auto get = [&](Kind kind, const Node *a, const Node *b) {
    return context.get(kind, type, {a, b});
  };
  auto widen = [&](const Node *node) {
    return node->getType() == type ? node
                                   : context.get(Kind::Extend, type, node);
  };
  auto scale = [&](const Node *value) {
    return get(root.divides ? Kind::Div : Kind::Mul, value, root.node);
  };
  bool isSingle = directParts.varying.size() == 1 && g.isOne && inSum.isOne;
  bool isWide =
      llvm::all_of(ArrayRef<const Node *>{sum, root.node},
                   [&](const Node *node) { return node->getType() == type; });
  SmallVector<Scale> scales(parts[0].scales);
  scales.append(sumParts.scales);
  bool divides = scales.size() == 1 && scales[0].exponent == Fraction(-1);
  bool isSpelled = false;
  if (isSingle && isWide && divides && norm.mode == EpsilonMode::Inside) {
    const Node *gradient = widen(directParts.varying[0].base);
    const Node *mean = get(Kind::Div, sum, scales[0].value);
    const Node *term = get(Kind::Mul, scale(widen(found.product.x)), mean);
    const Node *dx =
        scale(get(Kind::Add, gradient, context.get(Kind::Neg, type, term)));
    const Node *actual = site.node;
    if (actual->is(Kind::Round))
      actual = actual->getOperand(0);
    const Node *summed = nullptr;
    for (const Factor &factor : sumParts.varying)
      if (factor.base != atSum.statistic.x)
        summed = factor.base;
    const Node *inTerm =
        summed ? get(Kind::Mul, scale(widen(atSum.statistic.x)), widen(summed))
               : nullptr;
    isSpelled = isSame(reader, dx, actual) && inTerm &&
                sumParts.varying.size() == 2 &&
                isSame(reader, inTerm, stripExtend(sum->getTerm()));
  }
  bool invertsSaved = !root.isComputed() && root.divides;
  if (!isSpelled || invertsSaved)
    deviations.addInexact(Rejection::GradientSpelling);
}

/// Checks P, the type of dy * w, and determines T of B4.
Rejection GradientMatcher::checkWeightTypes() {
  norm.normalizedType = {};
  if (g.rounded && g.rounded.getWidth() < norm.computeType.getWidth())
    norm.normalizedType = g.rounded;
  if (!g.weight)
    return {};
  if (g.rounded != inSum.rounded)
    deviations.addNarrow(reject(Rejection::TermRounded, g.dy->getType()));
  return {};
}

Rejection GradientMatcher::decideOperands() {
  if (Rejection rejection = checkWeightTypes())
    return rejection;
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
    if (!added || added->op)
      return reject(Rejection::NoTensorForGradient);
    auto type = cast<RankedTensorType>(added->value.getType());
    if (type.getElementType() != site.node->getType())
      return reject(Rejection::NoTensorForGradient);
    gradient.residual = added->value;
    deviations.addInexact(Rejection::GradientSpelling);
  }
  norm.gradient = std::move(gradient);
  if (g.weight) {
    // P is the wider type of T and of the weight as it is multiplied.
    const Node *weight = findNarrow(reader, g.weight);
    FloatType z = norm.normalizedType ? norm.normalizedType : norm.computeType;
    if (!isArithmeticType(weight->getType()) ||
        getWiderFloatType(z, weight->getFloatType()) != g.productType)
      weight = g.weight;
    if (getWiderFloatType(z, weight->getFloatType()) != g.productType)
      deviations.addNarrow(
          reject(Rejection::OtherType, "the product with the weight",
                 g.productType, getWiderFloatType(z, weight->getFloatType())));
    if (Rejection rejection = matchWeight(site, weight, norm))
      return rejection;
    if (weight != g.weight &&
        getWiderFloatType(z, g.weight->getFloatType()) == g.productType) {
      PlannedNorm other = norm;
      other.weight = PlannedWeight();
      if (!matchWeight(site, g.weight, other))
        norm.gradient->wideWeight = other.weight;
    }
    // dy * w, with the weight in it once more, has no such forward norm.
    if (auto again = splitWeight(reader, Factor{g.dy, Fraction(1)}, batch,
                                 norm.computeType);
        again && again->weight && isSame(reader, again->weight, g.weight))
      return reject(Rejection::WeightTwice);
  }
  return checkOperands(site, norm);
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
  if (Rejection rejection = matchPowers())
    return rejection;
  if (Rejection rejection = decideRow(site, root, found, deviations, norm))
    return rejection;
  if (found.span.dims != atSum.span.dims)
    return reject(Rejection::ProjectionDims, atSum.span.dims, found.span.dims);
  return matchDivisor();
}

RejectionOr<PlannedNorm> GradientMatcher::run() {
  norm.op = site.body->op;
  norm.scalar = site.scalar;
  norm.space = site.spaceMap;
  if (Rejection rejection = decideLaw())
    return rejection;
  noteRoundings();
  noteSpelling();
  if (Rejection rejection = decideOperands())
    return rejection;
  if (Rejection rejection = findRoot(site, root, found, norm))
    return rejection;
  if (Rejection rejection = applyRounding(site, deviations, norm))
    return rejection;
  return norm;
}

RejectionOr<PlannedNorm> norm::decideGradient(const Site &site,
                                              ProjectedNodes &projected) {
  return GradientMatcher(site, projected).run();
}

//===----------------------------------------------------------------------===//
// What dx and dw have in common
//===----------------------------------------------------------------------===//

Rejection norm::matchComputedRoot(const Site &site, const RowRoot &root,
                                  Findings &found, Deviations &deviations) {
  found.product.value = found.product.root = root.node;
  found.product.divides = root.divides;
  if (Rejection rejection = matchRow(site, found, deviations))
    return rejection;
  if (found.inverse.mode == EpsilonMode::Clamp)
    return reject(Rejection::GradientOfClamp);
  return {};
}

static Rejection decideSavedRow(const Site &site, const RowRoot &root,
                                const Findings &found, PlannedNorm &norm) {
  norm.computeType = root.node->getFloatType();
  norm.mode = found.inverse.mode;
  norm.dims = found.span.dims;
  if (norm.mode == EpsilonMode::Inside)
    return {};
  norm.rootForm = getRootForm(site, root.divides, norm.computeType);
  for (const Node *operand : root.base->getOperands())
    if (auto *constant = dyn_cast<ConstantNode>(operand))
      return takeEpsilon(constant, norm);
  return {};
}

Rejection norm::decideRow(const Site &site, const RowRoot &root,
                          Findings &found, Deviations &deviations,
                          PlannedNorm &norm) {
  // The powers of r and the sum have another range than z and its mean.
  FloatType type = root.node->getFloatType();
  if (type.isF16()) {
    Rejection range = reject(Rejection::GradientRange, type);
    if (!root.isComputed())
      return range;
    deviations.addNarrow(std::move(range));
  }
  if (!root.isComputed())
    return decideSavedRow(site, root, found, norm);
  if (Rejection rejection = matchWholeSpan(site, found))
    return rejection;
  if (Rejection rejection =
          norm::matchDivisor(site, found).moveInto(found.divisor))
    return rejection;
  if (!found.divisor.rest.empty())
    return reject(Rejection::NoConstantDivisor);
  norm.dims = found.span.dims;
  return decideStatistic(site, found, deviations, norm);
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
