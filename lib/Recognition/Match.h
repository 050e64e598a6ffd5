//===- Match.h - the stages of a decision ------------------------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder. Each stage is a function of what it reads: it returns
// what it has found, or why there is nothing. `decide` calls them in order.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_RECOGNITION_MATCH_H
#define NORM_RECOGNITION_MATCH_H

#include "../RowExpression/Correspondence.h"
#include "../RowExpression/NormalForm.h"
#include "Flow.h"
#include "Plan.h"
#include "mlir/IR/Dominance.h"
#include "norm/Recognition/Recognize.h"
#include "llvm/Support/FormatVariadic.h"
#include <variant>

namespace mlir::norm {

//===----------------------------------------------------------------------===//
// Outcomes
//===----------------------------------------------------------------------===//

enum class Why {
#define REJECTION(name, reason, text) name,
#include "Rejections.def"
};

struct Rejection {
  Why why = Why::NoCandidate;
  std::string explanation;
};
Refusal getReason(Why why);
const char *getTemplate(Why why);

std::string text(Type type);
std::string text(ArrayRef<int64_t> values);
std::string text(const APFloat &value);
inline std::string text(int64_t value) { return std::to_string(value); }
inline std::string text(StringRef value) { return value.str(); }
inline std::string text(const std::string &value) { return value; }
inline std::string text(const char *value) { return value; }

template <typename... Args> Rejection reject(Why why, const Args &...args) {
  return {why, llvm::formatv(getTemplate(why), text(args)...).str()};
}

/// What a stage has found, or why nothing.
template <typename T> class Attempt {
public:
  Attempt(T value) : outcome(std::move(value)) {}
  Attempt(Rejection rejection) : outcome(std::move(rejection)) {}
  explicit operator bool() const { return outcome.index() == 0; }
  T *operator->() { return &std::get<0>(outcome); }
  T &operator*() { return std::get<0>(outcome); }
  Rejection &getRejection() { return std::get<1>(outcome); }

private:
  std::variant<T, Rejection> outcome;
};
using Check = std::optional<Rejection>; // nothing: it holds

/// What the rounding modes judge. The first of each kind is the one reported.
struct Deviations {
  /// Differs within C: `exact` refuses it.
  Check inexact;
  /// A rounding that S2 to S6 cannot state, or a range that C leaves: only
  /// `relaxed` takes it, by computing the statistic in a wider type.
  Check narrow;

  void addInexact(Why why) {
    if (!inexact)
      inexact = reject(why);
  }
  void addNarrow(Rejection rejection) {
    if (!narrow)
      narrow = std::move(rejection);
  }
};

//===----------------------------------------------------------------------===//
// What the stages find
//===----------------------------------------------------------------------===//

/// Whether a product of several factors may become the weight.
enum class Weights { Single, Joined };

/// Where a candidate is, and how the program around it is read.
struct Site {
  row::Reader &reader;
  const FlowAnalysis &flow;
  DominanceInfo &dominance;
  Rounding rounding;
  Weights weights;
  const row::Body *body;
  Value scalar;
  const row::Node *node;
  Value reduction;             // that it is scaled by
  SmallVector<unsigned> space; // the variable of each dimension
  AffineMap spaceMap;          // from the loops of the op

