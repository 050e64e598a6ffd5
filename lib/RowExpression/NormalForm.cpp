//===- NormalForm.cpp - what is equal as mathematics ----------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NormalForm.h"
#include "norm/IR/RoundFloat.h"
#include <cmath>
#include <unordered_map>

using namespace mlir;
using namespace mlir::norm::row;
using llvm::DynamicAPInt;

static bool isIntegral(const Fraction &value) { return value.den == 1; }

Fraction norm::row::getFraction(const APFloat &value) {
  if (value.isZero())
    return Fraction(0);
  // A narrow type may not hold its own significand as an integer.
  APFloat wide = norm::roundTo(value, APFloat::IEEEquad());
  int exponent = ilogb(wide) - 112;
  APSInt digits(128, /*isUnsigned=*/false);
  bool isExact;
  scalbn(wide, -exponent, APFloat::rmNearestTiesToEven)
      .convertToInteger(digits, APFloat::rmTowardZero, &isExact);
  // Arithmetic is fast for integers of up to 64 bits.
  exponent += static_cast<int>(digits.countr_zero());
  APInt odd = digits.ashr(digits.countr_zero());
  Fraction significand{
      DynamicAPInt(odd.trunc(std::max(64u, odd.getSignificantBits())))};
  Fraction power{DynamicAPInt(
      APInt::getOneBitSet(std::abs(exponent) + 2, std::abs(exponent)))};
  return exponent < 0 ? significand / power : significand * power;
}

/// Returns value ^ exponent if it is a rational number that is not too long.
static std::optional<Fraction> raise(const Fraction &value,
                                     const Fraction &exponent) {
  static const DynamicAPInt bound(APInt::getOneBitSet(2050, 2048));
  if (!isIntegral(exponent) || abs(exponent) > Fraction(64) ||
      (value == Fraction(0) && exponent < Fraction(0)))
    return std::nullopt;
  Fraction result(exponent == Fraction(0) ? Fraction(1) : value);
  for (int64_t i = int64_t(abs(exponent).num); i > 1; --i) {
    result *= value;
    if (abs(result.num) > bound || result.den > bound)
      return std::nullopt;
  }
  return exponent < Fraction(0) ? Fraction(1) / result : result;
}

//===----------------------------------------------------------------------===//
// Factors
//===----------------------------------------------------------------------===//

/// Returns the base and the exponent of a root or a power.
static std::optional<Factor> getPower(const Node *node) {
  if (node->is(Kind::Sqrt))
    return Factor{node->getOperand(0), Fraction(1, 2)};
  if (node->is(Kind::Rsqrt))
    return Factor{node->getOperand(0), Fraction(-1, 2)};
  if (auto *power = dyn_cast<PowerNode>(node))
    return Factor{power->getBase(), power->getExponent()};
  return std::nullopt;
}

/// Returns true if (base^inner)^outer is base^(inner * outer) for every base,
/// so that neither loses a sign or gives NaN where the other does not.
static bool isOnePower(const Factor &power, const Fraction &outer) {
  if (isNonNegative(power.base))
    return true;
  bool forgetsSign = isIntegral(power.exponent) &&
                     power.exponent.num % 2 == 0 && !isIntegral(outer);
  bool isRoot = !isIntegral(power.exponent);
  return !forgetsSign && !(isRoot && isIntegral(power.exponent * outer));
}

/// Returns true for a * b or a / b if the exponent applies to each factor: (a *
/// b)^(1/2) is a^(1/2) * b^(1/2) unless both are negative.
static bool isSplit(const Node *node, const Fraction &exponent) {
  if (node->is(Kind::Fma) ? !isConstant(node->getOperand(2), -0.0)
                          : !node->is(Kind::Mul) && !node->is(Kind::Div))
    return false;
  return isIntegral(exponent) || isNonNegative(node->getOperand(0)) ||
         isNonNegative(node->getOperand(1));
}

