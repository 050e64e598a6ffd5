//===- Decompose.h - ops as linalg, also on a part of their data -*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_IR_DECOMPOSE_H
#define NORM_LIB_IR_DECOMPOSE_H

#include "norm/IR/Norm.h"
#include <functional>

namespace mlir::norm {

/// How the sums of an op that has a part of the data become those of all ranks.
/// By default there is one rank.
struct RankSums {
  /// Adds a value over ranks, in the type in which it is accumulated.
  using Sum = std::function<Value(Value)>;
  Sum overRow;  ///< sums over the normalized dims; null: whole
  Sum overRows; ///< the sum that is dw; null: all rows are here
  std::optional<uint64_t> count; ///< n of all ranks (S1)
};

/// Builds linalg ops before `op` and returns its results on tensors.
SmallVector<Value> decompose(OpBuilder &b, RMSNormOpInterface op,
                             const RankSums &ranks);

} // namespace mlir::norm

#endif // NORM_LIB_IR_DECOMPOSE_H
