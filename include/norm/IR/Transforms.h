//===- Transforms.h - rewrites of norm ops ----------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_IR_TRANSFORMS_H
#define NORM_IR_TRANSFORMS_H

namespace mlir {
class RewritePatternSet;
namespace norm {
/// Adds patterns that drop extents of 1 from norm ops on tensors. They are not
/// canonicalizations, because the reshapes around the op can hide its producers
/// and consumers from fusion.
void populateFoldUnitDimsPatterns(RewritePatternSet &patterns);
} // namespace norm
} // namespace mlir

#endif // NORM_IR_TRANSFORMS_H
