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
#include "norm/IR/RoundFloat.h"
#include <cmath>

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::row;

bool norm::isArithmeticType(Type type) {
  return type.isF16() || type.isBF16() || type.isF32() || type.isF64();
}

RootForm norm::getRootForm(const Site &site, const Node *root, bool divides,
                           FloatType compute) {
  bool isNarrow = compute.getWidth() == 16;
  if (divides)
    return isNarrow || site.rounding == Rounding::Exact ? RootForm::Quotient
                                                        : RootForm::Reciprocal;
  root = stripCasts(root);
  auto *power = dyn_cast<PowerNode>(root);
  bool isRsqrt = root->is(Kind::Rsqrt) ||
                 (power && power->getExponent() == Fraction(-1, 2));
  return isNarrow && isRsqrt ? RootForm::Rsqrt : RootForm::Reciprocal;
}

/// Returns the widest type of the norm, at least f32.
static FloatType getWidest(const Findings &found) {
  FloatType widest =
      Float32Type::get(found.product.value->getType().getContext());
  auto widen = [&](const Node *node) {
    if (isArithmeticType(node->getType()))
      widest = getWiderFloatType(widest, node->getFloatType());
  };
  widen(found.product.value);
  for (const Node *node = found.product.root.base; node;
       node = getReducing(node))
    widen(node);
  llvm::for_each(found.statistic.terms, widen);
  return widest;
}

/// Determines C: the type of x * r, or of r before a rounding for that product
/// or, of a raised plan, the widest one. A plan has the roundings of r and z
/// that C = the product's type would have made.
static void findTypes(const Site &site, const Findings &found,
                      Precision precision, PlannedNorm &norm) {
  const Product &product = found.product;
  FloatType own = product.value->getFloatType();
  const Node *r = stripExtend(product.root.base);
  bool divides = product.root.exponent < Fraction(0);
  bool isRaised = precision == Precision::Raised;
  bool isRounded = product.root.base->is(Kind::Round) && !divides;
  norm.computeType = isRaised    ? getWidest(found)
                     : isRounded ? r->getOperand(0)->getFloatType()
                                 : own;
  norm.sumType = isRaised ? FloatType() : found.inverse.sumType;
  // A root that x is divided by is rounded in no r.
  norm.scaleType = divides || r->getType() == norm.computeType
                       ? FloatType()
                       : r->getFloatType();
  // The product of two narrow values is exact in C, so rounding it equals the
  // narrow product. (x * r) * w rounds each product.
  bool hasWeight = product.outer || !product.others.empty();
  norm.normalizedType = product.normalizedType;
  if (!norm.normalizedType && own != norm.computeType && hasWeight)
    norm.normalizedType = own;
  norm.rootForm = getRootForm(site, r, divides, norm.computeType);
}

//===----------------------------------------------------------------------===//
// Epsilon
//===----------------------------------------------------------------------===//

/// Returns the factors by which the program's epsilon is larger than the op's:
/// a * n for (sum * a + e)^(-1/2), and b * n^(1/2) for a root scaled by b.
static SmallVector<Factor> getEpsilonFactors(const Site &site,
                                             const Findings &found) {
  const InverseRoot &inverse = found.inverse;
  if (found.divisor.formsMean || !inverse.epsilon.base ||
      inverse.epsilon.exponent < Fraction(0))
    return {};
  bool isMean = inverse.mode == EpsilonMode::Inside ||
                inverse.epsilon.exponent == Fraction(2);
  SmallVector<Factor> factors;
  for (const auto &[base, exponent] : inverse.inner)
    factors.push_back({base, exponent * Fraction(isMean ? -2 : -1)});
  Context &context = site.context();
  std::optional<int64_t> terms = found.span.terms;
  Type type = Float64Type::get(context.getContext());
  factors.push_back({terms ? context.getConstant(APFloat(double(*terms)), type)
                           : site.laws.getTerms(type),
                     Fraction(1, isMean ? 1 : 2)});
  return factors;
}

/// Returns the product, close enough for an epsilon; NaN if an extent is known
/// only at run time.
static double getValue(ArrayRef<Factor> factors) {
  double product = 1;
  for (const auto &[base, exponent] : factors)
    product *= std::pow(getDouble(base), double(int64_t(exponent.num)) /
                                             double(int64_t(exponent.den)));
  return product;
}

