//===- Transforms.h - what other passes ask of row code gen. ----*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TRANSFORMS_TRANSFORMS_H
#define NORM_TRANSFORMS_TRANSFORMS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::norm {

/// I64 attribute of a linalg op: elements of the vectors with which
/// norm-vectorize-rows writes it, instead of the pass options; 0: stay scalar.
/// Its reductions become one `vector.reduction`, for a later distribution.
constexpr StringLiteral rowLanesAttrName = "norm.row_lanes";

/// Whether norm-vectorize-rows can vectorise `op`.
bool canVectorizeRow(linalg::LinalgOp op);

/// What changes no result of a reduction over values of `type`, an integer,
/// index or float; null where there is none. Unlike arith::getNeutralElement:
/// formats without infinities have one for a maximum, and maxnumf has.
TypedAttr getNeutralElement(vector::CombiningKind kind, Type type);

/// The one value in all lanes of a vector, a constant or what was broadcast;
/// nothing for others.
OpFoldResult getUniform(Value v);

} // namespace mlir::norm

#endif // NORM_TRANSFORMS_TRANSFORMS_H
