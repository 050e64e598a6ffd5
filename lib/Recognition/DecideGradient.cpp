//===- DecideGradient.cpp - plan a gradient and prove it ------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What dx and dw have in common: the row of their norm, the operands of the op,
// and the comparison of the program with the op.
//
//===----------------------------------------------------------------------===//

#include "Gradient.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::row;

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Decides types, dimensions and epsilon.
static Rejection decideRow(const Site &site, const GradientLaw &law,
                           Precision precision, PlannedNorm &norm) {
  norm.dims = law.found.span.dims;
  if (law.root.isComputed())
    return decideStatistic(site, law.found, precision, norm);
  norm.computeType = law.root.node->getFloatType();
  norm.mode = law.found.inverse.mode;
  if (norm.mode == EpsilonMode::Inside)
    return {};
  norm.rootForm =
      getRootForm(site, law.root.node, law.root.divides, norm.computeType);
  for (const Node *operand : law.root.base->getOperands())
    if (auto *constant = dyn_cast<ConstantNode>(operand))
      return takeEpsilon(constant, norm);
  return {};
}

/// Finds dy and the gradient that is added to dx.
static Rejection findGradients(const Site &site, const GradientLaw &law,
                               PlannedGradient &gradient) {
  auto dy = findOperand(site, law.g.dy);
  if (!dy)
    return reject(Rejection::NoTensorForGradient);
  gradient.dy = *dy;
  if (!law.residual)
    return {};
  auto added = findOperand(site, law.residual);
  if (!added || added->op ||
      getElementTypeOrSelf(added->value.getType()) != site.node->getType())
    return reject(Rejection::NoTensorForGradient);
  gradient.residual = *added;
  return {};
}

/// Finds the weight and returns it as it is read, or null. P is the wider type
/// of T and of the weight as it is multiplied.
static RejectionOr<const Node *>
findWeight(const Site &site, const GradientLaw &law, PlannedNorm &norm) {
  const WeightedGradient &g = law.g;
  if (!g.weight)
    return static_cast<const Node *>(nullptr);
  FloatType z = norm.normalizedType ? norm.normalizedType : norm.computeType;
  auto gives = [&](const Node *each) {
    return isArithmeticType(each->getType()) &&
           getWiderFloatType(z, each->getFloatType()) == g.productType;
  };
  const Node *narrow = findNarrow(site.reader, g.weight);
  const Node *weight = gives(narrow) ? narrow : g.weight;
  if (Rejection rejection = matchWeight(site, weight, norm))
    return rejection;
  if (weight != g.weight && gives(g.weight)) {
    PlannedNorm other = norm;
    other.weight = PlannedWeight();
    if (!matchWeight(site, g.weight, other))
      norm.gradient->wideWeight = other.weight;
  }
  return weight;
}

/// Finds the sums of squares of a computed root, the tensor that holds a saved
/// one, or the elements to compute it from.
static Rejection findRoot(const Site &site, const GradientLaw &law,
                          PlannedNorm &norm) {
  PlannedGradient &gradient = *norm.gradient;
  if (law.root.isComputed()) {
    for (auto *element : site.reader.getOccurrences(law.found.inverse.sum))
      gradient.statistics.push_back(element->getValue());
    return {};
  }
  gradient.isRootBeforeEpsilon = norm.mode != EpsilonMode::Inside;
  const Node *node =
      gradient.isRootBeforeEpsilon ? law.root.beforeEpsilon : law.root.saved;
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
  bool isFound = findElements(site, node, batch, gradient.root);
  return isFound ? Rejection() : reject(Rejection::NoTensorForRoot);
}

//===----------------------------------------------------------------------===//
// dw
//===----------------------------------------------------------------------===//

