//===- Rewrite.h - carry out a plan ------------------------------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_RECOGNITION_REWRITE_H
#define NORM_RECOGNITION_REWRITE_H

#include "Plan.h"
#include "mlir/IR/PatternMatch.h"

namespace mlir::norm {

/// Puts every norm of `plan`, which is in program order, into the program, and
/// returns them in this order; null: only dead ops used it, and it is erased
/// with them. Nothing is erased before all of them stand.
SmallVector<RMSNormOp> rewrite(RewriterBase &rewriter,
                               ArrayRef<PlannedNorm> plan);

/// An empty tensor of `sizes`, as `type`, which may know more of them.
Value createEmpty(RewriterBase &rewriter, Location loc,
                  ArrayRef<OpFoldResult> sizes, RankedTensorType type);

/// Computes `weight` over `sizes` as one linalg.generic.
Value materialize(OpBuilder &b, Location loc, const PlannedWeight &weight,
                  ArrayRef<OpFoldResult> sizes);

/// Gives `norm` the result inv_rms in the place of `tensors`, which hold it and
/// have other users, and returns its replacement; does nothing and returns
/// `norm` where it cannot stand before these. Appends what died to `dead`.
RMSNormOp reuseStatistic(RewriterBase &rewriter, RMSNormOp norm,
                         ArrayRef<Value> tensors,
                         SmallVectorImpl<Operation *> &dead);

} // namespace mlir::norm

#endif // NORM_RECOGNITION_REWRITE_H
