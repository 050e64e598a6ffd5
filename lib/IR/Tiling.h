//===- Tiling.h - the tiling of the ops --------------------------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_IR_TILING_H
#define NORM_IR_TILING_H

namespace mlir {
class MLIRContext;
namespace norm {
/// Attaches TilingInterface to the dialect's ops, which share one model of it.
void attachTiling(MLIRContext &context);
} // namespace norm
} // namespace mlir

#endif // NORM_IR_TILING_H
