//===- ColumnSums.h - sums over rows by parts of them -----------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_TARGET_GPU_COLUMNS_COLUMNSUMS_H
#define NORM_LIB_TARGET_GPU_COLUMNS_COLUMNSUMS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "norm/Rows/Rows.h"

namespace mlir::norm {

/// Returns how many parts of `each` the `whole` has, the last one included.
OpFoldResult countParts(OpBuilder &b, Location loc, OpFoldResult whole,
                        OpFoldResult each);

/// Adds `parts`, tensors of [parts, result] for each result of `op`, to what
/// `op` starts from, in their order.
linalg::LinalgOp buildSumOfParts(RewriterBase &rewriter, linalg::LinalgOp op,
                                 ArrayRef<Reduction> reductions,
                                 ValueRange parts);

} // namespace mlir::norm

#endif // NORM_LIB_TARGET_GPU_COLUMNS_COLUMNSUMS_H
