//===- RowLoops.h - the pieces of loops over rows ---------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_ROWS_ROWLOOPS_H
#define NORM_LIB_ROWS_ROWLOOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "norm/Rows/Rows.h"
#include "norm/Rows/Schedule.h"

namespace mlir::norm {

/// Returns the extent of the innermost loop.
int64_t getRowExtent(linalg::LinalgOp op);

/// What the ops of one loop have in common.
struct RowForm {
  int64_t extent = 1; ///< the longest row, or dynamic
  int64_t pitch = 0;  ///< divides the distance of rows in every buffer
  int64_t bytes = 8;  ///< of the narrowest element type on the row
  bool hasRow = false;

  void join(linalg::LinalgOp op);
};

/// Makes a loop one over rows that its threads share by `schedule`.
void setSchedule(Operation *loop, const RowSchedule &schedule);

/// A part of a tensor with unit strides.
struct Slice {
  SmallVector<OpFoldResult> offsets, sizes;

  /// Returns all of `tensor`.
  static Slice getWhole(OpBuilder &b, Location loc, Value tensor);
  Value extract(OpBuilder &b, Location loc, RankedTensorType type,
                Value tensor) const;
  /// Ends an iteration of `loop` with `v` in this place of `tensor`.
  void insert(OpBuilder &b, scf::ForallOp loop, Value v, Value tensor) const;
};

/// Vectors reduce along one row; sums over more loops would go through memory.
bool canShareRow(linalg::LinalgOp op);

/// Returns how many parts of `each` the `whole` has, the last one included.
OpFoldResult countParts(OpBuilder &b, Location loc, OpFoldResult whole,
                        OpFoldResult each);

/// Adds `parts`, tensors of [parts, result] for each result of `op`, to what
/// `op` starts from, in their order.
linalg::LinalgOp buildSumOfParts(RewriterBase &rewriter, linalg::LinalgOp op,
                                 ArrayRef<Reduction> reductions,
                                 ValueRange parts);

/// Which sums over rows become loops of their own.
enum class ColumnSums {
  All,
  Alone ///< Those of rows that no other op reduces along the row.
};

/// Tiles sums over rows by parts and blocks of columns, with a schedule. Others
/// move to where they are needed, behind the rows that they may join.
void tileColumns(IRRewriter &rewriter, Operation *scope, ColumnSums which);

/// Joins sums over rows to the loops over these rows.
void joinColumns(IRRewriter &rewriter, Operation *scope);

/// Puts the ops of rows that are alone into loops of one iteration.
void wrapSingleRows(IRRewriter &rewriter, Block &block);

/// Chooses the schedules of the loops over rows that have none.
LogicalResult scheduleRows(Operation *scope, int64_t maxCluster);

} // namespace mlir::norm

#endif // NORM_LIB_ROWS_ROWLOOPS_H
