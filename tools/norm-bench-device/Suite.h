//===- Suite.h - all artifacts of a folder within a time --------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_BENCH_DEVICE_SUITE_H
#define NORM_BENCH_DEVICE_SUITE_H

#include "Arguments.h"

namespace norm::bench {

/// Checks all artifacts, then times them until the budget is used, and writes
/// gpu.json and gpu.md into `arguments.suite`. Returns the exit status.
int runSuite(const Arguments &arguments);

} // namespace norm::bench

#endif // NORM_BENCH_DEVICE_SUITE_H
