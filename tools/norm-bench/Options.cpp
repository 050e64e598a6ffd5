//===- Options.cpp - the command line of norm-bench -----------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "norm/Tools/Driver.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/WithColor.h"
#include <cmath>
#include <unistd.h>

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

template <typename T>
static std::vector<T> getOr(const cl::list<T> &list, T value) {
  return list.empty() ? std::vector<T>{value}
                      : std::vector<T>(list.begin(), list.end());
}

static bool isVariant(StringRef name) {
  return llvm::any_of(getVariants(),
                      [&](const Variant &v) { return v.name == name; });
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

static uint64_t getMemoryBytes() {
  return uint64_t(sysconf(_SC_PHYS_PAGES)) * sysconf(_SC_PAGESIZE);
}

static LogicalResult checkOptions() {
  auto fail = [](const Twine &message) {
    llvm::WithColor::error() << message << "\n";
    return failure();
  };
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
  for (const Program &program : getPrograms()) {
    // Two elements of 16 bits at least: one read, and one written.
    if (!printOnly && program.rows > 0 &&
        uint64_t(program.rows) * program.cols > getMemoryBytes() / 4)
      return fail("--rows and --cols need more than this machine's memory");
    if (program.hasHeads() && program.cols % Program::kHeadLength != 0)
      return fail("--variant=" + program.variant +
                  " needs --cols that are a multiple of " +
                  std::to_string(Program::kHeadLength));
    if (program.hasPairs() && program.cols % 2 != 0)
      return fail("--variant=" + program.variant +
                  " needs --cols that are a multiple of 2");
    if (program.variant == "channels" && ShapedType::isDynamic(program.rows))
      return fail("--variant=channels does not go with --dynamic-rows");
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
  if (!inputFile.empty() && (grid || printOnly))
    return fail("--grid and --print-program are for generated programs");
  return success();
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

/// Returns the options that norm-bench-device has too.
static std::vector<std::string> getDeviceArguments() {
  std::vector<std::string> arguments{"--function=" + function,
                                     "--format=" + format, "-o", outputFile};
  std::string counts = llvm::join(
      llvm::map_range(rows, [](int64_t n) { return std::to_string(n); }), ",");
  if (!counts.empty())
    arguments.push_back("--rows=" + counts);
  if (repetitions.getNumOccurrences())
    arguments.push_back("--repetitions=" + std::to_string(repetitions));
  if (seconds.getNumOccurrences())
    arguments.push_back("--seconds=" + std::to_string(seconds));
  arguments.insert(arguments.end(), artifacts.begin(), artifacts.end());
  return arguments;
}

static Command::Action getAction() {
  if (llvm::is_contained(variants, "help"))
    return Command::Action::ListVariants;
  if (target == Machine::NVVM)
    return Command::Action::MeasureArtifacts;
  if (printOnly)
    return Command::Action::Print;
  return compare ? Command::Action::Compare : Command::Action::Measure;
}

std::optional<Command> norm::parseCommandLine(int argc, char **argv) {
  setToolVersion();
  cl::HideUnrelatedOptions({&category, &measuring, &reporting});
  cl::ParseCommandLineOptions(argc, argv, "Times RMSNorm beside a copy.\n");
  Command::Action action = getAction();
  if (action != Command::Action::ListVariants && failed(checkOptions()))
    return std::nullopt;
  return Command{action,
                 inputFile,
                 inputFile.empty() ? getPrograms() : std::vector<Program>(),
                 getOr<unsigned>(threads, 1),
                 getOptions(),
                 together,
                 format == "json",
                 repetitions,
                 seconds,
                 outputFile,
                 getDeviceArguments()};
}
