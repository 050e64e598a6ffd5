//===- Rows.h - what other rooms ask of rows --------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_ROWS_ROWS_H
#define NORM_ROWS_ROWS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "norm/IR/RowTarget.h"

namespace mlir::norm {

/// Who computes the rows of a loop.
enum class RowWorkers {
  Thread,
  Threads, ///< Several of a CPU.
  GPU
};

//===----------------------------------------------------------------------===//
// The stages
//===----------------------------------------------------------------------===//

/// Forms the ops that one loop over rows computes, as norm-form-rows does.
void formRows(Operation *scope, RowWorkers workers);

/// Completes the plans of the ops whose rows will have loops of a CPU. Returns
/// these ops.
SmallVector<Operation *> planRows(RewriterBase &rewriter, Operation *scope,
                                  RowWorkers workers);

/// Makes the loops over rows, as norm-tile-rows does. `maxCluster`: blocks of a
/// GPU that may share a row.
LogicalResult tileRows(func::FuncOp function, RowWorkers workers,
                       int64_t maxCluster = 1);

/// Turns rows into vectors, as norm-vectorize-rows does.
void emitRows(Operation *scope, RowWorkers workers);

//===----------------------------------------------------------------------===//
// How threads of a GPU share rows: docs/GPU.md
//===----------------------------------------------------------------------===//

/// Threads that shuffle together, and threads of a block, at most: whole warps,
/// whose partial results one warp can combine (CUDA C++ Programming Guide,
/// "Compute Capabilities").
constexpr int64_t kWarpSize = 32;
constexpr int64_t kMaxBlockThreads = 1024;
/// Registers of 32 bits that the blocks of a multiprocessor share.
constexpr int64_t kRegistersPerSM = 65536;

/// Rows of a block with `threads` threads per row. Rows that share a warp or a
/// block without a barrier are cheaper than blocks.
int64_t getRowsPerBlock(const RowTarget &target, int64_t threads);

//===----------------------------------------------------------------------===//
// What other rooms ask
//===----------------------------------------------------------------------===//

/// Returns true if norm-vectorize-rows can vectorize `op`.
bool canVectorizeRow(linalg::LinalgOp op);

/// A reduction: its combining op, the value that it adds, and its neutral
/// element.
struct Reduction {
  Operation *combiner = nullptr;
  Value contribution;
  TypedAttr neutral;
};

/// Builds the sum of `accumulator` and `value`, or what the reduction makes of
/// them, of the type of the former.
Value createCombined(OpBuilder &b, Location loc, const Reduction &reduction,
                     Value accumulator, Value value);

/// Returns the one value of all elements of the op's result, or null.
Value getFilled(linalg::LinalgOp op);

/// Returns the op on buffers that wrote the whole of a destination, and that
/// nothing else has read; null if there is none in the block.
linalg::LinalgOp findFill(OpOperand &init);

/// Returns the value of `type`, an integer, index or float, that changes no
/// result of a reduction; null if there is none. arith::getNeutralElement lacks
/// maxnumf, and maximums of formats without infinities.
TypedAttr getNeutralElement(vector::CombiningKind kind, Type type);

/// Returns the least number that `v`, an index, is known not to exceed, if any.
std::optional<int64_t> getUpperBound(OpFoldResult v);

/// Returns how many of `extent` a block of `most` has that begins at `begin`, a
/// multiple of `most`.
OpFoldResult createBlockSize(OpBuilder &b, Location loc, OpFoldResult begin,
                             OpFoldResult most, OpFoldResult extent);

} // namespace mlir::norm

#endif // NORM_ROWS_ROWS_H
