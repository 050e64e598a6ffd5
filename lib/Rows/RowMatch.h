//===- RowMatch.h - which ops become vector loops over rows -----*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_ROWS_ROWMATCH_H
#define NORM_LIB_ROWS_ROWMATCH_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "norm/Rows/Rows.h"

namespace mlir::norm {

/// The properties of an op that can be vectorized, before anything is built.
struct RowMatch {
  bool hasVectorLoop = false;        // else all its extents are one
  SmallVector<Reduction> reductions; // one per result if the loop reduces
  SmallVector<Reduction> columns;    // one per result if the loop around the
                                     // parallel innermost one reduces
};

/// The results of an op with row loops before column loops: `results` has a
/// reduction for each result that sums over the rows, and nullopt for each that
/// is computed per element.
struct RowSums {
  unsigned numRowDims = 0;
  SmallVector<std::optional<Reduction>> results;
};

/// Returns the sums of an op if at least one of its leading loops, the rows, is
/// reduced, and nullopt otherwise.
std::optional<RowSums> matchRowSums(linalg::LinalgOp op);

/// Returns the properties of an op, or nullopt if other passes must lower it.
std::optional<RowMatch> matchRow(linalg::LinalgOp op);

/// Returns true for a contraction that reads an element of an operand several
/// times, as a product of matrices does. One whose operands both have all loops
/// is only a sum of products.
bool isContraction(linalg::LinalgOp op);

/// Returns true for views of the even and of the odd elements of the same
/// pairs, which are accessed together.
bool areHalvesOfPairs(Value x, Value y);

} // namespace mlir::norm

#endif // NORM_LIB_ROWS_ROWMATCH_H
