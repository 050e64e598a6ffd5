//===- Decide.cpp - is this scalar an RMSNorm? ----------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The decision takes three steps: what the norm is, how it is computed, and its
// operands. Stages read through all roundings; the mode judges what they noted.
//
//===----------------------------------------------------------------------===//

#include "Match.h"
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
  const Site &site;
  const Product &product;
  const InverseRoot &inverse;
  const Statistic &statistic;
  const Divisor &divisor;
  Deviations &deviations;

  Rejection findTypes(PlannedNorm &norm);
  void raiseTypes(PlannedNorm &norm);
  void noteRange();
  RejectionOr<const Node *> findWeight();
  const Node *getOuterWeight(const PlannedNorm &norm);
};
} // namespace

RootForm norm::getRootForm(const Site &site, bool divides, FloatType compute) {
  bool isRounded = compute.getWidth() == 16 || site.rounding == Rounding::Exact;
  return divides && isRounded ? RootForm::Quotient : RootForm::Reciprocal;
}

/// Determines C, the type of x * r, or of r before a rounding for that product.
Rejection TypeMatcher::findTypes(PlannedNorm &norm) {
  norm.computeType = product.value->getFloatType();
  norm.scaleType = inverse.scaleType;
  norm.normalizedType = product.normalizedType;
  norm.sumType = inverse.sumType;
  if (inverse.scaleType && !inverse.isWidened) {
    // The product of two narrow values is exact in C, so rounding it equals the
    // narrow product. (x * r) * w rounds each product.
    norm.computeType = inverse.type;
    bool hasWeight = !product.others.empty();
    if (!product.outer && hasWeight &&
        !(product.others.size() == 1 && product.weighsLast))
      return reject(Rejection::WeightBesideRoundedRoot);
    if (!norm.normalizedType && (product.outer || hasWeight))
      norm.normalizedType = product.value->getFloatType();
  }
  if (inverse.type != norm.computeType)
    deviations.addNarrow(reject(Rejection::OtherType, "the root", inverse.type,
                                norm.computeType));
  for (const Node *term : statistic.terms)
    if (stripExtend(term)->getType() != norm.computeType)
      deviations.addNarrow(reject(Rejection::OtherType, "the square",
                                  stripExtend(term)->getType(),
                                  norm.computeType));
  if (norm.sumType && norm.sumType.getWidth() <= norm.computeType.getWidth())
    deviations.addNarrow(reject(Rejection::MeanRounded, norm.sumType));
  if (inverse.sum->getWidth() < norm.computeType.getWidth())
    deviations.addNarrow(reject(Rejection::MeanInOtherType));
  norm.rootForm = getRootForm(site, product.divides, norm.computeType);
  const Node *r = stripCasts(product.root);
  auto *power = dyn_cast<PowerNode>(r);
  if (norm.computeType.getWidth() == 16 && !product.divides &&
      (r->is(Kind::Rsqrt) ||
       (power && power->getNumerator() == -1 && power->getDenominator() == 2)))
    norm.rootForm = RootForm::Rsqrt;
  return {};
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
  // x / root rounds only the quotient; the other forms round r as well.
  const Node *r = stripExtend(product.root);
  bool isRounded = !product.divides || r->is(Kind::Round) || r != product.root;
  norm.scaleType =
      isRounded && r->getType() != raised ? r->getFloatType() : FloatType();
  // The product of two 16-bit values is exact in f32, so rounding it equals
  // 16-bit arithmetic. (x * w) * r has no such z.
  bool hasWeight = product.outer || !product.others.empty();
  bool reorders = !product.others.empty() && !product.weighsLast;
  norm.normalizedType = product.normalizedType;
  if (!norm.normalizedType && own != raised && hasWeight && !reorders)
    norm.normalizedType = own;
}

/// Notes the range of f16: a sum of x^2 / n or a scaled root keeps what the sum
/// of x^2 loses above 65504 or below 2^-24. Other types have the range of f32.
void TypeMatcher::noteRange() {
  bool isScaled = !divisor.isStandard || !statistic.scales.empty();
  bool hasSmallEpsilon = inverse.epsilon && !inverse.outer.empty();
  if ((isScaled || hasSmallEpsilon) && inverse.type.isF16())
    deviations.addNarrow(reject(Rejection::RangeOfType,
                                isScaled ? "another place of the division by n"
                                         : "a scaled root",
                                inverse.type));
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
    deviations.addInexact(Rejection::ScaledRoot);
    multiply(node);
  }
  if (product.isNegated)
    multiply(context.getConstant(
        APFloat::getOne(type.getFloatSemantics(), /*Negative=*/true), type));
  if (numFactors > 1 && site.weights == Weights::Single)
    return reject(Rejection::SeveralWeights, int64_t(numFactors));
  if (numFactors > 1)
    deviations.addInexact(Rejection::OtherOrder);
  if (weight && product.outer)
    return reject(Rejection::SecondWeight);
  // The weight is read as it is stored, because S5 widens it.
  return numFactors == 1 ? findNarrow(site.reader, weight) : weight;
}

/// Returns true if `wide` holds the product of two values of `type` exactly, so
/// that rounding it to `type` equals a product in `type`.
static bool holdsProduct(FloatType wide, FloatType type) {
  return wide.getFPMantissaWidth() >= 2 * type.getFPMantissaWidth();
}

