//===- Correspondence.h - one value at two places ----------------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whether an expression inside a sum is the one outside it, with some of its
// variables in the place of others. Where one of both sides sees a tensor
// through a reshape, variables agree digit by digit, as in d2 * 8 + d3 for a
// variable of 4 * 8 values.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_ROWEXPRESSION_CORRESPONDENCE_H
#define NORM_ROWEXPRESSION_CORRESPONDENCE_H

#include "Reader.h"

namespace mlir::norm::row {

/// (variable floordiv divisor) mod size.
struct IndexDigit {
  unsigned variable;
  int64_t divisor, size;

  bool operator==(const IndexDigit &other) const {
    return variable == other.variable && divisor == other.divisor &&
           size == other.size;
  }
};

/// Variables at the root and in the sum that are each other only together, all
/// of both; or the low digit alone of one at the root, whose others are the
/// same inside the sum: groups of a dimension.
struct SplitVariables {
  SmallVector<unsigned> atRoot, inSum;
  std::optional<IndexDigit> group;
};

class Correspondence {
public:
  static constexpr size_t kMaxPairs = 16384; // of nodes that are compared
  static constexpr unsigned kMaxOpened = 64; // tensors

  explicit Correspondence(Reader &reader) : reader(&reader) {}

  /// Whether `inSum` is `atRoot`, with what was agreed on before. Tensors are
  /// opened, the later one first, until both sides are alike.
  bool match(const Node *atRoot, const Node *inSum);
  /// Whether indices may be the same; where not, what was agreed on stays.
  bool agree(ArrayRef<AffineExpr> atRoot, ArrayRef<AffineExpr> inSum);
  /// Whether a match failed at the bounds on what is compared.
  bool isBeyondBound() const { return beyondBound; }

  /// Whole variables at the root, and those in the sum in their place.
  const std::map<unsigned, unsigned> &getVariables() const { return variables; }
  std::optional<SplitVariables> getSplitVariables() const;

private:
  bool openElements(const Node *&left, const Node *&right);
  bool agreeOne(AffineExpr atRoot, AffineExpr inSum);
  bool agreeOnDigits(AffineExpr atRoot, AffineExpr inSum);
  bool add(IndexDigit atRoot, IndexDigit inSum);
  /// A variable is either the same inside the sum or reduced there.
  bool add(unsigned atRoot, unsigned inSum) {
    return variables.try_emplace(atRoot, inSum).first->second == inSum;
  }

  Reader *reader;
  std::map<unsigned, unsigned> variables;
  SmallVector<std::pair<IndexDigit, IndexDigit>, 4> digits;
  unsigned numOpened = 0;
  bool beyondBound = false;
};

} // namespace mlir::norm::row

#endif // NORM_ROWEXPRESSION_CORRESPONDENCE_H
