//===- Options.h - the command line of norm-run ------------------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_RUN_OPTIONS_H
#define NORM_RUN_OPTIONS_H

#include "norm/Compiler/Options.h"
#include "llvm/Support/Error.h"
#include <vector>

namespace mlir::norm {

struct Command {
  std::string inputFile, functionName;
  /// The form is "@file.npy" or "SHAPExTYPE=VALUES".
  std::vector<std::string> inputs, expectedOutputs, outputFiles;
  double maxUlp;
  int digits; ///< printed digits
  /// Where a process that mpiexec started finds its inputs; empty: not one.
  std::string rankDirectory;
  CompileOptions options;
};

/// Parses a command line; an unknown option ends the process.
Command parseCommandLine(int argc, char **argv);

/// Checks numbers, and that no output is another file that is named.
llvm::Error checkCommand(const Command &command);

} // namespace mlir::norm

#endif // NORM_RUN_OPTIONS_H
