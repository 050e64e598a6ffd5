//===- PassRunner.cpp - how a tool runs its passes ------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/ExecutionEngine/PassRunner.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/WithColor.h"
#include <atomic>

using namespace mlir;

namespace {
/// What upstream says after every failure of a pass: true of a crash alone.
constexpr llvm::StringLiteral
    kFailed("Failures have been detected while processing an MLIR pass "
            "pipeline");

/// Keeps count of the errors of one context and drops upstream's line about
/// the pipeline.
struct ErrorWatch {
  std::atomic<bool> reported = false;
  LogicalResult operator()(Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return failure();
    if (StringRef(diagnostic.str()).starts_with(kFailed))
      return success();
    if (!isAboutSignal(diagnostic))
      reported = true;
    return failure(); // the tool's handler prints it
  }

private:
  static bool isAboutSignal(Diagnostic &diagnostic) {
    return StringRef(diagnostic.str()).starts_with("A signal was caught");
  }
};

/// A temporary file, and a line on stderr that says so when it is complete.
class TemporaryReproducer : public ReproducerStream {
public:
  TemporaryReproducer(int descriptor, StringRef file)
      : file(file), stream(descriptor, /*shouldClose=*/true) {}
  ~TemporaryReproducer() override {
    stream.flush();
    llvm::WithColor::error()
        << "a pass crashed, which is a bug of norm-mlir; to see it again: "
           "norm-opt "
        << file << " --run-reproducer\n";
  }
  StringRef description() override { return file; }
  raw_ostream &os() override { return stream; }

private:
  std::string file;
  llvm::raw_fd_ostream stream;
};

/// For failures that have a diagnostic: these are about the input.
struct NoReproducer : ReproducerStream {
  StringRef description() override { return "nothing"; }
  raw_ostream &os() override { return llvm::nulls(); }
};
} // namespace

static std::unique_ptr<ReproducerStream> createReproducer(std::string &error) {
  int descriptor;
  SmallString<128> file;
  if (auto code = llvm::sys::fs::createTemporaryFile("norm-crash", "mlir",
                                                     descriptor, file)) {
    error = code.message();
    return nullptr;
  }
  return std::make_unique<TemporaryReproducer>(descriptor, file);
}

void norm::enableCrashReproducer(PassManager &pm) {
  auto watch = std::make_shared<ErrorWatch>();
  pm.getContext()->getDiagEngine().registerHandler(
      [watch](Diagnostic &diagnostic) { return (*watch)(diagnostic); });
  pm.enableCrashReproducerGeneration(
      [watch](std::string &error) -> std::unique_ptr<ReproducerStream> {
        if (watch->reported)
          return std::make_unique<NoReproducer>();
        return createReproducer(error);
      });
}

static bool isGiven(StringRef option) {
  auto &options = llvm::cl::getRegisteredOptions();
  auto it = options.find(option);
  return it != options.end() && it->second->getNumOccurrences() > 0;
}

LogicalResult norm::runPasses(PassManager &pm, ModuleOp module,
                              const PassRunner &runner) {
  return runner ? runner(pm, module) : pm.run(module);
}

LogicalResult norm::runPassesOfTool(PassManager &pm, ModuleOp module) {
  applyDefaultTimingPassManagerCLOptions(pm);
  (void)applyPassManagerCLOptions(pm); // fails only where none is registered
  if (!isGiven("mlir-pass-pipeline-crash-reproducer"))
    enableCrashReproducer(pm);
  return pm.run(module);
}
