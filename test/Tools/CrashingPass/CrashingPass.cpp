//===- CrashingPass.cpp - a crash in the middle of a compilation ----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For tests alone: loaded ahead of libMLIR (LD_PRELOAD), it stands in for CSE
// in the pipelines that our tools build.
//
//===----------------------------------------------------------------------===//

#include "mlir/Pass/Pass.h"
#include "mlir/Transforms/Passes.h"
#include <csignal>

namespace {
struct CrashingPass : mlir::PassWrapper<CrashingPass, mlir::OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CrashingPass)
  llvm::StringRef getArgument() const override { return "test-crash"; }
  void runOnOperation() override { std::raise(SIGSEGV); }
};
} // namespace

std::unique_ptr<mlir::Pass> mlir::createCSEPass() {
  return std::make_unique<CrashingPass>();
}
