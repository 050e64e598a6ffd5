//===- norm-compile.cpp - compile a module to any stage -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bandwidth.h"
#include "Options.h"
#include "norm/Compiler/Compile.h"
#include "norm/Compiler/OutputFile.h"
#include "norm/Tools/Driver.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/WithColor.h"

using namespace mlir;
using namespace mlir::norm;

static LogicalResult fail(llvm::Error error) {
  if (!error)
    return success();
  llvm::WithColor::error() << llvm::toString(std::move(error)) << "\n";
  return failure();
}

static LogicalResult writePage(const Report &report, StringRef output) {
  std::string page;
  llvm::raw_string_ostream os(page);
  printReportPage(report, os);
  return fail(writeOutputFile(output, page));
}

/// Measures this machine's memory where nobody gave a bandwidth.
static void completeRoof(Report &report) {
  Roof &roof = report.roof;
  if (roof.gigabytesPerSecond > 0 || !report.isForThisMachine)
    return;
  CopyRate rate = measureCopyRate();
  roof.gigabytesPerSecond = rate.gigabytesPerSecond;
  if (rate.gigabytesPerSecond > 0)
    roof.bandwidthSource = llvm::formatv(
        "measured here by a copy of {0} MiB in one thread", rate.mebibytes);
}

/// Runs --explain and --report.
static LogicalResult tell(ModuleOp module, const llvm::SourceMgr &sources,
                          const Command &command) {
  const llvm::MemoryBuffer *source =
      sources.getMemoryBuffer(sources.getMainFileID());
  auto report =
      analyzeModule(module, source->getBuffer(), source->getBufferIdentifier(),
                    command.options, command.roof);
  if (failed(report))
    return failure();
  completeRoof(*report);
  if (!command.reportFile.empty() &&
      failed(writePage(*report, command.reportFile)))
    return failure();
  if (command.explains)
    printReport(*report, llvm::outs());
  return success();
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  std::optional<Command> command = parseCommandLine(argc, argv);
  if (!command)
    return 1;
  if (failed(fail(
          checkOutputFiles({{"the input", command->input}},
                           {{"-o", command->hasOutput ? command->output : ""},
                            {"--report", command->reportFile}}))))
    return 1;
  MLIRContext context(createCompilerRegistry());
  llvm::SourceMgr sources;
  SourceMgrDiagnosticHandler handler(sources, &context);
  OwningOpRef<ModuleOp> module =
      parseInputFile(command->input, sources, context);
  if (!module)
    return 1;
  if (command->tells() && failed(tell(*module, sources, *command)))
    return 1;
  if (command->tells() && !command->hasOutput)
    return 0;
  return failed(emitFile(*module, command->options, command->output));
}
