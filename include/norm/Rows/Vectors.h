//===- Vectors.h - accesses and ops of vectors along rows -------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_ROWS_VECTORS_H
#define NORM_ROWS_VECTORS_H

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::norm {

/// A read or write of a scalar or a vector in memory.
struct RowAccess {
  Operation *op;
  Value base;
  OperandRange indices;
  VectorType vector; ///< Null: a scalar.
  bool isWrite;
};

/// Returns what `op` reads or writes, nullopt for other ops.
std::optional<RowAccess> getRowAccess(Operation *op);

/// Returns the lane before which a mask of one dimension is known to end, and
/// nullopt without a mask.
std::optional<int64_t> getMaskedLength(Value mask);

/// Returns true if `op` has operands or results that are vectors.
bool hasVectors(Operation *op);

/// The cache that a prefetch brings a line into, as `memref.prefetch` counts.
enum class CacheLevel { First = 3, Second = 2 };

/// Fetches the lines of `elements` elements of `buffer` from `indices` on, or
/// from `ahead` bytes later, for reading.
void createPrefetches(OpBuilder &b, Location loc, Value buffer,
                      ArrayRef<Value> indices, int64_t elements,
                      CacheLevel level, int64_t ahead = 0);

} // namespace mlir::norm

#endif // NORM_ROWS_VECTORS_H
