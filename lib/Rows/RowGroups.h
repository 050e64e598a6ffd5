//===- RowGroups.h - which ops share a loop over rows -----------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_ROWS_ROWGROUPS_H
#define NORM_LIB_ROWS_ROWGROUPS_H

#include "RowMatch.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"
#include "norm/Rows/Rows.h"
#include <deque>

namespace mlir::norm {

/// The ops that one loop over the rows of `root` computes.
struct RowGroup {
  linalg::LinalgOp root;
  SmallVector<linalg::LinalgOp>
      members;            ///< Root first, users before producers.
  int64_t numRowDims = 0; ///< Leading loops of the root.
  bool hasReduction = false;
  std::optional<PartialSums> sums; ///< If the root's leading loops are reduced.
  bool isOfPart = false;           ///< The rows are those of a part.

  /// Returns true if the rows are divided into parts, whose sums are added.
  bool isDivided() const { return sums && !isOfPart; }

  /// Returns true if several workers share the loop. A part has one.
  bool isSharedBy(RowWorkers workers) const {
    return workers != RowWorkers::Thread && !isOfPart;
  }
};

/// The shapes of groups for which the caller has code.
enum class RowShape {
  Any,
  OneVector, ///< Each member has one loop beyond several rows, the innermost.
  Alone      ///< There are no rows but one: no other loop has iterations.
};

/// Divides the row-wise ops of `block` into groups. Each op is in at most one
/// group, which is placed at its root: all other users of a member come after
/// the root. Groups are in reverse order of their roots. Each use of a value is
/// visited once. A remark says why an op is not in the group of its users.
std::deque<RowGroup> findRowGroups(Block &block, RowShape shape);

/// Returns the plan of a group's root, completed by what suits the group.
RowPlanAttr planGroup(const RowGroup &group, RowWorkers workers);

/// The elements of a strip, and of one behind the last whole strip.
struct StripLanes {
  int64_t lanes, tail;
};

/// Returns these for an op that no threads share, by its plan and its row.
StripLanes chooseStripLanes(linalg::LinalgOp op, const RowMatch &match);

} // namespace mlir::norm

#endif // NORM_LIB_ROWS_ROWGROUPS_H
