//===- Match.h - the stages of a decision ------------------------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This header is private to this folder. Each stage is a function that returns
// either what it found or a rejection. `decide` calls them in order.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_RECOGNITION_MATCH_H
#define NORM_LIB_RECOGNITION_MATCH_H

#include "../RowExpression/Correspondence.h"
#include "../RowExpression/NormalForm.h"
#include "Flow.h"
#include "Plan.h"
#include "mlir/IR/Dominance.h"
#include "norm/Recognition/Recognize.h"
#include "llvm/Support/FormatVariadic.h"

namespace mlir::norm {

class LawBook;

//===----------------------------------------------------------------------===//
// Outcomes
//===----------------------------------------------------------------------===//

/// The rejection of a candidate or, by default, none: like an llvm::Error, it
/// is true if there is one.
struct [[nodiscard]] Rejection {
  enum Id {
#define REJECTION(name, reason, text) name,
#include "Rejections.def"
  };
  std::optional<Id> id;
  std::string explanation;

  explicit operator bool() const { return id.has_value(); }
  RejectionReason getReason() const;
};
const char *getTemplate(Rejection::Id id);

std::string text(Type type);
std::string text(ArrayRef<int64_t> values);
std::string text(const APFloat &value);
std::string text(const row::Fraction &value);
inline std::string text(int64_t value) { return std::to_string(value); }
inline std::string text(StringRef value) { return value.str(); }
inline std::string text(const std::string &value) { return value; }
inline std::string text(const char *value) { return value; }

template <typename... Args>
Rejection reject(Rejection::Id id, const Args &...args) {
  return {id, llvm::formatv(getTemplate(id), text(args)...).str()};
}

/// The result of a stage or the rejection in its place, as in llvm::Expected.
template <typename T> class [[nodiscard]] RejectionOr {
public:
  RejectionOr(T value) : value(std::move(value)) {}
  RejectionOr(Rejection rejection) : rejection(std::move(rejection)) {}
  explicit operator bool() const { return value.has_value(); }
  T *operator->() { return &*value; }
  T &operator*() { return *value; }
  const Rejection &getRejection() const { return rejection; }
  Rejection takeRejection() { return std::move(rejection); }
  Rejection moveInto(T &into) {
    if (value)
      into = std::move(*value);
    return takeRejection();
  }

private:
  std::optional<T> value;
  Rejection rejection;
};

//===----------------------------------------------------------------------===//
// Results of the stages
//===----------------------------------------------------------------------===//

/// Whether a product of several factors may become the weight.
enum class Weights { Single, Joined };

/// The place of a candidate and the reader of the program around it.
struct Site {
  row::Reader &reader;
  LawBook &laws;
  const FlowAnalysis &flow;
  DominanceInfo &dominance;
  Rounding rounding;
  Weights weights;
  const row::Body *body;
  Value scalar;
  const row::Node *node;
  Value reduction;             // the reduction that scales it
  SmallVector<unsigned> space; // the variable of each dimension
  AffineMap spaceMap;          // from the loops of the op