SmallVector<Factor> norm::row::collectFactors(
    const Node *node, const Fraction &exponent, NodePredicate isLeaf,
    llvm::function_ref<const Node *(const Node *)> open, bool *isNegated) {
  SmallVector<Factor> worklist{{node, exponent}}, factors;
  size_t numOpened = 0;
  while (!worklist.empty()) {
    auto [next, e] = worklist.pop_back_val();
    bool isWhole = worklist.size() + factors.size() > Context::kMaxRead ||
                   (isLeaf && isLeaf(next));
    std::optional<Factor> power = getPower(next);
    if (!isWhole && isSplit(next, e)) {
      bool divides = next->is(Kind::Div);
      worklist.push_back({next->getOperand(1), divides ? -e : e});
      worklist.push_back({next->getOperand(0), e});
    } else if (!isWhole && power && isOnePower(*power, e)) {
      worklist.push_back({power->base, power->exponent * e});
    } else if (!isWhole && isNegated && next->is(Kind::Neg) && isIntegral(e)) {
      *isNegated ^= e.num % 2 != 0;
      worklist.push_back({next->getOperand(0), e});
    } else {
      bool mayOpen = !isWhole && open && numOpened < Context::kMaxRead;
      const Node *opened = mayOpen ? open(next) : nullptr;
      numOpened += opened != nullptr;
      (opened ? worklist : factors).push_back({opened ? opened : next, e});
    }
  }
  return factors;
}

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

/// Returns the root of a perfect square that is not too long.
static std::optional<DynamicAPInt> getRoot(const DynamicAPInt &square) {
  if (square < 0 || square > (int64_t(1) << 62))
    return std::nullopt;
  auto near = static_cast<double>(int64_t(square));
  DynamicAPInt root(static_cast<int64_t>(std::sqrt(near)));
  for (DynamicAPInt each : {root, root + 1})
    if (each * each == square)
      return each;
  return std::nullopt;
}

/// Moves squares out of the root of the radicand, which becomes whole.
static void simplifyRoot(Term &term) {
  DynamicAPInt radicand = term.radicand.num * term.radicand.den;
  term.coefficient /= Fraction(term.radicand.den);
  // Larger factors are squares only if all of it is.
  for (int64_t p = 2; p < 128 && radicand != 0; ++p)
    while (radicand % (p * p) == 0) {
      radicand /= DynamicAPInt(p * p);
      term.coefficient *= Fraction(p);
    }
  if (auto root = getRoot(radicand)) {
    term.coefficient *= Fraction(*root);
    radicand = 1;
  }
  term.radicand = Fraction(radicand);
}

/// Returns value ^ exponent as a term without factors, if that is a rational
/// number or the root of one.
static std::optional<Term> raiseNumber(const Fraction &value,
                                       const Fraction &exponent) {
  Term term;
  if (value == Fraction(1))
    return term;
  if (isIntegral(exponent)) {
    auto power = raise(value, exponent);
    if (power)
      term.coefficient = *power;
    return power ? std::optional(term) : std::nullopt;
  }
  if (exponent.den != 2 || value <= Fraction(0))
    return std::nullopt;
  auto power = raise(value, exponent - Fraction(1, 2));
  if (!power)
    return std::nullopt;
  term.coefficient = *power;
  term.radicand = value;
  simplifyRoot(term);
  return term;
}

static void multiply(Term &term, const Term &by) {
  term.coefficient *= by.coefficient;
  term.radicand *= by.radicand;
  term.factors.append(by.factors);
  if (by.radicand != Fraction(1))
    simplifyRoot(term);
}

