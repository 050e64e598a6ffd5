//===- RowAccess.h - what a kernel's accesses depend on ---------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_TARGET_NVVM_ROWACCESS_H
#define NORM_LIB_TARGET_NVVM_ROWACCESS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::norm {

/// Values of a launch that differ from row to row: by the block, or by the y of
/// a thread where a block has several rows.
class RowDependence {
public:
  explicit RowDependence(gpu::LaunchOp launch) : launch(launch) {}

  /// Whether `v` is computed from the number of the row, or cannot be told.
  bool dependsOnRow(Value v);

private:
  gpu::LaunchOp launch;
  llvm::DenseMap<Value, bool> known;
};

/// The buffer that a load or store of a kernel accesses, or null for another
/// op or for memory of the block.
Value getGlobalBuffer(Operation *op);

/// The indices of a load or store.
ValueRange getAccessIndices(Operation *op);

} // namespace mlir::norm

#endif // NORM_LIB_TARGET_NVVM_ROWACCESS_H
