//===- Options.h - the command line of norm-bench ----------------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TOOLS_NORM_BENCH_OPTIONS_H
#define NORM_TOOLS_NORM_BENCH_OPTIONS_H

#include "Benchmark.h"

namespace mlir::norm {

/// The parsed command line of norm-bench.
struct Command {
  enum class Action { Measure, Compare, Print, ListVariants, MeasureArtifacts };
  Action action;
  std::string inputFile; ///< empty: `programs` are measured
  std::vector<Program> programs;
  std::vector<unsigned> threads;
  BenchOptions options; ///< except for the threads
  bool together, asJSON;
  unsigned repetitions;
  double seconds;
  std::string outputFile;
  /// The arguments of norm-bench-device.
  std::vector<std::string> deviceArguments;
};

/// Parses a command line. Options that conflict are printed and give nullopt;
/// an unknown option ends the process.
std::optional<Command> parseCommandLine(int argc, char **argv);

/// Compiles and measures, or compares, the programs of the command, and prints
/// the results to `os` (Runner.cpp).
LogicalResult measure(const Command &command, raw_ostream &os);

} // namespace mlir::norm

#endif // NORM_TOOLS_NORM_BENCH_OPTIONS_H
