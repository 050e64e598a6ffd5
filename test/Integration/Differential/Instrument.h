//===- Instrument.h - the reference's program -------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TEST_INSTRUMENT_H
#define NORM_TEST_INSTRUMENT_H

#include "mlir/IR/BuiltinOps.h"
#include "norm/Recognition/Recognize.h"

namespace norm_test {

/// Makes `module` linalg.generic in the spelling that upstream's pipeline
/// takes, with upstream's checks of extents and indices at run time where
/// `verify` is set and calls of Noise.h's functions.
mlir::LogicalResult instrument(mlir::ModuleOp module, bool verify);

/// What recognition adds to the module's own ops.
struct Recognized {
  unsigned norms = 0, gradients = 0;
  bool any() const { return norms + gradients > 0; }
};
Recognized countRecognized(mlir::ModuleOp module,
                           mlir::norm::Rounding rounding);

} // namespace norm_test

#endif // NORM_TEST_INSTRUMENT_H
