//===- NormalForm.cpp - what is equal as mathematics ----------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NormalForm.h"
#include "norm/IR/RoundFloat.h"
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
  Fraction significand{DynamicAPInt(digits)};
  Fraction power{DynamicAPInt(
      APInt::getOneBitSet(std::abs(exponent) + 2, std::abs(exponent)))};
  return exponent < 0 ? significand / power : significand * power;
}

/// Returns the constant of `type` that is exactly `value`, if there is one.
static std::optional<APFloat>
getExactConstant(const Fraction &value, const llvm::fltSemantics &semantics) {
  auto toFloat = [](const DynamicAPInt &integer) {
    std::string digits;
    llvm::raw_string_ostream(digits) << integer;
    return APFloat(APFloat::IEEEquad(), digits);
  };
  APFloat constant =
      norm::roundTo(toFloat(value.num) / toFloat(value.den), semantics);
  bool isExact = constant.isFinite() && getFraction(constant) == value;
  return isExact ? std::optional(constant) : std::nullopt;
}

/// Returns value ^ exponent if it is a rational number that is not too long.
static std::optional<Fraction> raise(const Fraction &value,
                                     const Fraction &exponent) {
  static const DynamicAPInt bound(APInt::getOneBitSet(2050, 2048));
  if (!isIntegral(exponent) || abs(exponent) > Fraction(64) ||
      (value == Fraction(0) && exponent < Fraction(0)))
    return std::nullopt;
  Fraction result(1);
  for (int64_t i = int64_t(abs(exponent).num); i > 0; --i) {
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
    return Factor{power->getBase(),
                  Fraction(power->getNumerator(), power->getDenominator())};
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
  constexpr size_t kMaxFactors = 64; // beyond this bound, products are factors
  constexpr size_t kMaxOpened = 256; // also of a cycle of tensors
  SmallVector<Factor> worklist{{node, exponent}}, factors;
  size_t numOpened = 0;
  while (!worklist.empty()) {
    auto [next, e] = worklist.pop_back_val();
    bool isWhole = worklist.size() + factors.size() > kMaxFactors ||
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
      bool mayOpen = !isWhole && open && numOpened < kMaxOpened;
      const Node *opened = mayOpen ? open(next) : nullptr;
      numOpened += opened != nullptr;
      (opened ? worklist : factors).push_back({opened ? opened : next, e});
    }
  }
  return factors;
}

//===----------------------------------------------------------------------===//
// Forms
//===----------------------------------------------------------------------===//

static bool isBefore(const Factor &a, const Factor &b) {
  return a.base == b.base ? a.exponent < b.exponent
                          : a.base->getNumber() < b.base->getNumber();
}

/// Joins equal bases; a constant to an integer power goes into the coefficient.
/// A root is kept where it implies that the base is not negative, because only
/// then x^(1/2) * x^(3/2) is x^2.
static Term makeTerm(ArrayRef<Factor> factors) {
  Term term;
  SmallVector<Factor> sorted(factors);
  llvm::sort(sorted, isBefore);
  for (size_t i = 0; i < sorted.size();) {
    Factor joined{sorted[i].base, Fraction(0)};
    bool hasRoot = false;
    for (; i < sorted.size() && sorted[i].base == joined.base; ++i) {
      joined.exponent += sorted[i].exponent;
      hasRoot |= !isIntegral(sorted[i].exponent);
    }
    if (hasRoot && isIntegral(joined.exponent) && !isNonNegative(joined.base)) {
      term.factors.push_back({joined.base, Fraction(1, 2)});
      joined.exponent -= Fraction(1, 2);
    }
    term.factors.push_back(joined);
  }
  llvm::erase_if(term.factors, [&](const Factor &factor) {
    if (factor.exponent == Fraction(0) || isConstant(factor.base, 1.0))
      return true;
    auto *constant = dyn_cast<ConstantNode>(factor.base);
    if (!constant || !constant->getValue().isFinite())
      return false;
    auto power = raise(getFraction(constant->getValue()), factor.exponent);
    if (power)
      term.coefficient *= *power;
    return power.has_value();
  });
  return term;
}

/// Sorts terms and joins those with the same factors.
static SmallVector<Term> joinTerms(SmallVector<Term> terms) {
  llvm::sort(terms, [](const Term &a, const Term &b) {
    return std::lexicographical_compare(a.factors.begin(), a.factors.end(),
                                        b.factors.begin(), b.factors.end(),
                                        isBefore);
  });
  SmallVector<Term> joined;
  for (Term &term : terms) {
    if (!joined.empty() && joined.back().factors == term.factors)
      joined.back().coefficient += term.coefficient;
    else
      joined.push_back(std::move(term));
  }
  llvm::erase_if(
      joined, [](const Term &term) { return term.coefficient == Fraction(0); });
  return joined;
}

