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

/// A reduction: its combining op, the value that it adds, and its neutral
/// element.
struct Reduction {
  Operation *combiner = nullptr;
  Value contribution;
  TypedAttr neutral;
};

/// The properties of an op before anything is built; only ops that can be
/// vectorized have a plan.
struct RowPlan {
  bool hasVectorLoop = false;        // else all its extents are one
  SmallVector<Reduction> reductions; // one per result if the loop reduces
  SmallVector<Reduction> columns;    // one per result if the loop around the
                                     // parallel innermost one reduces
};

/// Returns the plan of an op, or nullopt if other passes must lower it.
std::optional<RowPlan> planRowOf(linalg::LinalgOp op);

} // namespace mlir::norm

#endif // NORM_LIB_TRANSFORMS_ROWPLAN_H
