//===- BF16.h - bf16 arithmetic in integers ---------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_TRANSFORMS_BF16_H
#define NORM_LIB_TRANSFORMS_BF16_H

#include "mlir/IR/Builders.h"
#include "norm/Transforms/Transforms.h"

namespace mlir::norm {

/// An integer of type `type`, in all lanes where that is a vector.
Value createInteger(OpBuilder &b, Location loc, Type type, int64_t value);

/// Whether rounding has to look for NaNs.
enum class NaNs {
  Kept, ///< the lower half of a NaN may carry into its upper half
  Short ///< every NaN has a clear lower half, which carries nowhere
};

/// Rounds `f32` (a scalar or a vector) to bf16, ties to even, subnormals kept.
/// Returns i32 words: the upper half is the result, the lower half is garbage.
Value roundToUpperHalf(OpBuilder &b, Location loc, Value f32, NaNs nans);

/// Computes even and odd elements of bf16 vectors apart, which needs no shuffle
/// to widen and to round them. The machine must be little-endian.
void splitBF16Pairs(Operation *root);

} // namespace mlir::norm

#endif // NORM_LIB_TRANSFORMS_BF16_H
