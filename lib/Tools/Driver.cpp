//===- Driver.cpp - what the tools share ----------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Tools/Driver.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "norm/Compiler/OutputFile.h"
#include "norm/InitAll.h"
#include "norm/TMTensor/TMTensor.h"
#include "norm/Testing/SIMT/Passes.h"
#include "norm/Testing/SIMT/Pipeline.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Config/llvm-config.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/CrashRecoveryContext.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/WithColor.h"
#include "llvm/TargetParser/Host.h"
#include <cstdlib>

using namespace mlir;

DialectRegistry norm::createCompilerRegistry() {
  DialectRegistry registry;
  mlir::registerAllDialects(registry);
  norm::registerAllDialects(registry);
  // Programs of torch-mlir have its ops.
  registry.insert<tm_tensor::TMTensorDialect>();
  // This registers upstream's extensions too.
  norm::registerAllExtensions(registry);
  return registry;
}

void norm::registerCompilerPasses() {
  mlir::registerAllPasses();
  norm::registerAllPasses();
  // These passes emulate kernels for tests and are not installed.
  registerSIMTPasses();
  registerSIMTPipeline();
}

void norm::readSafely(StringRef file, llvm::function_ref<void()> read) {
  llvm::CrashRecoveryContext::Enable();
  llvm::CrashRecoveryContext recovery;
  if (recovery.RunSafely(read))
    return;
  llvm::WithColor::error() << file
                           << ": MLIR crashed while it read this program, "
                              "which is malformed in a way that it does not "
                              "expect\n";
  // Half-made objects are not destroyed, but unfinished files are removed.
  llvm::sys::RunInterruptHandlers();
  std::_Exit(1);
}

OwningOpRef<ModuleOp> norm::parseInputFile(StringRef file,
                                           llvm::SourceMgr &sources,
                                           MLIRContext &context) {
  std::string message = llvm::toString(checkInputFile(file));
  auto buffer = message.empty() ? openInputFile(file, &message) : nullptr;
  if (!buffer) {
    llvm::WithColor::error() << message << "\n";
    return nullptr;
  }
  if (failed(checkNesting(*buffer)))
    return nullptr;
  // A diagnostic shows the source line and not the IR of a whole module.
  context.printOpOnDiagnostic(false);
  sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
  OwningOpRef<ModuleOp> module;
  readSafely(file,
             [&] { module = parseSourceFile<ModuleOp>(sources, &context); });
  return module;
}

bool norm::releaseLibraryOption(StringRef name) {
  auto &options = llvm::cl::getRegisteredOptions();
  auto it = options.find(name);
  if (it == options.end())
    return false;
  it->second->removeArgument();
  return true;
}

void norm::setToolVersion() {
  llvm::cl::SetVersionPrinter([](llvm::raw_ostream &os) {
    os << "norm-mlir version " NORM_VERSION "\n"
       << "  LLVM and MLIR version " LLVM_VERSION_STRING "\n"
       << "  Default target: " << llvm::sys::getDefaultTargetTriple() << "\n"
       << "  Host CPU: " << llvm::sys::getHostCPUName() << "\n";
  });
}

void norm::hideLibraryOptions() {
  for (auto &entry : llvm::cl::getRegisteredOptions()) {
    bool isHelp = entry.first == "help" || entry.first == "version";
    if (!isHelp && entry.second->getOptionHiddenFlag() == llvm::cl::NotHidden)
      entry.second->setHiddenFlag(llvm::cl::Hidden);
  }
}

void norm::registerPassOptions(llvm::cl::OptionCategory &category) {
  llvm::StringSet<> before;
  for (auto &entry : llvm::cl::getRegisteredOptions())
    before.insert(entry.first);
  registerPassManagerCLOptions();
  registerDefaultTimingManagerCLOptions();
  for (auto &entry : llvm::cl::getRegisteredOptions())
    if (!before.contains(entry.first))
      entry.second->addCategory(category);
  // These options take names of passes, which these tools do not register.
  for (StringRef name : {"mlir-print-ir-before", "mlir-print-ir-after"})
    if (llvm::cl::Option *option =
            llvm::cl::getRegisteredOptions().lookup(name))
      option->setHiddenFlag(llvm::cl::ReallyHidden);
}
