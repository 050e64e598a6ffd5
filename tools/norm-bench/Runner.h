//===- Runner.h - measures the programs of a command -------------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TOOLS_NORM_BENCH_RUNNER_H
#define NORM_TOOLS_NORM_BENCH_RUNNER_H

#include "Options.h"

namespace mlir::norm {

/// Compiles and measures, or compares, the programs of the command, and prints
/// the results to `os`.
LogicalResult measure(const Command &command, raw_ostream &os);

} // namespace mlir::norm

#endif // NORM_TOOLS_NORM_BENCH_RUNNER_H
