//===- SplitBody.h - ops of their own from parts of a body -------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_RECOGNITION_SPLITBODY_H
#define NORM_RECOGNITION_SPLITBODY_H

#include "Plan.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::norm {

/// Where a value of a body now stands; `map` is from the loops of its op.
struct HeldValue {
  Value tensor;
  AffineMap map;
};
using Held = llvm::MapVector<Value, HeldValue>; // by the value of the body

/// What of a body becomes an op of its own: one value of it, or all that is not
/// held, into the same inits and with the same effects.
enum class Part { Value, Rest };

/// Computes `yields` and what they use, but for what is held, into `inits`.
linalg::GenericOp createPart(RewriterBase &rewriter, linalg::LinalgOp op,
                             Part part, const Held &held, ValueRange yields,
                             ValueRange inits, ArrayRef<AffineMap> initMaps);
/// A tensor that holds a scalar of a body, in front of the body's op.
Value outline(RewriterBase &rewriter, const PlannedInput &input,
              const Held &held);
/// The result of `op` where it is what is held, else null. Effects of its body
/// become an op without results, where the inputs tell the loops.
Value getWhole(RewriterBase &rewriter, linalg::LinalgOp op, const Held &held);

} // namespace mlir::norm

#endif // NORM_RECOGNITION_SPLITBODY_H
