//===- Benchmark.cpp - timings beside a copy ------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Benchmark.h"
#include "HandWritten.h"
#include "norm/ExecutionEngine/CompiledModule.h"
#include <benchmark/benchmark.h>
#include <cmath>
#include <cstring>
#include <functional>
#include <map>
#include <random>
#include <thread>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

using namespace mlir;
using namespace mlir::norm;

namespace {
/// Keeps the best repetition of each benchmark.
class BestReporter : public benchmark::BenchmarkReporter {
public:
  bool ReportContext(const Context &) override { return true; }
  void ReportRuns(const std::vector<Run> &runs) override {
    for (const Run &run : runs) {
      if (run.run_type != Run::RT_Iteration || run.iterations == 0)
        continue;
      double seconds = run.real_accumulated_time / run.iterations;
      double &best = seconds_.try_emplace(run.run_name.function_name, INFINITY)
                         .first->second;
      best = std::min(best, seconds);
    }
  }
  double getSeconds(const std::string &name) const {
    auto it = seconds_.find(name);
    return it == seconds_.end() ? NAN : it->second;
  }

private:
  std::map<std::string, double> seconds_;
};

struct Copy {
  std::vector<char> storage;
  char *source = nullptr, *target = nullptr;
  size_t bytes = 0; // read, and as many written
};
} // namespace

static Copy makeCopy(size_t usefulBytes) {
  Copy copy;
  copy.bytes = (usefulBytes / 2 + 63) / 64 * 64;
  copy.storage.resize(2 * copy.bytes + 64, 1);
  auto address = reinterpret_cast<uintptr_t>(copy.storage.data());
  copy.source = copy.storage.data() + (64 - address % 64) % 64;
  copy.target = copy.source + copy.bytes;
  return copy;
}

/// Runs `part` on each of `threads` slices of the copy.
static void forSlices(Copy &copy, unsigned threads,
                      void (*part)(char *, const char *, size_t)) {
  size_t slice = (copy.bytes / threads + 63) / 64 * 64;
  std::vector<std::thread> others;
  for (unsigned i = 1; i < threads; ++i) {
    size_t begin = std::min(copy.bytes, i * slice);
    size_t end = std::min(copy.bytes, begin + slice);
    others.emplace_back(part, copy.target + begin, copy.source + begin,
                        end - begin);
  }
  part(copy.target, copy.source, std::min(slice, copy.bytes));
  for (std::thread &other : others)
    other.join();
}

static void copyOrdinary(char *to, const char *from, size_t bytes) {
  std::memcpy(to, from, bytes);
}

#if defined(__SSE2__)
static void copyNonTemporal(char *to, const char *from, size_t bytes) {
  for (size_t i = 0; i < bytes; i += 16)
    _mm_stream_si128(
        reinterpret_cast<__m128i *>(to + i),
        _mm_load_si128(reinterpret_cast<const __m128i *>(from + i)));
  _mm_sfence();
}
#endif

static void fillRandom(HostTensor &tensor, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> values(-2, 2);
  // A prime period keeps large tensors quick to fill and rows different.
  std::vector<double> period(65537);
  for (double &value : period)
    value = values(random);
  for (int64_t i = 0, e = tensor.getNumElements(); i < e; ++i)
    tensor.setElement(i, period[i % period.size()]);
}

static FailureOr<SmallVector<HostTensor>> makeInputs(ModuleOp module,
                                                     FunctionType type) {
  SmallVector<HostTensor> inputs;
  for (auto [i, input] : llvm::enumerate(type.getInputs())) {
    auto tensor = dyn_cast<RankedTensorType>(input);
    if (!tensor || !tensor.hasStaticShape() ||
        !HostTensor::isSupported(tensor.getElementType()))
      return module.emitError("norm-bench needs static tensors of numbers, "
                              "argument ")
             << i << " is " << input;
    inputs.emplace_back(tensor.getElementType(), tensor.getShape());
    fillRandom(inputs.back(), i);
  }
  return inputs;
}

/// The loop with intrinsics, its rows shared by `threads`.
template <typename Rows>
static void runHandWrittenRows(const Rows &all, bool stream, unsigned threads,
                               void (*run)(const Rows &, bool)) {
  int64_t slice = (all.rows + threads - 1) / threads;
  auto part = [&](int64_t begin) {
    Rows rows = all;
    rows.x += begin * all.cols;
    rows.y += begin * all.cols;
    rows.rows = std::min(slice, all.rows - begin);
    run(rows, stream);
  };
  std::vector<std::thread> others;
  for (int64_t begin = slice; begin < all.rows; begin += slice)
    others.emplace_back(part, begin);
  part(0);
  for (std::thread &other : others)
    other.join();
}

using Subjects = std::vector<std::pair<std::string, std::function<void()>>>;

template <typename Rows>
static void addLoops(Subjects &subjects, const Rows &rows, unsigned threads,
                     void (*run)(const Rows &, bool)) {
  auto add = [&](const char *name, bool stream) {
    subjects.push_back(
        {name, [=] { runHandWrittenRows(rows, stream, threads, run); }});
  };
  add("intrinsics", false);
  // Streaming stores of whole vectors need them aligned in every row.
  int64_t rowBytes = rows.cols * sizeof(*rows.y);
  if (reinterpret_cast<uintptr_t>(rows.y) % 32 == 0 && rowBytes % 32 == 0)
    add("intrinsics nt", true);
}

