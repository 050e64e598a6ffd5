//===- ScalarPatterns.h - arithmetic of elements ----------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_WORKAROUNDS_SCALARPATTERNS_H
#define NORM_LIB_WORKAROUNDS_SCALARPATTERNS_H

#include "mlir/IR/PatternMatch.h"

namespace mlir::norm {

/// Adds patterns that spell ops on elements, in bodies of linalg ops, by ops
/// that later passes lower as the program means them.
void populateScalarPatterns(RewritePatternSet &patterns);

} // namespace mlir::norm

#endif // NORM_LIB_WORKAROUNDS_SCALARPATTERNS_H