/// Returns the only user of `sum` if it rounds each element, in order.
static OpResult findRounded(OpResult sum) {
  if (!sum.hasOneUse())
    return {};
  auto user = dyn_cast<linalg::LinalgOp>(*sum.getUsers().begin());
  if (!user || user->getNumResults() != 1 || user.getNumReductionLoops() > 0 ||
      user.getNumDpsInputs() != 1 || user.getDpsInputOperand(0)->get() != sum)
    return {};
  Block *body = user.getBlock();
  auto round = dyn_cast_or_null<arith::TruncFOp>(
      body->getTerminator()->getOperand(0).getDefiningOp());
  if (!round || round.getIn() != body->getArgument(0) ||
      round.getRoundingmode())
    return {};
  SmallVector<AffineExpr> orders[2];
  SmallVector<int64_t> ranges = user.getStaticLoopRanges();
  for (auto [map, order] : llvm::zip_equal(user.getIndexingMapsArray(), orders))
    for (AffineExpr expr : map.getResults())
      if (auto loop = dyn_cast<AffineDimExpr>(expr);
          loop && ranges[loop.getPosition()] != 1)
        order.push_back(loop);
  return orders[0] == orders[1] ? user->getResult(0) : OpResult();
}

/// Decides the result: the sum, or its rounding if that has the type of P.
static void decideResult(const Site &site, const GradientLaw &law,
                         PlannedNorm &norm) {
  auto sum = cast<OpResult>(site.reduction);
  PlannedGradient &gradient = *norm.gradient;
  gradient.dw = gradient.sum = sum;
  gradient.dwType = gradient.sumType =
      cast<FloatType>(getElementTypeOrSelf(sum.getType()));
  FloatType z = norm.normalizedType ? norm.normalizedType : norm.computeType;
  OpResult rounded = findRounded(sum);
  auto type = rounded ? cast<FloatType>(getElementTypeOrSelf(rounded.getType()))
                      : FloatType();
  if (type && isArithmeticType(type) &&
      getWiderFloatType(z, type) == law.product->getFloatType()) {
    gradient.dw = rounded;
    gradient.dwType = type;
  }
}

//===----------------------------------------------------------------------===//
// Proof
//===----------------------------------------------------------------------===//

/// Names a saved r, and what the program computes it from.
static void nameRoot(const Site &site, const RowRoot &root,
                     const PlannedNorm &norm, Names &names) {
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
    return site.context().getPower(r, exponent, node->getType());
  };
  add(root.node, root.divides ? power(root.node, Fraction(-1)) : r);
  if (root.base != root.node)
    add(root.base, power(root.base, Fraction(1) / root.exponent));
}

/// Names all operands of the op where it computes dx or a product of dw.
static Names nameOperands(const Site &site, const GradientLaw &law,
                          const Node *weight, const PlannedNorm &norm) {
  Names names;
  names.isGradient = true;
  nameStatistic(site, law.found, norm, names);
  if (!law.root.isComputed())
    nameRoot(site, law.root, norm, names);
  auto add = [&](StringRef name, const Node *node, const Node *summed) {
    auto symbol = [&](Place place) {
      return site.laws.getElement(name, node->getType(), place);
    };
    names.add(node, symbol(Place::Result), Place::Result);
    if (!summed)
      return;
    for (const Node *each : {summed, findNarrow(site.reader, summed)})
      if (each->getType() == node->getType())
        names.add(each, symbol(Place::Sum), Place::Sum);
  };
  const Projected summed = law.projected.value_or(Projected());
  add("x", norm.input.node, summed.x);
  add("dy", norm.gradient->dy.node, summed.g.dy);
  if (weight)
    add("w", weight, summed.g.weight);
  return names;
}

/// Returns the law of dx with the residual gradient, which may be dy.
static const Node *addResidual(const Site &site, const Node *residual,
                               const Node *law, Names &names) {
  Type type = residual->getType();
  const Node *added = site.laws.getElement("residual", type, Place::Result);
  for (const Named &named : names.inResult)
    if (named.node->getType() == type &&
        isSame(site.reader, named.node, residual))
      added = named.expression;
  names.add(residual, added, Place::Result);
  Context &context = site.context();
  const Node *sum = context.get(Kind::Add, site.node->getType(), {law, added});
  return context.rebuildRounded(sum, {law, added});
}

