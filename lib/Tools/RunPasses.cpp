//===- RunPasses.cpp -- how a tool runs its passes ------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Tools/RunPasses.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/WithColor.h"
#include <atomic>

using namespace mlir;

namespace {
/// The message that upstream prints after each pass failure and crash.
constexpr llvm::StringLiteral
    kFailed("Failures have been detected while processing an MLIR pass "
            "pipeline");

/// The state of one run of passes. Upstream requests a reproducer as soon as a
/// pass fails, before diagnostics of passes in other threads are printed, so a
/// missing diagnostic does not make the failure a crash.
struct Outcome {
  /// A pass returned and signaled its failure.
  std::atomic<bool> passFailed = false;
  std::atomic<bool> crashed = false;
  /// An error was printed. Errors are printed in the order of the program even
  /// if passes run in threads.
  std::atomic<bool> reported = false;
  /// The pass that failed first, and the op that it ran on.
  std::string pass, op;
};

/// Records which pass failed. Upstream calls it, under a lock, before its own
/// instrumentation requests a reproducer: the last one added is called first.
class FailureWatch : public PassInstrumentation {
public:
  explicit FailureWatch(std::shared_ptr<Outcome> outcome)
      : outcome(std::move(outcome)) {}
  void runAfterPassFailed(Pass *pass, Operation *op) override {
    // The passes around this one fail after it.
    if (outcome->passFailed.exchange(true))
      return;
    outcome->pass = pass->getArgument().empty() ? pass->getName().str()
                                                : pass->getArgument().str();
    outcome->op = op->getName().getStringRef().str();
    if (auto symbol = op->getAttrOfType<StringAttr>("sym_name"))
      outcome->op += " @" + symbol.getValue().str();
  }

private:
  std::shared_ptr<Outcome> outcome;
};

/// Drops upstream's line about the pipeline, and says which pass failed if no
/// error does.
struct ErrorWatch {
  std::shared_ptr<Outcome> outcome;
  LogicalResult operator()(Diagnostic &diagnostic) const {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return failure();
    if (StringRef(diagnostic.str()).starts_with(kFailed)) {
      if (!outcome->reported && !outcome->crashed)
        emitError(diagnostic.getLocation(), "the pass ")
            << outcome->pass << " failed on " << outcome->op
            << " without saying why";
      return success();
    }
    outcome->reported = true;
    return failure(); // the tool's handler prints it
  }
};

/// A temporary file that stderr names once it is complete.
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
  auto outcome = std::make_shared<Outcome>();
  pm.getContext()->getDiagEngine().registerHandler(ErrorWatch{outcome});
  pm.enableCrashReproducerGeneration(
      [outcome](std::string &error) -> std::unique_ptr<ReproducerStream> {
        // There is no stream, so nothing is printed to it: printing verifies in
        // threads and drops what a pass on another function reports meanwhile.
        if (outcome->passFailed)
          return nullptr;
        outcome->crashed = true;
        return createReproducer(error);
      });
  pm.addInstrumentation(std::make_unique<FailureWatch>(outcome));
}

static bool isGiven(StringRef option) {
  auto &options = llvm::cl::getRegisteredOptions();
  auto it = options.find(option);
  return it != options.end() && it->second->getNumOccurrences() > 0;
}

LogicalResult norm::runPassesOfTool(PassManager &pm, ModuleOp module) {
  applyDefaultTimingPassManagerCLOptions(pm);
  (void)applyPassManagerCLOptions(pm); // fails only if none are registered
  if (!isGiven("mlir-pass-pipeline-crash-reproducer"))
    enableCrashReproducer(pm);
  return pm.run(module);
}
