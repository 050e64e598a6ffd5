//===- Law.h - what an op computes, as an expression -------------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This header is private to this folder. A law is what one element of an op's
// result is: the op is decomposed in a scratch block and read as a program is.
// What the program computes is brought to the same symbols: x, dy, the weight
// w, a saved r, epsilon e and n. Recognition is sound because the two are
// compared.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_RECOGNITION_LAW_H
#define NORM_LIB_RECOGNITION_LAW_H

#include "Match.h"
#include "mlir/IR/Block.h"

namespace mlir::norm {

/// Where a node stands: in the result, or in a sum along the row, whose
/// elements have an index of their own.
enum class Place : unsigned { Result, Sum };

/// A value of the program and the expression of symbols in its place.
struct Named {
  const row::Node *node, *expression;
};

/// What the values of a program are in the symbols of a law.
struct Names {
  SmallVector<Named, 4> inResult, inSum;
  /// Returns the expression of another value, or null.
  std::function<const row::Node *(const row::Node *, Place)> findOther;
  /// Returns that of what is added to a statistic or bounds it, or null.
  std::function<const row::Node *(const row::Node *)> findEpsilon;
  std::optional<int64_t> terms; ///< n, if it is static
  bool isGradient = false;

  void add(const row::Node *node, const row::Node *expression, Place place) {
    (place == Place::Sum ? inSum : inResult).push_back({node, expression});
  }
};

/// A program's element beside that of an op, in the same symbols. `found` is
/// null for an expression beyond the bounds, which is not compared.
struct Comparison {
  static constexpr unsigned kMaxLevels = 128, kMaxNodes = 2048;
  const row::Node *found = nullptr, *expected = nullptr;
  const row::Node *weight = nullptr; ///< the weight of both, or null
  row::Form forms[2];                // of both
  bool isExact = false;              ///< the same operations
  bool isBounded = false; ///< the same between roundings, in exact arithmetic
  Difference difference;  ///< of both, if it is bounded
};

/// The laws of one program's norms, each read once.
class LawBook {
public:
  explicit LawBook(row::Context &context);

  /// The types of the operands, null where there is none, and of the result.
  struct Types {
    Type x, dy, weight, result;
    row::Sign root = row::Sign::Any; ///< of a saved r
  };
  /// Returns what an element of the norm is, or of its gradient dx or the term
  /// that dw sums.
  enum class Result { Norm, InputGradient, WeightGradient };
  const row::Node *getLaw(Result result, const PlannedNorm &norm,
                          const Types &types, std::optional<int64_t> terms);

  /// Returns a symbol that varies along the row.
  const row::Node *getElement(StringRef name, Type type, Place place);
  const row::Node *getEpsilon(Type type);
  const row::Node *getTerms(Type type);
  /// Returns a symbol of the row, such as r.
  const row::Node *getRowValue(StringRef name, Type type, row::Sign sign);
  /// Returns the index of elements in a sum.
  unsigned getSummed() const { return summed; }
  /// Returns the place of a comparison, which most norms of a program share.
  Comparison &getComparison(const row::Node *found, const row::Node *expected,
                            Precision precision) {
    return comparisons[{found, {expected, unsigned(precision)}}];
  }

private:
  row::Context &context;
  unsigned element, summed; // the indices along the row
  SmallVector<std::unique_ptr<Block>> scratch;
  llvm::DenseMap<Attribute, const row::Node *> laws;
  std::map<std::pair<const row::Node *, std::pair<const row::Node *, unsigned>>,
           Comparison>
      comparisons;
};

/// Rebuilds an expression bottom up.
class Rewriter {
public:
  using Rebuild = function_ref<const row::Node *(const row::Node *,
                                                 ArrayRef<const row::Node *>)>;
  explicit Rewriter(Rebuild rebuild) : rebuild(rebuild) {}

  const row::Node *run(const row::Node *node) {
    if (const row::Node *done = known.lookup(node))
      return done;
    SmallVector<const row::Node *> operands;
    for (const row::Node *operand : node->getOperands())
      operands.push_back(run(operand));
    return known[node] = rebuild(node, operands);
  }

private:
  Rebuild rebuild;
  llvm::DenseMap<const row::Node *, const row::Node *> known;
};

/// Returns `node` in the symbols of `names`, with every rounding as a node;
/// null if it is too large.
const row::Node *readInSymbols(row::Reader &reader, LawBook &laws,
                               const Names &names, const row::Node *node);

/// Compares `node` of the program with a law. `weight` takes the place of the
/// law's w; it may be null. Raised plans differ in the roundings of the
/// statistic, and those of gradients in all.
Comparison compareWithLaw(const Site &site, Names &names, const row::Node *node,
                          const row::Node *law, FloatType compute,
                          Precision precision,
                          const row::Node *weight = nullptr);

/// Names x and epsilon of the statistic that was found.
void nameStatistic(const Site &site, const Findings &found,
                   const PlannedNorm &norm, Names &names);
/// Returns the rejection by the rounding mode of what was compared, or notes in
/// the plan how far the program and the op may be apart.
Rejection judge(const Site &site, const Comparison &comparison,
                Precision precision, PlannedNorm &norm);

/// Names the rules by which two expressions of one form differ, and bounds what
/// they round in `compute`, the type of the statistic; `terms` is n, if it is
/// static.
Difference getDifference(const row::Node *found, const row::Node *expected,
                         FloatType compute, std::optional<int64_t> terms);

} // namespace mlir::norm

#endif // NORM_LIB_RECOGNITION_LAW_H
