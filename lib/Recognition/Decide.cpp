//===- Decide.cpp - is this scalar an RMSNorm? ----------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The decision takes three steps: what the norm is, how it is computed, and its
// operands. Stages read through all roundings; what they found is compared with
// the law of the op, roundings and all.
//
//===----------------------------------------------------------------------===//

#include "Law.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::row;

bool norm::isArithmeticType(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
}

namespace {
/// Determines types and weight of a candidate whose x and r are known.
struct TypeMatcher {
  TypeMatcher(const Site &site, const Findings &found)
      : site(site), product(found.product), inverse(found.inverse),
        statistic(found.statistic), divisor(found.divisor) {}

  void findTypes(PlannedNorm &norm);
  void raiseTypes(PlannedNorm &norm);
  RejectionOr<const Node *> findWeight();

  const Site &site;
  const Product &product;
  const InverseRoot &inverse;
  const Statistic &statistic;
  const Divisor &divisor;
};
} // namespace

RootForm norm::getRootForm(const Site &site, bool divides, FloatType compute) {
  bool isRounded = compute.getWidth() == 16 || site.rounding == Rounding::Exact;
  return divides && isRounded ? RootForm::Quotient : RootForm::Reciprocal;
}

/// Determines C, the type of x * r, or of r before a rounding for that product.
void TypeMatcher::findTypes(PlannedNorm &norm) {
  norm.computeType = product.value->getFloatType();
  norm.scaleType = inverse.scaleType;
  norm.normalizedType = product.normalizedType;
  norm.sumType = inverse.sumType;
  if (inverse.scaleType && !inverse.isWidened) {
    // The product of two narrow values is exact in C, so rounding it equals the
    // narrow product. (x * r) * w rounds each product.
    norm.computeType = inverse.type;
    bool hasWeight = !product.others.empty();
    if (!norm.normalizedType && (product.outer || hasWeight))
      norm.normalizedType = product.value->getFloatType();
  }
  norm.rootForm = getRootForm(site, product.divides, norm.computeType);
  const Node *r = stripCasts(product.root);
  auto *power = dyn_cast<PowerNode>(r);
  if (norm.computeType.getWidth() == 16 && !product.divides &&
      (r->is(Kind::Rsqrt) ||
       (power && power->getExponent() == Fraction(-1, 2))))
    norm.rootForm = RootForm::Rsqrt;
}

/// Uses the norm's widest type, at least f32, for the statistic, and adds the
/// roundings of r and z that C = the product's type would have made.
void TypeMatcher::raiseTypes(PlannedNorm &norm) {
  FloatType own = product.value->getFloatType();
  FloatType raised = Float32Type::get(own.getContext());
  auto widen = [&](Type type) {
    if (isArithmeticType(type))
      raised = getWiderFloatType(raised, cast<FloatType>(type));
  };
  widen(own);
  for (const Node *node = product.root; !node->is(Kind::Sum);
       node = getReducing(node))
    widen(node->getType());
  widen(inverse.sum->getType());
  for (const Node *term : statistic.terms)
    widen(term->getType());
  norm.computeType = raised;
  norm.sumType = {};
  norm.rootForm = RootForm::Reciprocal;
  // A root that x is divided by is rounded in no r.
  const Node *r = stripExtend(product.root);
  bool isRounded = !product.divides && r->getType() != raised;
  norm.scaleType = isRounded ? r->getFloatType() : FloatType();
  // The product of two 16-bit values is exact in f32, so rounding it equals
  // 16-bit arithmetic.
  bool hasWeight = product.outer || !product.others.empty();
  norm.normalizedType = product.normalizedType;
  if (!norm.normalizedType && own != raised && hasWeight)
    norm.normalizedType = own;
}

/// Returns the constant factor that S5 multiplies z by; null if none remains.
static const Node *getRest(Context &context, const Scale &scale) {
  const Node *value = scale.value;
  Type type = value->getType();
  if (scale.exponent == Fraction(1))
    return value;
  if (scale.exponent != Fraction(-1))
    return nullptr;
  auto one = APFloat::getOne(value->getFloatType().getFloatSemantics());
  return context.get(Kind::Div, type, {context.getConstant(one, type), value});
}

