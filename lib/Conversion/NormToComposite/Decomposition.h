//===- Decomposition.h - norm.rmsnorm in StableHLO ops ----------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This header is private to this folder.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_CONVERSION_NORMTOCOMPOSITE_DECOMPOSITION_H
#define NORM_LIB_CONVERSION_NORMTOCOMPOSITE_DECOMPOSITION_H

#include "norm/IR/Norm.h"

namespace mlir::norm {
/// Builds `op` on `inputs`, which are x and any weight, as StableHLO ops in
/// generic form. Returns y and, if any, inv_rms. Shapes are static.
SmallVector<Value> buildStableHLO(OpBuilder &b, RMSNormOp op,
                                  ValueRange inputs);
} // namespace mlir::norm

#endif // NORM_LIB_CONVERSION_NORMTOCOMPOSITE_DECOMPOSITION_H