  row::Context &context() const { return reader.getContext(); }
  unsigned getRank() const { return space.size(); }
  int64_t getExtent(int64_t dim) const {
    return context().getExtent(space[dim]);
  }
  std::optional<int64_t> getDim(unsigned variable) const;
  /// Returns the dimension that is all of dimension `i` of a tensor at `index`.
  std::optional<int64_t> getDim(AffineExpr index, Value tensor,
                                int64_t i) const;
  /// Returns that of each dimension of the tensor, -1 for a unit dimension;
  /// nullopt if another one has none.
  std::optional<SmallVector<int64_t>>
  getDims(Value tensor, ArrayRef<AffineExpr> indices) const;
  /// Returns true if the element is one of a tensor over `dims`, in this order,
  /// up to unit dimensions.
  bool holdsDims(const row::ElementNode *element, ArrayRef<int64_t> dims) const;
  bool variesOverAll(const row::Node *node) const;
  /// Returns true if the norm can read the value, which may have to be computed
  /// earlier than it is.
  bool isAvailable(Value value) const;
};

/// A sum of x^2, which may be scaled and accumulated in several steps.
struct Statistic {
  SmallVector<unsigned, 4> variables; // those that are reduced
  const row::Node *x = nullptr;       // x as it is squared
  SmallVector<const row::Node *, 2> terms;
  SmallVector<row::Factor> scales;   // relative to the sum's exponent
  const row::Node *padded = nullptr; // the element in place of x, or null
};

/// The factors of r, which is `outer` times one of these, with an epsilon e:
///   (sum * inner + e)^(-1/2)               for the mode inside
///   ((sum^(1/2) * inner) + e)^-1           for outside; max(.., e) for clamp
/// Exponents are those in r.
struct InverseRoot {
  const row::Node *sum = nullptr; // a Sum, or the reduction in its place
  SmallVector<row::Factor> outer, inner;
  /// Has no base for zero. The exponent is that of the op's e: 2 in
  /// max(mean, e^2)^(-1/2), -1 in min(r, 1/e).
  row::Factor epsilon{nullptr, row::Fraction(1)};
  EpsilonMode mode = EpsilonMode::Inside;
  FloatType sumType; // the type that the mean is rounded from, or null
};

/// The factors of y = w * (x * r), with or without a rounding before w.
struct Product {
  const row::Node *value = nullptr; // the product of x and r
  row::Factor root; // r, or with the exponent -1 the root that x is divided by
  const row::Node *x = nullptr;
  SmallVector<row::Factor> others;  // constants and weights beside x and r
  FloatType normalizedType;         // null: no rounding between
  const row::Node *outer = nullptr; // the weight of the rounded z
};

/// The dimensions that are normalized, and how x maps to the result.
struct Span {
  SmallVector<int64_t> dims;
  std::optional<int64_t> count;
  std::optional<int64_t> groupSize; // the group size of the only one of `dims`
  std::optional<int64_t> terms;     // null: known only at run time
};

/// Constants that remain when the sum is divided by its number of terms.
struct Divisor {
  SmallVector<row::Factor> rest;
  bool formsMean = true; // as the op; else its root is scaled
};

/// The results of the previous stages.
struct Findings {
  explicit Findings(row::Reader &reader) : agreed(reader) {}
  Product product;
  InverseRoot inverse;
  Statistic statistic;
  row::Correspondence agreed; // x in the product and in the sum
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
/// Returns the operand that contains a reduction; null if there is none.
inline const row::Node *getReducing(const row::Node *node) {
  const auto *it =
      llvm::find_if(node->getOperands(),
                    [](const row::Node *each) { return each->hasReduction(); });
  return it == node->getOperands().end() ? nullptr : *it;
}
/// Returns the value that an op, this or an earlier one, widens to `node`.
const row::Node *findNarrow(row::Reader &reader, const row::Node *node);
bool isArithmeticType(Type type);
/// Returns true if there is a root between the node and the reduction.
bool takesRoot(const row::Node *node);
inline bool isNumber(const row::Node *node) {
  return node->is(row::Kind::Constant) || node->is(row::Kind::Count);
}
inline bool isSign(const row::Factor &factor) {
  return isConstant(factor.base, -1.0);
}
/// Returns true for a factor that may be a part of the divisor.
inline bool isScale(const row::Factor &factor) {
  return isNumber(factor.base) && !isSign(factor);
}

/// Returns x for x * x, for x * y of two equal views, and for x^2; null for
/// anything but a square.
const row::Node *getSquared(row::Reader &reader, const row::Node *node);
/// Returns what is squared in a statistic: x, also without signs and casts.
SmallVector<const row::Node *> getSquaredForms(row::Reader &reader,
                                               const row::Node *squared);
/// Finds the factor that is r and, from its statistic, x and w.
Rejection matchProduct(const Site &site, Findings &found);
/// Finds the x that a statistic squares among nodes, each one once.
class XMatcher {
public:
  XMatcher(row::Reader &reader, const row::Node *squared)
      : reader(reader), forms(getSquaredForms(reader, squared)) {}

