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

using namespace mlir;

void norm::arriveAtClusterBarrier(OpBuilder &b, Location loc) {
  // The relaxed form needs PTX 8.0.
  NVVM::ClusterArriveOp::create(b, loc, b.getUnitAttr());
}

void norm::waitAtClusterBarrier(OpBuilder &b, Location loc) {
  NVVM::ClusterWaitOp::create(b, loc, b.getUnitAttr());
}

void norm::storeRemotely(OpBuilder &b, Location loc, Value v, Value buffer,
                         Value slot, Value peer) {
  Type i64 = b.getI64Type();
  auto type = cast<MemRefType>(buffer.getType());
  Value start = memref::ExtractAlignedPointerAsIndexOp::create(b, loc, buffer);
  Value bytes =
      arith::ConstantIndexOp::create(b, loc, type.getElementTypeBitWidth() / 8);
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

bool norm::isClusterWait(Operation *op) { return isa<NVVM::ClusterWaitOp>(op); }

bool norm::isClusterExchange(Operation *op) {
  auto store = dyn_cast<LLVM::StoreOp>(op);
  return isa<NVVM::ClusterArriveOp, NVVM::ClusterWaitOp, NVVM::MapaOp>(op) ||
         (store && store.getAddr().getDefiningOp<NVVM::MapaOp>());
}
