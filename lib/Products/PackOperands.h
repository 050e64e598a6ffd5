//===- PackOperands.h - copies of operands for blocks -----------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_PRODUCTS_PACKOPERANDS_H
#define NORM_LIB_PRODUCTS_PACKOPERANDS_H

#include "MatrixProduct.h"

namespace mlir::norm {

/// The copies by parts of so many words of what products have as A.
using CopyMap = llvm::DenseMap<std::pair<Value, int64_t>, Value>;

inline Value getLhs(const MatrixProduct &block) {
  return linalg::GenericOp(block.op).getDpsInputs()[block.lhs];
}
inline Value getRhs(const MatrixProduct &block) {
  return linalg::GenericOp(block.op).getDpsInputs()[block.rhs];
}

/// Returns the dimension of an operand that a loop goes over.
unsigned getDim(const MatrixProduct &block, unsigned operand, unsigned loop);

/// Returns true if words of several neighbors are multiplied.
bool isGrouped(const MatrixProduct &block);

/// Makes a number of rows that of whole tiles of AMX.
OpFoldResult roundRowsUp(OpBuilder &b, Location loc, OpFoldResult rows);

/// Returns what of the loops packed columns have as dimensions: groups stay
/// together.
AffineMap getPackedMap(const MatrixProduct &block);

/// Returns true if columns of the block that are neighbors in memory are copied
/// by packColumns.
bool copiesRows(OpBuilder &b, const MatrixProduct &block, int64_t columns);

/// Copies the block's columns of B, `columnsOfB`, to rows of `columns`
/// elements, of the type of the sums. The last ones may be zeros.
Value packColumns(OpBuilder &b, const MatrixProduct &block, Value columnsOfB,
                  int64_t columns);

/// Returns the block's columns of a B that is packed before: when it is
/// compiled, if it is a constant, or before the loops in which it is the same.
/// Null if it is neither, or need not be packed.
Value slicePacked(OpBuilder &b, const MatrixProduct &block, int64_t columns);

/// Copies A by parts, [part, ..., row, ..., word, group]: rows are as many as
/// tiles have, and a cache line longer than a part. A's own are often a power
/// of two long, so that a tile's would be in the same lines of a cache. Returns
/// the copy in `copies`, or a new one, before which `tile` puts the op that
/// copies into loops over parts.
Value copyParts(OpBuilder &b, const MatrixProduct &block, int64_t words,
                CopyMap &copies,
                function_ref<void(linalg::GenericOp)> tileByParts);

/// Returns the `at`th part of all rows of what copyParts returns.
Value slicePart(OpBuilder &b, Value parts, OpFoldResult at, int64_t words);

} // namespace mlir::norm

#endif // NORM_LIB_PRODUCTS_PACKOPERANDS_H
