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

namespace mlir::norm {

/// The linalg ops at most a few ops behind a reduction, grouped by the last
/// reduction they depend on: those of the first reduction come first, and of
/// each the last op, which sees a norm with its weight.
SmallVector<linalg::LinalgOp> collectCandidates(Operation *scope);

} // namespace mlir::norm

#endif // NORM_RECOGNITION_CANDIDATES_H
