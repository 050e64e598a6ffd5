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

/// The part of a body that becomes an op: one value, or everything that is not
/// held, with the same inits and effects.
enum class BodyPart { Value, Rest };

/// Creates an op that computes `yields`, from held values, into `inits`.
linalg::GenericOp createBodyPart(RewriterBase &rewriter, linalg::LinalgOp op,
                                 BodyPart part, const Held &held,
                                 ValueRange yields, ValueRange inits,
                                 ArrayRef<AffineMap> initMaps);
/// Creates a tensor with a scalar of a body, before the body's op.
Value outline(RewriterBase &rewriter, const PlannedInput &input,
              const Held &held);
/// Returns the result of `op` if it is the held value, else null. Effects of
/// the body become an op without results if the inputs determine the loops.
Value getHeldResult(RewriterBase &rewriter, linalg::LinalgOp op,
                    const Held &held);

} // namespace mlir::norm

#endif // NORM_LIB_RECOGNITION_SPLITBODY_H
