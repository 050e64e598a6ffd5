//===- KnownExtents.h - extents that some operands have ---------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_IR_KNOWNEXTENTS_H
#define NORM_IR_KNOWNEXTENTS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"

namespace mlir::norm {

/// Returns the extent of each loop of `op` that any operand has, and
/// ShapedType::kDynamic where all leave it open. Upstream's getStaticLoopRanges
/// asks the first operand alone.
SmallVector<int64_t> getKnownExtents(linalg::LinalgOp op);

/// Returns the type of an operand, a tensor, a buffer or a scalar, with these
/// extents of loops in place of open ones.
Type getRefinedType(linalg::LinalgOp op, OpOperand &operand,
                    ArrayRef<int64_t> extents);

/// Returns the product of extents, at most 2^64 - 1, of which each that is not
/// known counts as `open`.
uint64_t multiplyExtents(ArrayRef<int64_t> extents, uint64_t open);

/// Returns true if two extents, or other indices, are known to be equal; no op
/// is created for them.
bool areKnownEqual(const ValueBoundsConstraintSet::Variable &x,
                   const ValueBoundsConstraintSet::Variable &y);

} // namespace mlir::norm

#endif // NORM_IR_KNOWNEXTENTS_H
