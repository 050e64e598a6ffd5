//===- Arguments.h - the command line of norm-bench-device -------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_BENCH_DEVICE_ARGUMENTS_H
#define NORM_BENCH_DEVICE_ARGUMENTS_H

#include "Benchmark.h"
#include <cstdint>
#include <string>
#include <vector>

namespace norm::bench {

struct Arguments {
  Options options;
  std::vector<std::string> files;
  std::vector<int64_t> rows;
  std::string format = "table", output = "-", json, label;
  int64_t bytes = int64_t(1) << 28;
};

/// Throws std::runtime_error on wrong arguments; --help ends the process.
Arguments parseArguments(int argc, char **argv);

} // namespace norm::bench

#endif // NORM_BENCH_DEVICE_ARGUMENTS_H
