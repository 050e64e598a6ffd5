//===- Artifacts.cpp - compiled artifacts on a GPU ------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Artifacts.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"

using namespace mlir;

llvm::Expected<int> norm::runOnDevice(const char *argv0,
                                      llvm::ArrayRef<std::string> arguments) {
  // The address of this object finds the program on systems without /proc.
  static char anchor;
  std::string self = llvm::sys::fs::getMainExecutable(argv0, &anchor);
  llvm::SmallString<128> program(llvm::sys::path::parent_path(self));
  llvm::sys::path::append(program, "norm-bench-device");
  if (!llvm::sys::fs::can_execute(program))
    return llvm::createStringError("there is no " + program);
  llvm::SmallVector<llvm::StringRef> command{program};
  command.append(arguments.begin(), arguments.end());
  std::string message;
  int code = llvm::sys::ExecuteAndWait(program, command, std::nullopt, {}, 0, 0,
                                       &message);
  if (code < 0)
    return llvm::createStringError(program + ": " + message);
  return code;
}
