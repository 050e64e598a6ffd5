//===- RMSNormMatch.cpp - is this expression an RMSNorm? ------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Recognition/RMSNormMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace mlir;
using namespace mlir::norm;
using Kind = Expr::Kind;

StringRef norm::stringifyRefusal(Refusal refusal) {
  switch (refusal) {
  case Refusal::NotACandidate:
    return "not-a-candidate";
  case Refusal::NotASum:
    return "not-a-sum";
  case Refusal::NotASquare:
    return "not-a-square";
  case Refusal::DifferentTensor:
    return "different-tensor";
  case Refusal::WrongDivisor:
    return "wrong-divisor";
  case Refusal::WrongExponent:
    return "wrong-exponent";
  case Refusal::EpsilonNotUniform:
    return "epsilon-not-uniform";
  case Refusal::EpsilonNegative:
    return "epsilon-negative";
  case Refusal::DimsNotBroadcast:
    return "dims-not-broadcast";
  case Refusal::DynamicExtent:
    return "dynamic-extent";
  case Refusal::RoundingNotRepresentable:
    return "rounding-not-representable";
  case Refusal::RoundingNotExact:
    return "rounding-not-exact";
  case Refusal::WeightNotRepresentable:
    return "weight-not-representable";
  case Refusal::WeightNotOverDims:
    return "weight-not-over-dims";
  case Refusal::InputNotRepresentable:
    return "input-not-representable";
  }
  llvm_unreachable("unknown refusal");
}

namespace {
/// A refusal on its way out of the checks.
struct Reason {
  Refusal refusal;
  std::string explanation;
};
using Check = std::optional<Reason>; // nothing: holds

/// The reciprocal root of a statistic, taken apart.
struct InverseRoot {
  const Expr *sum = nullptr;     // Sum, or the Opaque reduction in its place
  const Expr *divisor = nullptr; // Constant it is divided by; null: none
  bool isReciprocal = false;     // multiplied by `divisor` instead
  const Expr *epsilon = nullptr; // null: zero
  EpsilonMode mode = EpsilonMode::Inside;
  bool viaRsqrt = false;
  bool roundsMean = false;    // the mean, not the sum, is rounded to C
  bool divisorIsRoot = false; // sqrt(sum) is divided by sqrt(n)
};

class Matcher {
public:
  Matcher(const Expr *expr, RankedTensorType type, const ExprReader &reader,
          Rounding rounding)
      : root(expr), type(type), reader(reader), rounding(rounding) {}

  Decision decide() {
    Decision decision;
    RMSNormMatch match;
    if (Check reason = run(match)) {
      decision.refusal = reason->refusal;
      decision.explanation = reason->explanation;
      if (reason->refusal == Refusal::WeightNotOverDims)
        collectParts(root, decision.refusedParts);
    } else {
      decision.match = std::move(match);
    }
    return decision;
  }

private:
  /// Anchors of the products and roundings that `expr` is made of.
  void collectParts(const Expr *expr, SmallVectorImpl<Value> &parts) {
    if (expr->kind != Kind::Mul && expr->kind != Kind::Round &&
        expr->kind != Kind::Extend)
      return;
    for (const Anchor &anchor : reader.getAnchors(expr))
      parts.push_back(anchor.tensor);
    for (const Expr *operand : expr->operands)
      collectParts(operand, parts);
  }
  Check run(RMSNormMatch &match);
  Check findFactors();
  Check classify(ArrayRef<const Expr *> factors, FloatType product);
  Check takeApart(const Expr *factor);
  Check takeMean(const Expr *mean);
  const Expr *takeRootOfCount(const Expr *root);
  Check checkEpsilon(RMSNormMatch &match);
  Check checkSquare(RMSNormMatch &match);
  Check checkDivisor(RMSNormMatch &match);
  Check checkTypes(RMSNormMatch &match);
  Check checkRounding();
  Check findInput(RMSNormMatch &match);
  Check findWeight(RMSNormMatch &match);
  bool isSame(const Expr *atRoot, const Expr *inSum);
  bool isSameAnchor(const Expr *atRoot, const Expr *inSum);
  bool isSameIndex(AffineExpr atRoot, AffineExpr inSum);

