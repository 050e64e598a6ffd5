//===- Correspondence.h - one value at two places ----------------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Correspondence decides whether an expression inside a sum is the one outside
// of it with some variables replaced. Where only one side sees a tensor through
// a reshape, variables are matched digit by digit, as in d2 * 8 + d3 for a
// variable of 4 * 8 values.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_ROWEXPRESSION_CORRESPONDENCE_H
#define NORM_LIB_ROWEXPRESSION_CORRESPONDENCE_H

#include "Reader.h"

namespace mlir::norm::row {

/// The digit (variable floordiv divisor) mod size.
struct IndexDigit {
  unsigned variable;
  int64_t divisor, size;

  bool operator==(const IndexDigit &other) const {
    return variable == other.variable && divisor == other.divisor &&
           size == other.size;
  }
};

/// Variables at the root and in the sum that correspond only as complete
/// groups; or a variable at the root with its low digit alone, whose other
/// digits are the same inside the sum (groups of a dimension).
struct SplitVariables {
  SmallVector<unsigned> atRoot, inSum;
  std::optional<IndexDigit> group;
};

class Correspondence {
public:
  static constexpr size_t kMaxPairs = 16384; // number of compared nodes

  explicit Correspondence(Reader &reader) : reader(&reader) {}

  /// Returns true if `inSum` is `atRoot`, given what was agreed on before.
  /// Opens tensors, the later one first, until both sides are alike.
  bool match(const Node *atRoot, const Node *inSum);
  /// Returns true if the indices can agree; otherwise changes nothing.
  bool agree(ArrayRef<AffineExpr> atRoot, ArrayRef<AffineExpr> inSum);

  /// Returns the whole variables at the root, mapped to those in the sum.
  const std::map<unsigned, unsigned> &getVariables() const { return variables; }
  std::optional<SplitVariables> getSplitVariables() const;

private:
  bool matchReductions(const Node *atRoot, const Node *inSum);
  bool openElements(const Node *&left, const Node *&right);
  bool agreeOne(AffineExpr atRoot, AffineExpr inSum);
  bool agreeOnDigits(AffineExpr atRoot, AffineExpr inSum);
  bool add(IndexDigit atRoot, IndexDigit inSum);
  /// Adds a variable, which is either the same inside the sum or reduced there.
  bool add(unsigned atRoot, unsigned inSum) {
    return variables.try_emplace(atRoot, inSum).first->second == inSum;
  }

  Reader *reader;
  std::map<unsigned, unsigned> variables;
  SmallVector<std::pair<IndexDigit, IndexDigit>, 4> digits;
  unsigned numOpened = 0;
};

/// Returns true if two expressions are one value at the same indices.
bool isSame(Reader &reader, const Node *a, const Node *b);

} // namespace mlir::norm::row

#endif // NORM_LIB_ROWEXPRESSION_CORRESPONDENCE_H