/// Loops with intrinsics for the program that printProgram makes.
static void addHandWritten(Subjects &subjects, ArrayRef<HostTensor *> inputs,
                           HostTensor &output, const BenchOptions &options) {
  Type type = inputs[0]->getElementType();
  int64_t count = inputs[0]->getShape()[0], cols = inputs[0]->getShape()[1];
  bool llama = options.handWritten == HandWritten::Llama;
  auto fill = [&](auto &rows, auto element) {
    using Element = decltype(element);
    rows.x = reinterpret_cast<Element *>(inputs[0]->getData());
    rows.w = reinterpret_cast<Element *>(inputs[1]->getData());
    rows.y = reinterpret_cast<Element *>(output.getData());
    rows.rows = count;
    rows.cols = cols;
  };
  if (type.isF32() && llama && hasHandWritten()) {
    HandWrittenRows rows;
    fill(rows, float());
    addLoops(subjects, rows, options.threads, runHandWritten);
  } else if (!type.isF32() && cols % 32 == 0 && hasHandWrittenNarrow()) {
    HandWrittenNarrowRows rows;
    fill(rows, uint16_t());
    rows.isBF16 = type.isBF16();
    rows.llama = llama;
    addLoops(subjects, rows, options.threads, runHandWrittenNarrow);
  }
}

FailureOr<BenchResult> norm::runBenchmark(ModuleOp module, StringRef program,
                                          const BenchOptions &options) {
  BenchResult result;
  result.program = program.str();
  using Pipeline = CompileOptions::Pipeline;
  Subjects subjects;
  std::vector<std::unique_ptr<CompiledModule>> compiled;
  SmallVector<HostTensor> inputs, outputs;
  SmallVector<HostTensor *> inputAddresses, outputAddresses;
  for (auto [name, pipeline] : {std::pair("norm-to-cpu", Pipeline::CPU),
                                std::pair("upstream", Pipeline::Upstream)}) {
    CompileOptions compile;
    compile.pipeline = pipeline;
    compile.cpu = options.cpu;
    compile.threads = pipeline == Pipeline::CPU ? options.threads : 1;
    auto unit = CompiledModule::compile(module, compile);
    if (failed(unit))
      return failure();
    FunctionType type = (*unit)->getFunctionType(options.function);
    if (!type)
      return module.emitError("no public function '")
             << options.function << "'";
    if (compiled.empty()) {
      auto made = makeInputs(module, type);
      if (failed(made))
        return failure();
      inputs = std::move(*made);
      for (HostTensor &input : inputs)
        inputAddresses.push_back(&input);
      auto madeOutputs =
          (*unit)->createOutputs(options.function, inputAddresses);
      if (!madeOutputs)
        return module.emitError(llvm::toString(madeOutputs.takeError()));
      outputs = std::move(*madeOutputs);
      for (HostTensor &output : outputs)
        outputAddresses.push_back(&output);
    }
    auto call =
        (*unit)->bind(options.function, inputAddresses, outputAddresses);
    if (!call)
      return module.emitError(llvm::toString(call.takeError()));
    auto shared =
        std::make_shared<CompiledModule::Invocation>(std::move(*call));
    subjects.push_back({name, [shared] { (*shared)(); }});
    compiled.push_back(std::move(*unit));
  }
  for (HostTensor *tensor :
       llvm::concat<HostTensor *>(inputAddresses, outputAddresses))
    result.usefulBytes += tensor->getNumBytes();

  if (options.handWritten != HandWritten::None)
    addHandWritten(subjects, inputAddresses, outputs[0], options);

  Copy copy = makeCopy(result.usefulBytes);
  subjects.insert(
      subjects.begin(),
      {"memcpy", [&] { forSlices(copy, options.threads, copyOrdinary); }});
#if defined(__SSE2__)
  subjects.insert(subjects.begin() + 1,
                  {"non-temporal copy",
                   [&] { forSlices(copy, options.threads, copyNonTemporal); }});
#endif

  for (auto &[name, run] : subjects)
    benchmark::RegisterBenchmark(name.c_str(),
                                 [&run = run](benchmark::State &state) {
                                   for (auto _ : state) {
                                     run();
                                     benchmark::ClobberMemory();
                                   }
                                 })
        ->UseRealTime()
        ->Repetitions(options.repetitions)
        ->MinTime(options.minSeconds);
  BestReporter reporter;
  benchmark::RunSpecifiedBenchmarks(&reporter);
  benchmark::ClearRegisteredBenchmarks();

  double copySeconds = reporter.getSeconds("memcpy");
  double copied = 2.0 * copy.bytes;
  for (auto &[name, run] : subjects) {
    Measurement m;
    m.name = name;
    m.seconds = reporter.getSeconds(name);
    double bytes =
        StringRef(name).contains("cpy") || StringRef(name).contains("copy")
            ? copied
            : result.usefulBytes;
    m.gigabytesPerSecond = bytes / m.seconds * 1e-9;
    m.ratioToCopy = m.gigabytesPerSecond / (copied / copySeconds * 1e-9);
    result.measurements.push_back(m);
  }
  return result;
}
