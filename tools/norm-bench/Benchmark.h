//===- Benchmark.h - timings beside a copy ----------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TOOLS_NORM_BENCH_BENCHMARK_H
#define NORM_TOOLS_NORM_BENCH_BENCHMARK_H

#include "Buffers.h"
#include "Program.h"
#include "norm/ExecutionEngine/CompiledModule.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/JSON.h"
#include <cmath>
#include <functional>
#include <optional>

namespace mlir::norm {

struct BenchOptions {
  std::string function, cpu;
  unsigned threads = 1;
  size_t coldBytes = 0;       ///< rotate buffers of so many bytes; 0: one set
  llvm::StringSet<> subjects; ///< names with '-' for ' '; empty: all
  std::optional<BenchProgram> generated; ///< the source of a printed module
};

/// One compiled program with its buffers. Its subjects are memcpy, a
/// non-temporal copy, norm-to-cpu, upstream's pipeline and, for some generated
/// programs, loops with intrinsics.
class Benchmark {
public:
  /// Creates a benchmark. Errors are diagnostics.
  static FailureOr<std::unique_ptr<Benchmark>>
  create(ModuleOp module, StringRef name, const BenchOptions &options);

  struct Subject {
    std::string name;
    size_t bytes; ///< moved per call
    bool copies;  ///< it computes nothing
    std::function<void(size_t set)> run;
    double seconds = INFINITY; ///< of a call in the best repetition

    double getSpeed() const { return bytes / seconds * 1e-9; }
  };
  std::vector<Subject> subjects; ///< the copies first
  size_t getNumSets() const { return sets.size(); }
  /// Runs every subject that computes once and prints by how many ulp its
  /// results differ from those of the first one, norm-to-cpu.
  void compareSubjects(raw_ostream &os);
  void printTable(raw_ostream &os, unsigned repetitions) const;
  llvm::json::Value toJSON() const;

private:
  Benchmark(StringRef name, const BenchOptions &options)
      : name(name), options(options) {}
  bool isWanted(StringRef subject) const;
  LogicalResult addPipeline(ModuleOp module, StringRef name, StringRef target);
  void addCopies(MLIRContext *context);
  void addLoops();

  std::string name;
  BenchOptions options;
  std::vector<std::unique_ptr<CompiledModule>> compiled;
  std::vector<BufferSet> sets;
  std::unique_ptr<CopyBuffers> copies;
};

/// Runs the repetitions of all subjects of `benchmarks` in random order; a
/// repetition takes `seconds` or one call.
void measure(ArrayRef<std::unique_ptr<Benchmark>> benchmarks,
             unsigned repetitions, double seconds);

/// Returns true if a subject has this name, with '-' for ' '.
bool isSubject(StringRef name);

} // namespace mlir::norm

#endif // NORM_TOOLS_NORM_BENCH_BENCHMARK_H
