//===- RowForm.h - what the rows of a loop have in common -------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TARGET_GPU_ROWFORM_H
#define NORM_TARGET_GPU_ROWFORM_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "norm/Target/GPU/Schedule.h"

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

} // namespace mlir::norm

#endif // NORM_TARGET_GPU_ROWFORM_H
