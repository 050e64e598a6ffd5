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
#include <functional>
#include <optional>

namespace mlir::norm {

struct BenchOptions {
  std::string function = "main";
  std::string cpu = "native";
  unsigned threads = 1;
  size_t coldBytes = 0;       ///< rotate buffers through as many; 0: one set
  llvm::StringSet<> subjects; ///< names with '-' for ' '; empty: all
  std::optional<Program> generated; ///< what a module was printed from
};

/// The best of the repetitions of one subject.
struct Measurement {
  std::string name;
  double seconds = 0;
  double gigabytesPerSecond = 0; ///< useful bytes: inputs read, results written
  double ratioToCopy = 0;        ///< of memcpy moving the same bytes, same run
  std::optional<double> ratioToStream; ///< of the non-temporal copy, where any
};

struct BenchResult {
  std::string program;
  std::optional<Program> generated;
  size_t usefulBytes = 0, sets = 1;
  unsigned threads = 1;
  bool cold = false;
  std::vector<Measurement> measurements;
};

/// One program, compiled, with its buffers: memcpy, a non-temporal copy (x86),
/// norm-to-cpu, upstream's pipeline and, for generated programs that have one,
/// loops with intrinsics.
class Benchmark {
public:
  /// Diagnostics say what went wrong.
  static FailureOr<std::unique_ptr<Benchmark>>
  create(ModuleOp module, StringRef name, const BenchOptions &options);

  struct Subject {
    std::string name;
    size_t bytes; ///< moved by one call
    bool copies;  ///< and computes nothing
    std::function<void(size_t set)> run;
  };
  ArrayRef<Subject> getSubjects() const { return subjects; }
  size_t getNumSets() const { return sets.size(); }
  /// Runs every subject that computes once and prints by how many ulp its
  /// results differ from those of the first one, norm-to-cpu.
  void compareSubjects(raw_ostream &os);
  /// From the seconds of one call of each subject.
  BenchResult getResult(ArrayRef<double> seconds) const;

private:
  Benchmark(StringRef name, const BenchOptions &options)
      : name(name), options(options) {}
  bool isWanted(StringRef subject) const;
  LogicalResult addCompiled(ModuleOp module);
  LogicalResult addPipeline(ModuleOp module, StringRef name, StringRef target);
  void addCopies(MLIRContext *context);
  void addHandWritten();

  std::string name;
  BenchOptions options;
  std::vector<std::unique_ptr<CompiledModule>> compiled;
  std::vector<BufferSet> sets;
  std::unique_ptr<CopyBuffers> copies;
  std::vector<Subject> subjects;
};

/// Interleaves the repetitions of every subject of `benchmarks` at random; a
/// repetition takes `seconds` or one call.
std::vector<BenchResult>
runTogether(ArrayRef<std::unique_ptr<Benchmark>> benchmarks,
            unsigned repetitions, double seconds);

/// Whether a subject has this name, with '-' for ' '.
bool isSubject(StringRef name);

} // namespace mlir::norm

#endif // NORM_TOOLS_NORM_BENCH_BENCHMARK_H
