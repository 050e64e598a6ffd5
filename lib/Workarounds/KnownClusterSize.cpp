//===- KnownClusterSize.cpp - cluster sizes of launches on their kernels --===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: gpu-kernel-outlining records sizes of blocks and grids,
// but not of clusters; goes when it does.

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "norm/Workarounds/Passes.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMKNOWNCLUSTERSIZE
#include "norm/Workarounds/Passes.h.inc"
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

namespace {
struct NormKnownClusterSize
    : norm::impl::NormKnownClusterSizeBase<NormKnownClusterSize> {
  void runOnOperation() override {
    SymbolTableCollection symbols;
    llvm::MapVector<gpu::GPUFuncOp, SmallVector<int32_t>> sizes;
    getOperation().walk([&](gpu::LaunchFuncOp launch) {
      auto kernel = symbols.lookupNearestSymbolFrom<gpu::GPUFuncOp>(
          launch, launch.getKernelAttr());
      if (!kernel)
        return;
      SmallVector<int32_t> size = getClusterSize(launch);
      auto [it, isNew] = sizes.try_emplace(kernel, size);
      if (!isNew && it->second != size)
        it->second.clear();
    });
    Builder b(&getContext());
    for (auto &[kernel, size] : sizes)
      if (!size.empty())
        kernel.setKnownClusterSizeAttr(b.getDenseI32ArrayAttr(size));
  }
};
} // namespace