Rejection norm::takeEpsilon(const ConstantNode *epsilon, PlannedNorm &norm) {
  norm.epsilon =
      roundTo(epsilon->getValue(), norm.computeType.getFloatSemantics());
  if ((norm.epsilon.isNegative() && !norm.epsilon.isZero()) ||
      !norm.epsilon.isFinite())
    return reject(Rejection::EpsilonOutOfRange, norm.epsilon);
  norm.epsilon.clearSign();
  return {};
}

static Rejection matchEpsilon(const Site &site, const Findings &found,
                              PlannedNorm &norm) {
  const InverseRoot &inverse = found.inverse;
  norm.mode = inverse.mode;
  norm.epsilon = APFloat::getZero(norm.computeType.getFloatSemantics());
  const auto &[node, power] = inverse.epsilon;
  if (!node)
    return {};
  auto *constant = dyn_cast<ConstantNode>(stripCasts(node));
  if (!constant)
    return reject(Rejection::EpsilonOfProgram);
  if (Rejection rejection = takeEpsilon(constant, norm))
    return rejection;
  double factor = getValue(getEpsilonFactors(site, found));
  if ((factor == 1 && power == Fraction(1)) || norm.epsilon.isZero())
    return {};
  double epsilon = std::pow(FloatAttr::getValueAsDouble(norm.epsilon) / factor,
                            1.0 / double(int64_t(power.num)));
  norm.epsilon = FloatAttr::get(norm.computeType, epsilon).getValue();
  // A smaller epsilon may be 0 in C and give NaN for a row of zeros.
  return norm.epsilon.isNormal() ? Rejection()
                                 : reject(Rejection::EpsilonVanishes,
                                          APFloat(epsilon), norm.computeType);
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Returns base or 1 / base; null for another power or for an extent.
static const Node *getNode(Context &context, const Factor &factor) {
  const auto &[base, exponent] = factor;
  if (base->is(Kind::Count) || abs(exponent) != Fraction(1))
    return nullptr;
  if (exponent == Fraction(1))
    return base;
  auto one = APFloat::getOne(base->getFloatType().getFloatSemantics());
  Type type = base->getType();
  return context.get(Kind::Div, type, {context.getConstant(one, type), base});
}

/// Finds the weight; a product of weights and constants is computed before.
static RejectionOr<const Node *> findWeight(const Site &site,
                                            const Findings &found) {
  const Product &product = found.product;
  Context &context = site.context();
  FloatType type = product.value->getFloatType();
  SmallVector<Factor> factors;
  for (const Factor &factor : product.others)
    if (found.divisor.formsMean || !isScale(factor))
      factors.push_back(factor);
  llvm::append_range(factors, found.divisor.rest);
  if (factors.size() > 1 && site.weights == Weights::Single)
    return reject(Rejection::NoCandidate); // a joined weight comes later
  if (!factors.empty() && product.outer)
    return reject(Rejection::SecondWeight);
  const Node *weight = product.outer;
  for (const Factor &factor : factors) {
    const Node *node = getNode(context, factor);
    if (!node || node->getType() != type)
      return reject(Rejection::NoTensorForWeight, ArrayRef<int64_t>());
    weight = weight ? context.get(Kind::Mul, type, {weight, node}) : node;
  }
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
  findTypes(site, found, precision, norm);
  return matchEpsilon(site, found, norm);
}

/// Returns the program's epsilon in terms of that of the op.
static const Node *getEpsilonOf(const Site &site, const Findings &found,
                                const Node *epsilon) {
  Context &context = site.context();
  const Fraction &power = found.inverse.epsilon.exponent;
  const Node *own = site.laws.getEpsilon(epsilon->getType());
  Type type = own->getType();
  if (power != Fraction(1))
    own = context.getPower(own, power, type);
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
    return node == found.inverse.epsilon.base && !norm.epsilon.isZero()
               ? getEpsilonOf(site, found, node)
               : nullptr;
  };
  names.terms = found.span.terms;
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
  if (Rejection rejection = findWeight(site, found).moveInto(weight))
    return rejection;
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

/// Decides what the norm is: x, r, the dimensions and n.
static Rejection decideLaw(const Site &site, Findings &found) {
  if (Rejection rejection = matchProduct(site, found))
    return rejection;
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
  bool scalesRoot =
      !found.divisor.formsMean && llvm::any_of(found.product.others, isScale);
  if (!scalesRoot && found.divisor.rest.empty() && !norm.groupSize)
    findInverseRoots(site, found.product, norm);
  toInputSpace(norm);
  return planned;
}
