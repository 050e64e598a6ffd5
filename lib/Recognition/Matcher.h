//===- Matcher.h - the checks of a decision -----------------------*- C++
//-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder. Each check is a member function that returns the
// reason why it does not hold; MatchProduct, MatchStatistic, MatchDivisor and
// MatchOperands hold those of one concern each.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_RECOGNITION_MATCHER_H
#define NORM_RECOGNITION_MATCHER_H

#include "MatchIndices.h"
#include "norm/Recognition/RMSNormMatch.h"

namespace mlir::norm {

/// A refusal on its way out of the checks.
struct Reason {
  Refusal refusal;
  std::string explanation;
};
using Check = std::optional<Reason>; // nothing: holds

inline Reason refuse(Refusal refusal, const Twine &explanation) {
  return {refusal, explanation.str()};
}
/// The types that the op computes in.
bool isArithmeticType(Type type);
std::string text(Type type);
std::string text(ArrayRef<int64_t> values);
std::string text(const APFloat &value);

inline const Expr *stripExtend(const Expr *expr) {
  return expr->kind == Expr::Kind::Extend ? expr->operands[0] : expr;
}

/// A constant or an extent that scales: value^(numerator/denominator).
struct Scale {
  const Expr *value; // Constant or Count
  int numerator, denominator;
};

/// A reciprocal root of a statistic, taken apart:
///   ((sum * inside + e)^(1/2) * outside)^-1      e inside the root
///   ((sum * inside)^(1/2) * outside + e)^-1      outside; max(.., e): clamp
/// and the numerator that x / norm * sqrt(n) brings.
struct InverseRoot {
  const Expr *sum = nullptr; // Sum, or the Opaque reduction in its place
  /// The terms of the sum and of the sums in it, and what all of them run over.
  SmallVector<const Expr *, 2> terms;
  SmallVector<unsigned, 4> reduced;
  SmallVector<Scale, 2> inside, outside, numerator;
  const Expr *epsilon = nullptr; // null: zero
  SmallVector<Scale, 2> epsilonScales;
  EpsilonMode mode = EpsilonMode::Inside;
  bool clampsMean = false;  // max(mean, e)^(-1/2): e counts as its root
  bool dropsNaN = false;    // a clamp that gives e for NaN
  bool boundsAbove = false; // min(.., the largest finite value)
  bool viaRsqrt = false;
  bool roundsMean = false; // the mean, not the sum, is rounded to C
  RootForm form = RootForm::Reciprocal;
};

class Matcher {
public:
  /// With `raises`, roundings within the statistic are read through, and it is
  /// computed in the widest type of the norm, f32 at least.
  Matcher(const Expr *expr, ExprReader &reader, Rounding rounding,
          bool joinsWeights, bool raises)
      : root(expr), reader(reader), rounding(rounding),
        joinsWeights(joinsWeights), raises(raises) {}

  Decision decide();
  /// Whether the candidate that `decide` found has something to raise.
  bool hasNarrowStatistic() const;

private:
  Check run(RMSNormMatch &match);
  Check checkOperands(const RMSNormMatch &match);

  // MatchProduct: which factors are x, r and w.
  Check findFactors();
  Check refuseOtherScale(ArrayRef<const Expr *> factors);
  void takeWeight(const Expr *factor, FloatType product);
  Check classify(const Expr *product);
  Check findX(const Expr *product, SmallVectorImpl<const Expr *> &others);
  Check findNumerator(SmallVectorImpl<const Expr *> &others);
  Check joinWeight(ArrayRef<const Expr *> factors, FloatType product);
  bool isSame(const Expr *atRoot, const Expr *inSum);
  bool isSameAnchor(const Expr *atRoot, const Expr *inSum);

  // MatchStatistic: what r is.
  Check takeApart(const Expr *factor);
  Check takeDenominator(const Expr *base);
  Check takeRadicand(const Expr *base);
  Check takeMean(const Expr *mean);
  Check takeTerms();
  Check takeTerm(const Expr *term);
  void stripUpperBound(const Expr *&statistic);
  Check takeEpsilon(const Expr *&statistic, EpsilonMode added);
  Check splitScales(const Expr *&expr, SmallVectorImpl<Scale> &scales);
  Check checkSquare(RMSNormMatch &match);
  Check checkDims(RMSNormMatch &match);
  Check checkSplitDims(RMSNormMatch &match, llvm::DenseSet<unsigned> &used);
  Check checkEpsilon(RMSNormMatch &match);

  // RaiseStatistic: what rounding=relaxed reads through.
  const Expr *peel(const Expr *expr) const;
  void raiseTypes(FloatType product, bool hasWeight);
  Check checkRaised();

  // MatchDivisor: whether the sum is divided by its number of terms.
  Check checkDivisor(RMSNormMatch &match);
  Check checkConstantDivisor(const RMSNormMatch &match, int64_t terms);
  Check checkDynamicDivisor(const RMSNormMatch &match);

  // MatchOperands: types, and the tensors that hold x and w.
  Check checkTypes(RMSNormMatch &match);
  Check checkRounding();
  Check findInput(RMSNormMatch &match);
  bool findInputInSum(RMSNormMatch &match);
  bool findInputInBody(RMSNormMatch &match);
  bool holdsInput(const Anchor &anchor, RMSNormMatch &match);
  bool variesOverAll(const Expr *expr);
  Check findWeight(RMSNormMatch &match);
  void findInverseRoots(RMSNormMatch &match);
  bool holdsAt(const Anchor &anchor, ArrayRef<int64_t> dims);
  std::optional<SmallVector<int64_t>> getOrder(const Anchor &anchor);
  void toInputSpace(RMSNormMatch &match);

  const Expr *root;
  ExprReader &reader;
  Rounding rounding;
  bool joinsWeights;
  bool raises;

  // What the checks have found so far.
  const Expr *rootFactor = nullptr; // r
  const Expr *square = nullptr;     // x^2 in the sum; null: not a square
  const Expr *x = nullptr;          // in the compute type
  const Expr *weight = nullptr;     // as stored
  FloatType scaleType, normalizedType, weightProduct;
  FloatType compute;
  bool reorders = false; // products in another order than the op's
  InverseRoot inverse;
  DimCorrespondence reducedOf; // root dimensions -> reduced ones
  llvm::DenseSet<std::pair<const Expr *, const Expr *>> compared;
};

/// The reduction that an expression depends on, the nearest one; may be null.
const Expr *findReduction(const Expr *expr);
/// What a sum adds up that is not x^2.
std::string describeTerm(const Expr *term);
/// A negative power of something reduced: a statistic that scales.
bool isRootCandidate(const Expr *factor);
/// The factors of a product in one type; roundings end it.
void flatten(const Expr *expr, SmallVectorImpl<const Expr *> &factors,
             llvm::function_ref<bool(const Expr *)> isLeaf = nullptr);
std::optional<Scale> getScale(const Expr *expr);
/// Whether a small linalg.generic can compute the expression.
bool canMaterialize(const Expr *expr, const ExprReader &reader,
                    ArrayRef<int64_t> dims);

} // namespace mlir::norm

#endif // NORM_RECOGNITION_MATCHER_H
