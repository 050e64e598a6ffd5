//===- SplitBody.h - ops of their own from parts of a body -------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_IR_SPLITBODY_H
#define NORM_IR_SPLITBODY_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::norm {

/// The tensor that holds a value of a body; `map` is from the loops of its op.
struct HeldValue {
  Value tensor;
  AffineMap map;
};
using Held = llvm::MapVector<Value, HeldValue>; // by the value of the body

/// Creates tensors with scalars of the body of `op`, before it. `map` is from
/// its loops to their dimensions.
ValueRange outline(RewriterBase &rewriter, linalg::LinalgOp op,
                   ValueRange scalars, AffineMap map, const Held &held);
/// Creates the results of `op` from held values, with its effects.
SmallVector<Value> createRest(RewriterBase &rewriter, linalg::LinalgOp op,
                              const Held &held);

} // namespace mlir::norm

#endif // NORM_IR_SPLITBODY_H
