//===- MatchIndices.h - one index at the root and inside the sum -*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder. Which dimensions of the root are which of the sum's,
// also where one of both sides sees x through a reshape: there dimensions agree
// digit by digit, as in d2 * 8 + d3 for a reduced dimension of 4 * 8 turns.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_RECOGNITION_MATCHINDICES_H
#define NORM_RECOGNITION_MATCHINDICES_H

#include "norm/Recognition/RowExpression.h"
#include <map>

namespace mlir::norm {

/// (dim floordiv divisor) mod size.
struct IndexDigit {
  unsigned dim;
  int64_t divisor, size;

  bool operator==(const IndexDigit &other) const {
    return dim == other.dim && divisor == other.divisor && size == other.size;
  }
};

class DimCorrespondence {
public:
  using Pair = std::pair<IndexDigit, IndexDigit>; // at the root, in the sum

  /// Whether both indices may be one, with what was agreed on before.
  bool agree(AffineExpr atRoot, AffineExpr inSum, const ExprReader &reader);
  void clear() { *this = {}; }

  /// Whole dimensions of the root, and those of the sum (or of the root, where
  /// the sum has the same one) in their place.
  const std::map<unsigned, unsigned> &getDims() const { return dims; }
  /// Dimensions of the root and of the sum that are each other only together,
  /// all of both; nothing where digits of a dimension are left over.
  std::optional<std::pair<SmallVector<unsigned>, SmallVector<unsigned>>>
  getSplitDims(const ExprReader &reader) const;

private:
  bool agreeOnDigits(AffineExpr atRoot, AffineExpr inSum,
                     const ExprReader &reader);
  bool add(IndexDigit atRoot, IndexDigit inSum, const ExprReader &reader);

  std::map<unsigned, unsigned> dims;
  SmallVector<Pair, 4> digits;
};

} // namespace mlir::norm

#endif // NORM_RECOGNITION_MATCHINDICES_H
