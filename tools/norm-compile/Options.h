//===- Options.h - the command line of norm-compile --------------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_COMPILE_OPTIONS_H
#define NORM_COMPILE_OPTIONS_H

#include "norm/Compiler/Options.h"
#include "norm/Report/Report.h"

namespace mlir::norm {

struct Command {
  std::string input, output;
  bool hasOutput; ///< -o was given
  CompileOptions options;
  bool explains;
  std::string reportFile; ///< empty: none
  RoofOptions roof;
  std::string rowTarget; ///< numbers of the machine, or @file; empty: none
  bool printsRowTarget;

  bool tells() const { return explains || !reportFile.empty(); }
};

/// Parses a command line. Options that conflict are printed and give nullopt;
/// an unknown option ends the process.
std::optional<Command> parseCommandLine(int argc, char **argv);

} // namespace mlir::norm

#endif // NORM_COMPILE_OPTIONS_H