/// Returns term ^ exponent, if its number is one; (x^(1/2))^2 is
/// x^(1/2) * x^(1/2) where x may be negative.
static std::optional<Term> raiseTerm(const Term &term,
                                     const Fraction &exponent) {
  auto power = raiseNumber(term.coefficient, exponent);
  auto root = raiseNumber(term.radicand, exponent * Fraction(1, 2));
  // A root is taken of each factor only if one at most may be negative.
  bool splits = isIntegral(exponent) ||
                (llvm::count_if(term.factors,
                                [](const Factor &factor) {
                                  return !isNonNegative(factor.base);
                                }) <= 1 &&
                 llvm::all_of(term.factors, [&](const Factor &factor) {
                   return isOnePower(factor, exponent);
                 }));
  if (!power || !root || !splits)
    return std::nullopt;
  multiply(*power, *root);
  for (const Factor &factor : term.factors) {
    Fraction product = factor.exponent * exponent;
    if (isOnePower(factor, exponent)) {
      power->factors.push_back({factor.base, product});
      continue;
    }
    Fraction half(product < Fraction(0) ? -1 : 1, 2);
    power->factors.push_back({factor.base, half});
    power->factors.push_back({factor.base, product - half});
  }
  return power;
}

APFloat norm::row::getReciprocal(const llvm::fltSemantics &semantics,
                                 int64_t n) {
  APFloat one(semantics, 1), count(semantics);
  count.convertFromAPInt(APInt(64, n), /*IsSigned=*/true,
                         APFloat::rmNearestTiesToEven);
  one.divide(count, APFloat::rmNearestTiesToEven);
  return one;
}

bool norm::row::isReciprocalOf(const APFloat &value, int64_t n) {
  return value.bitwiseIsEqual(getReciprocal(value.getSemantics(), n));
}

bool norm::row::isRootOf(const APFloat &value, double n) {
  auto is = [&](double exact) {
    return norm::roundTo(APFloat(exact), value.getSemantics())
        .bitwiseIsEqual(value);
  };
  auto wide = static_cast<long double>(n);
  return is(std::sqrt(wide)) || is(std::sqrt(n)) || is(std::pow(n, 0.5)) ||
         is(1 / std::sqrt(wide)) || is(1 / std::sqrt(n)) ||
         is(std::pow(n, -0.5));
}

std::optional<int64_t> norm::row::getReciprocalOf(const APFloat &constant) {
  double value =
      norm::roundTo(constant, APFloat::IEEEdouble()).convertToDouble();
  double n = value > 0 ? std::round(1 / value) : 0;
  if (n < 2 || n >= 1e15)
    return std::nullopt;
  auto whole = static_cast<int64_t>(n);
  return isReciprocalOf(constant, whole) ? std::optional(whole) : std::nullopt;
}