namespace {
/// Takes each node apart once, and a large one only in part.
class Normalizer {
public:
  explicit Normalizer(Context &context) : context(context) {}
  const Form &getForm(const Node *node);

private:
  static constexpr unsigned kMaxDepth = 32;
  static constexpr size_t kMaxTerms = 64; // beyond this bound, sums are factors
  Term getTerm(const Node *product);
  SmallVector<Term> sumTerms(const SumNode *sum);
  const Node *build(ArrayRef<Term> terms, Type type);
  const Node *getNode(const Factor &factor);
  const Node *getNumber(const Fraction &value, Type type);

  Context &context;
  unsigned depth = 0;
  std::unordered_map<const Node *, Form> forms; // references stay valid
};
} // namespace

/// Returns a node that only its name identifies, for no value of the program.
static const Node *getNamed(Context &context, const Fraction &value, Type type,
                            ArrayRef<const Node *> operands) {
  std::string name;
  llvm::raw_string_ostream(name) << value.num << '/' << value.den;
  return context.getOpaque(name, {}, type, operands);
}

const Node *Normalizer::getNumber(const Fraction &value, Type type) {
  auto constant =
      getExactConstant(value, cast<FloatType>(type).getFloatSemantics());
  return constant ? context.getConstant(*constant, type)
                  : getNamed(context, value, type, {});
}

const Node *Normalizer::getNode(const Factor &factor) {
  const auto &[base, exponent] = factor;
  if (exponent == Fraction(1))
    return base;
  constexpr int kMaxPower = 1024;
  if (abs(exponent) > Fraction(kMaxPower) || exponent.den > kMaxPower)
    return getNamed(context, exponent, base->getType(), base);
  return context.getPower(base, int64_t(exponent.num), int64_t(exponent.den),
                          PowerNode::Spelling::Power, base->getType());
}

/// Returns one node for all sums of equal terms.
const Node *Normalizer::build(ArrayRef<Term> terms, Type type) {
  auto join = [&](Kind kind, const Node *left, const Node *right) {
    return left ? context.get(kind, type, {left, right}) : right;
  };
  const Node *sum = nullptr;
  for (const auto &[coefficient, factors] : terms) {
    const Node *product = nullptr;
    if (coefficient != Fraction(1) || factors.empty())
      product = getNumber(coefficient, type);
    for (const Factor &factor : factors)
      product = join(Kind::Mul, product, getNode(factor));
    sum = join(Kind::Add, sum, product);
  }
  return sum ? sum : getNumber(Fraction(0), type);
}

/// Factors the sum of c * t into c times the sum of t if c does not depend on
/// the variables of the sum.
SmallVector<Term> Normalizer::sumTerms(const SumNode *sum) {
  SmallVector<unsigned> variables(sum->getVariables());
  llvm::sort(variables);
  SmallVector<Term> terms;
  for (const Term &term : getForm(sum->getTerm()).terms) {
    SmallVector<Factor> inside, outside;
    for (const Factor &factor : term.factors) {
      bool isInside = llvm::any_of(
          getDependentVariables(factor.base), [&](unsigned variable) {
            return llvm::is_contained(variables, variable);
          });
      (isInside ? inside : outside).push_back(factor);
    }
    const Node *part = build(Term{Fraction(1), inside}, sum->getType());
    outside.push_back({context.getSum(part, variables), Fraction(1)});
    Term joined = makeTerm(outside);
    joined.coefficient *= term.coefficient;
    terms.push_back(std::move(joined));
  }
  return terms;
}

/// Returns a non-sum node as one term, merging bases that are one term.
Term Normalizer::getTerm(const Node *product) {
  SmallVector<Factor> factors;
  Fraction coefficient(1);
  for (auto [base, exponent] : collectFactors(product)) {
    if (base == product || base->getOperands().empty()) {
      // A value before it is rounded may contain products and sums.
      if (base->is(Kind::Round) || base->is(Kind::Extend) ||
          base->is(Kind::Abs))
        base = context.get(base->getKind(), base->getType(),
                           getForm(base->getOperand(0)).node);
      factors.push_back({base, exponent});
      continue;
    }
    const auto &[terms, node] = getForm(base);
    auto power = terms.size() == 1 ? raise(terms[0].coefficient, exponent)
                                   : std::nullopt;
    if (!power) {
      factors.push_back({node, exponent});
      continue;
    }
    coefficient *= *power;
    for (const Factor &inner : terms[0].factors) {
      // (x^(1/2))^2 is x^(1/2) * x^(1/2).
      factors.push_back(inner);
      factors.push_back(
          {inner.base, inner.exponent * (exponent - Fraction(1))});
    }
  }
  Term term = makeTerm(factors);
  term.coefficient *= coefficient;
  return term;
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
      more.push_back({Fraction(1), {{next, Fraction(1)}}});
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
      more.push_back(getTerm(next));
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
  form.node = build(form.terms, node->getType());
  return form;
}

Form norm::row::normalize(Context &context, const Node *node) {
  return Normalizer(context).getForm(node);
}
