//===- Streams.h - which rows pass the caches -------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_ROWS_STREAMS_H
#define NORM_LIB_ROWS_STREAMS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::norm {

/// Results of an op on buffers that the second version streams.
struct Stream {
  linalg::LinalgOp op;
  /// The first one decides where strips start; the others are at its place.
  SmallVector<int64_t> results;
  /// The row is one vector, which starts anywhere in a line: it has ordinary
  /// stores, and only the fetch of the next block.
  bool isUnaligned = false;
  bool hasStrips = false; ///< The row is more than one vector.
  /// The strips can start at the first line that begins in the row.
  bool isMovable = false;
  bool adds = false; ///< They also add to what they read.

  Value getBuffer(unsigned number) const {
    linalg::LinalgOp linalgOp = op;
    return linalgOp.getDpsInits()[results[number]];
  }
};

/// What is known of a loop over rows before anything is built.
struct StreamPlan {
  Operation *loop = nullptr;
  SmallVector<Value> buffers; ///< All that come from outside.
  SmallVector<Stream> streams;
};

/// Returns the plan for a loop over rows, or an op on all of them; nullopt
/// where nothing can be streamed. Remarks say that it is streamed, and why a
/// result is not.
std::optional<StreamPlan> planStreams(Operation *loop);

/// Returns the buffer that `v`, in `loop`, is a view of.
Value getRootIn(Operation *loop, Value v);

/// Returns true if `v` is of a buffer whose overlap with others is found at run
/// time, or of an allocation, which overlaps none; anything else in `loop`
/// could hide that two are one.
bool hasKnownRoot(Operation *loop, Value v);

/// Returns true if ops in `loop` only read `buffer`, or views of it.
bool isOnlyReadIn(Operation *loop, Value buffer);

/// Returns true if `op` computes several rows, one after the other.
bool hasRowsOfBlock(linalg::LinalgOp op);

/// Returns true if the rows of two ops have the same elements.
bool haveSameColumns(linalg::LinalgOp a, linalg::LinalgOp b);

/// Returns the operands that are rows which the op reads.
SmallVector<OpOperand *> getRowsRead(linalg::LinalgOp op);

/// A loop over rows whose first statistic, of the next row, can be computed
/// beside the op that writes this row.
struct RowPipeline {
  linalg::LinalgOp writer, statistic;
  SmallVector<Operation *> views; ///< What the statistic reads, in order.
  SmallVector<Operation *> fills; ///< What it starts from.
};

/// Returns the pipeline of the loop around `writer`, the last op that strips of
/// the row are moved for: the statistic is before it, goes over the same
/// columns, only reads, and reads nothing that the loop writes. Says why there
/// is none. `outermost`: the loop with the plan.
std::optional<RowPipeline> planPipeline(linalg::LinalgOp writer,
                                        Operation *outermost);

/// Rewrites rows { statistic; ...; writer } to
/// { statistic of the first row; rows { ...; writer, statistic of the next }; }
/// and the last row, so that memory is read and written all the time instead of
/// alternately. The last dimension of an `scf.forall` is first split into
/// several rows per iteration.
void pipelineRows(const RowPipeline &pipeline);

} // namespace mlir::norm

#endif // NORM_LIB_ROWS_STREAMS_H