/// Reads a root of n or its reciprocal, which may be scaled by a power of two.
static std::optional<Term> readRootOf(const APFloat &constant, double n) {
  double value =
      norm::roundTo(constant, APFloat::IEEEdouble()).convertToDouble();
  if (!(value > 0) || n < 2)
    return std::nullopt;
  for (bool divides : {false, true}) {
    double root = divides ? 1 / std::sqrt(n) : std::sqrt(n);
    int power = static_cast<int>(std::round(std::log2(value / root)));
    if (!isRootOf(scalbn(constant, -power, APFloat::rmNearestTiesToEven), n))
      continue;
    auto term = raiseNumber(Fraction(static_cast<int64_t>(n)),
                            Fraction(divides ? -1 : 1, 2));
    auto scale = raise(Fraction(2), Fraction(power));
    if (term && scale)
      term->coefficient *= *scale;
    return scale ? term : std::nullopt;
  }
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

static bool isBefore(const Factor &a, const Factor &b) {
  return a.base == b.base ? a.exponent < b.exponent
                          : a.base->getNumber() < b.base->getNumber();
}

namespace {
/// Takes each node apart once, and a large one only in part.
class Normalizer {
public:
  Normalizer(Context &context, const RowLength &length)
      : context(context), length(length) {}
  const Form &getForm(const Node *node);
  Term joinFactors(const Term &given);

private:
  static constexpr unsigned kMaxDepth = 32;
  // Beyond this bound, sums are factors.
  static constexpr size_t kMaxTerms = 64;
  std::optional<Term> readConstant(const Factor &factor);
  SmallVector<Term> getTerms(const Node *product);
  void multiplyPower(SmallVector<Term> &terms, const Factor &factor);
  bool multiplyExtremum(SmallVector<Term> &terms, const Factor &factor);
  const Node *takeScale(const Form &form, Term &scale);
  const Node *normalizeOperands(const Node *node);
  SmallVector<Term> sumTerms(const SumNode *sum);
  const Node *build(ArrayRef<Term> terms);
  const Node *getNode(const Factor &factor);
  const Node *getNumber(const Fraction &value);

  Context &context;
  const RowLength &length;
  const Type type = Float64Type::get(context.getContext()); // of all terms
  unsigned depth = 0;
  std::unordered_map<const Node *, Form> forms; // references stay valid
};
} // namespace

/// Reads constant ^ exponent. 1/n and the root of n are read as numbers that
/// were rounded once.
std::optional<Term> Normalizer::readConstant(const Factor &factor) {
  if (auto *number = dyn_cast<NumberNode>(factor.base))
    return raiseNumber(number->getValue(), factor.exponent);
  auto *constant = dyn_cast<ConstantNode>(factor.base);
  if (!constant || !constant->getValue().isFinite())
    return std::nullopt;
  APFloat value = constant->getValue();
  if (length.rounded) {
    APFloat narrow = norm::roundTo(value, *length.rounded);
    if (norm::roundTo(narrow, value.getSemantics()).bitwiseIsEqual(value))
      value = narrow;
  }
  int64_t n = length.terms.value_or(0);
  // A whole number is itself: 0 is 1/n in a type that n overflows.
  if (value.isInteger())
    return raiseNumber(getFraction(value), factor.exponent);
  // A gradient subtracts by adding -1/n times a sum.
  int64_t sign = value.isNegative() ? -1 : 1;
  if (n > 1 && value.isNormal() && isReciprocalOf(abs(value), n))
    return raiseNumber(Fraction(sign, n), factor.exponent);
  if (n > 1 && isIntegral(factor.exponent))
    if (auto root = readRootOf(value, static_cast<double>(n)))
      return raiseTerm(*root, factor.exponent);
  std::optional<int64_t> divisor = getReciprocalOf(abs(value));
  return raiseNumber(divisor ? Fraction(sign, *divisor) : getFraction(value),
                     factor.exponent);
}

/// Joins equal bases; numbers go into the coefficient. A root is kept where it
/// implies that the base is not negative, because only then x^(1/2) * x^(3/2)
/// is x^2. x / x stays, for it is NaN where x is 0, unless x is not negative:
/// what divides a norm is then a root that is NaN too.
Term Normalizer::joinFactors(const Term &given) {
  Term term{given.coefficient, given.radicand, {}};
  SmallVector<Factor> sorted;
  for (const Factor &factor : given.factors) {
    if (isConstant(factor.base, 1.0))
      continue;
    if (auto number = readConstant(factor))
      multiply(term, *number);
    else
      sorted.push_back(factor);
  }
  llvm::sort(sorted, isBefore);
  for (size_t i = 0; i < sorted.size();) {
    const Node *base = sorted[i].base, *next = base;
    bool hasRoot = false, isPositive = isNonNegative(base);
    Fraction sums[2] = {Fraction(0), Fraction(0)};
    for (; i < sorted.size() && sorted[i].base == next; ++i) {
      const Fraction &exponent = sorted[i].exponent;
      sums[!isPositive && exponent < Fraction(0)] += exponent;
      hasRoot |= !isIntegral(exponent);
    }
    for (Fraction &exponent : sums) {
      if (exponent == Fraction(0))
        continue;
      // |x|^2 is x^2.
      if (base->is(Kind::Abs) && isIntegral(exponent) && exponent.num % 2 == 0)
        base = base->getOperand(0);
      if (hasRoot && isIntegral(exponent) && !isPositive) {
        Fraction half(exponent < Fraction(0) ? -1 : 1, 2);
        term.factors.push_back({base, half});
        exponent -= half;
      }
      term.factors.push_back({base, exponent});
    }
  }
  return term;
}

/// Returns -1, 0 or 1. 0 * x stays beside x, for it is NaN where x is infinite.
static int getSign(const Term &term) {
  return int(term.coefficient > Fraction(0)) -
         int(term.coefficient < Fraction(0));
}

static bool isBeforeTerm(const Term &a, const Term &b) {
  if (a.factors == b.factors && a.radicand == b.radicand)
    return getSign(a) > getSign(b);
  if (a.factors == b.factors)
    return a.radicand < b.radicand;
  return std::lexicographical_compare(a.factors.begin(), a.factors.end(),
                                      b.factors.begin(), b.factors.end(),
                                      isBefore);
}

/// Sorts terms and joins those with the same factors and sign. Terms that
/// cancel stay: x - x is NaN where x is infinite, and 9x - 8x rounds more than
/// x does.
static SmallVector<Term> joinTerms(SmallVector<Term> terms) {
  llvm::sort(terms, isBeforeTerm);
  SmallVector<Term> joined;
  for (Term &term : terms) {
    if (!joined.empty() && joined.back().factors == term.factors &&
        joined.back().radicand == term.radicand &&
        getSign(joined.back()) == getSign(term))
      joined.back().coefficient += term.coefficient;
    else
      joined.push_back(std::move(term));
  }
  llvm::erase_if(joined, [](const Term &term) {
    return term.coefficient == Fraction(0) && term.factors.empty();
  });
  return joined;
}

/// Returns a constant if a double is exactly the number.
const Node *Normalizer::getNumber(const Fraction &value) {
  auto toFloat = [](const DynamicAPInt &integer) {
    std::string digits;
    llvm::raw_string_ostream(digits) << integer;
    return APFloat(APFloat::IEEEquad(), digits);
  };
  APFloat constant = norm::roundTo(toFloat(value.num) / toFloat(value.den),
                                   APFloat::IEEEdouble());
  bool isExact = constant.isFinite() && getFraction(constant) == value;
  return isExact ? context.getConstant(constant, type)
                 : context.getNumber(value, type);
}

const Node *Normalizer::getNode(const Factor &factor) {
  return factor.exponent == Fraction(1)
             ? factor.base
             : context.getPower(factor.base, factor.exponent, type);
}

/// Returns one node for all sums of equal terms. Casts tell types apart, so
/// that what is between them is in one type.
const Node *Normalizer::build(ArrayRef<Term> terms) {
  auto join = [&](Kind kind, const Node *left, const Node *right) {
    return left ? context.get(kind, type, {left, right}) : right;
  };
  const Node *sum = nullptr;
  for (const auto &[coefficient, radicand, factors] : terms) {
    const Node *product = nullptr;
    if (coefficient != Fraction(1) ||
        (factors.empty() && radicand == Fraction(1)))
      product = getNumber(coefficient);
    if (radicand != Fraction(1))
      product = join(Kind::Mul, product,
                     getNode({getNumber(radicand), Fraction(1, 2)}));
    for (const Factor &factor : factors)
      product = join(Kind::Mul, product, getNode(factor));
    sum = join(Kind::Add, sum, product);
  }
  return sum ? sum : getNumber(Fraction(0));
}

/// Factors the sum of c * t into c times the sum of t if c does not depend on
/// the variables of the sum.
SmallVector<Term> Normalizer::sumTerms(const SumNode *sum) {
  SmallVector<unsigned> variables(sum->getVariables());
  llvm::sort(variables);
  SmallVector<Term> terms;
  for (const Term &term : getForm(sum->getTerm()).terms) {
    Term inside, outside{term.coefficient, term.radicand, {}};
    for (const Factor &factor : term.factors) {
      bool isInside = llvm::any_of(
          getDependentVariables(factor.base), [&](unsigned variable) {
            return llvm::is_contained(variables, variable);
          });
      (isInside ? inside : outside).factors.push_back(factor);
    }
    const Node *whole = context.getSum(build(inside), variables);
    outside.factors.push_back({whole, Fraction(1)});
    terms.push_back(joinFactors(outside));
  }
  return terms;
}

/// Returns a node that is no product on the normalized nodes of its operands.
const Node *Normalizer::normalizeOperands(const Node *node) {
  if (isa<NumberNode, OpaqueNode>(node) || node->getOperands().empty())
    return node;
  SmallVector<const Node *> operands;
  for (const Node *operand : node->getOperands())
    operands.push_back(getForm(operand).node);
  // A root of epsilon's square is epsilon only here.
  bool casts = node->is(Kind::Round) || node->is(Kind::Extend);
  return casts && isNumberSymbol(operands[0]) ? operands[0]
                                              : context.rebuild(node, operands);
}

/// Divides a sum by the number in its last term, which goes into `scale`, so
/// that sums which differ in a factor have one base.
const Node *Normalizer::takeScale(const Form &form, Term &scale) {
  const Term &last = form.terms.back();
  if (last.coefficient <= Fraction(0))
    return form.node;
  scale = {last.coefficient, last.radicand, {}};
  SmallVector<Term> divided(form.terms);
  for (Term &term : divided) {
    term.coefficient /= scale.coefficient;
    term.radicand /= scale.radicand;
    simplifyRoot(term);
  }
  return build(joinTerms(std::move(divided)));
}

/// Multiplies each term by base ^ exponent, where the base is no product. A
/// product with a sum is distributed.
void Normalizer::multiplyPower(SmallVector<Term> &terms, const Factor &factor) {
  const Form &form = getForm(factor.base);
  bool isSum = form.terms.size() > 1;
  if (isSum && factor.exponent == Fraction(1) &&
      terms.size() * form.terms.size() <= kMaxTerms) {
    SmallVector<Term> products;
    for (const Term &left : terms)
      for (const Term &right : form.terms) {
        Term product = left;
        multiply(product, right);
        products.push_back(std::move(product));
      }
    terms = std::move(products);
    return;
  }
  Term whole;
  std::optional<Term> power;
  if (isSum) {
    whole.factors = {{takeScale(form, whole), Fraction(1)}};
    power = raiseTerm(whole, factor.exponent);
  } else if (!form.terms.empty()) {
    power = raiseTerm(form.terms.front(), factor.exponent);
  }
  if (!power)
    power.emplace().factors = {{form.node, factor.exponent}};
  for (Term &term : terms)
    multiply(term, *power);
}

/// Multiplies by max(a, b) ^ exponent of two products that are not negative:
/// the number of the first one is a factor, a root is taken of both, and min(a,
/// b) is 1 / max(1/a, 1/b). Which of them a NaN gives is forgotten.
bool Normalizer::multiplyExtremum(SmallVector<Term> &terms,
                                  const Factor &factor) {
  SmallVector<Term, 2> bounds;
  Fraction power(1, factor.exponent.den);
  Fraction exponent(factor.exponent.num);
  for (const Node *operand : factor.base->getOperands()) {
    const Form &form = getForm(operand);
    // max(a, 0) is a, where only a NaN may tell them apart.
    if (form.terms.empty() && factor.base->is(Kind::Max)) {
      const Node *other =
          factor.base->getOperand(operand == factor.base->getOperand(0));
      if (!isNonNegative(other))
        return false;
      multiplyPower(terms, {other, factor.exponent});
      return true;
    }
    if (form.terms.size() != 1 || form.terms[0].coefficient <= Fraction(0) ||
        !isNonNegative(operand))
      return false;
    Fraction own = factor.base->is(Kind::Min) ? -power : power;
    auto bound = raiseTerm(form.terms[0], own);
    if (!bound)
      return false;
    bounds.push_back(joinFactors(*bound));
  }
  if (factor.base->is(Kind::Min))
    exponent = -exponent;
  if (isBeforeTerm(bounds[1], bounds[0]))
    std::swap(bounds[0], bounds[1]);
  Term scale{bounds[0].coefficient, bounds[0].radicand, {}};
  auto inverse = raiseTerm(scale, Fraction(-1)),
       whole = raiseTerm(scale, exponent);
  if (!inverse || !whole)
    return false;
  for (Term &bound : bounds)
    multiply(bound, *inverse);
  const Node *base = context.getExtremum(Kind::Max, build(bounds[0]),
                                         build(bounds[1]), Attribute());
  for (Term &term : terms) {
    multiply(term, *whole);
    term.factors.push_back({base, exponent});
  }
  return true;
}

/// Joins the powers of each sum that is not negative, before it is distributed.
static SmallVector<Factor> joinPowers(ArrayRef<Factor> factors) {
  SmallVector<Factor> joined;
  for (const Factor &factor : factors) {
    auto *known = llvm::find_if(joined, [&](const Factor &each) {
      return each.base == factor.base && factor.base->is(Kind::Add) &&
             isNonNegative(factor.base);
    });
    if (known == joined.end())
      joined.push_back(factor);
    else
      known->exponent += factor.exponent;
  }
  llvm::erase_if(joined, [](const Factor &factor) {
    return factor.exponent == Fraction(0);
  });
  return joined;
}

/// Returns the terms of a node that is no sum.
SmallVector<Term> Normalizer::getTerms(const Node *product) {
  SmallVector<Term> terms(1);
  for (const Factor &factor : joinPowers(collectFactors(product))) {
    const Node *base = factor.base;
    if (isa<ExtremumNode>(base) && multiplyExtremum(terms, factor))
      continue;
    if (base != product && !base->getOperands().empty()) {
      multiplyPower(terms, factor);
      continue;
    }
    if (base == product)
      base = normalizeOperands(base);
    for (Term &term : terms)
      term.factors.push_back({base, factor.exponent});
  }
  for (Term &term : terms)
    term = joinFactors(term);
  return terms;
}

const Form &Normalizer::getForm(const Node *node) {
  if (auto it = forms.find(node); it != forms.end())
    return it->second;
  SmallVector<Term> terms;
  SmallVector<std::pair<const Node *, bool>> worklist{{node, false}};
  ++depth;
  while (!worklist.empty()) {
    auto [next, isNegated] = worklist.pop_back_val();
    SmallVector<Term> more;
    if (depth > kMaxDepth || terms.size() + worklist.size() > kMaxTerms) {
      more.emplace_back().factors = {{next, Fraction(1)}};
    } else if (next->is(Kind::Add)) {
      for (const Node *operand : llvm::reverse(next->getOperands()))
        worklist.push_back({operand, isNegated});
    } else if (next->is(Kind::Neg)) {
      worklist.push_back({next->getOperand(0), !isNegated});
    } else if (next->is(Kind::Fma) && !isConstant(next->getOperand(2), -0.0)) {
      worklist.push_back({next->getOperand(2), isNegated});
      worklist.push_back({context.get(Kind::Mul, next->getType(),
                                      next->getOperands().drop_back()),
                          isNegated});
    } else if (auto *sum = dyn_cast<SumNode>(next)) {
      more = sumTerms(sum);
    } else {
      more = getTerms(next);
    }
    for (Term &term : more) {
      if (isNegated)
        term.coefficient = -term.coefficient;
      terms.push_back(std::move(term));
    }
  }
  --depth;
  Form &form = forms[node];
  form.terms = joinTerms(std::move(terms));
  form.node = build(form.terms);
  return form;
}

Form norm::row::normalize(Context &context, const Node *node,
                          const RowLength &length) {
  return Normalizer(context, length).getForm(node);
}

Term norm::row::multiply(Context &context, ArrayRef<Factor> factors,
                         const RowLength &length) {
  return Normalizer(context, length)
      .joinFactors({Fraction(1), Fraction(1), SmallVector<Factor>(factors)});
}
