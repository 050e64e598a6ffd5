//===- Bandwidth.h - what this machine's memory does ------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TOOLS_NORM_COMPILE_BANDWIDTH_H
#define NORM_TOOLS_NORM_COMPILE_BANDWIDTH_H

#include <cstdint>

namespace mlir::norm {

struct CopyRate {
  double gigabytesPerSecond; ///< bytes read and written
  int64_t mebibytes;         ///< size of each buffer
};

/// Copies a buffer of 32 to 64 MiB past the caches in one thread and returns
/// the best of three rates, in about 50 ms. The rate is 0 if memory is short.
CopyRate measureCopyRate();

} // namespace mlir::norm

#endif // NORM_TOOLS_NORM_COMPILE_BANDWIDTH_H