  const Expr *root;
  RankedTensorType type;
  const ExprReader &reader;
  Rounding rounding;

  // What the checks have found so far.
  const Expr *rootFactor = nullptr; // r
  const Expr *x = nullptr;          // in the compute type
  const Expr *weight = nullptr;     // as stored
  FloatType scaleType, normalizedType, weightProduct;
  FloatType compute;
  bool weightBeforeX = false;
  InverseRoot inverse;
  std::map<unsigned, unsigned> reducedOf; // root dimension -> reduced one
};
} // namespace

static Reason refuse(Refusal refusal, const Twine &explanation) {
  return {refusal, explanation.str()};
}

static std::string text(Type type) {
  std::string result;
  llvm::raw_string_ostream(result) << type;
  return result;
}

static std::string text(ArrayRef<int64_t> values) {
  std::string result;
  llvm::raw_string_ostream os(result);
  os << '[';
  llvm::interleaveComma(values, os);
  os << ']';
  return result;
}

static std::string text(const APFloat &value) {
  SmallString<32> digits;
  value.toString(digits, 9, 6);
  return digits.str().str();
}

/// Whether a sum or another reduction is under `expr`.
static bool hasReduction(const Expr *expr, unsigned depth = 0) {
  if (expr->kind == Kind::Sum)
    return true;
  if (expr->kind == Kind::Opaque && !expr->indices.empty() &&
      !expr->operands.empty())
    return true;
  if (expr->kind == Kind::Element || expr->kind == Kind::Opaque || depth > 64)
    return false;
  return llvm::any_of(expr->operands, [&](const Expr *operand) {
    return hasReduction(operand, depth + 1);
  });
}

/// A root, or a sum of even powers: what a mean square leaves behind.
static bool hasRootOrSquares(const Expr *expr, unsigned depth = 0) {
  if (expr->kind == Kind::Pow &&
      (expr->denominator == 2 || expr->numerator % 2 == 0))
    return true;
  if (expr->kind == Kind::Element || depth > 16)
    return false;
  return llvm::any_of(expr->operands, [&](const Expr *operand) {
    return hasRootOrSquares(operand, depth + 1);
  });
}

/// A negative power of something reduced: a statistic that scales. A softmax
/// divides by a sum too, but by neither a root nor a sum of squares.
static bool isRootCandidate(const Expr *factor) {
  while (factor->kind == Kind::Round || factor->kind == Kind::Extend)
    factor = factor->operands[0];
  return factor->kind == Kind::Pow && factor->numerator < 0 &&
         hasReduction(factor->operands[0]) && hasRootOrSquares(factor);
}

/// The factors of a product in one type; roundings end it.
static void flatten(const Expr *expr, SmallVectorImpl<const Expr *> &factors) {
  if (expr->kind == Kind::Mul)
    for (const Expr *operand : expr->operands)
      flatten(operand, factors);
  else
    factors.push_back(expr);
}

static const Expr *stripExtend(const Expr *expr) {
  return expr->kind == Kind::Extend ? expr->operands[0] : expr;
}

//===----------------------------------------------------------------------===//
// Factors: S4 to S6
//===----------------------------------------------------------------------===//

