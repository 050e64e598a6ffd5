//===- norm-bench.cpp - GB/s beside a copy of the same bytes --------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "norm/Compiler/OutputFile.h"
#include "norm/Testing/Targets.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Program.h"
#include "llvm/Support/WithColor.h"
#include <benchmark/benchmark.h>

using namespace mlir;
using namespace mlir::norm;

static int fail(const Twine &message) {
  llvm::WithColor::error() << message << "\n";
  return 1;
}

/// Runs norm-bench-device, which is beside this program. Returns its exit code.
static int runOnDevice(const char *argv0, ArrayRef<std::string> arguments) {
  // The address of this object finds the program on systems without /proc.
  static char anchor;
  std::string self = llvm::sys::fs::getMainExecutable(argv0, &anchor);
  llvm::SmallString<128> program(llvm::sys::path::parent_path(self));
  llvm::sys::path::append(program, "norm-bench-device");
  if (!llvm::sys::fs::can_execute(program))
    return fail("there is no " + program);
  SmallVector<StringRef> command{program};
  command.append(arguments.begin(), arguments.end());
  std::string message;
  int code = llvm::sys::ExecuteAndWait(program, command, std::nullopt, {}, 0, 0,
                                       &message);
  return code < 0 ? fail(program + ": " + message) : code;
}

static void printPrograms(const Command &command, raw_ostream &os) {
  llvm::interleave(
      command.programs, [&](const Program &program) { os << program.print(); },
      [&] { os << "// -----\n"; });
}

static int printVariants() {
  for (const Variant &variant : getVariants())
    llvm::outs() << llvm::left_justify(variant.name, 20) << variant.summary
                 << "\n";
  return 0;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  registerTestingTargets();
  std::optional<Command> command = parseCommandLine(argc, argv);
  if (!command)
    return 1;
  if (command->action == Command::Action::ListVariants)
    return printVariants();
  if (command->action == Command::Action::MeasureArtifacts)
    return runOnDevice(argv[0], command->deviceArguments);
  int count = 2;
  char interleave[] = "--benchmark_enable_random_interleaving=true";
  char *arguments[] = {argv[0], interleave, nullptr};
  benchmark::Initialize(&count, arguments);

  if (auto error = checkOutputFiles({{"the input", command->inputFile}},
                                    {{"-o", command->outputFile}}))
    return fail(llvm::toString(std::move(error)));
  std::string content;
  llvm::raw_string_ostream os(content);
  if (command->action == Command::Action::Print)
    printPrograms(*command, os);
  else if (failed(measure(*command, os)))
    return 1;
  if (auto error = writeOutputFile(command->outputFile, content))
    return fail(llvm::toString(std::move(error)));
  return 0;
}
