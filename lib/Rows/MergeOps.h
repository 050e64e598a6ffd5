//===- MergeOps.h - one op with the results of two --------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_ROWS_MERGEOPS_H
#define NORM_LIB_ROWS_MERGEOPS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::norm {

/// Returns true if both ops read a tensor alike that has all their loops, which
/// then have the same extents.
bool readSameElements(linalg::GenericOp first, linalg::GenericOp second);

/// Returns true for elementwise ops whose results no row loop computes with,
/// that of `besides` aside; others join the loop of their user.
bool isEndOfRows(linalg::GenericOp op, linalg::GenericOp besides = {});

/// Builds one op with the results of both in place of the first; `second` reads
/// results of `first` at the indices at which `first` yields them. A loop is
/// parallel if it is in both. Returns null, and changes nothing, where what
/// `second` uses cannot be computed before `first`.
linalg::GenericOp mergeInto(IRRewriter &b, linalg::GenericOp first,
                            linalg::GenericOp second);

} // namespace mlir::norm

#endif // NORM_LIB_ROWS_MERGEOPS_H