  row::Context &context() const { return reader.getContext(); }
  unsigned getRank() const { return space.size(); }
  int64_t getExtent(int64_t dim) const {
    return context().getExtent(space[dim]);
  }
  std::optional<int64_t> getDim(unsigned variable) const;
  bool variesOverAll(const row::Node *node) const;
  /// Whether the norm can read the value, which may have to be computed earlier
  /// than it is.
  bool isAvailable(Value value) const;
};

/// A constant or an extent that scales r: value ^ exponent.
struct Scale {
  const row::Node *value; // Constant or Count
  row::Fraction exponent;
};

/// sum of x^2, scaled and added up in one or several steps.
struct Statistic {
  SmallVector<unsigned, 4> variables; // that are reduced
  const row::Node *x = nullptr;       // as it is squared
  SmallVector<const row::Node *, 2> terms;
  SmallVector<Scale, 2> scales; // exponents of the sum's own
  bool isFused = false;
};

/// r, taken apart: a product of `outer` with, where there is an epsilon e,
///   (sum * inner + e)^(-1/2)               inside
///   ((sum^(1/2) * inner) + e)^-1           outside; max(.., e): clamp
/// Exponents are those in r.
struct InverseRoot {
  const row::Node *sum = nullptr; // a Sum, or the reduction in its place
  SmallVector<Scale, 2> outer, inner;
  const row::Node *epsilon = nullptr; // null: zero
  EpsilonMode mode = EpsilonMode::Inside;
  bool clampsMean = false; // max(mean, e)^(-1/2): e counts as its root
  bool clampsRoot = false; // min(r, 1/e)
  FloatType type;          // of the root
  FloatType scaleType;     // r is rounded to; null: not
  bool isWidened = false;  // r, after that rounding
  FloatType sumType;       // the mean is rounded from; null: not
};

/// y = w * (x * r), as one product or as two with a rounding between.
struct Product {
  const row::Node *value = nullptr; // that holds x and r
  const row::Node *root = nullptr;  // r, or the root that x is divided by
  bool divides = false;             // by `root`
  const row::Node *x = nullptr;
  SmallVector<row::Factor> others; // constants and weights beside x and r
  bool isNegated = false;
  bool weighsLast = false;          // (x * r) * w
  FloatType normalizedType;         // null: no rounding between
  const row::Node *outer = nullptr; // the weight of the rounded z
  FloatType outerType;              // that it is multiplied in
};

/// Which dimensions of the result x is normalized over, and where x is.
struct Span {
  SmallVector<int64_t> dims;
  std::optional<int64_t> count;
  std::optional<int64_t> groupSize; // of the only one of `dims`
};

/// Constants that remain where the sum is divided by its number of terms, and
/// what epsilon is to be multiplied by.
struct Divisor {
  SmallVector<Scale> rest;
  bool isStandard = true; // the mean itself is formed, as the op does
  bool usesNumerator = false;
  double terms = 0; // 0: only known at run time
};

/// What the stages before have found.
struct Findings {
  explicit Findings(row::Reader &reader) : agreed(reader) {}
  Product product;
  InverseRoot inverse;
  Statistic statistic;
  row::Correspondence agreed; // of x where it is scaled, and in the sum
  Span span;
  Divisor divisor;
};

//===----------------------------------------------------------------------===//
// The stages
//===----------------------------------------------------------------------===//

inline const row::Node *stripCasts(const row::Node *node) {
  while (node->is(row::Kind::Round) || node->is(row::Kind::Extend))
    node = node->getOperand(0);
  return node;
}
/// The operand that leads to a reduction; null where there is none.
inline const row::Node *getReducing(const row::Node *node) {
  const auto *it =
      llvm::find_if(node->getOperands(),
                    [](const row::Node *each) { return each->hasReduction(); });
  return it == node->getOperands().end() ? nullptr : *it;
}
/// What is widened to `node`, in its op or in one before it.
const row::Node *findNarrow(row::Reader &reader, const row::Node *node);
bool isArithmeticType(Type type);
/// A constant or a count; the exponent is that of the factor.
std::optional<Scale> getScale(const row::Factor &factor);

/// What x * x, x * y of two views that are one, or x^2 squares; null for what
/// is no square.
const row::Node *getSquared(row::Reader &reader, const row::Node *node);
/// Which factors of the product are r and, by its statistic, x and w.
Attempt<Product> matchProduct(const Site &site);
/// Finds x among the factors: what the statistic squares. Agrees variables.
Check matchX(const Site &site, Findings &found, Deviations &deviations);
Attempt<InverseRoot> matchInverseRoot(const Product &product,
                                      Deviations &deviations);
/// Serves every pattern that starts from a sum of squares; it asks nothing of
/// what the statistic scales.
Attempt<Statistic> matchStatistic(row::Reader &reader, const row::Node *sum,
                                  Deviations &deviations);
/// The same without the zeros that x is padded with, which add nothing to its
/// squares; nothing where it is not.
std::optional<Statistic> skipPadding(row::Reader &reader, Statistic statistic);
/// What the op itself would round otherwise; for `exact`.
void noteSpelling(const Findings &found, Deviations &deviations);
Attempt<Span> matchSpan(const Site &site, const Findings &found);
Attempt<Divisor> matchDivisor(const Site &site, const Findings &found);
Check matchEpsilon(const Findings &found, PlannedNorm &norm,
                   Deviations &deviations);
/// The tensor, or the scalar of a body, that holds x.
Check matchInput(const Site &site, const Findings &found, PlannedNorm &norm);
Check matchWeight(const Site &site, const row::Node *weight, PlannedNorm &norm);
void findInverseRoots(const Site &site, const Product &product,
                      PlannedNorm &norm);

/// All of it. Nothing of the program changes.
Attempt<PlannedNorm> decide(const Site &site);

} // namespace mlir::norm

#endif // NORM_RECOGNITION_MATCH_H
