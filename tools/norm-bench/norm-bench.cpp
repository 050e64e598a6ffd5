//===- norm-bench.cpp - GB/s beside a copy of the same bytes --------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Benchmark.h"
#include "mlir/Parser/Parser.h"
#include "norm/Compiler/OutputFile.h"
#include "norm/Testing/Targets.h"
#include "norm/Tools/Driver.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/WithColor.h"
#include <benchmark/benchmark.h>
#include <unistd.h>

using namespace mlir;
using namespace mlir::norm;
using llvm::cl::cat;
using llvm::cl::CommaSeparated;
using llvm::cl::desc;
using llvm::cl::init;
using llvm::cl::list;
using llvm::cl::opt;
namespace cl = llvm::cl;

//===----------------------------------------------------------------------===//
// Command line
//===----------------------------------------------------------------------===//

[[maybe_unused]] static const bool released = releaseLibraryOption("threads");

static cl::OptionCategory what("What is measured"), how("How it is measured"),
    printing("What is printed");
static opt<std::string> inputFile(cl::Positional, cat(what),
                                  desc("[IN.mlir] (default: generated)"));
static opt<std::string> function("function", cat(what), init("main"),
                                 desc("Public function"));
static list<int64_t> rows("rows", cat(what), CommaSeparated,
                          desc("Rows (default 2048)"));
static list<int64_t> cols("cols", cat(what), CommaSeparated,
                          desc("Row lengths (default 4096)"));
static list<std::string> types("type", cat(what), CommaSeparated,
                               desc("f32, f16, bf16 (default f32)"));
static list<std::string>
    variants("variant", cat(what), CommaSeparated,
             desc("What to generate (default llama); --variant=help lists "
                  "them"));
static opt<bool>
    grid("grid", cat(what),
         desc("Row lengths 64 to 262144, odd ones too, each with one row, with "
              "rows for the caches and with rows beyond them; without "
              "upstream's pipeline unless --subjects has it"));
static list<std::string>
    subjects("subjects", cat(what), CommaSeparated,
             desc("Measure only these beside the copies: norm-to-cpu, "
                  "upstream, intrinsics, intrinsics-nt, intrinsics-512, "
                  "intrinsics-512-nt"));
enum class Machine { CPU, NVVM };
static opt<Machine>
    target("target", cat(what), desc("Machine"), init(Machine::CPU),
           cl::values(clEnumValN(Machine::CPU, "cpu", "this one (default)"),
                      clEnumValN(Machine::NVVM, "nvvm",
                                 "an NVIDIA GPU, by norm-bench-device; needs "
                                 "--artifact")));
static list<std::string>
    artifacts("artifact", cat(what), CommaSeparated,
              desc("Shared objects of norm-compile --target=nvvm"));
static opt<std::string> cpu("mcpu", cat(how), init("native"), desc("CPU"));
static list<unsigned> threads("threads", cat(how), CommaSeparated,
                              desc("OpenMP threads (default 1)"));
static opt<bool> cold("cold", cat(how),
                      desc("Rotate buffers so that none is in the caches, "
                           "copies too"));
static opt<uint64_t>
    coldBytes("cold-bytes", cat(how),
              desc("Bytes to rotate through (default: four times the largest "
                   "cache reported, within 64 and 512 MiB)"));
static opt<bool> together("together", cat(how),
                          desc("Interleave the repetitions of all programs, so "
                               "that they can be compared with each other"));
static opt<unsigned> repetitions("repetitions", cat(how), init(9),
                                 desc("The best one counts"));
static opt<double> seconds("seconds", cat(how), init(0.01),
                           desc("Of one repetition, at least one call"));
static opt<bool> dynamicRows("dynamic-rows", cat(printing),
                             desc("Programs for any number of rows, to print"));
static opt<bool> printOnly("print-program", cat(printing),
                           desc("Print the programs, measure nothing"));
static opt<bool>
    compare("compare", cat(printing),
            desc("Measure nothing: run each subject once and print by how "
                 "many ulp it differs from norm-to-cpu"));
static opt<std::string> format("format", cat(printing), init("table"),
                               desc("table or json"));
static opt<std::string> outputFile("o", cat(printing), init("-"),
                                   desc("Output file"));

template <typename T>
static std::vector<T> getOr(const cl::list<T> &list, T value) {
  return list.empty() ? std::vector<T>{value}
                      : std::vector<T>(list.begin(), list.end());
}

/// Returns one row, half a megabyte and 32 MiB of f32, up to 65536 rows.
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

static std::vector<BenchProgram> getPrograms() {
  std::vector<std::pair<int64_t, int64_t>> shapes;
  if (grid)
    shapes = getGrid();
  else
    for (int64_t r : getOr<int64_t>(rows, 2048))
      for (int64_t c : getOr<int64_t>(cols, 4096))
        shapes.push_back({r, c});
  std::vector<BenchProgram> programs;
  for (const std::string &variant : getOr<std::string>(variants, "llama"))
    for (const std::string &type : getOr<std::string>(types, "f32"))
      for (auto [r, c] : shapes)
        programs.push_back(
            {variant, type, dynamicRows ? ShapedType::kDynamic : r, c});
  return programs;
}

