//===- norm-compile.cpp - compile a module to any stage -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Bandwidth.h"
#include "Options.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/BuiltinOps.h"
#include "norm/Compiler/Compile.h"
#include "norm/Compiler/OutputFile.h"
#include "norm/Compiler/Target.h"
#include "norm/IR/RowTarget.h"
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

static LogicalResult
writeReport(const Report &report,
            function_ref<void(const Report &, raw_ostream &)> print,
            StringRef output) {
  std::string text;
  llvm::raw_string_ostream os(text);
  print(report, os);
  return fail(writeOutputFile(output, text));
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
      failed(writeReport(*report, printReportPage, command.reportFile)))
    return failure();
  return success(!command.explains ||
                 succeeded(writeReport(*report, printReport, "-")));
}

/// Returns the text of --row-target, which a file may have.
static llvm::Expected<std::string> readRowTarget(StringRef given) {
  if (!given.consume_front("@"))
    return given.str();
  auto file = llvm::MemoryBuffer::getFile(given, /*IsText=*/true);
  if (!file)
    return llvm::createFileError(given, file.getError());
  return (*file)->getBuffer().str();
}

/// Lets the numbers of --row-target override those of the module.
static LogicalResult setRowTarget(ModuleOp module, StringRef given) {
  if (given.empty())
    return success();
  auto text = readRowTarget(given);
  if (!text)
    return fail(text.takeError());
  Attribute numbers = parseAttribute(*text, module.getContext());
  if (!numbers || failed(verifyRowTarget(module, numbers)))
    return failure();
  NamedAttrList merged(
      module->getAttrOfType<DictionaryAttr>(rowTargetAttrName));
  for (NamedAttribute number : cast<DictionaryAttr>(numbers))
    merged.set(number.getName(), number.getValue());
  Attribute all = merged.getDictionary(module.getContext());
  module->setAttr(rowTargetAttrName, all);
  return verifyRowTarget(module, all);
}

static LogicalResult printRowTargetOf(const Command &command,
                                      MLIRContext &context) {
  OwningOpRef<ModuleOp> module = ModuleOp::create(UnknownLoc::get(&context));
  if (failed(setRowTarget(*module, command.rowTarget)))
    return failure();
  auto target = lookupTarget(command.options.target);
  if (!target)
    return fail(target.takeError());
  if (llvm::Error error = (*target)->setRowTarget(*module, command.options))
    return fail(std::move(error));
  std::string text;
  llvm::raw_string_ostream os(text);
  printRowTarget(*module, os);
  return fail(writeOutputFile(command.output, text));
}

/// Machine code would change the settings of a terminal.
static bool isForTerminal(const Command &command) {
  Emit emit = command.options.emit;
  return command.output == "-" && llvm::outs().is_displayed() &&
         (emit == Emit::Object || emit == Emit::Shared || emit == Emit::Cubin);
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
  if (command->printsRowTarget)
    return failed(printRowTargetOf(*command, context));
  OwningOpRef<ModuleOp> module =
      parseInputFile(command->input, sources, context);
  if (!module || failed(setRowTarget(*module, command->rowTarget)))
    return 1;
  if (command->tells() && failed(tell(*module, sources, *command)))
    return 1;
  if (command->tells() && !command->hasOutput)
    return 0;
  if (isForTerminal(*command)) {
    llvm::WithColor::error() << "a terminal cannot show machine code: -o names "
                                "a file\n";
    return 1;
  }
  return failed(emitFile(*module, command->options, command->output));
}
