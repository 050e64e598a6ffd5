//===- my-opt.cpp - a compiler that asks norm-mlir ------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Its own opt tool, with the few dialects that it reads, norm-mlir's passes and
// one pass more, which is what docs/Embedding.md explains.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "norm/InitAll.h"
#include "norm/Recognition/Recognize.h"

using namespace mlir;

namespace {
/// Names the kernel of each norm that this compiler has one for, and tells its
/// users which rows are not averaged over their length.
struct ChooseKernels : PassWrapper<ChooseKernels, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ChooseKernels)

  StringRef getArgument() const override { return "my-choose-kernels"; }
  StringRef getDescription() const override {
    return "Choose a kernel for each RMSNorm";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    norm::registerRecognitionDependencies(registry);
  }

  void runOnOperation() override {
    norm::Recognition result = norm::recognizeRMSNorms(getOperation());
    for (norm::RecognizedNorm &found : result.recognized)
      if (auto op = dyn_cast<norm::RMSNormOp>(found.op.getOperation()))
        chooseKernel(op);
    for (norm::RejectedNorm &rejected : result.rejected)
      if (rejected.reason == norm::RejectionReason::WrongDivisor)
        emitWarning(rejected.loc, "is this mean right? ")
            << rejected.explanation;
  }

  void chooseKernel(norm::RMSNormOp op) {
    // My kernels normalize the last dimension, with epsilon inside the root.
    int64_t last = op.getInputType().getRank() - 1;
    if (op.getDims() != ArrayRef<int64_t>{last} ||
        op.getEpsilonMode() != norm::EpsilonMode::Inside)
      return;
    StringRef kernel = op.getWeight() ? "my_weighted_norm" : "my_norm";
    op->setAttr("my.kernel", StringAttr::get(&getContext(), kernel));
  }
};
} // namespace

int main(int argc, char **argv) {
  DialectRegistry registry;
  registry.insert<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect,
                  math::MathDialect, tensor::TensorDialect>();
  norm::registerAllDialects(registry);
  norm::registerAllExtensions(registry);
  norm::registerAllPasses();
  PassRegistration<ChooseKernels>();
  return asMainReturnCode(MlirOptMain(argc, argv, "my compiler\n", registry));
}
