//===- norm-bench-device.cpp - times artifacts on a GPU -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This program needs only a driver, no shared library of LLVM or CUDA, so that
// it travels with the output of norm-compile --target=nvvm --emit=shared.
// norm-bench calls it.
//
//===----------------------------------------------------------------------===//

#include "GPU.h"
#include "Program.h"
#include "norm/Compiler/OutputFile.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/WithColor.h"
#include <cmath>
#include <stdexcept>

using namespace norm::bench;
using llvm::formatv;
using llvm::cl::desc;
using llvm::cl::init;
using llvm::cl::opt;
namespace cl = llvm::cl;
namespace json = llvm::json;

static cl::list<std::string> files(cl::Positional, desc("LIB.so..."));
static opt<std::string> function("function", init("main"),
                                 desc("Public function"));
static opt<std::string>
    reference("reference",
              desc("The same function for the CPU, f32 as f64, to check it, "
                   "or none (default: NAME.reference beside NAME.so)"));
static opt<bool> strict("strict", desc("No terms cancel: errors count at each "
                                       "number"));
static opt<bool> onlyChecks("check", desc("Check at 67 and at more rows, and "
                                          "measure nothing"));
static cl::list<int64_t>
    rows("rows", cl::CommaSeparated,
         desc("Rows, where the artifact leaves them open"));
static opt<int64_t> bytes("bytes", init(int64_t(1) << 28),
                          desc("Else rows for so many useful bytes (2^28)"));
static opt<unsigned> repetitions("repetitions", init(30),
                                 desc("Of each measurement (30)"));
static opt<double> seconds("seconds", init(5e-4),
                           desc("Of one, at least one call (0.0005)"));
static opt<bool> warm("warm", desc("One set of buffers; else L2 is swept "
                                   "between calls"));
static opt<bool> stream("stream", desc("Calls are put on a stream, not into a "
                                       "graph, with the host's time"));
static opt<std::string>
    jsonFile("json", desc("File to add an object per result to; - is standard "
                          "output, in place of the table"));
static opt<std::string> label("label", desc("Said of each result"));

static void checkOptions() {
  if (files.empty())
    fail("no artifact was given; see --help");
  if (llvm::any_of(rows, [](int64_t n) { return n < 1; }) || bytes < 1)
    fail("--rows and --bytes must be positive");
  if (!(seconds > 0) || std::isinf(seconds) || repetitions < 1)
    fail("--repetitions and --seconds must be positive numbers");
  std::vector<mlir::norm::NamedFile> inputs{{"--reference", reference}};
  for (const std::string &file : files)
    inputs.push_back({"the artifact", file});
  if (auto error = mlir::norm::checkOutputFiles(inputs, {{"--json", jsonFile}}))
    fail(llvm::toString(std::move(error)));
}

namespace {
/// A program on a number of rows, beside copies of as many bytes.
struct Run {
  Run(GPU &gpu, Program &program, int64_t rows)
      : gpu(gpu), program(program), rows(rows) {
    for (const TensorType &type : program.types)
      usefulBytes += type.countBytes(rows);
  }
  void allocate();
  void fill();
  void check(const std::string &reference);
  void measure();
  void launch(int64_t call) {
    program.launch(sets[call % sets.size()], rows, gpu.stream);
  }

  GPU &gpu;
  Program &program;
  int64_t rows;
  size_t usefulBytes = 0; ///< every tensor once
  /// The tensors of one call, and two of half its bytes for the copies.
  std::vector<std::vector<void *>> sets;
  int64_t calls = 0;
  /// Seconds per call, in order.
  std::vector<double> times, copyTimes, kernelTimes;
  std::optional<Difference> difference; ///< from the reference, if it has one
};
} // namespace

/// Allocates at least four times the L2 cache, so that no call finds data of an
/// earlier one. There is one allocation, because thousands take long.
void Run::allocate() {
  size_t wanted = warm || onlyChecks ? 0 : 4 * gpu.l2Bytes;
  size_t count = wanted / std::max<size_t>(usefulBytes, 1) + 1;
  sets.resize(std::clamp<size_t>(count, wanted ? 2 : 1, 4096));
  std::vector<size_t> sizes;
  for (const TensorType &type : program.types)
    sizes.push_back(type.countBytes(rows));
  sizes.insert(sizes.end(), 2, usefulBytes / 2);
  size_t total = 0;
  for (size_t &size : sizes)
    // The driver aligns separate allocations so.
    total += size = llvm::alignTo(size, 512);
  char *next = gpu.allocate(sets.size() * total);
  for (std::vector<void *> &set : sets)
    for (size_t size : sizes)
      set.push_back(std::exchange(next, next + size));
}

