//===- DeviceMemory.cpp - buffers on the device ---------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "norm/IR/Norm.h"
#include "norm/Target/GPU/Passes.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMDEVICEMEMORY
#include "norm/Target/GPU/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

static LogicalResult replaceCopy(IRRewriter &b, memref::CopyOp op) {
  for (Value v : {op.getSource(), op.getTarget()}) {
    auto type = dyn_cast<MemRefType>(v.getType());
    if (!type || !type.getLayout().isIdentity())
      return op.emitError("a strided copy cannot run on the host for a GPU");
  }
  b.replaceOpWithNewOp<gpu::MemcpyOp>(op, /*asyncToken=*/Type(), ValueRange(),
                                      op.getTarget(), op.getSource());
  return success();
}

/// A constant is host memory: a copy of it lives on the device while the
/// function runs.
static void copyGlobal(OpBuilder &b, memref::GetGlobalOp op) {
  b.setInsertionPointAfter(op);
  Location loc = op.getLoc();
  auto alloc = gpu::AllocOp::create(b, loc, op.getType(), Type(), ValueRange(),
                                    ValueRange(), ValueRange());
  op.getResult().replaceAllUsesWith(alloc.getMemref());
  gpu::MemcpyOp::create(b, loc, Type(), ValueRange(), alloc.getMemref(),
                        op.getResult());
  b.setInsertionPoint(alloc->getBlock()->getTerminator());
  gpu::DeallocOp::create(b, loc, Type(), ValueRange(), alloc.getMemref());
}

/// A value that the host needs, such as a loop bound, comes from a copy of its
/// buffer in host memory.
static LogicalResult copyToHost(OpBuilder &b, memref::LoadOp op) {
  Location loc = op.getLoc();
  MemRefType type = op.getMemRefType();
  if (!type.getLayout().isIdentity())
    return op.emitError("the host cannot read one element of a strided buffer");
  SmallVector<Value> sizes;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (type.isDynamicDim(dim))
      sizes.push_back(memref::DimOp::create(b, loc, op.getMemRef(), dim));
  Value host = memref::AllocOp::create(b, loc, type, sizes);
  gpu::MemcpyOp::create(b, loc, Type(), ValueRange(), host, op.getMemRef());
  b.setInsertionPointAfter(op);
  memref::DeallocOp::create(b, loc, host);
  op.getMemrefMutable().assign(host);
  return success();
}

/// Rejects another read or write of a buffer's elements that the host would do.
static LogicalResult verifyNoHostAccess(Operation *op) {
  auto effects = dyn_cast<MemoryEffectOpInterface>(op);
  // An assertion has effects, but on no memory.
  if (!effects || isa<gpu::GPUDialect>(op->getDialect()) ||
      isa<cf::AssertOp>(op))
    return success();
  if (!effects.hasEffect<MemoryEffects::Read>() &&
      !effects.hasEffect<MemoryEffects::Write>())
    return success();
  return op->emitError("'")
         << op->getName() << "' would access device memory from the host";
}

namespace {
struct NormDeviceMemory : norm::impl::NormDeviceMemoryBase<NormDeviceMemory> {
  void runOnOperation() override {
    IRRewriter b(&getContext());
    auto isOnHost = [](Operation *op) {
      return !op->getParentOfType<gpu::LaunchOp>();
    };
    for (Operation *op : norm::collect<Operation *>(getOperation(), isOnHost)) {
      b.setInsertionPoint(op);
      LogicalResult result =
          llvm::TypeSwitch<Operation *, LogicalResult>(op)
              .Case([&](memref::AllocOp alloc) {
                b.replaceOpWithNewOp<gpu::AllocOp>(
                    alloc, alloc.getType(), /*asyncToken=*/Type(),
                    /*asyncDependencies=*/ValueRange(), alloc.getDynamicSizes(),
                    alloc.getSymbolOperands());
                return success();
              })
              .Case([&](memref::DeallocOp dealloc) {
                b.replaceOpWithNewOp<gpu::DeallocOp>(
                    dealloc, /*asyncToken=*/Type(), ValueRange(),
                    dealloc.getMemref());
                return success();
              })
              .Case([&](memref::CopyOp copy) { return replaceCopy(b, copy); })
              .Case([&](memref::LoadOp load) { return copyToHost(b, load); })
              .Case([&](memref::GetGlobalOp global) {
                return copyGlobal(b, global), success();
              })
              .Default(verifyNoHostAccess);
      if (failed(result))
        return signalPassFailure();
    }
  }
};
} // namespace
