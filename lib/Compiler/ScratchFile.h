//===- ScratchFile.h - a file that goes with its scope ----------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_COMPILER_SCRATCHFILE_H
#define NORM_LIB_COMPILER_SCRATCHFILE_H

#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"

namespace mlir::norm {

/// Removes `path` at the end of the scope, or when a signal ends the program.
class ScratchFile {
public:
  explicit ScratchFile(llvm::StringRef path) : path(path) {
    llvm::sys::RemoveFileOnSignal(path);
  }
  ScratchFile(const ScratchFile &) = delete;
  ScratchFile &operator=(const ScratchFile &) = delete;
  ~ScratchFile() {
    if (path.empty())
      return;
    llvm::sys::fs::remove(path);
    llvm::sys::DontRemoveFileOnSignal(path);
  }

  /// Keeps the file, which has been renamed to its final name.
  void release() {
    llvm::sys::DontRemoveFileOnSignal(path);
    path.clear();
  }

private:
  llvm::SmallString<128> path;
};

} // namespace mlir::norm

#endif // NORM_LIB_COMPILER_SCRATCHFILE_H
