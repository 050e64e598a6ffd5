//===- Differential.h - random norms on every target ------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TEST_DIFFERENTIAL_H
#define NORM_TEST_DIFFERENTIAL_H

#include "mlir/IR/MLIRContext.h"
#include <string>

namespace norm_test {

struct DifferentialOptions {
  unsigned first = 1, count = 1; // seeds
  std::string json;              // a file to which one line a norm is added
  std::string wrong;             // an attribute that the reference leaves out
};

/// Compiles and runs the norms of seeds `first`, ... for each target, compares
/// with the reference, and prints a summary. Whether every one passed.
bool runDifferential(const DifferentialOptions &options,
                     mlir::MLIRContext *context);

} // namespace norm_test

#endif // NORM_TEST_DIFFERENTIAL_H
