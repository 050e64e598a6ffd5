//===- RoundFloat.h - a number in another floating-point format -*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_IR_ROUNDFLOAT_H
#define NORM_IR_ROUNDFLOAT_H

#include "llvm/ADT/APFloat.h"

namespace mlir::norm {

/// Returns `value` rounded to `semantics`, to nearest even; past the largest
/// finite number to infinity, or to NaN in formats without infinities.
inline llvm::APFloat roundTo(llvm::APFloat value,
                             const llvm::fltSemantics &semantics) {
  bool losesInfo;
  value.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return value;
}

} // namespace mlir::norm

#endif // NORM_IR_ROUNDFLOAT_H
