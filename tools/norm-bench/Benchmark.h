//===- Benchmark.h - timings beside a copy ----------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TOOLS_NORM_BENCH_BENCHMARK_H
#define NORM_TOOLS_NORM_BENCH_BENCHMARK_H

#include "mlir/IR/BuiltinOps.h"
#include <string>
#include <vector>

namespace mlir::norm {

/// The loops with intrinsics that compute the same function, if any.
enum class HandWritten { None, Llama, Gemma };

struct BenchOptions {
  std::string function = "main";
  std::string cpu = "native";
  unsigned threads = 1;
  unsigned repetitions = 9;
  double minSeconds = 0.05;                    // of each repetition
  HandWritten handWritten = HandWritten::None; // for printProgram's functions
};

/// The best of the repetitions of one subject.
struct Measurement {
  std::string name;
  double seconds = 0;
  double gigabytesPerSecond = 0; // useful bytes: inputs read, results written
  double ratioToCopy = 0;        // of memcpy moving the same bytes, same run
};

struct BenchResult {
  std::string program;
  size_t usefulBytes = 0;
  std::vector<Measurement> measurements;
};

/// memcpy, a non-temporal copy (x86), norm-to-cpu, upstream's pipeline and,
/// where asked for, loops with intrinsics, their repetitions interleaved at
/// random. Diagnostics say what went wrong.
FailureOr<BenchResult> runBenchmark(ModuleOp module, StringRef program,
                                    const BenchOptions &options);

/// Llama's or Gemma's RMSNorm on [rows, cols] as unfused linalg ops.
std::string printProgram(StringRef variant, StringRef type, int64_t rows,
                         int64_t cols);

} // namespace mlir::norm

#endif // NORM_TOOLS_NORM_BENCH_BENCHMARK_H