/// Fills every set with the same values in [-2, 2). A prime number of values is
/// repeated, so that rows differ and the host is as fast as the GPU.
void Run::fill() {
  uint64_t state = 88172645463325252u;
  for (size_t i = 0; i < program.numArguments; ++i) {
    const TensorType &type = program.types[i];
    int64_t seeds = std::min<int64_t>(type.count(rows), 1048573);
    Bytes host(seeds * type.element->bytes);
    for (int64_t k = 0; k < seeds; ++k) {
      state ^= state << 13, state ^= state >> 7, state ^= state << 17;
      store(host, k, *type.element,
            static_cast<float>(static_cast<int32_t>(state >> 32)) * 0x1p-30f);
    }
    auto *first = static_cast<char *>(sets[0][i]);
    size_t size = type.countBytes(rows);
    gpu.upload(first, host.data(), host.size());
    for (size_t at = host.size(); at < size; at += host.size())
      gpu.copy(first + at, first, std::min(host.size(), size - at));
    for (const std::vector<void *> &set : llvm::drop_begin(sets))
      gpu.copy(set[i], first, size);
  }
  gpu.synchronize();
}

/// Compares whole tensors, because a result may depend on all rows.
void Run::check(const std::string &reference) {
  launch(0);
  gpu.synchronize(); // an error is of the program
  if (reference.empty())
    return;
  std::vector<Bytes> tensors;
  for (auto [type, address] : llvm::zip(program.types, sets[0])) {
    tensors.emplace_back(type.countBytes(rows));
    gpu.download(tensors.back().data(), address, tensors.back().size());
  }
  llvm::ArrayRef<Bytes> all(tensors);
  difference.emplace();
  for (auto [i, expected] : llvm::enumerate(runReference(
           reference, program, all.take_front(program.numArguments), rows))) {
    Difference one =
        compare(program, i, all[program.numArguments + i], expected, strict);
    difference->maxUlp = std::max(difference->maxUlp, one.maxUlp);
    difference->isRight &= one.isRight;
  }
}

/// Alternates program and copies, so that they see the same clocks.
void Run::measure() {
  auto launches = [&](int64_t call) { launch(call); };
  // Enough calls for `seconds`, as whole passes over the sets.
  auto warmUp = gpu.record(launches, sets.size(), /*useGraph=*/false);
  warmUp();
  double pass = std::max(warmUp(), 1e-7) * sets.size();
  calls = sets.size() * int64_t(std::max(std::ceil(seconds / pass), 1.0));

  using Copy = void (GPU::*)(void *, void *, size_t);
  auto copies = [&](Copy copy) {
    return [this, copy](int64_t call) {
      const std::vector<void *> &set = sets[call % sets.size()];
      (gpu.*copy)(set.back(), set[set.size() - 2], usefulBytes / 2);
    };
  };
  std::pair<std::vector<double> &, std::function<double()>> works[] = {
      {times, gpu.record(launches, calls, !stream)},
      {copyTimes, gpu.record(copies(&GPU::copy), calls, !stream)},
      {kernelTimes, gpu.record(copies(&GPU::copyByKernel), calls, !stream)}};
  // The first iteration warms up.
  for (unsigned i = 0; i <= repetitions; ++i)
    for (auto &[found, work] : works)
      if (double time = work(); i > 0)
        found.insert(llvm::upper_bound(found, time), time);
}

static double getMedian(const std::vector<double> &times) {
  return times[times.size() / 2];
}

static double getSpeed(const Run &run, double seconds) {
  return static_cast<double>(run.usefulBytes) / seconds * 1e-9;
}

static void printRow(llvm::raw_ostream &os, const Run &run) {
  if (!label.empty())
    os << formatv("{0,-6} ", label.getValue());
  os << formatv("{0,-28} {1,-4} {2,8}x{3,-7} {4,9:F1} MB ",
                llvm::sys::path::filename(run.program.path),
                run.program.types[0].element->name, run.rows, run.program.cols,
                static_cast<double>(run.usefulBytes) * 1e-6);
  if (!onlyChecks)
    os << formatv("{0,10:F2} us {1,10:F2} median {2,8:F1} GB/s {3,6:F3} of "
                  "copy {4,6:F3} of copy kernel  ",
                  run.times[0] * 1e6, getMedian(run.times) * 1e6,
                  getSpeed(run, run.times[0]), run.copyTimes[0] / run.times[0],
                  run.kernelTimes[0] / run.times[0]);
  if (run.difference)
    os << formatv("{0:F2} ulp{1}\n", run.difference->maxUlp,
                  run.difference->isRight ? "" : " WRONG");
  else
    os << "not checked\n";
  os.flush();
}

