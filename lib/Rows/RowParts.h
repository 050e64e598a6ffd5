//===- RowParts.h - sums over rows, part by part ----------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_ROWS_ROWPARTS_H
#define NORM_LIB_ROWS_ROWPARTS_H

#include "RowGroups.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"

namespace mlir::norm {

/// The loops over parts of the rows, outermost first, and for each result of
/// their op the value that replaces it after them.
struct PartLoops {
  SmallVector<LoopLikeOpInterface> loops;
  SmallVector<Value> results;
};

/// Tiles the root of a group that sums rows: each iteration has the same
/// number of rows, the last one what is left, and adds them into rows of its
/// own, which are then added to what the sums start from. Which rows are added
/// to each other follows from the extents alone, so threads do not change bits.
PartLoops tileIntoParts(IRRewriter &b, const RowGroup &group,
                        scf::SCFTilingOptions::LoopType loopType);

/// Lets a loop over the rows of a part add them by blocks: an element goes
/// through fewer additions, and so the error is less. The loop's first results
/// are those of `sums`. Returns the loop over the rows of a block.
scf::ForOp addByBlocks(IRRewriter &b, scf::ForOp rows, const RowSums &sums);

} // namespace mlir::norm

#endif // NORM_LIB_ROWS_ROWPARTS_H
