//===- DependentLaunch.cpp - overlap a kernel with the one before ---------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "norm/IR/Norm.h"
#include "norm/Rows/Vectors.h"
#include "norm/Target/NVVM/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMDEPENDENTLAUNCH
#include "norm/Target/NVVM/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

/// Whether `v` is computed from the number of the row, which is that of the
/// block and, where a block has several rows, the y of a thread; or cannot be
/// told.
static bool dependsOnRow(Value v, gpu::LaunchOp launch) {
  if (!launch.getBody().isAncestor(v.getParentRegion()))
    return false;
  Operation *op = v.getDefiningOp();
  if (!op)
    return v != launch.getThreadIds().x;
  return op->getNumRegions() != 0 ||
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return dependsOnRow(operand, launch);
         });
}

/// Whether the function only reads the buffer it was given: views and other
/// uses outside kernels do not count as reads.
static bool isReadOnlyArgument(Value buffer) {
  auto arg = dyn_cast<BlockArgument>(buffer);
  if (!arg || !isa<func::FuncOp>(arg.getOwner()->getParentOp()))
    return false;
  return llvm::all_of(buffer.getUsers(), [](Operation *user) {
    return isa<vector::LoadOp, vector::MaskedLoadOp, memref::LoadOp,
               memref::DimOp, memref::ExtractAlignedPointerAsIndexOp>(user);
  });
}

/// Reads of what all rows read, from buffers that no kernel here writes.
static bool readsSharedArguments(Operation *op, gpu::LaunchOp launch) {
  bool reads = false;
  bool doesMore = norm::anyIn(op, [&](Operation *nested) {
    auto access = norm::getRowAccess(nested);
    if (!access || gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(
                       cast<MemRefType>(access->base.getType())))
      return nested->getNumRegions() == 0 && !isMemoryEffectFree(nested);
    reads = true;
    return access->isWrite || !isReadOnlyArgument(access->base) ||
           llvm::any_of(access->indices, [&](Value index) {
             return dependsOnRow(index, launch);
           });
  });
  return reads && !doesMore;
}

/// The first op of the kernel by which threads wait for each other, or its end.
static Operation *findFirstExchange(gpu::LaunchOp launch) {
  Operation *first = launch.getBody().front().getTerminator();
  norm::anyIn(launch, [&](Operation *op) {
    bool isExchange = isa<gpu::ShuffleOp, NVVM::ClusterWaitOp>(op);
    if (isExchange)
      first = op;
    return isExchange;
  });
  return first;
}

static void overlap(IRRewriter &rewriter, gpu::LaunchOp launch) {
  Location loc = launch.getLoc();
  Operation *first = findFirstExchange(launch);
  rewriter.setInsertionPoint(first);
  NVVM::GriddepcontrolOp::create(rewriter, loc,
                                 NVVM::GridDepActionKind::launch_dependents);

  Block &body = launch.getBody().front();
  rewriter.setInsertionPointToStart(&body);
  auto wait = NVVM::GriddepcontrolOp::create(rewriter, loc,
                                             NVVM::GridDepActionKind::wait);
  // Reads under a condition of the block, such as whether it has a row, stay.
  if (first->getBlock() != &body)
    return;
  for (Operation &op : llvm::make_early_inc_range(
           llvm::make_range(wait->getIterator(), first->getIterator())))
    if (readsSharedArguments(&op, launch) &&
        succeeded(moveOperationDependencies(rewriter, &op, wait)))
      rewriter.moveOpBefore(&op, wait);
}

namespace {
struct NormDependentLaunch
    : norm::impl::NormDependentLaunchBase<NormDependentLaunch> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk(
        [&](gpu::LaunchOp launch) { overlap(rewriter, launch); });
  }
};
} // namespace
