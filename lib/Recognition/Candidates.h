//===- Candidates.h - where a norm may end ------------------------*- C++
//-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder. One linear walk that finds the ops worth reading, so
// that the cost of recognition is linear in the program.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_RECOGNITION_CANDIDATES_H
#define NORM_RECOGNITION_CANDIDATES_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::norm {

/// The linalg ops at most a few ops behind a reduction, grouped by the last
/// reduction they depend on: those of the first reduction come first, and of
/// each the last op, which sees a norm with its weight.
SmallVector<linalg::LinalgOp> collectCandidates(Operation *scope);

/// Whether the body takes a square root.
bool hasRoot(linalg::LinalgOp op);

/// Ops with the reciprocal root of what no reduction in `scope` computes.
SmallVector<linalg::LinalgOp> collectRootsOfOthers(Operation *scope);

/// Values of one body that may be norms, over some of the loops of its op.
struct BodyCandidates {
  llvm::SmallBitVector loops;
  SmallVector<Value> scalars; // from the last op on
};

/// What the body of `result`'s op computes: over all loops, and where the op
/// reduces, as a matrix product that a norm was fused into, over the loops that
/// a value depends on. A broadcast is none of these: it repeats what it yields.
SmallVector<BodyCandidates> collectBodyCandidates(OpResult result);

} // namespace mlir::norm

#endif // NORM_RECOGNITION_CANDIDATES_H