/// Prints one line, so that files of several runs are one.
static void printJSON(llvm::raw_ostream &os, const Run &run) {
  json::Object all{{"device", run.gpu.name},
                   {"label", label.getValue()},
                   {"artifact", run.program.path},
                   {"type", run.program.types[0].element->name},
                   {"rows", run.rows},
                   {"cols", run.program.cols},
                   {"useful_bytes", run.usefulBytes},
                   {"repetitions", repetitions.getValue()},
                   {"max_ulp", nullptr},
                   {"right", nullptr}};
  if (!onlyChecks) {
    all["buffer_sets"] = run.sets.size();
    all["calls"] = run.calls;
    all["timing"] = stream ? "stream" : "graph";
    for (auto [key, times] :
         {std::pair("norm", &run.times), std::pair("copy", &run.copyTimes),
          std::pair("copy_kernel", &run.kernelTimes)})
      all[key] =
          json::Object{{"seconds", times->front()},
                       {"median_seconds", getMedian(*times)},
                       {"gigabytes_per_second", getSpeed(run, times->front())}};
    all["ratio_to_copy"] = run.copyTimes[0] / run.times[0];
    all["ratio_to_copy_kernel"] = run.kernelTimes[0] / run.times[0];
  }
  if (run.difference) {
    // JSON has no infinity.
    all["max_ulp"] = std::min(run.difference->maxUlp, 1e30);
    all["right"] = run.difference->isRight;
  }
  os << json::Value(std::move(all)) << "\n";
  os.flush();
}

/// Returns the file that checks an artifact; empty without one.
static std::string findReference(const std::string &path) {
  if (!reference.empty())
    return reference == "none" ? "" : reference.getValue();
  llvm::SmallString<128> file(path);
  llvm::sys::path::replace_extension(file, "reference");
  return llvm::sys::fs::exists(file) ? file.str().str() : "";
}

static std::vector<int64_t> chooseRows(const Program &program) {
  if (program.rows >= 0)
    return {program.rows};
  int64_t row = 0;
  for (const TensorType &type : program.types)
    if (type.extents[0] < 0)
      row += static_cast<int64_t>(type.countBytes(1));
  auto choose = [&](int64_t wanted) {
    return std::max(wanted / std::max(row, 1l), 1l);
  };
  // An odd number leaves the last block of short rows partly empty. The host
  // needs a part of a second for 2^25 bytes, and sums of columns have more than
  // 128 parts.
  if (onlyChecks)
    return {67, choose(std::min(bytes.getValue(), 1l << 25))};
  if (rows.empty())
    return {choose(bytes)};
  return rows;
}

/// Returns true if the results of all calls are right.
static bool runArtifact(GPU &gpu, const std::string &path,
                        llvm::raw_ostream &json) {
  Program program(path, function);
  std::string checker = findReference(path);
  if (onlyChecks && checker.empty())
    fail(path + " has no .reference beside it to check it");
  bool isRight = true;
  for (int64_t count : chooseRows(program)) {
    Run run(gpu, program, count);
    run.allocate();
    run.fill();
    run.check(checker);
    if (!onlyChecks)
      run.measure();
    isRight &= !run.difference || run.difference->isRight;
    // A later one may take long or fail.
    if (jsonFile != "-")
      printRow(llvm::outs(), run);
    printJSON(json, run);
  }
  return isRight;
}

/// Prints what is thrown. Returns the exit code.
static int guard(llvm::function_ref<int()> function) {
  try {
    return function();
  } catch (const std::runtime_error &error) {
    llvm::WithColor::error() << error.what() << "\n";
    return 1;
  }
}

static int measure() {
  checkOptions();
  GPU gpu;
  std::error_code error;
  llvm::raw_fd_ostream json(jsonFile.empty() ? "/dev/null"
                                             : jsonFile.getValue(),
                            error, llvm::sys::fs::OF_Append);
  if (error)
    fail("cannot write '" + jsonFile + "'");
  if (jsonFile != "-" && label.empty())
    llvm::outs() << gpu.name << ", best of " << repetitions << "\n";
  int status = 0;
  // After one that fails the others are measured all the same.
  for (const std::string &path : files)
    status |= guard([&] { return !runArtifact(gpu, path, json); });
  return status;
}

int main(int argc, char **argv) {
  cl::HideUnrelatedOptions(cl::getGeneralCategory());
  cl::ParseCommandLineOptions(argc, argv,
                              "Times functions of norm-compile --target=nvvm "
                              "--emit=shared beside copies.\n");
  return guard(measure);
}
