//===- Lower.h - what the lowerings of tm_tensor share ----------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_TMTENSOR_LOWER_H
#define NORM_LIB_TMTENSOR_LOWER_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "norm/TMTensor/TMTensor.h"

namespace mlir::norm::tm_tensor {

/// How a region's comparisons of floats see NaN.
enum class NaNOrder { IEEE, Greatest };

/// Builds the body of `region` on `arguments`; returns what it yields.
Value buildBody(OpBuilder &b, Region &region, ValueRange arguments,
                NaNOrder order = NaNOrder::IEEE);

inline RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Creates a constant index.
Value createIndex(ImplicitLocOpBuilder &b, int64_t value);

/// Returns the extent of a tensor as a value.
Value getExtent(ImplicitLocOpBuilder &b, Value tensor, int64_t dim);

/// Builds `condition`, which a failed run reports with `message`.
void buildAssert(ImplicitLocOpBuilder &b, Operation *op, Value condition,
                 StringRef message);

/// Returns the element at `place` of each tensor.
SmallVector<Value> readElements(ImplicitLocOpBuilder &b, ValueRange tensors,
                                ValueRange place);
/// Returns the tensors with `values` at `place`.
SmallVector<Value> writeElements(ImplicitLocOpBuilder &b, ValueRange tensors,
                                 ValueRange place, ValueRange values);

/// Builds a loop that carries `values`.
SmallVector<Value> buildLoop(
    ImplicitLocOpBuilder &b, Value from, Value to, Value step,
    ValueRange values,
    function_ref<SmallVector<Value>(ImplicitLocOpBuilder &, Value, ValueRange)>
        body);

/// Whether an extent is the constant 0: upstream has no slices of such tensors.
bool isEmpty(Value tensor);

/// Returns the dimensions of a tensor.
SmallVector<int64_t> getAllDims(Value tensor);

/// Asserts that `dims` of `tensor` have the extents of `others` of `other`,
/// where these are open.
void requireExtents(ImplicitLocOpBuilder &b, Operation *op, Value tensor,
                    ArrayRef<int64_t> dims, Value other,
                    ArrayRef<int64_t> others);

/// What one iteration of a parallel loop has of a tensor.
struct Part {
  SmallVector<OpFoldResult> offsets, sizes;
  /// The dimensions that its tensor has.
  SmallVector<int64_t> kept;
};

/// Computes the parts of outs from those of ins and outs.
using PartBody = function_ref<SmallVector<Value>(ImplicitLocOpBuilder &,
                                                 ValueRange, ValueRange)>;

/// Builds a parallel loop on parts of `ins` and `outs`. `part` says which part
/// of an operand (ins first) an iteration has, `body` computes those of outs.
SmallVector<Value> buildParallel(
    ImplicitLocOpBuilder &b, ArrayRef<OpFoldResult> bounds,
    ArrayRef<OpFoldResult> steps, ValueRange ins, ValueRange outs,
    function_ref<Part(ImplicitLocOpBuilder &, unsigned, ValueRange)> part,
    PartBody body);

SmallVector<Value> lowerScan(ImplicitLocOpBuilder &b, ScanOp op);
SmallVector<Value> lowerScatter(ImplicitLocOpBuilder &b, ScatterOp op);
SmallVector<Value> lowerSort(ImplicitLocOpBuilder &b, SortOp op);
SmallVector<Value> lowerTopk(ImplicitLocOpBuilder &b, TopkOp op);
SmallVector<Value> lowerAttention(ImplicitLocOpBuilder &b, AttentionOp op);

} // namespace mlir::norm::tm_tensor

#endif // NORM_LIB_TMTENSOR_LOWER_H