/// Says in which factor a term of the program differs from that of the law.
static Rejection explain(const Comparison &comparison, const Span &span,
                         Rejection otherwise) {
  if (comparison.isBounded ||
      comparison.forms[0].node == comparison.forms[1].node)
    return otherwise; // only roundings differ
  auto has = [](const Term &term, Kind kind) {
    return llvm::any_of(term.factors, [&](const Factor &factor) {
      return factor.base->is(kind) &&
             (kind != Kind::Sum || factor.exponent == Fraction(1));
    });
  };
  auto haveOneBase = [](const Factor &a, const Factor &b) {
    return a.base == b.base;
  };
  for (const Term &found : comparison.forms[0].terms) {
    bool projects = has(found, Kind::Sum);
    if (has(found, Kind::Count))
      return reject(Rejection::CountNotProved, span.dims);
    if (projects && has(found, Kind::Element)) // something else than r
      return reject(Rejection::ProjectionPower);
    const auto *expected =
        llvm::find_if(comparison.forms[1].terms, [&](const Term &term) {
          return term.factors.size() == found.factors.size() &&
                 llvm::all_of_zip(term.factors, found.factors, haveOneBase);
        });
    if (expected == comparison.forms[1].terms.end())
      continue;
    if (found.factors != expected->factors)
      return projects ? reject(Rejection::ProjectionPower) : otherwise;
    if (found.coefficient == expected->coefficient)
      continue;
    if (!projects)
      return reject(Rejection::DirectScaled);
    return reject(Rejection::ProjectionDivisor, span.terms.value_or(0));
  }
  return otherwise;
}

/// Compares the program with the op that is planned.
static Rejection prove(const Site &site, const GradientLaw &law,
                       const Node *weight, PlannedNorm &norm,
                       Precision precision) {
  Names names = nameOperands(site, law, weight, norm);
  const PlannedGradient &gradient = *norm.gradient;
  LawBook::Types types{norm.input.node->getType(), gradient.dy.node->getType(),
                       weight ? weight->getType() : Type(),
                       law.projected ? site.node->getType()
                                     : Type(gradient.dwType),
                       law.root.getSign()};
  const Node *expected =
      site.laws.getLaw(law.projected ? LawBook::Result::InputGradient
                                     : LawBook::Result::WeightGradient,
                       norm, types, names.terms);
  if (law.residual && expected)
    expected = addResidual(site, law.residual, expected, names);
  Comparison comparison =
      compareWithLaw(site, names, law.projected ? site.node : law.product,
                     expected, norm.computeType, precision);
  Rejection rejection = judge(site, comparison, precision, norm);
  return rejection && law.projected
             ? explain(comparison, law.found.span, std::move(rejection))
             : std::move(rejection);
}

static RejectionOr<PlannedNorm> planAs(Precision precision, const Site &site,
                                       const GradientLaw &law) {
  PlannedNorm norm;
  norm.op = site.body->op;
  norm.scalar = site.scalar;
  norm.space = site.spaceMap;
  norm.gradient.emplace();
  if (Rejection rejection = decideRow(site, law, precision, norm))
    return rejection;
  FloatType rounded = law.g.rounded;
  bool isRounded = rounded && rounded.getWidth() < norm.computeType.getWidth();
  norm.normalizedType = isRounded ? rounded : FloatType();
  if (!law.projected) {
    norm.weightDims = law.weightDims;
    decideResult(site, law, norm);
  }
  if (Rejection rejection = matchInput(site, law.found, norm))
    return rejection;
  if (!llvm::is_sorted(norm.order))
    return reject(Rejection::NoTensorForX);
  if (Rejection rejection = findGradients(site, law, *norm.gradient))
    return rejection;
  RejectionOr<const Node *> weight = findWeight(site, law, norm);
  if (!weight)
    return weight.takeRejection();
  if (Rejection rejection = checkOperands(site, norm))
    return rejection;
  if (Rejection rejection = findRoot(site, law, norm))
    return rejection;
  if (Rejection rejection = prove(site, law, *weight, norm, precision))
    return rejection;
  return norm;
}

RejectionOr<PlannedNorm> norm::planGradient(const Site &site,
                                            const GradientLaw &law) {
  GradientLaw own = law;
  auto plan = [&](Precision precision) { return planAs(precision, site, own); };
  if (!law.root.isComputed() && law.root.beforeEpsilon) {
    // Either r or the root before epsilon may have been saved.
    own.found.inverse.mode = EpsilonMode::Outside;
    if (auto outside = planAsAllowed(site, plan))
      return outside;
    own.found.inverse.mode = EpsilonMode::Inside;
  }
  return planAsAllowed(site, plan);
}
