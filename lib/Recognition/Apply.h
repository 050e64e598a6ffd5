//===- Apply.h - put norm.rmsnorm into the program ---*- C++
//-*--------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Private to this folder. A decision has been taken: nothing here can fail.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_RECOGNITION_APPLY_H
#define NORM_RECOGNITION_APPLY_H

#include "mlir/IR/PatternMatch.h"
#include "norm/Recognition/RMSNormMatch.h"

namespace mlir::norm {

/// Computes `scalar`, a value in the body of `op` or what it yields as result
/// `resultNumber`, by a norm.rmsnorm in front of `op`. `op` is erased, or
/// replaced by the linalg.generic for the rest of its body.
struct Applied {
  RMSNormOp norm;
  linalg::LinalgOp rest; // may be null
};
Applied apply(RewriterBase &rewriter, linalg::LinalgOp op,
              unsigned resultNumber, Value scalar, const ExprReader &reader,
              const RMSNormMatch &match);

/// An empty tensor of `sizes`, as `type`, which may know more of them.
Value createEmpty(RewriterBase &rewriter, Location loc,
                  ArrayRef<OpFoldResult> sizes, RankedTensorType type);

/// Gives `norm` the result inv_rms in the place of `tensors`, which hold it and
/// have other users, and returns its replacement; does nothing and returns
/// `norm` where it cannot stand before these.
RMSNormOp reuseStatistic(RewriterBase &rewriter, RMSNormOp norm,
                         ArrayRef<Value> tensors);

/// What only asks for an extent of a result of `op` asks its init.
void forwardExtents(RewriterBase &rewriter, Operation *op);

/// Erases what is dead of `worklist`, and then the producers that only it used.
void eraseDead(RewriterBase &rewriter, SmallVector<Operation *> worklist);

} // namespace mlir::norm

#endif // NORM_RECOGNITION_APPLY_H
