//===- DistributeVectors.h - vectors of a row over threads ------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Clones a body that works on 1-D vectors of one length into code for one of
// the threads that share them. Element (c*T + t)*V + v of a vector is element v
// of chunk c in thread t.
//
// Where rows begin at `shift` elements past an aligned address, it is element
// (c*T + t)*V + v - shift, modulo the length. The last V - 1 elements of the
// vectors are then masked in every transfer, so that no thread accesses both
// ends.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_TARGET_GPU_DISTRIBUTEVECTORS_H
#define NORM_LIB_TARGET_GPU_DISTRIBUTEVECTORS_H

#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::norm {

/// How one kernel shares the rows of a loop.
struct KernelPlan {
  int64_t lanes;       ///< length of the vectors
  int64_t threads = 1; ///< T, in all blocks of the row
  int64_t vector = 1;  ///< V
  int64_t cluster = 1; ///< blocks of the row
  /// Null, or whose rows decide the shift.
  VectorTransferOpInterface shiftReference = {};
};

/// One thread of such a kernel.
struct ThreadLayout : KernelPlan {
  gpu::LaunchOp launch;
  Value thread; ///< t, index
  Value active; ///< i1, whether this thread may write; null: it may
  /// Scalar stores that each thread of the row does.
  const llvm::DenseSet<Operation *> *readBack;
};

/// Clones the ops of `body` but its terminator to where `b` stands; `scalars`
/// maps what is not in it.
void distributeRow(const ImplicitLocOpBuilder &b, const ThreadLayout &layout,
                   IRMapping &scalars, Block &body);

/// Combines all elements of a vector, of which this thread has `chunks`.
/// `inLoop`: the row's threads will do so again.
Value reduceOverRow(ImplicitLocOpBuilder &b, ThreadLayout layout,
                    vector::CombiningKind kind, ArrayRef<Value> chunks,
                    bool inLoop);

} // namespace mlir::norm

#endif // NORM_LIB_TARGET_GPU_DISTRIBUTEVECTORS_H
