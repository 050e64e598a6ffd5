//===- norm-bench.cpp - GB/s beside a copy of the same bytes --------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Benchmark.h"
#include "mlir/Parser/Parser.h"
#include "norm/ExecutionEngine/Codegen.h"
#include "norm/ExecutionEngine/Driver.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"
#include <benchmark/benchmark.h>

using namespace mlir;
using namespace mlir::norm;
namespace cl = llvm::cl;

[[maybe_unused]] static const bool released = releaseLibraryOption("threads");

static cl::OptionCategory category("norm-bench options");
static cl::opt<std::string>
    inputFile(cl::Positional, cl::desc("[IN.mlir] (default: generated)"),
              cl::cat(category));
static cl::opt<std::string> function("function", cl::init("main"),
                                     cl::desc("Public function"),
                                     cl::cat(category));
static cl::list<int64_t> rows("rows", cl::CommaSeparated,
                              cl::desc("Rows (default 2048)"),
                              cl::cat(category));
static cl::list<int64_t> cols("cols", cl::CommaSeparated,
                              cl::desc("Row lengths (default 4096)"),
                              cl::cat(category));
static cl::opt<std::string> type("type", cl::init("f32"),
                                 cl::desc("f32, f16 or bf16"),
                                 cl::cat(category));
static cl::opt<std::string> variant("variant", cl::init("llama"),
                                    cl::desc("llama or gemma"),
                                    cl::cat(category));
static cl::opt<std::string> cpu("mcpu", cl::init("native"), cl::desc("CPU"),
                                cl::cat(category));
static cl::opt<unsigned> threads("threads", cl::init(1),
                                 cl::desc("OpenMP threads"), cl::cat(category));
static cl::opt<unsigned> repetitions("repetitions", cl::init(9),
                                     cl::desc("The best one counts"),
                                     cl::cat(category));
static cl::opt<std::string> format("format", cl::init("table"),
                                   cl::desc("table or json"),
                                   cl::cat(category));
static cl::opt<std::string>
    outputFile("o", cl::init("-"), cl::desc("Output file"), cl::cat(category));

static int fail(const Twine &message) {
  llvm::WithColor::error() << message << "\n";
  return 1;
}

static void printTable(raw_ostream &os, const BenchResult &result) {
  os << result.program
     << llvm::formatv(", {0:F1} MB useful, best of {1}\n",
                      result.usefulBytes * 1e-6, repetitions.getValue());
  for (const Measurement &m : result.measurements)
    os << llvm::formatv(
        "  {0,-18} {1,9:F1} us {2,8:F2} GB/s {3,7:F2} of memcpy\n", m.name,
        m.seconds * 1e6, m.gigabytesPerSecond, m.ratioToCopy);
}

static llvm::json::Value toJSON(const BenchResult &result) {
  llvm::json::Array measurements;
  for (const Measurement &m : result.measurements)
    measurements.push_back(
        llvm::json::Object{{"name", m.name},
                           {"seconds", m.seconds},
                           {"gigabytes_per_second", m.gigabytesPerSecond},
                           {"ratio_to_memcpy", m.ratioToCopy}});
  return llvm::json::Object{{"program", result.program},
                            {"useful_bytes", int64_t(result.usefulBytes)},
                            {"threads", int64_t(threads)},
                            {"measurements", std::move(measurements)}};
}

static int run(MLIRContext &context, std::vector<BenchResult> &results) {
  BenchOptions options{function, cpu, threads, repetitions};
  if (inputFile.empty())
    options.handWritten =
        variant == "llama" ? HandWritten::Llama : HandWritten::Gemma;
  auto add = [&](ModuleOp module, StringRef name) {
    auto result = runBenchmark(module, name, options);
    if (succeeded(result))
      results.push_back(*result);
    return failed(result);
  };
  if (!inputFile.empty()) {
    llvm::SourceMgr sources;
    SourceMgrDiagnosticHandler handler(sources, &context);
    OwningOpRef<ModuleOp> module = parseInputFile(inputFile, sources, context);
    return !module || add(*module, inputFile);
  }
  for (int64_t r : rows.empty() ? std::vector<int64_t>{2048} : rows)
    for (int64_t c : cols.empty() ? std::vector<int64_t>{4096} : cols) {
      if (r < 1 || c < 1)
        return fail("--rows and --cols must be positive");
      auto module = parseSourceString<ModuleOp>(
          printProgram(variant, type, r, c), &context);
      std::string name = llvm::formatv("{0} {1} {2}x{3}", variant.getValue(),
                                       type.getValue(), r, c);
      if (!module || add(*module, name))
        return 1;
    }
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  cl::HideUnrelatedOptions(category);
  cl::ParseCommandLineOptions(argc, argv, "Times RMSNorm beside a copy.\n");
  if (!llvm::is_contained({"f32", "f16", "bf16"}, type))
    return fail("unknown --type '" + type + "'; f32, f16 or bf16");
  if (variant != "llama" && variant != "gemma")
    return fail("unknown --variant '" + variant + "'; llama or gemma");
  if (format != "table" && format != "json")
    return fail("unknown --format '" + format + "'; table or json");
  if (threads < 1 || repetitions < 1)
    return fail("--threads and --repetitions must be positive");
  int count = 2;
  char interleave[] = "--benchmark_enable_random_interleaving=true";
  char *arguments[] = {argv[0], interleave, nullptr};
  benchmark::Initialize(&count, arguments);

  MLIRContext context(createCompilerRegistry());
  std::vector<BenchResult> results;
  if (run(context, results))
    return 1;
  std::error_code error;
  llvm::ToolOutputFile file(outputFile, error, llvm::sys::fs::OF_Text);
  if (error)
    return fail(outputFile + ": " + error.message());
  if (format == "json") {
    llvm::json::Array all;
    for (const BenchResult &result : results)
      all.push_back(toJSON(result));
    file.os() << llvm::formatv("{0:2}\n", llvm::json::Value(std::move(all)));
  } else {
    for (const BenchResult &result : results)
      printTable(file.os(), result);
  }
  file.keep();
  return 0;
}