/// y = w * z with z rounded before (Llama), or one product (Gemma, T5, none).
Check Matcher::findFactors() {
  const Expr *product = root->kind == Kind::Round ? root->operands[0] : root;
  SmallVector<const Expr *> factors;
  flatten(product, factors);
  if (factors.size() == 1 && product->kind == Kind::Round)
    return refuse(Refusal::NotACandidate, "");
  if (llvm::any_of(factors, isRootCandidate))
    return classify(factors, cast<FloatType>(product->type));

  // No root among them: one factor must be the rounded z, the other w.
  if (factors.size() != 2)
    return refuse(Refusal::NotACandidate, "");
  for (unsigned i : {0u, 1u}) {
    const Expr *z = stripExtend(factors[i]);
    SmallVector<const Expr *> inner;
    if (z->kind == Kind::Round)
      flatten(z->operands[0], inner);
    else if (z != factors[i])
      flatten(z, inner); // extended from a product in the narrow type
    if (!llvm::any_of(inner, isRootCandidate))
      continue;
    weight = stripExtend(factors[1 - i]);
    weightProduct = cast<FloatType>(product->type);
    if (z->kind == Kind::Round || z != factors[i])
      normalizedType = cast<FloatType>(z->type);
    FloatType inType = z->kind == Kind::Round
                           ? cast<FloatType>(z->operands[0]->type)
                           : cast<FloatType>(z->type);
    return classify(inner, inType);
  }
  return refuse(Refusal::NotACandidate, "");
}

