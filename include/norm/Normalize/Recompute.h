//===- Recompute.h - what is cheaper to compute again -----------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_NORMALIZE_RECOMPUTE_H
#define NORM_NORMALIZE_RECOMPUTE_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::norm {

/// What a result with several readers costs where they do not compute it again.
enum class KeptFor {
  Loops,   ///< All of it goes through memory, from one row loop to others.
  Row,     ///< One row goes through the cache, from an op to others of a loop.
  Product, ///< All of it goes through memory to a product of matrices, which
           ///< would compute an element once per row or column.
};

/// Returns true if each reader of the result of `op`, an elementwise op, should
/// compute it again.
bool isCheaperToRecompute(linalg::LinalgOp op, KeptFor readers);

/// Returns the loops on whose indices the values of the body of `op` depend: of
/// inputs' elements, and of results that other ops can compute of these.
llvm::DenseMap<Value, llvm::SmallBitVector>
findLoopsOfValues(linalg::LinalgOp op);

/// Returns true for an op on numbers whose result is its operand in a wider
/// type, or in a float type that has all of its integers.
bool isWidening(Operation *op);

/// Fuses a copy of the elementwise producer of `use` into its user. Returns
/// null if that fails; the user then reads the copy.
Operation *fuseCopyOfProducer(IRRewriter &rewriter, OpOperand &use);

/// Does so with all users that upstream can fuse an op into, and erases the op
/// if it has no others.
void fuseIntoReaders(IRRewriter &rewriter, linalg::LinalgOp op);

} // namespace mlir::norm

#endif // NORM_NORMALIZE_RECOMPUTE_H