/// Finds the weight; a product of weights and constants is computed before.
RejectionOr<const Node *> TypeMatcher::findWeight() {
  Context &context = site.context();
  FloatType type = product.value->getFloatType();
  const Node *weight = nullptr;
  unsigned numFactors = 0;
  auto multiply = [&](const Node *factor) {
    weight = weight ? context.get(Kind::Mul, type, {weight, factor}) : factor;
    ++numFactors;
  };
  for (const Factor &factor : product.others) {
    std::optional<Scale> scale = getScale(factor);
    if (scale && divisor.usesNumerator)
      continue; // the divisor has used it, or left it in its rest
    const Node *node = getRest(context, {factor.base, factor.exponent});
    if (!node || factor.base->is(Kind::Count))
      return reject(Rejection::NoTensorForWeight, ArrayRef<int64_t>());
    multiply(node);
  }
  for (const Scale &scale : divisor.rest) {
    const Node *node =
        scale.value->is(Kind::Constant) ? getRest(context, scale) : nullptr;
    if (!node || node->getType() != type)
      return reject(Rejection::NoConstantDivisor);
    auto *constant = dyn_cast<ConstantNode>(node);
    if (constant && !constant->getValue().isNormal())
      return reject(Rejection::ScaleOutOfRange, constant->getValue(), type);
    multiply(node);
  }
  if (product.isNegated)
    multiply(context.getConstant(
        APFloat::getOne(type.getFloatSemantics(), /*Negative=*/true), type));
  if (numFactors > 1 && site.weights == Weights::Single)
    return reject(Rejection::SeveralWeights, int64_t(numFactors));
  if (weight && product.outer)
    return reject(Rejection::SecondWeight);
  return weight;
}

/// A sparse x would be read as a dense one.
Rejection norm::checkOperands(const Site &site, const PlannedNorm &norm) {
  for (Value operand : {norm.input.value, norm.weight.tensor}) {
    Type type = operand ? operand.getType() : site.node->getType();
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && tensor.getEncoding())
      return reject(Rejection::Encoding, tensor);
    if (!isArithmeticType(getElementTypeOrSelf(type)))
      return reject(Rejection::OtherElement, type);
  }
  Type weight =
      norm.weight.expression ? norm.weight.expression->getType() : Type();
  for (Type type :
       {site.node->getType(), Type(norm.computeType), Type(norm.sumType),
        Type(norm.scaleType), Type(norm.normalizedType), weight})
    if (type && !isArithmeticType(type))
      return reject(Rejection::OtherArithmetic, type);
  return {};
}

/// Rejects a count that overflowed in the program, which the op would repair.
static Rejection checkRaised(const InverseRoot &inverse,
                             const Statistic &statistic) {
  for (ArrayRef<Scale> scales :
       {ArrayRef<Scale>(inverse.inner), ArrayRef<Scale>(inverse.outer),
        ArrayRef<Scale>(statistic.scales)})
    for (const Scale &scale : scales)
      if (auto *constant = dyn_cast<ConstantNode>(scale.value))
        if (!constant->getValue().isFiniteNonZero())
          return reject(Rejection::CountNotFinite, scale.value->getType());
  return {};
}

/// Maps dimensions of the space to those of the input.
static void toInputSpace(PlannedNorm &norm) {
  for (SmallVectorImpl<int64_t> *dims : {&norm.dims, &norm.weightDims}) {
    for (int64_t &dim : *dims)
      dim = llvm::find(norm.order, dim) - norm.order.begin();
    llvm::sort(*dims);
  }
}

Rejection norm::decideStatistic(const Site &site, const Findings &found,
                                Precision precision, PlannedNorm &norm) {
  TypeMatcher types(site, found);
  if (precision == Precision::Own) {
    types.findTypes(norm);
  } else {
    if (Rejection rejection = checkRaised(found.inverse, found.statistic))
      return rejection;
    types.raiseTypes(norm);
  }
  return matchEpsilon(site, found, norm);
}

