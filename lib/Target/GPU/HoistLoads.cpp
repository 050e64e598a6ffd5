//===- HoistLoads.cpp - issue loads before a kernel's reductions ----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "norm/Target/GPU/Clusters.h"
#include "norm/Target/GPU/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMHOISTGPULOADS
#include "norm/Target/GPU/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

static bool isWorkgroupMemory(Value v) {
  auto type = dyn_cast<MemRefType>(v.getType());
  return type && gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type);
}

namespace {
/// What an op and the ops in it do to memory that other kernels see.
struct GlobalAccess {
  bool reads = false;
  bool writes = false; // or does something unknown
};
} // namespace

/// What threads of a row exchange lies in workgroup memory.
static bool isExchange(Operation *op) {
  auto *clusterOps = norm::ClusterOpsInterface::get(op->getContext());
  return isa<gpu::BarrierOp>(op) || (clusterOps && clusterOps->isExchange(op));
}

static GlobalAccess getGlobalAccess(Operation *op) {
  GlobalAccess access;
  if (isExchange(op))
    return access;
  if (op->hasTrait<OpTrait::HasRecursiveMemoryEffects>()) {
    for (Region &region : op->getRegions())
      for (Operation &nested : region.getOps()) {
        GlobalAccess inside = getGlobalAccess(&nested);
        access.reads |= inside.reads;
        access.writes |= inside.writes;
      }
    return access;
  }
  auto effects = getEffectsRecursively(op);
  access.writes = !effects;
  for (const MemoryEffects::EffectInstance &effect :
       effects.value_or(SmallVector<MemoryEffects::EffectInstance>())) {
    if (effect.getValue() && isWorkgroupMemory(effect.getValue()))
      continue;
    bool reads = isa<MemoryEffects::Read>(effect.getEffect());
    access.reads |= reads;
    access.writes |= !reads;
  }
  return access;
}

static int64_t getResultBits(Operation *op) {
  int64_t bits = 0;
  for (Type type : op->getResultTypes()) {
    auto vector = dyn_cast<VectorType>(type);
    Type element = getElementTypeOrSelf(type);
    if (element.isIntOrFloat())
      bits += element.getIntOrFloatBitWidth() *
              (vector ? vector.getNumElements() : 1);
  }
  return bits;
}

static bool readsWorkgroupMemory(Operation *op) {
  return op
      ->walk([](Operation *nested) {
        auto effects = dyn_cast<MemoryEffectOpInterface>(nested);
        bool reads = effects && effects.hasEffect<MemoryEffects::Read>() &&
                     llvm::any_of(nested->getOperands(), isWorkgroupMemory);
        return reads ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether `op` needs what threads exchange after `first`: moving it would move
/// the read of the exchange before its write and the barrier.
static bool dependsOnExchange(Operation *op, Operation *first) {
  llvm::SetVector<Operation *> slice;
  BackwardSliceOptions options;
  options.inclusive = true;
  options.omitUsesFromAbove = false;
  options.omitBlockArguments = true;
  options.filter = [&](Operation *other) {
    return other->getBlock() == first->getBlock() &&
           first->isBeforeInBlock(other);
  };
  return failed(getBackwardSlice(op, &slice, options)) ||
         llvm::any_of(slice, readsWorkgroupMemory);
}

/// Moves the reads that follow `first` before it, up to the first write.
static void hoistBefore(IRRewriter &rewriter, Operation *first, int64_t bits) {
  Operation *next = nullptr;
  for (Operation *op = first->getNextNode(); op; op = next) {
    next = op->getNextNode();
    GlobalAccess access = getGlobalAccess(op);
    if (access.writes)
      return;
    if (!access.reads || getResultBits(op) > bits ||
        dependsOnExchange(op, first))
      continue;
    if (failed(moveOperationDependencies(rewriter, op, first)))
      continue;
    rewriter.moveOpBefore(op, first);
    bits -= getResultBits(op);
  }
}

namespace {
struct NormHoistGPULoads
    : norm::impl::NormHoistGPULoadsBase<NormHoistGPULoads> {
  using NormHoistGPULoadsBase::NormHoistGPULoadsBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    auto *clusterOps = norm::ClusterOpsInterface::get(&getContext());
    SmallVector<Operation *> firsts;
    getOperation().walk([&](gpu::LaunchOp launch) {
      launch.walk([&](Block *block) {
        for (Operation &op : *block)
          if (isa<gpu::ShuffleOp>(op) ||
              (clusterOps && clusterOps->isWait(&op))) {
            firsts.push_back(&op);
            break;
          }
      });
    });
    for (Operation *first : firsts)
      hoistBefore(rewriter, first, int64_t(registers) * 32);
  }
};
} // namespace
