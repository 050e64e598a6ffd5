//===- Artifacts.h - compiled artifacts on a GPU ----------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_BENCH_ARTIFACTS_H
#define NORM_BENCH_ARTIFACTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include <string>

namespace mlir::norm {
/// Runs norm-bench-device, which is beside this program, with `arguments`.
/// Returns its exit code, or an error if it cannot run.
llvm::Expected<int> runOnDevice(const char *argv0,
                                llvm::ArrayRef<std::string> arguments);
} // namespace mlir::norm

#endif // NORM_BENCH_ARTIFACTS_H
