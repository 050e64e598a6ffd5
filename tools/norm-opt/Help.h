//===- Help.h - norm-opt --help ---------------------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_OPT_HELP_H
#define NORM_OPT_HELP_H

namespace mlir::norm {
bool asksForHelp(int argc, char **argv);

/// Prints mlir-opt's options by category, then our passes and pipelines with
/// theirs; `--help-hidden` and `--list-passes` show upstream's passes. Call it
/// after the command line was parsed, which sets the program's name and `-o`.
void printHelp();
} // namespace mlir::norm

#endif // NORM_OPT_HELP_H
