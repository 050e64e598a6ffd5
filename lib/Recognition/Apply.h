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
/// replaced by the linalg.generic for the rest of its body, which is returned.
linalg::LinalgOp apply(RewriterBase &rewriter, linalg::LinalgOp op,
                       unsigned resultNumber, Value scalar,
                       const ExprReader &reader, const RMSNormMatch &match);

} // namespace mlir::norm

#endif // NORM_RECOGNITION_APPLY_H
