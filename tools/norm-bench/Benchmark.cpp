//===- Benchmark.cpp - timings beside a copy ------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Benchmark.h"
#include "Loops/Loops.h"
#include "norm/Testing/Ulp.h"
#include "llvm/Support/FormatVariadic.h"
#include <benchmark/benchmark.h>
#include <cmath>
#include <cstring>
#include <deque>

using namespace mlir;
using namespace mlir::norm;

static constexpr StringLiteral kCopy = "memcpy";
static constexpr StringLiteral kStream = "non-temporal copy";

/// Returns the name as the command line has it.
static std::string getOptionName(StringRef subject) {
  std::string name = subject.str();
  llvm::replace(name, ' ', '-');
  return name;
}

bool norm::isSubject(StringRef name) {
  for (StringRef subject :
       {kCopy, kStream, StringLiteral("norm-to-cpu"), StringLiteral("upstream"),
        StringLiteral("intrinsics"), StringLiteral("intrinsics nt"),
        StringLiteral("intrinsics 512"), StringLiteral("intrinsics 512 nt")})
    if (name == getOptionName(subject))
      return true;
  return false;
}

bool Benchmark::isWanted(StringRef subject) const {
  return options.subjects.empty() ||
         options.subjects.contains(getOptionName(subject));
}

LogicalResult Benchmark::addPipeline(ModuleOp module, StringRef name,
                                     StringRef target) {
  CompileOptions compile;
  compile.target = target.str();
  compile.machine.cpu = options.cpu;
  compile.threads = target == "cpu" ? options.threads : 1;
  auto unit = CompiledModule::compile(module, compile);
  if (failed(unit))
    return failure();
  if (sets.empty()) {
    auto created =
        createBufferSets(module, **unit, options.function, options.coldBytes);
    if (failed(created))
      return failure();
    sets = std::move(*created);
  }
  if (!isWanted(name))
    return success();
  auto calls = std::make_shared<std::deque<CompiledModule::Invocation>>();
  for (BufferSet &set : sets) {
    auto call =
        (*unit)->bind(options.function, set.getInputs(), set.getOutputs());
    if (!call)
      return module.emitError(llvm::toString(call.takeError()));
    calls->push_back(std::move(*call));
  }
  subjects.push_back({name.str(), sets.front().getNumBytes(), false,
                      [calls](size_t set) { (*calls)[set](); }});
  compiled.push_back(std::move(*unit));
  return success();
}

LogicalResult Benchmark::addCompiled(ModuleOp module) {
  // The first subject also determines the buffers.
  if (failed(addPipeline(module, "norm-to-cpu", "cpu")))
    return failure();
  if (!isWanted("upstream"))
    return success();
  return addPipeline(module, "upstream", "upstream");
}

void Benchmark::addCopies(MLIRContext *context) {
  copies = std::make_unique<CopyBuffers>(context, sets.front().getNumBytes(),
                                         sets.size());
  auto add = [&](StringRef name, bool stream) {
    subjects.push_back(
        {name.str(), 2 * copies->getBytesCopied(), true,
         [this, stream](size_t set) {
           normLoopsCopy(copies->getTarget(set), copies->getSource(set),
                         copies->getBytesCopied(), stream, options.threads);
         }});
  };
  add(kCopy, false);
  if (normLoopsHaveStream())
    add(kStream, true);
}

void Benchmark::addHandWritten() {
  if (!options.generated || !options.generated->isWeightedNorm())
    return;
  NormLoopsRows rows = {};
  rows.rows = options.generated->rows;
  rows.cols = options.generated->cols;
  rows.gemma = options.generated->variant == "gemma";
  rows.type = options.generated->type == "f32"   ? NormLoopsF32
              : options.generated->type == "f16" ? NormLoopsF16
                                                 : NormLoopsBF16;
  auto add = [&](StringRef name, int bits, bool stream) {
    if (!normLoopsHave(bits) || !isWanted(name))
      return;
    subjects.push_back({name.str(), sets.front().getNumBytes(), false,
                        [this, rows, bits, stream](size_t set) {
                          NormLoopsRows part = rows;
                          part.x = sets[set].inputs[0].getData();
                          part.w = sets[set].inputs[1].getData();
                          part.y = sets[set].outputs[0].getData();
                          normLoopsRMSNorm(&part, bits, stream,
                                           options.threads);
                        }});
  };
  add("intrinsics", 256, false);
  add("intrinsics nt", 256, true);
  add("intrinsics 512", 512, false);
  add("intrinsics 512 nt", 512, true);
}

