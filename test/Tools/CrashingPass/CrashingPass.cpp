//===- CrashingPass.cpp - a crash in the middle of a compilation ----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tests alone: loaded ahead of libMLIR (LD_PRELOAD), it stands in for CSE
// in the pipelines that our tools build. NORM_TEST_CSE says what it does
// instead of crashing: "fail" without a word, or "warn" first.
//
//===----------------------------------------------------------------------===//

#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/Passes.h"
#include <csignal>
#include <cstdlib>

namespace {
struct CrashingPass : mlir::PassWrapper<CrashingPass, mlir::OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CrashingPass)
  llvm::StringRef getArgument() const override { return "test-crash"; }
  void runOnOperation() override {
    const char *other = std::getenv("NORM_TEST_CSE");
    if (!other)
      std::raise(SIGSEGV);
    if (llvm::StringRef(other) == "warn")
      getOperation()->emitWarning("this pass will fail");
    signalPassFailure();
  }
};
} // namespace

std::unique_ptr<mlir::Pass> mlir::createCSEPass() {
  return std::make_unique<CrashingPass>();
}
