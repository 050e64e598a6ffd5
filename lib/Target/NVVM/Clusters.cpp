//===- Clusters.cpp - NVVM's ops for clusters -----------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Target/GPU/Clusters.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "norm/Target/NVVM/Passes.h"

using namespace mlir;

namespace {
struct NVVMClusterOps : norm::ClusterOpsInterface {
  using ClusterOpsInterface::ClusterOpsInterface;

  void arrive(OpBuilder &b, Location loc) const override {
    // The relaxed form needs PTX 8.0.
    NVVM::ClusterArriveOp::create(b, loc, b.getUnitAttr());
  }

  void wait(OpBuilder &b, Location loc) const override {
    NVVM::ClusterWaitOp::create(b, loc, b.getUnitAttr());
  }

  void storeRemotely(OpBuilder &b, Location loc, Value v, Value buffer,
                     Value slot, Value peer) const override {
    Type i64 = b.getI64Type();
    auto type = cast<MemRefType>(buffer.getType());
    Value start =
        memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer);
    Value bytes = arith::ConstantIndexOp::create(
        b, loc, type.getElementTypeBitWidth() / 8);
    Value address = arith::AddIOp::create(
        b, loc, start, arith::MulIOp::create(b, loc, slot, bytes));
    address = arith::IndexCastOp::create(b, loc, i64, address);
    auto own = LLVM::LLVMPointerType::get(
        b.getContext(), unsigned(NVVM::NVVMMemorySpace::Shared));
    auto theirs = LLVM::LLVMPointerType::get(
        b.getContext(), unsigned(NVVM::NVVMMemorySpace::SharedCluster));
    Value local = LLVM::IntToPtrOp::create(b, loc, own, address);
    Value rank = arith::IndexCastOp::create(b, loc, b.getI32Type(), peer);
    Value remote = NVVM::MapaOp::create(b, loc, theirs, local, rank);
    LLVM::StoreOp::create(b, loc, v, remote);
  }

  bool isWait(Operation *op) const override {
    return isa<NVVM::ClusterWaitOp>(op);
  }

  bool isExchange(Operation *op) const override {
    auto store = dyn_cast<LLVM::StoreOp>(op);
    return isa<NVVM::ClusterArriveOp, NVVM::ClusterWaitOp, NVVM::MapaOp>(op) ||
           (store && store.getAddr().getDefiningOp<NVVM::MapaOp>());
  }
};
} // namespace

void norm::registerNVVMClusters(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, gpu::GPUDialect *dialect) {
    dialect->addInterfaces<NVVMClusterOps>();
    context->getOrLoadDialect<NVVM::NVVMDialect>();
  });
}
