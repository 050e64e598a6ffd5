//===- RowOps.h - ops merged and split for loops over rows ------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_ROWS_ROWOPS_H
#define NORM_LIB_ROWS_ROWOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::norm {

/// Builds one op with the results of both in place of the first; `second` reads
/// results of `first` at the indices at which `first` yields them. A loop is
/// parallel if it is in both. Returns null, and changes nothing, where what
/// `second` uses cannot be computed before `first`.
linalg::GenericOp mergeInto(IRRewriter &b, linalg::GenericOp first,
                            linalg::GenericOp second);

/// Moves slow operations of an elementwise op that writes rows into ops over
/// the loops on which they depend.
void splitRowScalars(IRRewriter &b, linalg::GenericOp op);

} // namespace mlir::norm

#endif // NORM_LIB_ROWS_ROWOPS_H
