//===- Progress.h - a line for a person who waits -------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TOOLS_NORM_BENCH_PROGRESS_H
#define NORM_TOOLS_NORM_BENCH_PROGRESS_H

#include "llvm/ADT/StringRef.h"
#include <cstddef>

namespace mlir::norm {

/// Shows "[3/12] name" in the last line of a terminal on standard error and
/// clears it in the end; shows nothing if standard error is a file or a pipe.
class Progress {
public:
  explicit Progress(size_t total);
  ~Progress() { clear(); }
  void next(llvm::StringRef name);
  void note(llvm::StringRef text);
  void clear();

private:
  size_t total, done = 0;
  bool isShown;
};

} // namespace mlir::norm

#endif // NORM_TOOLS_NORM_BENCH_PROGRESS_H