FailureOr<std::unique_ptr<Benchmark>>
Benchmark::create(ModuleOp module, StringRef name,
                  const BenchOptions &options) {
  std::unique_ptr<Benchmark> result(new Benchmark(name, options));
  if (failed(result->addCompiled(module)))
    return failure();
  std::vector<Subject> compiled = std::move(result->subjects);
  result->subjects.clear();
  result->addCopies(module.getContext());
  llvm::append_range(result->subjects, std::move(compiled));
  result->addHandWritten();
  return result;
}

void Benchmark::compareSubjects(raw_ostream &os) {
  os << name << "\n";
  SmallVector<HostTensor> expected;
  BufferSet &set = sets.front();
  for (const Subject &subject : subjects) {
    if (subject.copies)
      continue;
    for (HostTensor &output : set.outputs)
      std::memset(output.getData(), 0, output.getNumBytes());
    subject.run(0);
    if (expected.empty())
      expected = set.copy().outputs;
    double most = 0;
    for (auto [actual, wanted] : llvm::zip(set.outputs, expected))
      most = std::max(most, compareTensors(actual, wanted, 0).maxUlp);
    os << llvm::formatv("  {0,-18} {1:F2} ulp\n", subject.name, most);
  }
}

BenchResult Benchmark::getResult(ArrayRef<double> seconds) const {
  BenchResult result;
  result.program = name;
  result.generated = options.generated;
  result.usefulBytes = sets.front().getNumBytes();
  result.sets = sets.size();
  result.threads = options.threads;
  result.cold = options.coldBytes > 0;
  double copy = NAN;
  std::optional<double> stream;
  for (auto [subject, time] : llvm::zip(subjects, seconds)) {
    Measurement m;
    m.name = subject.name;
    m.seconds = time;
    m.gigabytesPerSecond = subject.bytes / time * 1e-9;
    if (m.name == kCopy)
      copy = m.gigabytesPerSecond;
    if (m.name == kStream)
      stream = m.gigabytesPerSecond;
    result.measurements.push_back(m);
  }
  for (Measurement &m : result.measurements) {
    m.ratioToCopy = m.gigabytesPerSecond / copy;
    if (stream)
      m.ratioToStream = m.gigabytesPerSecond / *stream;
  }
  return result;
}

namespace {
/// Keeps the best repetition of each benchmark, whose name is its number.
class BestReporter : public benchmark::BenchmarkReporter {
public:
  explicit BestReporter(size_t count) : seconds(count, INFINITY) {}
  bool ReportContext(const Context &) override { return true; }
  void ReportRuns(const std::vector<Run> &runs) override {
    for (const Run &run : runs) {
      if (run.run_type != Run::RT_Iteration || run.iterations == 0)
        continue;
      double &best = seconds[std::stoul(run.run_name.function_name)];
      best = std::min(best, run.real_accumulated_time / run.iterations);
    }
  }
  std::vector<double> seconds;
};
} // namespace

/// Runs the calls of one repetition, each on the set after the last one.
static void repeat(benchmark::State &state, const Benchmark::Subject &subject,
                   size_t numSets, size_t &next) {
  for (auto _ : state) {
    subject.run(next);
    next = next + 1 == numSets ? 0 : next + 1;
    benchmark::ClobberMemory();
  }
}

std::vector<BenchResult>
norm::runTogether(ArrayRef<std::unique_ptr<Benchmark>> benchmarks,
                  unsigned repetitions, double seconds) {
  size_t count = 0;
  for (auto &one : benchmarks)
    count += one->getSubjects().size();
  std::vector<size_t> next(count);
  size_t number = 0;
  for (auto &one : benchmarks)
    for (const Benchmark::Subject &subject : one->getSubjects()) {
      auto run = [&subject, &next = next[number],
                  numSets = one->getNumSets()](benchmark::State &state) {
        repeat(state, subject, numSets, next);
      };
      benchmark::RegisterBenchmark(std::to_string(number++).c_str(), run)
          ->UseRealTime()
          ->Repetitions(repetitions)
          ->MinTime(seconds);
    }
  BestReporter reporter(count);
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::ClearRegisteredBenchmarks();

  std::vector<BenchResult> results;
  ArrayRef<double> all = reporter.seconds;
  for (auto &one : benchmarks) {
    results.push_back(
        one->getResult(all.take_front(one->getSubjects().size())));
    all = all.drop_front(one->getSubjects().size());
  }
  return results;
}