  /// Returns how the variables of x correspond; null for another value.
  const row::Correspondence *find(const row::Node *node);
  bool operator()(const row::Node *node) { return find(node); }

private:
  row::Reader &reader;
  SmallVector<const row::Node *> forms; // |x| and -x have the same square
  llvm::DenseMap<const row::Node *, std::unique_ptr<row::Correspondence>> known;
};

/// Follows a sum to its squares, which may be scaled (x^2 / n), rounded, or
/// themselves in sums (a mean of means).
RejectionOr<Statistic> matchStatistic(row::Reader &reader,
                                      const row::Node *sum);
/// Matches r and a sum of squares, from the root of the product. It works for
/// any pattern that has them, because it requires nothing of what they scale.
Rejection matchRow(const Site &site, Findings &found);
/// Drops the zeros that x is padded with, which add nothing to the sum of
/// squares; returns nullopt if there is no padding.
std::optional<Statistic> skipPadding(row::Reader &reader, Statistic statistic);
RejectionOr<Span> matchSpan(const Site &site, const Findings &found);
RejectionOr<Divisor> matchDivisor(const Site &site, const Findings &found);
/// Returns the value of a constant, NaN for any other node.
double getDouble(const row::Node *number);
/// Returns true if `count` is proved to be the number of terms.
bool isNumberOfTerms(const Site &site, const Span &span,
                     const row::SymbolicCount &count);
/// Returns the form of the root where C, or the mode, tells it from others.
RootForm getRootForm(const Site &site, const row::Node *root, bool divides,
                     FloatType compute);
/// Rounds epsilon to C and checks its range.
Rejection takeEpsilon(const row::ConstantNode *epsilon, PlannedNorm &norm);
/// Finds the tensor, or the scalar of a body, that holds x.
Rejection matchInput(const Site &site, const Findings &found,
                     PlannedNorm &norm);
/// Finds a tensor or a scalar that holds `form` in the shape of the space.
std::optional<PlannedInput> findOperand(const Site &site,
                                        const row::Node *form);
Rejection matchWeight(const Site &site, const row::Node *weight,
                      PlannedNorm &norm);
/// Finds the elements from which one op over `dims` computes `root`.
bool findElements(const Site &site, const row::Node *root,
                  ArrayRef<int64_t> dims, PlannedWeight &weight);
void findInverseRoots(const Site &site, const Product &product,
                      PlannedNorm &norm);

/// Whether the statistic is planned in the types of the program or, for
/// rounding=relaxed, in the widest of them.
enum class Precision { Own, Raised };

/// Decides the types of the statistic and epsilon.
Rejection decideStatistic(const Site &site, const Findings &found,
                          Precision precision, PlannedNorm &norm);
/// Plans in the program's types and, if that differs only in roundings and the
/// mode allows it, in raised ones.
RejectionOr<PlannedNorm>
planAsAllowed(const Site &site,
              llvm::function_ref<RejectionOr<PlannedNorm>(Precision)> plan);
/// Checks the types and encodings of the operands.
Rejection checkOperands(const Site &site, const PlannedNorm &norm);

/// Decides, and says of a rejection where a search ended at its bound.
RejectionOr<PlannedNorm>
decideWithinBounds(row::Context &context,
                   llvm::function_ref<RejectionOr<PlannedNorm>()> decide);

/// Runs all stages. The program is not changed.
RejectionOr<PlannedNorm> decide(const Site &site);

} // namespace mlir::norm

#endif // NORM_LIB_RECOGNITION_MATCH_H
