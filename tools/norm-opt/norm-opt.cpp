//===- norm-opt.cpp - mlir-opt with the norm dialect and passes -----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Help.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "norm/Compiler/OutputFile.h"
#include "norm/Tools/Driver.h"
#include "norm/Tools/RunPasses.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"

using namespace mlir;

static LogicalResult fail(StringRef message) {
  llvm::errs() << message << '\n';
  return failure();
}

/// Runs the passes; a crash leaves a reproducer, whatever the options are.
static LogicalResult runPasses(MlirOptMainConfig config, StringRef input,
                               StringRef output, DialectRegistry &registry) {
  auto setup = [config](PassManager &pm) {
    norm::enableCrashReproducer(pm);
    return config.setupPassPipeline(pm);
  };
  config.setPassPipelineSetupFn(setup);
  std::string message;
  if (llvm::Error error = norm::checkInputFile(input))
    return fail(llvm::toString(std::move(error)));
  auto buffer = openInputFile(input, &message);
  if (!buffer)
    return fail(message);
  if (failed(norm::checkNesting(*buffer)))
    return failure();
  std::string content;
  llvm::raw_string_ostream os(content);
  bool isStandard = output == "-";
  LogicalResult result = failure();
  // The reproducer's own recovery catches a crash of a pass before this one.
  norm::readSafely(input, [&] {
    result =
        MlirOptMain(isStandard ? static_cast<raw_ostream &>(llvm::outs()) : os,
                    std::move(buffer), registry, config);
  });
  if (failed(result) || isStandard)
    return result;
  // The file may be the input, which is in memory.
  if (llvm::Error error = norm::writeOutputFile(output, content))
    return fail(llvm::toString(std::move(error)));
  return success();
}

static LogicalResult run(int argc, char **argv, DialectRegistry &registry) {
  const char *overview = "norm-mlir optimizer driver: mlir-opt with the norm "
                         "dialect, its passes and pipelines";
  registerCLIOptions(overview, registry);
  if (norm::asksForHelp(argc, argv)) {
    parseCLIOptions(/*argc=*/1, argv, overview);
    norm::printHelp();
    return success();
  }
  auto [input, output] = parseCLIOptions(argc, argv, overview);
  auto config = MlirOptMainConfig::createFromCLOptions();
  auto *reproducer = llvm::cl::getRegisteredOptions().lookup(
      "mlir-pass-pipeline-crash-reproducer");
  bool hasOwn = reproducer && reproducer->getNumOccurrences() > 0;
  if (config.shouldShowDialects() || config.shouldListPasses() || hasOwn)
    return MlirOptMain(argc, argv, input, output, registry);
  return runPasses(config, input, output, registry);
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  norm::setToolVersion();
  norm::hideLibraryOptions();
  DialectRegistry registry = norm::createCompilerRegistry();
  norm::registerCompilerPasses();
  return asMainReturnCode(run(argc, argv, registry));
}
