//===- AnnotateKernels.cpp - what launches and ptxas know of kernels ------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "norm/IR/Norm.h"
#include "norm/Target/NVVM/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMANNOTATEKERNELS
#include "norm/Target/NVVM/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

/// The cluster size of a launch, empty where it is not constant.
static SmallVector<int32_t> getClusterSize(gpu::LaunchFuncOp launch) {
  if (!launch.hasClusterSize())
    return {};
  gpu::KernelDim3 size = launch.getClusterSizeOperandValues();
  auto constants = getConstantIntValues({size.x, size.y, size.z});
  return constants ? SmallVector<int32_t>(ArrayRef(*constants))
                   : SmallVector<int32_t>();
}

// Upstream: LLVM 22.1: gpu-kernel-outlining records sizes of blocks and grids,
// but not of clusters; goes when it does.
static void recordClusterSizes(ModuleOp module) {
  SymbolTableCollection symbols;
  llvm::MapVector<gpu::GPUFuncOp, SmallVector<int32_t>> sizes;
  module.walk([&](gpu::LaunchFuncOp launch) {
    auto kernel = symbols.lookupNearestSymbolFrom<gpu::GPUFuncOp>(
        launch, launch.getKernelAttr());
    if (!kernel)
      return;
    SmallVector<int32_t> size = getClusterSize(launch);
    auto [it, isNew] = sizes.try_emplace(kernel, size);
    if (!isNew && it->second != size)
      it->second.clear();
  });
  Builder b(module.getContext());
  for (auto &[kernel, size] : sizes)
    if (!size.empty())
      kernel.setKnownClusterSizeAttr(b.getDenseI32ArrayAttr(size));
}

/// Lets kernels with loops have the registers that they need.
static void allowFewBlocks(gpu::GPUFuncOp kernel) {
  if (norm::anyIn(kernel, [](LoopLikeOpInterface) { return true; }))
    kernel->setAttr(NVVM::NVVMDialect::getMinctasmAttrName(),
                    Builder(kernel.getContext()).getI32IntegerAttr(1));
}

/// Waits for the kernel before this one, and lets the next one start where the
/// threads of a row first wait for each other: its loads are on the way.
static void overlap(gpu::GPUFuncOp kernel) {
  Operation *first = kernel.getBody().back().getTerminator();
  norm::anyIn(kernel, [&](Operation *op) {
    bool isExchange = isa<gpu::ShuffleOp, NVVM::ClusterWaitOp>(op);
    if (isExchange)
      first = op;
    return isExchange;
  });
  OpBuilder b(kernel.getBody());
  NVVM::GriddepcontrolOp::create(b, kernel.getLoc(),
                                 NVVM::GridDepActionKind::wait);
  b.setInsertionPoint(first);
  NVVM::GriddepcontrolOp::create(b, kernel.getLoc(),
                                 NVVM::GridDepActionKind::launch_dependents);
}

namespace {
struct NormAnnotateKernels
    : norm::impl::NormAnnotateKernelsBase<NormAnnotateKernels> {
  using Base::Base;

  void runOnOperation() override {
    recordClusterSizes(getOperation());
    getOperation().walk([&](gpu::GPUFuncOp kernel) {
      if (!kernel.isKernel())
        return;
      allowFewBlocks(kernel);
      if (dependentLaunch)
        overlap(kernel);
    });
  }
};
} // namespace
