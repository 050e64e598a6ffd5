//===- Benchmark.h - one artifact beside copies -----------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_BENCH_DEVICE_BENCHMARK_H
#define NORM_BENCH_DEVICE_BENCHMARK_H

#include "GPU.h"
#include "Program.h"

namespace norm::bench {

struct Options {
  std::string function = "main";
  std::string reference; ///< a library for the CPU, to check results; or empty
  bool strict = false;   ///< no terms cancel
  int repetitions = 30;
  double seconds = 5e-4; ///< per repetition, at least one call
  bool warm = false;     ///< one set of buffers, so that L2 may hold it
  bool useGraph = true;
  bool measures = true; ///< else results are only checked
};

/// Times in seconds per call.
struct Times {
  double least = 0, median = 0;
};

struct Outcome {
  int64_t rows = 0;
  size_t usefulBytes = 0; ///< every tensor once
  int64_t sets = 0, calls = 0;
  Times program, copy, copyKernel;
  bool isChecked = false, isRight = true;
  double maxUlp = 0;
};

/// Returns the number of rows that have `bytes` useful bytes.
int64_t chooseRows(const Program &program, int64_t bytes);

/// Times `program` on `rows` rows, alternating with copies of as many bytes.
Outcome run(GPU &gpu, Program &program, int64_t rows, const Options &options);

} // namespace norm::bench

#endif // NORM_BENCH_DEVICE_BENCHMARK_H
