//===- RowForm.h - what the rows of a loop have in common -------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_TARGET_GPU_ROWFORM_H
#define NORM_LIB_TARGET_GPU_ROWFORM_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::norm {

/// What the ops of one loop have in common.
struct RowForm {
  int64_t extent = 1; ///< the longest row, or dynamic
  int64_t pitch = 0;  ///< divides the distance of rows in every buffer
  int64_t bytes = 8;  ///< of the narrowest element type on the row
  bool hasRow = false;

  void join(linalg::LinalgOp op);
};

/// Vectors reduce along one row; sums over more loops would go through memory.
bool canShareRow(linalg::LinalgOp op);

} // namespace mlir::norm

#endif // NORM_LIB_TARGET_GPU_ROWFORM_H
