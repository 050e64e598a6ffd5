//===- Runner.cpp - measures the programs of a command --------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "Report.h"
#include "mlir/Parser/Parser.h"
#include "norm/Tools/Driver.h"

using namespace mlir;
using namespace mlir::norm;

namespace {
/// Shows "[3/12] name" in the last line of a terminal on standard error and
/// clears it in the end; shows nothing if standard error is a file or a pipe.
class Progress {
public:
  explicit Progress(size_t total) : total(total) {}
  ~Progress() { clear(); }
  void next(StringRef name) {
    ++done;
    note(name);
  }
  void note(StringRef text) {
    clear();
    if (isShown)
      llvm::errs() << '[' << done << '/' << total << "] " << text;
  }
  /// Returns to the first column and clears the rest of the line.
  void clear() {
    if (isShown)
      llvm::errs() << "\r\033[K";
  }

private:
  size_t total, done = 0;
  bool isShown = llvm::errs().is_displayed();
};

/// Runs each measurement at once, or all of them in the end.
class Runner {
public:
  Runner(const Command &command, MLIRContext &context, raw_ostream &os)
      : command(command), context(context), os(os),
        progress(std::max<size_t>(1, command.programs.size()) *
                 command.threads.size()) {}
  LogicalResult runFile();
  LogicalResult run(const Program &program);
  void finish();
  std::vector<BenchResult> results;

private:
  LogicalResult add(ModuleOp module, StringRef name,
                    std::optional<Program> generated);
  const Command &command;
  MLIRContext &context;
  raw_ostream &os;
  Progress progress;
  std::vector<std::unique_ptr<Benchmark>> pending;
};
} // namespace

LogicalResult Runner::add(ModuleOp module, StringRef name,
                          std::optional<Program> generated) {
  for (unsigned count : command.threads) {
    progress.next(name);
    BenchOptions options = command.options;
    options.threads = count;
    options.generated = generated;
    auto benchmark = Benchmark::create(module, name, options);
    if (failed(benchmark))
      return failure();
    if (command.action == Command::Action::Compare) {
      (*benchmark)->compareSubjects(os);
      continue;
    }
    pending.push_back(std::move(*benchmark));
    if (!command.together)
      finish();
  }
  return success();
}

void Runner::finish() {
  if (pending.empty())
    return;
  if (command.together)
    progress.note("measuring");
  llvm::append_range(
      results, runTogether(pending, command.repetitions, command.seconds));
  pending.clear();
  progress.clear();
}

LogicalResult Runner::runFile() {
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module =
      parseInputFile(command.inputFile, sources, context);
  if (!module)
    return failure();
  return add(*module, command.inputFile, std::nullopt);
}

LogicalResult Runner::run(const Program &program) {
  auto module = parseSourceString<ModuleOp>(program.print(), &context);
  if (!module)
    return failure();
  return add(*module, program.getName(), program);
}

LogicalResult norm::measure(const Command &command, raw_ostream &os) {
  MLIRContext context(createCompilerRegistry());
  Runner runner(command, context, os);
  if (!command.inputFile.empty() && failed(runner.runFile()))
    return failure();
  for (const Program &program : command.programs)
    if (failed(runner.run(program)))
      return failure();
  runner.finish();
  if (command.action == Command::Action::Compare)
    return success();
  if (command.asJSON)
    printJSON(os, runner.results);
  else
    printTable(os, runner.results, command.repetitions);
  return success();
}
