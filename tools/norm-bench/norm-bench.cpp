//===- norm-bench.cpp - GB/s beside a copy of the same bytes --------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Artifacts.h"
#include "Progress.h"
#include "Report.h"
#include "mlir/Parser/Parser.h"
#include "norm/Compiler/Codegen.h"
#include "norm/Testing/Targets.h"
#include "norm/Tools/Driver.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/ToolOutputFile.h"
#include "llvm/Support/WithColor.h"
#include <benchmark/benchmark.h>

using namespace mlir;
using namespace mlir::norm;
namespace cl = llvm::cl;

[[maybe_unused]] static const bool released = releaseLibraryOption("threads");

static cl::OptionCategory category("What is measured");
static cl::OptionCategory measuring("How it is measured");
static cl::OptionCategory reporting("What is printed");
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
static cl::list<std::string> types("type", cl::CommaSeparated,
                                   cl::desc("f32, f16, bf16 (default f32)"),
                                   cl::cat(category));
static cl::list<std::string>
    variants("variant", cl::CommaSeparated,
             cl::desc("What to generate (default llama); "
                      "--variant=help lists them"),
             cl::cat(category));
static cl::opt<bool>
    grid("grid",
         cl::desc("Row lengths 64 to 262144, odd ones too, each with one row, "
                  "with rows for the caches and with rows beyond them; without "
                  "upstream's pipeline unless --subjects has it"),
         cl::cat(category));
static cl::opt<std::string> cpu("mcpu", cl::init("native"), cl::desc("CPU"),
                                cl::cat(measuring));
static cl::list<unsigned> threads("threads", cl::CommaSeparated,
                                  cl::desc("OpenMP threads (default 1)"),
                                  cl::cat(measuring));
static cl::list<std::string>
    subjects("subjects", cl::CommaSeparated,
             cl::desc("Measure only these beside the copies: norm-to-cpu, "
                      "upstream, intrinsics, intrinsics-nt, intrinsics-512, "
                      "intrinsics-512-nt"),
             cl::cat(category));
static cl::opt<bool>
    cold("cold",
         cl::desc("Rotate buffers so that none is in the caches, copies too"),
         cl::cat(measuring));
static cl::opt<uint64_t>
    coldBytes("cold-bytes",
              cl::desc("Bytes to rotate through (default: four times the "
                       "largest cache reported, within 64 and 512 MiB)"),
              cl::cat(measuring));
static cl::opt<bool>
    together("together",
             cl::desc("Interleave the repetitions of all programs, so that "
                      "they can be compared with each other"),
             cl::cat(measuring));
static cl::opt<bool>
    dynamicRows("dynamic-rows",
                cl::desc("Programs for any number of rows, to print"),
                cl::cat(reporting));
enum class Machine { CPU, NVVM };
static cl::opt<Machine>
    target("target", cl::desc("Machine"), cl::init(Machine::CPU),
           cl::values(clEnumValN(Machine::CPU, "cpu", "this one (default)"),
                      clEnumValN(Machine::NVVM, "nvvm",
                                 "an NVIDIA GPU, by norm-bench-device; needs "
                                 "--artifact")),
           cl::cat(category));
static cl::list<std::string>
    artifacts("artifact", cl::CommaSeparated,
              cl::desc("Shared objects of norm-compile --target=nvvm"),
              cl::cat(category));
static cl::opt<bool> printOnly("print-program",
                               cl::desc("Print the programs, measure nothing"),
                               cl::cat(reporting));
static cl::opt<bool>
    compare("compare",
            cl::desc("Measure nothing: run each subject once and print by how "
                     "many ulp it differs from norm-to-cpu"),
            cl::cat(reporting));
static cl::opt<unsigned> repetitions("repetitions", cl::init(9),
                                     cl::desc("The best one counts"),
                                     cl::cat(measuring));
static cl::opt<double> seconds("seconds", cl::init(0.01),
                               cl::desc("Of one repetition, at least one call"),
                               cl::cat(measuring));
static cl::opt<std::string> format("format", cl::init("table"),
                                   cl::desc("table or json"),
                                   cl::cat(reporting));
static cl::opt<std::string>
    outputFile("o", cl::init("-"), cl::desc("Output file"), cl::cat(reporting));

static int fail(const Twine &message) {
  llvm::WithColor::error() << message << "\n";
  return 1;
}

