//===- Decomposition.h - norm.rmsnorm in StableHLO ops ----------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_CONVERSION_NORMTOCOMPOSITE_DECOMPOSITION_H
#define NORM_CONVERSION_NORMTOCOMPOSITE_DECOMPOSITION_H

#include "norm/IR/Norm.h"

namespace mlir::norm {
/// What `op` computes of `inputs`, x and the weight if it has one, as StableHLO
/// ops in generic form: y, and inv_rms where the op has it. Shapes are static.
SmallVector<Value> buildStableHLO(OpBuilder &b, RMSNormOp op,
                                  ValueRange inputs);
} // namespace mlir::norm

#endif // NORM_CONVERSION_NORMTOCOMPOSITE_DECOMPOSITION_H
