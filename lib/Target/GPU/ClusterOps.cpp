//===- ClusterOps.cpp - what blocks of a cluster do together --------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClusterOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "norm/Floats/Lanes.h"

using namespace mlir;
using norm::Lanes;

void norm::arriveAtClusterBarrier(ImplicitLocOpBuilder &b) {
  // The relaxed form needs PTX 8.0.
  NVVM::ClusterArriveOp::create(b, b.getUnitAttr());
}

void norm::waitAtClusterBarrier(ImplicitLocOpBuilder &b) {
  NVVM::ClusterWaitOp::create(b, b.getUnitAttr());
}

void norm::storeRemotely(ImplicitLocOpBuilder &b, Value v, Value buffer,
                         Value slot, Value peer) {
  auto type = cast<MemRefType>(buffer.getType());
  Lanes start(b, memref::ExtractAlignedPointerAsIndexOp::create(b, buffer));
  Value address = start + Lanes(b, slot) * (type.getElementTypeBitWidth() / 8);
  address = arith::IndexCastOp::create(b, b.getI64Type(), address);
  auto own = LLVM::LLVMPointerType::get(
      b.getContext(), unsigned(NVVM::NVVMMemorySpace::Shared));
  auto theirs = LLVM::LLVMPointerType::get(
      b.getContext(), unsigned(NVVM::NVVMMemorySpace::SharedCluster));
  Value local = LLVM::IntToPtrOp::create(b, own, address);
  Value rank = arith::IndexCastOp::create(b, b.getI32Type(), peer);
  Value remote = NVVM::MapaOp::create(b, theirs, local, rank);
  LLVM::StoreOp::create(b, v, remote);
}

bool norm::isClusterWait(Operation *op) { return isa<NVVM::ClusterWaitOp>(op); }

bool norm::isClusterExchange(Operation *op) {
  auto store = dyn_cast<LLVM::StoreOp>(op);
  return isa<NVVM::ClusterArriveOp, NVVM::ClusterWaitOp, NVVM::MapaOp>(op) ||
         (store && store.getAddr().getDefiningOp<NVVM::MapaOp>());
}
