//===- Pipeline.cpp - norm-to-simt ----------------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Testing/SIMT/Pipeline.h"
#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "norm/Buffers/Passes.h"
#include "norm/Testing/SIMT/Passes.h"

using namespace mlir;
using namespace mlir::norm;

void norm::buildNormToSIMTPipeline(OpPassManager &pm,
                                   const SIMTPipelineOptions &options) {
  if (options.hasKernels) {
    pm.addPass(createNormResultsToOutParams()); // asks for C functions
  } else {
    NVVMPipelineOptions nvvm;
    nvvm.rounding = options.rounding;
    nvvm.chip = options.chip;
    buildNormToNVVMPipeline(pm, nvvm, Stage::Vector);
  }
  pm.addPass(createNormEmulateGPU());
  buildScalarLowering(pm);
  pm.addPass(createConvertVectorToSCFPass());
  buildConvertToLLVM(pm);
}

void norm::registerSIMTPipeline() {
  PassPipelineRegistration<SIMTPipelineOptions>(
      "norm-to-simt",
      "Functions on tensors to the kernels of norm-to-nvvm, emulated on the "
      "CPU, in the LLVM dialect",
      [](OpPassManager &pm, const SIMTPipelineOptions &options) {
        buildNormToSIMTPipeline(pm, options);
      });
}
