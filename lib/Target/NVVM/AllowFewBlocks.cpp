//===- AllowFewBlocks.cpp - registers before residency --------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "norm/Target/NVVM/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMALLOWFEWBLOCKS
#include "norm/Target/NVVM/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

static bool hasLoop(gpu::GPUFuncOp kernel) {
  return kernel
      .walk([](LoopLikeOpInterface) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

namespace {
struct NormAllowFewBlocks
    : norm::impl::NormAllowFewBlocksBase<NormAllowFewBlocks> {
  void runOnOperation() override {
    auto one = IntegerAttr::get(IntegerType::get(&getContext(), 32), 1);
    for (auto kernel : getOperation().getOps<gpu::GPUFuncOp>())
      if (kernel.isKernel() && hasLoop(kernel))
        kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(), one);
  }
};
} // namespace