/// Returns the weight of the rounded z: the stored one if S5 or an exact
/// product that is rounded gives the same, else the one that is multiplied.
const Node *TypeMatcher::getOuterWeight(const PlannedNorm &norm) {
  const Node *weight = findNarrow(site.reader, product.outer);
  FloatType wider =
      getWiderFloatType(norm.normalizedType, weight->getFloatType());
  bool isOne = product.outerType == wider ||
               (site.node->is(Kind::Round) && site.node->getType() == wider &&
                holdsProduct(product.outerType, wider));
  return isOne ? weight : product.outer;
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

/// Checks the type of z * w, which is the wider of the two (S5).
static Rejection checkWeightType(const TypeMatcher &types, const Node *weight,
                                 const PlannedNorm &norm) {
  const Product &product = types.product;
  if (!weight || weight != (product.outer ? product.outer : weight))
    return {};
  FloatType z = norm.normalizedType ? norm.normalizedType : norm.computeType;
  bool isRaised = types.deviations.narrow && !norm.normalizedType;
  FloatType found = product.outer ? product.outerType
                    : isRaised    ? norm.computeType
                                  : product.value->getFloatType();
  if (!isArithmeticType(weight->getType()))
    return reject(Rejection::OtherElement, weight->getType());
  FloatType wider = getWiderFloatType(z, weight->getFloatType());
  if (found == wider)
    return {};
  return reject(Rejection::OtherType, "the product with the weight", found,
                wider);
}

Rejection norm::applyRounding(const Site &site, const Deviations &deviations,
                              const PlannedNorm &raised) {
  if (deviations.narrow && site.rounding != Rounding::Relaxed) {
    Rejection rejection = deviations.narrow;
    rejection.explanation += "; rounding=relaxed computes it in " +
                             text(raised.computeType) + " instead";
    return rejection;
  }
  return site.rounding == Rounding::Exact ? deviations.inexact : Rejection();
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
                                Deviations &deviations, PlannedNorm &norm) {
  TypeMatcher types{site,          found.product,
                    found.inverse, found.statistic,
                    found.divisor, deviations};
  if (Rejection rejection = types.findTypes(norm))
    return rejection;
  types.noteRange();
  noteSpelling(found, deviations);
  if (Rejection rejection = matchEpsilon(found, norm, deviations))
    return rejection;
  if (!deviations.narrow)
    return {};
  if (Rejection rejection = checkRaised(found.inverse, found.statistic))
    return rejection;
  types.raiseTypes(norm);
  return matchEpsilon(found, norm, deviations);
}

/// Decides how x, r and w are computed and where they are read.
static Rejection decideTypes(const Site &site, const Findings &found,
                             Deviations &deviations, PlannedNorm &norm) {
  const Product &product = found.product;
  TypeMatcher types{site,          product,   found.inverse, found.statistic,
                    found.divisor, deviations};
  if (Rejection rejection = decideStatistic(site, found, deviations, norm))
    return rejection;
  const Node *weight = nullptr;
  if (Rejection rejection = types.findWeight().moveInto(weight))
    return rejection;
  if (product.outer)
    weight = types.getOuterWeight(norm);
  norm.dims = found.span.dims;
  norm.count = found.span.count;
  norm.groupSize = found.span.groupSize;
  if (Rejection rejection = matchInput(site, found, norm))
    return rejection;
  if (weight)
    if (Rejection rejection = matchWeight(site, weight, norm))
      return rejection;
  if (Rejection rejection = checkWeightType(types, weight, norm))
    return rejection;
  if (Rejection rejection = checkOperands(site, norm))
    return rejection;
  return applyRounding(site, deviations, norm);
}

Rejection norm::matchRow(const Site &site, Findings &found,
                         Deviations &deviations) {
  if (Rejection rejection =
          matchInverseRoot(found.product, deviations).moveInto(found.inverse))
    return rejection;
  return matchStatistic(site.reader, found.inverse.sum, deviations)
      .moveInto(found.statistic);
}

/// Decides what the norm is: x, r, the dimensions and n.
static Rejection decideLaw(const Site &site, Findings &found,
                           Deviations &deviations) {
  if (Rejection rejection = matchProduct(site).moveInto(found.product))
    return rejection;
  if (Rejection rejection = matchRow(site, found, deviations))
    return rejection;
  if (Rejection rejection = matchX(site, found, deviations)) {
    auto statistic = skipPadding(site.reader, found.statistic);
    if (!statistic)
      return rejection;
    found.statistic = *statistic;
    if (Rejection again = matchX(site, found, deviations))
      return again;
  }
  if (Rejection rejection = matchSpan(site, found).moveInto(found.span))
    return rejection;
  return matchDivisor(site, found).moveInto(found.divisor);
}

RejectionOr<PlannedNorm> norm::decide(const Site &site) {
  Deviations deviations;
  Findings found(site.reader);
  if (Rejection rejection = decideLaw(site, found, deviations))
    return rejection;
  PlannedNorm norm;
  norm.op = site.body->op;
  norm.scalar = site.scalar;
  norm.space = site.spaceMap;
  if (Rejection rejection = decideTypes(site, found, deviations, norm))
    return rejection;
  // If the product brings sqrt(n), the tensor does not hold r.
  if (!found.divisor.usesNumerator && found.divisor.rest.empty() &&
      !norm.groupSize)
    findInverseRoots(site, found.product, norm);
  toInputSpace(norm);
  return norm;
}
