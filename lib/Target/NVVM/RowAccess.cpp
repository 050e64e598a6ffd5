//===- RowAccess.cpp - what a kernel's accesses depend on -----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowAccess.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::norm;

bool RowDependence::dependsOnRow(Value v) {
  if (!launch->isProperAncestor(v.getParentRegion()->getParentOp()) &&
      v.getParentRegion() != &launch.getBody())
    return false;
  auto it = known.find(v);
  if (it != known.end())
    return it->second;
  if (auto arg = dyn_cast<BlockArgument>(v)) {
    if (arg.getOwner() == &launch.getBody().front()) {
      gpu::KernelDim3 block = launch.getBlockIds();
      // Rows of one block are numbered by y.
      Value rowInBlock = launch.getThreadIds().y;
      bool isCluster = launch.hasClusterSize() &&
                       llvm::is_contained({launch.getClusterIds()->x,
                                           launch.getClusterIds()->y,
                                           launch.getClusterIds()->z},
                                          v);
      return known[v] =
                 isCluster ||
                 llvm::is_contained({block.x, block.y, block.z, rowInBlock}, v);
    }
    // The number of a turn is its bounds'; other arguments are not looked into.
    auto loop = dyn_cast<scf::ForOp>(arg.getOwner()->getParentOp());
    if (!loop || arg != loop.getInductionVar())
      return known[v] = true;
    return known[v] = dependsOnRow(loop.getLowerBound()) ||
                      dependsOnRow(loop.getUpperBound()) ||
                      dependsOnRow(loop.getStep());
  }
  Operation *op = v.getDefiningOp();
  if (op->getNumRegions() != 0)
    return known[v] = true;
  return known[v] = llvm::any_of(op->getOperands(), [&](Value operand) {
           return dependsOnRow(operand);
         });
}

Value norm::getGlobalBuffer(Operation *op) {
  Value buffer = llvm::TypeSwitch<Operation *, Value>(op)
                     .Case<vector::LoadOp, vector::StoreOp,
                           vector::MaskedLoadOp, vector::MaskedStoreOp>(
                         [](auto access) { return access.getBase(); })
                     .Case<memref::LoadOp, memref::StoreOp>(
                         [](auto access) { return access.getMemRef(); })
                     .Default([](Operation *) { return Value(); });
  if (!buffer || gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(
                     cast<MemRefType>(buffer.getType())))
    return Value();
  return buffer;
}

ValueRange norm::getAccessIndices(Operation *op) {
  return llvm::TypeSwitch<Operation *, ValueRange>(op)
      .Case<vector::LoadOp, vector::StoreOp, vector::MaskedLoadOp,
            vector::MaskedStoreOp, memref::LoadOp, memref::StoreOp>(
          [](auto access) { return access.getIndices(); });
}