template <typename T>
static std::vector<T> getOr(const cl::list<T> &list, T value) {
  return list.empty() ? std::vector<T>{value}
                      : std::vector<T>(list.begin(), list.end());
}

static bool isVariant(StringRef name) {
  return llvm::any_of(getVariants(),
                      [&](const Variant &v) { return v.name == name; });
}

static int checkOptions() {
  for (const std::string &type : types)
    if (!llvm::is_contained({"f32", "f16", "bf16"}, type))
      return fail("unknown --type '" + type + "'; f32, f16 or bf16");
  for (const std::string &variant : variants)
    if (!isVariant(variant))
      return fail("unknown --variant '" + variant +
                  "'; --variant=help lists them");
  for (const std::string &subject : subjects)
    if (!isSubject(subject))
      return fail("unknown --subjects '" + subject + "'; see --help");
  if (format != "table" && format != "json")
    return fail("unknown --format '" + format + "'; table or json");
  if (llvm::is_contained(threads, 0u) || repetitions < 1 || seconds <= 0)
    return fail("--threads, --repetitions and --seconds must be positive");
  auto isBelowOne = [](int64_t extent) { return extent < 1; };
  if (llvm::any_of(rows, isBelowOne) || llvm::any_of(cols, isBelowOne))
    return fail("--rows and --cols must be positive");
  if (grid && (!rows.empty() || !cols.empty()))
    return fail("--grid chooses --rows and --cols");
  if (compare && !subjects.empty() &&
      !llvm::is_contained(subjects, "norm-to-cpu"))
    return fail("--compare needs norm-to-cpu in --subjects");
  if (dynamicRows && !printOnly)
    return fail("--dynamic-rows is for --print-program");
  if ((target == Machine::NVVM) == artifacts.empty())
    return fail("--target=nvvm needs --artifact, and the other way round");
  if (!inputFile.empty() && (grid || printOnly))
    return fail("--grid and --print-program are for generated programs");
  return 0;
}

/// One row, half a megabyte and 32 MiB of f32, at most 65536 rows.
static std::vector<std::pair<int64_t, int64_t>> getGrid() {
  std::vector<std::pair<int64_t, int64_t>> shapes;
  for (int64_t n : {64, 111, 128, 256, 1024, 1152, 4095, 4096, 4097, 5000, 8192,
                    65536, 262144}) {
    SetVector<int64_t> counts;
    counts.insert(1);
    counts.insert(std::max<int64_t>(1, (1 << 17) / n));
    counts.insert(std::min<int64_t>(65536, (1 << 23) / n));
    for (int64_t count : counts)
      shapes.push_back({count, n});
  }
  return shapes;
}

static std::vector<Program> getPrograms() {
  std::vector<std::pair<int64_t, int64_t>> shapes;
  if (grid)
    shapes = getGrid();
  else
    for (int64_t r : getOr<int64_t>(rows, 2048))
      for (int64_t c : getOr<int64_t>(cols, 4096))
        shapes.push_back({r, c});
  std::vector<Program> programs;
  for (const std::string &variant : getOr<std::string>(variants, "llama"))
    for (const std::string &type : getOr<std::string>(types, "f32"))
      for (auto [r, c] : shapes)
        programs.push_back(
            {variant, type, dynamicRows ? ShapedType::kDynamic : r, c});
  return programs;
}

static BenchOptions getOptions(unsigned threads) {
  BenchOptions options;
  options.function = function;
  options.cpu = cpu;
  options.threads = threads;
  if (cold)
    options.coldBytes = coldBytes ? coldBytes : getColdBytes();
  options.subjects.insert(subjects.begin(), subjects.end());
  if (grid && subjects.empty())
    for (const char *name : {"norm-to-cpu", "intrinsics", "intrinsics-nt",
                             "intrinsics-512", "intrinsics-512-nt"})
      options.subjects.insert(name);
  return options;
}

namespace {
/// Measures as it goes, or everything in the end.
class Runner {
public:
  Runner(MLIRContext &context, raw_ostream &os, size_t total)
      : context(context), os(os), progress(total) {}
  LogicalResult runFile();
  LogicalResult run(const Program &program);
  void finish();
  std::vector<BenchResult> results;

private:
  LogicalResult add(ModuleOp module, StringRef name,
                    std::optional<Program> generated);
  MLIRContext &context;
  raw_ostream &os;
  Progress progress;
  std::vector<std::unique_ptr<Benchmark>> pending;
};
} // namespace