/// Returns the program's epsilon in terms of that of the op.
static const Node *getEpsilonOf(const Site &site, const Findings &found,
                                const Node *epsilon) {
  Context &context = site.context();
  const InverseRoot &inverse = found.inverse;
  const Node *own = site.laws.getEpsilon(epsilon->getType());
  Type type = own->getType();
  if (inverse.clampsRoot || inverse.clampsMean)
    own = context.getPower(own, Fraction(inverse.clampsRoot ? -1 : 2), type);
  for (const auto &[base, exponent] : getEpsilonFactors(site, found))
    own = context.get(Kind::Mul, type,
                      {own, context.getPower(base, exponent, type)});
  return own;
}

/// Returns the value in the sum that is x, in the type of the norm's input.
static const Node *findInSum(const Site &site, const Findings &found,
                             const Node *x) {
  for (const Node *squared : getSquaredForms(site.reader, found.statistic.x))
    for (const Node *each : {squared, findNarrow(site.reader, squared)})
      if (Correspondence agreed = found.agreed;
          each->getType() == x->getType() && agreed.match(x, each))
        return each;
  return nullptr;
}

void norm::nameStatistic(const Site &site, const Findings &found,
                         const PlannedNorm &norm, Names &names) {
  LawBook &laws = site.laws;
  const Node *x = norm.input.node, *inSum = findInSum(site, found, x);
  names.add(x, laws.getElement("x", x->getType(), Place::Result),
            Place::Result);
  for (const Node *each : {inSum, found.statistic.padded})
    if (each)
      names.add(each, laws.getElement("x", each->getType(), Place::Sum),
                Place::Sum);
  names.findOther = [&](const Node *node, Place) -> const Node * {
    auto *count = dyn_cast<CountNode>(node);
    return count && isNumberOfTerms(site, found.span, count->getCount())
               ? laws.getTerms(node->getType())
               : nullptr;
  };
  names.findEpsilon = [&](const Node *node) -> const Node * {
    return node == found.inverse.epsilon && !norm.epsilon.isZero()
               ? getEpsilonOf(site, found, node)
               : nullptr;
  };
  auto terms = countTerms(site, found.span);
  names.terms = terms ? *terms : std::nullopt;
}

/// Names what a text cannot show: the weight, other values of the program, and
/// what widening keeps.
static const Node *simplify(Context &context, const Node *node,
                            const Comparison &comparison) {
  auto rewrite = [&](const Node *each,
                     ArrayRef<const Node *> operands) -> const Node * {
    if (each == comparison.weight)
      return context.getSymbol("w", each->getType(), Sign::Any);
    if (each->is(Kind::Element))
      return context.getSymbol("other", each->getType(), Sign::Any);
    if (each->is(Kind::Extend))
      return operands[0];
    return operands.empty() ? each : context.rebuild(each, operands);
  };
  return Rewriter(rewrite).run(node);
}

Rejection norm::judge(const Site &site, const Comparison &comparison,
                      Precision precision, PlannedNorm &norm) {
  norm.difference = comparison.difference;
  bool isExact =
      site.rounding == Rounding::Exact && precision == Precision::Own;
  if (isExact ? comparison.isExact : comparison.isBounded)
    return {};
  if (!comparison.found)
    return reject(Rejection::NotCompared, int64_t(Comparison::kMaxLevels),
                  int64_t(Comparison::kMaxNodes));
  auto describe = [&](const Node *node) {
    return simplify(site.context(), node, comparison)->describe();
  };
  bool roundsAlike = isExact && comparison.isBounded;
  return reject(roundsAlike ? Rejection::NotExact : Rejection::OtherExpression,
                describe(comparison.expected), describe(comparison.found));
}

/// Compares the scalar with the op that is planned in its place.
static Rejection prove(const Site &site, const Findings &found,
                       const Node *weight, PlannedNorm &norm,
                       Precision precision) {
  Names names;
  nameStatistic(site, found, norm, names);
  LawBook::Types types{norm.input.node->getType(), Type(),
                       weight ? weight->getType() : Type(),
                       site.node->getType()};
  const Node *law =
      site.laws.getLaw(LawBook::Result::Norm, norm, types, names.terms);
  return judge(site,
               compareWithLaw(site, names, site.node, law, norm.computeType,
                              precision, weight),
               precision, norm);
}