/// Names x, r and w among the factors of one product.
Check Matcher::classify(ArrayRef<const Expr *> factors, FloatType product) {
  compute = product;
  SmallVector<const Expr *> others;
  for (const Expr *factor : factors) {
    if (!rootFactor && isRootCandidate(factor))
      rootFactor = factor;
    else
      others.push_back(factor);
  }
  if (Check reason = takeApart(rootFactor))
    return reason;
  // r rounded to a narrow type: either the product is in that type (then it is
  // the rounding of z, for the product of two narrow values is exact in f32),
  // or it is widened again.
  const Expr *r = stripExtend(rootFactor);
  if (r->kind == Kind::Round) {
    scaleType = cast<FloatType>(r->type);
    FloatType wide = cast<FloatType>(r->operands[0]->type);
    if (r == rootFactor) {
      if (weight == nullptr && others.size() > 1)
        return refuse(Refusal::RoundingNotRepresentable,
                      "a weight in the product of the rounded root");
      if (!normalizedType && weight)
        normalizedType = product;
      compute = wide;
    }
  }
  if (others.empty())
    return refuse(Refusal::NotACandidate, "");

  // x is what the statistic squares; what is left is the weight.
  for (auto [i, factor] : llvm::enumerate(others)) {
    if (inverse.sum->operands.empty())
      break;
    const Expr *body = stripExtend(inverse.sum->operands[0]);
    const Expr *base = body->kind == Kind::Pow ? body->operands[0] : body;
    reducedOf.clear();
    if (!isSame(stripExtend(factor), stripExtend(base)))
      continue;
    x = factor;
    weightBeforeX = others.size() > 1 && i > 0;
    others.erase(others.begin() + i);
    break;
  }
  if (!x)
    return std::nullopt; // checkSquare says why
  if (others.empty())
    return std::nullopt;
  if (weight || others.size() > 1)
    return refuse(Refusal::WeightNotRepresentable,
                  "expected one weight, found a product of " +
                      Twine(others.size() + (weight ? 1 : 0)) + " factors");
  weight = stripExtend(others.front());
  weightProduct = product;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The reciprocal root: S2, S3
//===----------------------------------------------------------------------===//

Check Matcher::takeMean(const Expr *mean) {
  // 16-bit arithmetic whose mean is divided in f32 and rounded after it.
  if (mean->kind == Kind::Round && !inverse.sum) {
    inverse.roundsMean = mean->operands[0]->kind != Kind::Sum;
    mean = mean->operands[0];
  }
  SmallVector<const Expr *> factors;
  flatten(mean, factors);
  for (const Expr *&factor : factors)
    if (factor->kind == Kind::Round && factor->operands[0]->kind == Kind::Sum)
      factor = factor->operands[0]; // accumulated wider than C
  for (const Expr *factor : factors) {
    bool isInverse = factor->kind == Kind::Pow && factor->numerator == -1 &&
                     factor->denominator == 1;
    const Expr *value = isInverse ? factor->operands[0] : factor;
    if (factor->kind == Kind::Sum ||
        (factor->kind == Kind::Opaque && hasReduction(factor))) {
      if (inverse.sum)
        return refuse(Refusal::NotASquare, "the statistic is a product of two "
                                           "reductions");
      inverse.sum = factor;
    } else if (value->kind == Kind::Constant && !inverse.divisor) {
      inverse.divisor = value;
      inverse.isReciprocal = !isInverse;
    } else if (value->kind == Kind::Constant) {
      return refuse(Refusal::WrongDivisor,
                    "the sum is scaled by more than one constant");
    } else if (hasReduction(factor)) {
      return refuse(Refusal::NotASquare,
                    "the statistic is not one sum of squares");
    } else {
      return refuse(Refusal::DynamicExtent,
                    "the sum is divided by a value that is not a constant");
    }
  }
  if (!inverse.sum)
    return refuse(Refusal::NotASquare,
                  "the statistic is not one sum of squares");
  return std::nullopt;
}

/// sum^(1/2) where \p root is that times a constant, which is kept; else root.
const Expr *Matcher::takeRootOfCount(const Expr *root) {
  SmallVector<const Expr *> factors;
  flatten(root, factors);
  if (factors.size() != 2)
    return root;
  for (unsigned i : {0u, 1u}) {
    const Expr *other = factors[1 - i];
    bool isInverse = other->kind == Kind::Pow && other->numerator == -1 &&
                     other->denominator == 1;
    const Expr *value = isInverse ? other->operands[0] : other;
    if (!hasReduction(factors[i]) || value->kind != Kind::Constant)
      continue;
    inverse.divisor = value;
    inverse.isReciprocal = !isInverse;
    inverse.divisorIsRoot = true;
    return factors[i];
  }
  return root;
}

/// (mean + e)^(-1/2), (mean^(1/2) + e)^-1 or max(mean^(1/2), e)^-1.
Check Matcher::takeApart(const Expr *factor) {
  factor = stripExtend(factor);
  if (factor->kind == Kind::Round)
    factor = factor->operands[0];
  if (factor->kind != Kind::Pow)
    return refuse(Refusal::RoundingNotRepresentable,
                  "the reciprocal root is rounded more than once");
  inverse.viaRsqrt = factor->viaRsqrt;
  const Expr *base = factor->operands[0];
  bool isSquareRoot = factor->numerator == -1 && factor->denominator == 2;
  bool isReciprocal = factor->numerator == -1 && factor->denominator == 1;
  if (!isSquareRoot && !isReciprocal)
    return refuse(
        Refusal::WrongExponent,
        "expected the exponent -1/2, found " + Twine(factor->numerator) +
            (factor->denominator == 1 ? Twine("")
                                      : "/" + Twine(factor->denominator)));
  const Expr *mean = base;
  if (base->kind == Kind::Add || base->kind == Kind::Max) {
    bool second = hasReduction(base->operands[1]);
    mean = base->operands[second];
    inverse.epsilon = base->operands[!second];
    if (hasReduction(inverse.epsilon))
      return refuse(Refusal::NotASquare,
                    "the statistic is not one sum of squares");
  }
  if (isReciprocal) {
    mean = takeRootOfCount(mean);
    if (mean->kind != Kind::Pow || mean->numerator != 1 ||
        mean->denominator != 2)
      return refuse(Refusal::WrongExponent,
                    "expected the reciprocal of a square root, found the "
                    "reciprocal of the statistic itself");
    mean = mean->operands[0];
    inverse.mode =
        base->kind == Kind::Max ? EpsilonMode::Clamp : EpsilonMode::Outside;
  } else if (base->kind == Kind::Max) {
    return refuse(Refusal::RoundingNotRepresentable,
                  "the mean is clamped before its root");
  }
  return takeMean(mean);
}

Check Matcher::checkEpsilon(RMSNormMatch &match) {
  match.mode = inverse.mode;
  match.epsilon = APFloat::getZero(compute.getFloatSemantics());
  if (!inverse.epsilon)
    return std::nullopt;
  if (inverse.epsilon->kind != Kind::Constant)
    return refuse(Refusal::EpsilonNotUniform,
                  "expected a constant epsilon, found a value of the program");
  match.epsilon = *inverse.epsilon->value;
  if (match.epsilon.isNegative() || !match.epsilon.isFinite())
    return refuse(Refusal::EpsilonNegative,
                  "expected a finite epsilon of at least 0, found " +
                      text(match.epsilon));
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The statistic: S1, S2, S7
//===----------------------------------------------------------------------===//

bool Matcher::isSameIndex(AffineExpr atRoot, AffineExpr inSum) {
  if (atRoot.getKind() != inSum.getKind())
    return false;
  if (auto dim = dyn_cast<AffineDimExpr>(atRoot)) {
    unsigned a = dim.getPosition(),
             b = cast<AffineDimExpr>(inSum).getPosition();
    // One root dimension is either the same inside the sum or reduced there.
    auto [it, inserted] = reducedOf.try_emplace(a, b);
    return it->second == b;
  }
  if (auto binary = dyn_cast<AffineBinaryOpExpr>(atRoot)) {
    auto other = cast<AffineBinaryOpExpr>(inSum);
    return isSameIndex(binary.getLHS(), other.getLHS()) &&
           isSameIndex(binary.getRHS(), other.getRHS());
  }
  return atRoot == inSum;
}

/// Both are elements of one tensor of the program: only the indices matter.
bool Matcher::isSameAnchor(const Expr *atRoot, const Expr *inSum) {
  for (const Anchor &a : reader.getAnchors(atRoot))
    for (const Anchor &b : reader.getAnchors(inSum)) {
      if (a.tensor != b.tensor)
        continue;
      std::map<unsigned, unsigned> saved = reducedOf;
      if (llvm::all_of_zip(
              a.indices, b.indices,
              [&](AffineExpr x, AffineExpr y) { return isSameIndex(x, y); }))
        return true;
      reducedOf = std::move(saved);
    }
  return false;
}

/// Whether `inSum` is `atRoot` with root dimensions replaced by reduced ones.
bool Matcher::isSame(const Expr *atRoot, const Expr *inSum) {
  if (isSameAnchor(atRoot, inSum))
    return true;
  if (atRoot->kind != inSum->kind || atRoot->type != inSum->type ||
      atRoot->tensor != inSum->tensor || atRoot->name != inSum->name ||
      atRoot->numerator != inSum->numerator ||
      atRoot->denominator != inSum->denominator ||
      atRoot->operands.size() != inSum->operands.size() ||
      atRoot->indices.size() != inSum->indices.size())
    return false;
  if (atRoot->kind == Kind::Sum || atRoot->kind == Kind::Constant)
    return atRoot == inSum;
  for (auto [a, b] : llvm::zip(atRoot->indices, inSum->indices))
    if (!isSameIndex(a, b))
      return false;
  for (auto [a, b] : llvm::zip(atRoot->operands, inSum->operands))
    if (!isSame(a, b))
      return false;
  return true;
}

Check Matcher::checkSquare(RMSNormMatch &match) {
  const Expr *sum = inverse.sum;
  if (sum->kind != Kind::Sum)
    return refuse(Refusal::NotASum,
                  "expected a sum of squares, found " + sum->name);
  const Expr *square = stripExtend(sum->operands[0]);
  if (square->kind != Kind::Pow || square->numerator != 2 ||
      square->denominator != 1)
    return refuse(Refusal::NotASquare,
                  square->kind == Kind::Pow
                      ? "expected a sum of x^2, found a sum of powers " +
                            Twine(square->numerator) + "/" +
                            Twine(square->denominator)
                  : square->kind == Kind::Abs
                      ? Twine("expected a sum of x^2, found a sum of |x|")
                      : Twine("expected a sum of x^2, found a sum of something "
                              "else"));
  if (!x) {
    const Expr *base = stripExtend(square->operands[0]);
    if (base->kind == Kind::Add)
      return refuse(Refusal::NotASquare,
                    "the statistic squares a sum or a difference (a centred "
                    "value?), not the scaled tensor itself");
    return refuse(Refusal::DifferentTensor,
                  "the statistic squares another tensor, or the same one at "
                  "other indices, than the one that is scaled");
  }
  llvm::SmallBitVector reduced(reader.getRank());
  llvm::DenseSet<unsigned> used;
  for (auto [rootDim, sumDim] : reducedOf) {
    if (rootDim == sumDim)
      continue;
    if (!llvm::is_contained(sum->reduced, sumDim) ||
        !used.insert(sumDim).second)
      return refuse(Refusal::DifferentTensor,
                    "the statistic squares the same tensor at other indices");
    if (reader.getExtent(rootDim) != reader.getExtent(sumDim))
      match.count = reader.getExtent(sumDim);
    match.dims.push_back(rootDim);
    reduced.set(rootDim);
  }
  for (unsigned dim : sum->reduced)
    if (!used.contains(dim) && reader.getExtent(dim) != 1)
      return refuse(Refusal::DifferentTensor,
                    "the sum runs over a dimension that x does not have");
  if (match.count && (match.dims.size() != 1 || *match.count < 1 ||
                      *match.count > reader.getExtent(match.dims[0])))
    return refuse(Refusal::InputNotRepresentable,
                  "the statistic covers only a part of dims " +
                      text(match.dims) +
                      "; that is supported for one static "
                      "dimension");
  if (match.dims.empty())
    return refuse(Refusal::DimsNotBroadcast,
                  "no dimension of x is both reduced and scaled");
  if (getDependentDims(sum, reader.getRank()).anyCommon(reduced))
    return refuse(Refusal::DimsNotBroadcast,
                  "the statistic depends on a dimension that it reduces");
  return std::nullopt;
}

/// Trailing dims whose number of elements is `count`; empty: none.
static SmallVector<int64_t> findDimsOfSize(ArrayRef<int64_t> shape,
                                           double count) {
  SmallVector<int64_t> dims;
  double size = 1;
  for (size_t i = shape.size(); i-- > 0 && size < count;) {
    size *= shape[i];
    dims.insert(dims.begin(), i);
  }
  return size == count ? dims : SmallVector<int64_t>();
}

Check Matcher::checkDivisor(RMSNormMatch &match) {
  int64_t terms = 1;
  for (int64_t dim : match.dims) {
    if (ShapedType::isDynamic(reader.getExtent(dim)))
      return refuse(Refusal::DynamicExtent,
                    "the extent of dimension " + Twine(dim) + " is dynamic");
    terms *= reader.getExtent(dim);
  }
  terms = match.count.value_or(terms);
  std::string sum = "sum over dims " + text(match.dims) + " has " +
                    std::to_string(terms) + " terms but is ";
  if (!inverse.divisor)
    return refuse(Refusal::WrongDivisor,
                  sum + "not divided; RMSNorm divides by " + Twine(terms));
  APFloat expected(static_cast<double>(terms));
  bool losesInfo;
  const llvm::fltSemantics &semantics =
      cast<FloatType>(inverse.divisor->type).getFloatSemantics();
  expected.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  if (inverse.divisorIsRoot) {
    // The nearest value of the type to the root: double holds it exactly
    // enough.
    double root = std::sqrt(static_cast<double>(terms));
    expected = APFloat(inverse.isReciprocal ? 1 / root : root);
    expected.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  } else if (inverse.isReciprocal) {
    APFloat one(semantics, 1);
    one.divide(expected, APFloat::rmNearestTiesToEven);
    expected = one;
  }
  if (inverse.divisor->value->bitwiseIsEqual(expected))
    return std::nullopt;
  std::string found = text(*inverse.divisor->value);
  if (inverse.isReciprocal)
    return refuse(
        Refusal::WrongDivisor,
        sum + (inverse.divisorIsRoot ? "its root " : "") + "multiplied by " +
            found + "; expected exactly " + text(expected) + ", 1/" +
            (inverse.divisorIsRoot ? "sqrt" : "") + "(" + Twine(terms) +
            ") rounded to " + text(inverse.divisor->type));
  std::string hint;
  SmallVector<int64_t> dims = findDimsOfSize(
      type.getShape(), inverse.divisor->value->convertToDouble());
  if (!dims.empty())
    hint =
        "; RMSNorm over dims " + text(dims) + " would divide a sum of " + found;
  return refuse(Refusal::WrongDivisor, sum + "divided by " + found + hint);
}

//===----------------------------------------------------------------------===//
// Types and operands
//===----------------------------------------------------------------------===//

/// S2 to S6: every value has the type that the op would give it.
Check Matcher::checkTypes(RMSNormMatch &match) {
  auto expect = [&](Type found, Type expected, const char *what) -> Check {
    if (found == expected)
      return std::nullopt;
    return refuse(Refusal::RoundingNotRepresentable,
                  Twine(what) + " is computed in " + text(found) +
                      ", expected " + text(expected));
  };
  const Expr *square = inverse.sum->operands[0];
  bool accumulatesWider = square->kind == Kind::Extend;
  if (accumulatesWider)
    square = square->operands[0];
  else if (Check reason = expect(inverse.sum->type, compute, "the sum"))
    return reason;
  // S2 rounds the sum to C, then divides: the same where n is a power of two.
  if (inverse.roundsMean && inverse.divisor &&
      inverse.divisor->value->getExactLog2Abs() == INT_MIN &&
      rounding != Rounding::Relaxed)
    return refuse(Refusal::RoundingNotRepresentable,
                  "the mean is divided in " + text(inverse.sum->type) +
                      " and rounded to " + text(compute) +
                      " once; rounding=relaxed accepts that");
  if (Check reason = expect(square->type, compute, "the square"))
    return reason;
  FloatType z = normalizedType ? normalizedType : compute;
  if (weight) {
    auto w = cast<FloatType>(weight->type);
    if (Check reason = expect(weightProduct, getWiderFloatType(z, w),
                              "the product with the weight"))
      return reason;
  }
  match.computeType = compute;
  match.scaleType = scaleType;
  match.normalizedType = normalizedType;
  return std::nullopt;
}

Check Matcher::checkRounding() {
  if (rounding != Rounding::Exact)
    return std::nullopt;
  const char *what = nullptr;
  if (inverse.viaRsqrt)
    what = "math.rsqrt, where the op divides by a square root";
  else if (inverse.isReciprocal)
    what = "a product with 1/n, where the op divides by n";
  else if (weightBeforeX)
    what = "the weight multiplied before x";
  if (!what)
    return std::nullopt;
  return refuse(Refusal::RoundingNotExact,
                Twine("rounding=exact refuses ") + what);
}

/// Whether `anchor` holds its expression at (d0, d1, ...) of the root's shape.
static bool holdsAt(const Anchor &anchor, ArrayRef<int64_t> dims,
                    RankedTensorType type) {
  auto anchorType = cast<RankedTensorType>(anchor.tensor.getType());
  if (anchor.indices.size() != dims.size())
    return false;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (anchorType.getDimSize(i) != type.getDimSize(dim))
      return false;
    bool isUnit = type.getDimSize(dim) == 1;
    auto index = dyn_cast<AffineDimExpr>(anchor.indices[i]);
    if (!isUnit && (!index || index.getPosition() != dim))
      return false;
  }
  return true;
}

Check Matcher::findInput(RMSNormMatch &match) {
  SmallVector<int64_t> all =
      llvm::to_vector(llvm::seq<int64_t>(type.getRank()));
  // The narrowest value that is widened, or rounded, to x in C.
  SmallVector<const Expr *> forms{stripExtend(x), x};
  if (x->kind == Kind::Round && x->type == compute)
    forms.insert(forms.begin(), x->operands[0]);
  for (const Expr *form : forms)
    for (const Anchor &anchor : reader.getAnchors(form))
      if (holdsAt(anchor, all, type)) {
        match.input = anchor.tensor;
        return std::nullopt;
      }
  return refuse(Refusal::InputNotRepresentable,
                "no tensor holds x in the shape of the result");
}

/// Whether a small linalg.generic over `dims` can compute the expression.
static bool canMaterialize(const Expr *expr, unsigned depth = 0) {
  switch (expr->kind) {
  case Kind::Constant:
    return true;
  case Kind::Element:
    return llvm::all_of(expr->indices, [](AffineExpr index) {
      return isa<AffineDimExpr, AffineConstantExpr>(index);
    });
  case Kind::Mul:
  case Kind::Add:
  case Kind::Neg:
  case Kind::Round:
  case Kind::Extend:
    return depth < 16 &&
           llvm::all_of(
               expr->operands,
               [&](const Expr *e) { return canMaterialize(e, depth + 1); });
  default:
    return false;
  }
}

Check Matcher::findWeight(RMSNormMatch &match) {
  if (!weight)
    return std::nullopt;
  llvm::SmallBitVector used = getDependentDims(weight, reader.getRank());
  SmallVector<int64_t> dims;
  for (unsigned dim : used.set_bits())
    dims.push_back(dim);
  if (dims.empty() && reader.getAnchors(weight).size() &&
      match.dims.size() == 1 && type.getDimSize(match.dims[0]) == 1)
    dims = match.dims; // an extent of 1, which indices do not show
  bool overDims = llvm::any_of(
      dims, [&](int64_t dim) { return llvm::is_contained(match.dims, dim); });
  if (!dims.empty() && !overDims)
    return refuse(Refusal::WeightNotOverDims,
                  "the weight runs over dims " + text(dims) +
                      ", none of which is among the normalised dims " +
                      text(match.dims));
  match.weightDims = dims;
  for (const Anchor &anchor : reader.getAnchors(weight))
    if (holdsAt(anchor, dims, type)) {
      match.weight = anchor.tensor;
      return std::nullopt;
    }
  if (static_cast<int64_t>(dims.size()) == type.getRank() &&
      !match.dims.empty() && match.dims.size() < dims.size())
    return refuse(Refusal::WeightNotRepresentable,
                  "the other factor varies over every dimension: a gate, not a "
                  "weight");
  if (!canMaterialize(weight))
    return refuse(Refusal::WeightNotRepresentable,
                  "no tensor holds the weight over dims " + text(dims));
  match.weightExpr = weight;
  return std::nullopt;
}

Check Matcher::run(RMSNormMatch &match) {
  if (Check reason = findFactors())
    return reason;
  if (Check reason = checkSquare(match))
    return reason;
  if (Check reason = checkDivisor(match))
    return reason;
  if (Check reason = checkTypes(match))
    return reason;
  if (Check reason = checkEpsilon(match))
    return reason;
  if (Check reason = checkRounding())
    return reason;
  if (Check reason = findInput(match))
    return reason;
  return findWeight(match);
}

Decision norm::decideRMSNorm(const Expr *expr, RankedTensorType type,
                             const ExprReader &reader, Rounding rounding) {
  return Matcher(expr, type, reader, rounding).decide();
}