LogicalResult Runner::add(ModuleOp module, StringRef name,
                          std::optional<Program> generated) {
  for (unsigned count : getOr<unsigned>(threads, 1)) {
    progress.next(name);
    BenchOptions options = getOptions(count);
    options.generated = generated;
    auto benchmark = Benchmark::create(module, name, options);
    if (failed(benchmark))
      return failure();
    if (compare) {
      (*benchmark)->compareSubjects(os);
      continue;
    }
    pending.push_back(std::move(*benchmark));
    if (!together)
      finish();
  }
  return success();
}

void Runner::finish() {
  if (pending.empty())
    return;
  if (together)
    progress.note("measuring");
  llvm::append_range(results, runTogether(pending, repetitions, seconds));
  pending.clear();
  progress.clear();
}

LogicalResult Runner::runFile() {
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module = parseInputFile(inputFile, sources, context);
  if (!module)
    return failure();
  return add(*module, inputFile, std::nullopt);
}

LogicalResult Runner::run(const Program &program) {
  auto module = parseSourceString<ModuleOp>(program.print(), &context);
  if (!module)
    return failure();
  return add(*module, program.getName(), program);
}

static LogicalResult measure(raw_ostream &os) {
  MLIRContext context(createCompilerRegistry());
  std::vector<Program> programs;
  if (inputFile.empty())
    programs = getPrograms();
  size_t counts = getOr<unsigned>(threads, 1).size();
  Runner runner(context, os, std::max<size_t>(1, programs.size()) * counts);
  if (!inputFile.empty()) {
    if (failed(runner.runFile()))
      return failure();
  } else {
    for (const Program &program : programs)
      if (failed(runner.run(program)))
        return failure();
  }
  runner.finish();
  if (compare)
    return success();
  if (format == "json")
    printJSON(os, runner.results);
  else
    printTable(os, runner.results, repetitions);
  return success();
}

static void printPrograms(raw_ostream &os) {
  llvm::interleave(
      getPrograms(), [&](const Program &program) { os << program.print(); },
      [&] { os << "// -----\n"; });
}

static int printVariants() {
  for (const Variant &variant : getVariants())
    llvm::outs() << llvm::left_justify(variant.name, 12) << variant.summary
                 << "\n";
  return 0;
}

/// The options that norm-bench-device has too.
static int measureArtifacts(const char *argv0) {
  std::vector<std::string> arguments{
      "--function=" + function, "--format=" + format, "-o", outputFile,
      "--variant=" + getOr<std::string>(variants, "llama").front()};
  std::string counts = llvm::join(
      llvm::map_range(rows, [](int64_t n) { return std::to_string(n); }), ",");
  if (!counts.empty())
    arguments.push_back("--rows=" + counts);
  if (repetitions.getNumOccurrences())
    arguments.push_back("--repetitions=" + std::to_string(repetitions));
  if (seconds.getNumOccurrences())
    arguments.push_back("--seconds=" + std::to_string(seconds));
  arguments.insert(arguments.end(), artifacts.begin(), artifacts.end());
  auto code = runOnDevice(argv0, arguments);
  return code ? *code : fail(llvm::toString(code.takeError()));
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  setToolVersion();
  registerTestingTargets();
  cl::HideUnrelatedOptions({&category, &measuring, &reporting});
  cl::ParseCommandLineOptions(argc, argv, "Times RMSNorm beside a copy.\n");
  if (llvm::is_contained(variants, "help"))
    return printVariants();
  if (int code = checkOptions())
    return code;
  if (target == Machine::NVVM)
    return measureArtifacts(argv[0]);
  int count = 2;
  char interleave[] = "--benchmark_enable_random_interleaving=true";
  char *arguments[] = {argv[0], interleave, nullptr};
  benchmark::Initialize(&count, arguments);

  std::error_code error;
  llvm::ToolOutputFile file(outputFile, error, llvm::sys::fs::OF_Text);
  if (error)
    return fail(outputFile + ": " + error.message());
  if (printOnly)
    printPrograms(file.os());
  else if (failed(measure(file.os())))
    return 1;
  file.keep();
  return 0;
}