/// Decides how x, r and w are computed and where they are read.
static RejectionOr<PlannedNorm> planWith(const Node *weight, PlannedNorm norm,
                                         Precision precision, const Site &site,
                                         const Findings &found) {
  if (Rejection rejection = matchInput(site, found, norm))
    return rejection;
  if (weight)
    if (Rejection rejection = matchWeight(site, weight, norm))
      return rejection;
  if (Rejection rejection = checkOperands(site, norm))
    return rejection;
  if (Rejection rejection = prove(site, found, weight, norm, precision))
    return rejection;
  return norm;
}

/// Plans with the weight as it is stored or, if that is another product, as it
/// is multiplied.
static RejectionOr<PlannedNorm> planAs(Precision precision, const Site &site,
                                       const Findings &found) {
  PlannedNorm norm;
  norm.op = site.body->op;
  norm.scalar = site.scalar;
  norm.space = site.spaceMap;
  norm.dims = found.span.dims;
  norm.count = found.span.count;
  norm.groupSize = found.span.groupSize;
  if (Rejection rejection = decideStatistic(site, found, precision, norm))
    return rejection;
  const Node *weight = nullptr;
  TypeMatcher types(site, found);
  if (Rejection rejection = types.findWeight().moveInto(weight))
    return rejection;
  if (!weight)
    weight = found.product.outer;
  const Node *stored = weight ? findNarrow(site.reader, weight) : nullptr;
  auto planned = planWith(stored, norm, precision, site, found);
  return planned || stored == weight
             ? planned
             : planWith(weight, norm, precision, site, found);
}

RejectionOr<PlannedNorm>
norm::planAsAllowed(const Site &site,
                    function_ref<RejectionOr<PlannedNorm>(Precision)> plan) {
  RejectionOr<PlannedNorm> own = plan(Precision::Own);
  if (own)
    return own;
  Rejection rejection = own.takeRejection();
  if (rejection.getReason() != RejectionReason::RoundingNotRepresentable)
    return rejection;
  RejectionOr<PlannedNorm> raised = plan(Precision::Raised);
  if (raised && site.rounding != Rounding::Relaxed)
    rejection.explanation += "; rounding=relaxed computes it in " +
                             text(raised->computeType) + " instead";
  if (raised && site.rounding == Rounding::Relaxed)
    return raised;
  return rejection;
}

Rejection norm::matchRow(const Site &site, Findings &found) {
  if (Rejection rejection =
          matchInverseRoot(found.product).moveInto(found.inverse))
    return rejection;
  return matchStatistic(site.reader, found.inverse.sum)
      .moveInto(found.statistic);
}

/// Decides what the norm is: x, r, the dimensions and n.
static Rejection decideLaw(const Site &site, Findings &found) {
  if (Rejection rejection = matchProduct(site).moveInto(found.product))
    return rejection;
  if (Rejection rejection = matchRow(site, found))
    return rejection;
  if (Rejection rejection = matchX(site, found)) {
    auto statistic = skipPadding(site.reader, found.statistic);
    if (!statistic)
      return rejection;
    found.statistic = *statistic;
    if (Rejection again = matchX(site, found))
      return again;
  }
  if (Rejection rejection = matchSpan(site, found).moveInto(found.span))
    return rejection;
  return matchDivisor(site, found).moveInto(found.divisor);
}

RejectionOr<PlannedNorm> norm::decide(const Site &site) {
  Findings found(site.reader);
  if (Rejection rejection = decideLaw(site, found))
    return rejection;
  RejectionOr<PlannedNorm> planned =
      planAsAllowed(site, [&](Precision precision) {
        return planAs(precision, site, found);
      });
  if (!planned)
    return planned;
  PlannedNorm &norm = *planned;
  // If the product brings sqrt(n), the tensor does not hold r.
  if (!found.divisor.usesNumerator && found.divisor.rest.empty() &&
      !norm.groupSize)
    findInverseRoots(site, found.product, norm);
  toInputSpace(norm);
  return planned;
}
