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
#include <cstring>
#include <deque>

using namespace mlir;
using namespace mlir::norm;
using llvm::formatv;
namespace json = llvm::json;

/// The loops with intrinsics.
static constexpr struct {
  StringLiteral name;
  int bits;
  bool stream;
} kLoops[] = {{"intrinsics", 256, false},
              {"intrinsics nt", 256, true},
              {"intrinsics 512", 512, false},
              {"intrinsics 512 nt", 512, true}};

/// Returns the name as the command line has it.
static std::string getOptionName(StringRef subject) {
  std::string name = subject.str();
  llvm::replace(name, ' ', '-');
  return name;
}

bool norm::isSubject(StringRef name) {
  return llvm::is_contained(
             {"memcpy", "non-temporal-copy", "norm-to-cpu", "upstream"},
             name) ||
         llvm::any_of(kLoops, [&](const auto &loops) {
           return name == getOptionName(loops.name);
         });
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
    auto call = (*unit)->bind(options.function, getAddresses(set.inputs),
                              getAddresses(set.outputs));
    if (!call)
      return module.emitError(llvm::toString(call.takeError()));
    calls->push_back(std::move(*call));
  }
  subjects.push_back({name.str(), sets.front().getNumBytes(), false,
                      [calls](size_t set) { (*calls)[set](); }});
  compiled.push_back(std::move(*unit));
  return success();
}

void Benchmark::addCopies(MLIRContext *context) {
  copies = std::make_unique<CopyBuffers>(context, sets.front().getNumBytes(),
                                         sets.size());
  std::vector<Subject> added;
  for (auto [name, stream] :
       {std::pair("memcpy", false), std::pair("non-temporal copy", true)})
    added.push_back({name, 2 * copies->getBytesCopied(), true,
                     [this, stream = stream](size_t set) {
                       normLoopsCopy(
                           copies->getTarget(set), copies->getSource(set),
                           copies->getBytesCopied(), stream, options.threads);
                     }});
  subjects.insert(subjects.begin(), added.begin(), added.end());
}

void Benchmark::addLoops() {
  if (!options.generated || !options.generated->isWeightedNorm())
    return;
  const BenchProgram &program = *options.generated;
  NormLoopsRows rows = {};
  rows.rows = program.rows;
  rows.cols = program.cols;
  rows.gemma = program.variant == "gemma";
  rows.type = program.type == "f32"   ? NormLoopsF32
              : program.type == "f16" ? NormLoopsF16
                                      : NormLoopsBF16;
  for (const auto &loops : kLoops)
    if (normLoopsHave(loops.bits) && isWanted(loops.name))
      subjects.push_back({loops.name.str(), sets.front().getNumBytes(), false,
                          [this, rows, &loops](size_t set) {
                            NormLoopsRows part = rows;
                            part.x = sets[set].inputs[0].getData();
                            part.w = sets[set].inputs[1].getData();
                            part.y = sets[set].outputs[0].getData();
                            normLoopsRMSNorm(&part, loops.bits, loops.stream,
                                             options.threads);
                          }});
}

FailureOr<std::unique_ptr<Benchmark>>
Benchmark::create(ModuleOp module, StringRef name,
                  const BenchOptions &options) {
  std::unique_ptr<Benchmark> result(new Benchmark(name, options));
  // The first pipeline also determines the buffers.
  if (failed(result->addPipeline(module, "norm-to-cpu", "cpu")) ||
      (result->isWanted("upstream") &&
       failed(result->addPipeline(module, "upstream", "upstream"))))
    return failure();
  result->addCopies(module.getContext());
  result->addLoops();
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
    os << formatv("  {0,-18} {1:F2} ulp\n", subject.name, most);
  }
}

void Benchmark::printTable(raw_ostream &os, unsigned repetitions) const {
  os << name
     << formatv(", {0:F1} MB useful, {1} thread{2}",
                sets.front().getNumBytes() * 1e-6, options.threads,
                options.threads > 1 ? "s" : "");
  if (options.coldBytes > 0)
    os << ", cold (" << sets.size() << " sets of buffers)";
  os << ", best of " << repetitions << "\n";
  for (const Subject &s : subjects)
    os << formatv("  {0,-18} {1,10:F2} us {2,8:F2} GB/s {3,7:F2} of memcpy "
                  "{4,7:F2} of NT copy\n",
                  s.name, s.seconds * 1e6, s.getSpeed(),
                  s.getSpeed() / subjects[0].getSpeed(),
                  s.getSpeed() / subjects[1].getSpeed());
}

json::Value Benchmark::toJSON() const {
  json::Array measurements;
  for (const Subject &s : subjects)
    measurements.push_back(json::Object{
        {"name", s.name},
        {"seconds", s.seconds},
        {"gigabytes_per_second", s.getSpeed()},
        {"ratio_to_memcpy", s.getSpeed() / subjects[0].getSpeed()},
        {"ratio_to_nt_copy", s.getSpeed() / subjects[1].getSpeed()}});
  json::Object object{{"program", name},
                      {"useful_bytes", sets.front().getNumBytes()},
                      {"threads", options.threads},
                      {"cold", options.coldBytes > 0},
                      {"buffer_sets", sets.size()},
                      {"measurements", std::move(measurements)}};
  if (const auto &program = options.generated) {
    object["variant"] = program->variant;
    object["type"] = program->type;
    object["rows"] = program->rows;
    object["cols"] = program->cols;
  }
  return object;
}

namespace {
/// Keeps the best repetition of each subject, whose benchmark's name is its
/// number.
class BestReporter : public benchmark::BenchmarkReporter {
public:
  std::vector<Benchmark::Subject *> subjects;
  bool ReportContext(const Context &) override { return true; }
  void ReportRuns(const std::vector<Run> &runs) override {
    for (const Run &run : runs) {
      if (run.run_type != Run::RT_Iteration || run.iterations == 0)
        continue;
      double &best = subjects[std::stoul(run.run_name.function_name)]->seconds;
      best = std::min(best, run.real_accumulated_time / run.iterations);
    }
  }
};
} // namespace

void norm::measure(ArrayRef<std::unique_ptr<Benchmark>> benchmarks,
                   unsigned repetitions, double seconds) {
  BestReporter reporter;
  for (auto &one : benchmarks)
    for (Benchmark::Subject &subject : one->subjects) {
      // Each call is on the set after the last one, in the next repetition too.
      auto run = [&subject, next = size_t(0), numSets = one->getNumSets()](
                     benchmark::State &state) mutable {
        for (auto _ : state) {
          subject.run(next);
          next = next + 1 == numSets ? 0 : next + 1;
          benchmark::ClobberMemory();
        }
      };
      std::string number = std::to_string(reporter.subjects.size());
      reporter.subjects.push_back(&subject);
      benchmark::RegisterBenchmark(number.c_str(), run)
          ->UseRealTime()
          ->Repetitions(repetitions)
          ->MinTime(seconds);
    }
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::ClearRegisteredBenchmarks();
}