static uint64_t getMemoryBytes() {
  return uint64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

static llvm::Error checkOptions(ArrayRef<BenchProgram> programs) {
  auto fail = [](const Twine &message) {
    return llvm::createStringError(message);
  };
  for (const std::string &type : types)
    if (!llvm::is_contained({"f32", "f16", "bf16"}, type))
      return fail("unknown --type '" + type + "'; f32, f16 or bf16");
  for (const std::string &variant : variants)
    if (!llvm::is_contained(llvm::make_first_range(getVariants()), variant))
      return fail("unknown --variant '" + variant +
                  "'; --variant=help lists them");
  for (const std::string &subject : subjects)
    if (!isSubject(subject))
      return fail("unknown --subjects '" + subject + "'; see --help");
  if (format != "table" && format != "json")
    return fail("unknown --format '" + format + "'; table or json");
  if (!(seconds > 0) || std::isinf(seconds) || repetitions < 1)
    return fail("--repetitions and --seconds must be positive numbers");
  if (llvm::any_of(threads,
                   [](unsigned n) { return n < 1 || n > kMostThreads; }))
    return fail("--threads must be from 1 to 1024");
  // Their product is a number of elements.
  auto isWrong = [](int64_t n) { return n < 1 || n > int64_t(1) << 30; };
  if (llvm::any_of(rows, isWrong) || llvm::any_of(cols, isWrong))
    return fail("--rows and --cols must be from 1 to 2^30");
  if (coldBytes.getNumOccurrences() && !cold)
    return fail("--cold-bytes needs --cold");
  if (coldBytes > getMemoryBytes())
    return fail("--cold-bytes is more than this machine's memory");
  if (grid && (!rows.empty() || !cols.empty()))
    return fail("--grid chooses --rows and --cols");
  for (const BenchProgram &program : programs) {
    // Two elements of 16 bits at least: one read, and one written.
    if (!printOnly && program.rows > 0 &&
        uint64_t(program.rows) * program.cols > getMemoryBytes() / 4)
      return fail("--rows and --cols need more than this machine's memory");
    if (program.hasHeads() && program.cols % BenchProgram::kHeadLength != 0)
      return fail("--variant=" + program.variant +
                  " needs --cols that are a multiple of " +
                  std::to_string(BenchProgram::kHeadLength));
    if (program.hasPairs() && program.cols % 2 != 0)
      return fail("--variant=" + program.variant +
                  " needs --cols that are a multiple of 2");
    if (program.needsRows() && ShapedType::isDynamic(program.rows))
      return fail("--variant=" + program.variant +
                  " does not go with --dynamic-rows");
  }
  if (compare && !subjects.empty() &&
      !llvm::is_contained(subjects, "norm-to-cpu"))
    return fail("--compare needs norm-to-cpu in --subjects");
  if (dynamicRows && !printOnly)
    return fail("--dynamic-rows is for --print-program");
  if ((target == Machine::NVVM) == artifacts.empty())
    return fail("--target=nvvm needs --artifact, and the other way round");
  if (!artifacts.empty() && !variants.empty())
    return fail("--variant is for generated programs; what lies beside an "
                "--artifact, NAME.reference, checks it");
  if (!inputFile.empty() &&
      (grid || printOnly || !rows.empty() || !cols.empty() || !types.empty()))
    return fail("--grid, --rows, --cols, --type and --print-program are for "
                "generated programs");
  SmallVector<NamedFile> read{{"the input", inputFile}};
  for (const std::string &artifact : artifacts)
    read.push_back({"--artifact", artifact});
  return checkOutputFiles(read, {{"-o", outputFile}});
}

static BenchOptions getOptions() {
  BenchOptions options;
  options.function = function;
  options.cpu = cpu;
  if (cold)
    options.coldBytes = coldBytes ? coldBytes : getColdBytes();
  options.subjects.insert(subjects.begin(), subjects.end());
  if (grid && subjects.empty())
    for (const char *name : {"norm-to-cpu", "intrinsics", "intrinsics-nt",
                             "intrinsics-512", "intrinsics-512-nt"})
      options.subjects.insert(name);
  return options;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

/// Returns the exit code of norm-bench-device, which is beside this program,
/// with the options that it has too.
static llvm::Expected<int> runOnDevice(const char *argv0) {
  // The address of this object finds the program on systems without /proc.
  static char anchor;
  std::string self = llvm::sys::fs::getMainExecutable(argv0, &anchor);
  SmallString<128> program(llvm::sys::path::parent_path(self));
  llvm::sys::path::append(program, "norm-bench-device");
  std::vector<std::string> arguments{program.str().str(),
                                     "--function=" + function};
  if (format == "json")
    arguments.push_back("--json=-");
  for (int64_t count : rows)
    arguments.push_back("--rows=" + std::to_string(count));
  if (repetitions.getNumOccurrences())
    arguments.push_back("--repetitions=" + std::to_string(repetitions));
  if (seconds.getNumOccurrences())
    arguments.push_back("--seconds=" + std::to_string(seconds));
  arguments.insert(arguments.end(), artifacts.begin(), artifacts.end());
  std::optional<StringRef> redirects[] = {std::nullopt, std::nullopt,
                                          std::nullopt};
  if (outputFile != "-")
    redirects[1] = outputFile;
  std::string message;
  int code = llvm::sys::ExecuteAndWait(
      program, SmallVector<StringRef>(arguments.begin(), arguments.end()),
      std::nullopt, redirects, 0, 0, &message);
  if (code < 0)
    return llvm::createStringError(program + ": " + message);
  return code;
}

/// Shows what is measured in the last line of a terminal on standard error,
/// and clears it in the end; shows nothing if that is a file or a pipe.
static void showProgress(const Twine &text) {
  if (llvm::errs().is_displayed())
    llvm::errs() << "\r\033[K" << text;
}

namespace {
/// Runs each measurement at once, or all of them in the end.
class Runner {
public:
  Runner(raw_ostream &os, size_t numPrograms)
      : os(os), total(numPrograms * std::max<size_t>(threads.size(), 1)) {}
  LogicalResult add(ModuleOp module, StringRef name,
                    std::optional<BenchProgram> generated);
  void finish();
  llvm::json::Array results;

private:
  raw_ostream &os;
  size_t total, done = 0;
  std::vector<std::unique_ptr<Benchmark>> pending;
};
} // namespace

LogicalResult Runner::add(ModuleOp module, StringRef name,
                          std::optional<BenchProgram> generated) {
  for (unsigned count : getOr<unsigned>(threads, 1)) {
    showProgress("[" + Twine(++done) + "/" + Twine(total) + "] " + name);
    BenchOptions options = getOptions();
    options.threads = count;
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
  measure(pending, repetitions, seconds);
  for (auto &benchmark : pending)
    if (format == "json")
      results.push_back(benchmark->toJSON());
    else
      benchmark->printTable(os, repetitions);
  pending.clear();
}

/// Compiles and measures, or compares, and prints the results.
static LogicalResult run(ArrayRef<BenchProgram> programs, raw_ostream &os) {
  MLIRContext context(createCompilerRegistry());
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  Runner runner(os, inputFile.empty() ? programs.size() : 1);
  if (!inputFile.empty()) {
    auto module = parseInputFile(inputFile, sources, context);
    if (!module || failed(runner.add(*module, inputFile, std::nullopt)))
      return failure();
  } else {
    for (const BenchProgram &program : programs) {
      auto module = parseSourceString<ModuleOp>(program.print(), &context);
      if (!module || failed(runner.add(*module, program.getName(), program)))
        return failure();
    }
  }
  runner.finish();
  showProgress("");
  if (format == "json" && !compare)
    os << llvm::formatv("{0:2}\n",
                        llvm::json::Value(std::move(runner.results)));
  return success();
}

static int fail(llvm::Error error) {
  llvm::WithColor::error() << llvm::toString(std::move(error)) << "\n";
  return 1;
}

int main(int argc, char **argv) {
  llvm::InitLLVM initialized(argc, argv);
  registerTestingTargets();
  setToolVersion();
  cl::HideUnrelatedOptions({&what, &how, &printing});
  cl::ParseCommandLineOptions(argc, argv, "Times RMSNorm beside a copy.\n");
  if (llvm::is_contained(variants, "help")) {
    for (auto [name, summary] : getVariants())
      llvm::outs() << llvm::left_justify(name, 20) << summary << "\n";
    return 0;
  }
  std::vector<BenchProgram> programs = getPrograms();
  if (auto error = checkOptions(programs))
    return fail(std::move(error));
  if (target == Machine::NVVM) {
    auto code = runOnDevice(argv[0]);
    return code ? *code : fail(code.takeError());
  }
  int count = 2;
  char interleave[] = "--benchmark_enable_random_interleaving=true";
  char *arguments[] = {argv[0], interleave, nullptr};
  benchmark::Initialize(&count, arguments);

  std::string content;
  llvm::raw_string_ostream os(content);
  if (printOnly)
    llvm::interleave(
        programs, [&](const BenchProgram &program) { os << program.print(); },
        [&] { os << "// -----\n"; });
  else if (failed(run(programs, os)))
    return 1;
  if (auto error = writeOutputFile(outputFile, content))
    return fail(std::move(error));
  return 0;
}
