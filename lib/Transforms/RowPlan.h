//===- RowPlan.h - what a vectorized row needs -------------------*- C++
//-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_TRANSFORMS_ROWPLAN_H
#define NORM_LIB_TRANSFORMS_ROWPLAN_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::norm {

/// A reduction over the innermost loop: the op that combines, the value that it
/// adds, and the element that changes nothing.
struct Reduction {
  Operation *combiner = nullptr;
  Value contribution;
  TypedAttr neutral;
};

/// What is known of an op before anything is built; a plan exists only for ops
/// that can be vectorized.
struct RowPlan {
  bool hasVectorLoop = false;        // else every extent of it is one
  SmallVector<Reduction> reductions; // one a result when the loop reduces
};

/// The plan of an op, or nothing where it is left to other passes.
std::optional<RowPlan> planRowOf(linalg::LinalgOp op);

} // namespace mlir::norm

#endif // NORM_LIB_TRANSFORMS_ROWPLAN_H
