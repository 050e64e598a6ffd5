//===- SplitBody.h - ops of their own from parts of a body -------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_RECOGNITION_SPLITBODY_H
#define NORM_LIB_RECOGNITION_SPLITBODY_H

#include "Plan.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::norm {

/// The tensor that holds a value of a body; `map` is from the loops of its op.
struct HeldValue {
  Value tensor;
  AffineMap map;
};
using Held = llvm::MapVector<Value, HeldValue>; // by the value of the body

/// Creates a tensor with a scalar of a body, before the body's op.
Value outline(RewriterBase &rewriter, const PlannedInput &input,
              const Held &held);
/// Creates the results of `op` from held values, with its effects.
SmallVector<Value> createRest(RewriterBase &rewriter, linalg::LinalgOp op,
                              const Held &held);

} // namespace mlir::norm

#endif // NORM_LIB_RECOGNITION_SPLITBODY_H
