//===- ProductTensors.h - tensors around products ---------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_PRODUCTS_PRODUCTTENSORS_H
#define NORM_LIB_PRODUCTS_PRODUCTTENSORS_H

#include "MatrixProduct.h"

namespace mlir::norm {

/// Builds an elementwise op on `inputs`, which have the extents of `dest`, and
/// on what that holds.
linalg::GenericOp
createElementwise(OpBuilder &b, Location loc, ValueRange inputs, Value dest,
                  function_ref<Value(OpBuilder &, ValueRange)> body);

/// Fills `dest` with zeros.
Value createZeros(OpBuilder &b, Location loc, Value dest);

/// Returns `v` with elements of that type, widened as `widen` does, as floats
/// where that is null, or itself if it has them.
Value createWidened(OpBuilder &b, Operation *widen, Value v, Type element);

/// Builds the product of `inputs`, A and B at the places that `like` says, in
/// the type of its sums; elements that are narrower are widened.
linalg::GenericOp createProduct(OpBuilder &b, const MatrixProduct &like,
                                ValueRange inputs, Value dest,
                                ArrayRef<AffineMap> maps,
                                ArrayRef<utils::IteratorType> kinds);

/// Views dimension `split` as groups of neighbors.
Value splitDim(OpBuilder &b, Value v, unsigned split, int64_t group);

/// Returns the slice of `v` of `sizes` at its first element.
Value sliceFirst(OpBuilder &b, Value v, ArrayRef<OpFoldResult> sizes);

/// Writes `slice` over the first elements of `v`.
Value insertFirst(OpBuilder &b, Value slice, Value v);

/// Returns the slice of `v` of `sizes` at `at` of the first dimension, which is
/// dropped: it has one element there.
Value sliceFirstDim(OpBuilder &b, Value v, OpFoldResult at,
                    ArrayRef<OpFoldResult> sizes);

/// Returns true if neighbors in the last dimension of a tensor are neighbors in
/// memory. Otherwise a slice with a stride may have it.
bool hasNeighbors(Value v);

} // namespace mlir::norm

#endif // NORM_LIB_PRODUCTS_PRODUCTTENSORS_H
