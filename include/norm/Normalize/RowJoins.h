//===- RowJoins.h - rows that are put together from parts -------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_NORMALIZE_ROWJOINS_H
#define NORM_NORMALIZE_ROWJOINS_H

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::norm {

/// Elements of the innermost dimension: `size` of them from `offset` on, each
/// `stride` after the last one.
struct RowPart {
  int64_t offset, size, stride;

  bool operator==(const RowPart &other) const {
    return offset == other.offset && size == other.size &&
           stride == other.stride;
  }
};

/// The parts of a row, which share no element and leave none out.
using RowParts = SmallVector<RowPart>;

/// Returns true if the parts hold each element of a row of `extent` once.
bool isPartition(ArrayRef<RowPart> parts, int64_t extent);

/// Returns the insertions up to `last` if they fill an empty tensor with parts
/// of its rows, each of which nothing else reads; else none.
SmallVector<tensor::InsertSliceOp>
matchRowInsertions(tensor::InsertSliceOp last);

/// Spells what front ends write for a concatenation of rows as slices that are
/// inserted into an empty tensor, and reads of every n-th element of a row as
/// slices with a stride.
LogicalResult spellPartsAsSlices(Operation *scope);

/// Returns the part of each row that the slice takes, if it takes all rows.
std::optional<RowPart> matchRowSlice(tensor::ExtractSliceOp slice);

/// Returns the part that is sliced or inserted, which is known to be one.
RowPart getRowPart(OffsetSizeAndStrideOpInterface slice);

/// Builds the slice of `tensor` that is this part of each row.
Value createRowSlice(OpBuilder &b, Location loc, Value tensor, RowPart part);

/// Builds `tensor` anew from these parts of it.
Value createRowJoin(OpBuilder &b, Value tensor, ArrayRef<RowPart> parts,
                    ValueRange values);

} // namespace mlir::norm

#endif // NORM_NORMALIZE_ROWJOINS_H
