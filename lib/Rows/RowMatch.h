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

/// Sums over rows that iterations make of parts of the rows: each part starts
/// from neutral elements in a place of its own, and the parts are added in
/// their order to what `op` starts from. Which rows are added to each other
/// follows from the extents alone, so threads do not change bits.
struct PartialSums {
  linalg::LinalgOp op;
  SmallVector<std::optional<Reduction>> results; ///< nullopt: no sum
  /// The loops of `op` whose iterations are divided; a part has an index of
  /// each.
  unsigned firstLoop = 0, numLoops = 1;

  bool divides(unsigned loop) const {
    return loop >= firstLoop && loop < firstLoop + numLoops;
  }

  /// Returns memory for result `i` of `counts` parts.
  Value createParts(OpBuilder &b, unsigned i,
                    ArrayRef<OpFoldResult> counts) const;

  /// Fills `destination`, which has the type of result `i`, with its neutral
  /// element.
  Value start(OpBuilder &b, unsigned i, Value destination) const;

  /// Returns the sum `i` of `total` and of `parts`.
  Value add(OpBuilder &b, unsigned i, Value parts, Value total) const;
};

/// Returns the sums of an op if at least one of its leading loops, the rows, is
/// reduced, and nullopt otherwise.
std::optional<PartialSums> matchRowSums(linalg::LinalgOp op);

/// Returns the sums of an op whose last loops are over rows, which are reduced,
/// and over columns, and whose others are parallel, if all its results are
/// such. nullopt: norm-vectorize-rows cannot reduce whole rows of it in any
/// order.
std::optional<PartialSums> matchColumnReductions(linalg::LinalgOp op);

/// Returns the properties of an op, or nullopt if other passes must lower it.
std::optional<RowMatch> matchRow(linalg::LinalgOp op);

/// The elements of a strip, and of one behind the last whole strip.
struct StripLanes {
  int64_t lanes, tail;
};

/// Returns these for an op that no threads share, by its plan and its row.
StripLanes chooseStripLanes(linalg::LinalgOp op, const RowMatch &match);

/// Returns true for a contraction that reads an element of an operand several
/// times, as a product of matrices does. One whose operands both have all loops
/// is only a sum of products.
bool isContraction(linalg::LinalgOp op);

/// Returns true for views of the even and of the odd elements of the same
/// pairs, which are accessed together.
bool areHalvesOfPairs(Value x, Value y);

} // namespace mlir::norm

#endif // NORM_LIB_ROWS_ROWMATCH_H
