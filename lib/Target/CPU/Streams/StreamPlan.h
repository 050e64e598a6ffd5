//===- StreamPlan.h - which writes can be streamed --------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_TARGET_CPU_STREAMS_STREAMPLAN_H
#define NORM_LIB_TARGET_CPU_STREAMS_STREAMPLAN_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::norm {

/// A vector write that the second version streams.
struct Stream {
  vector::TransferWriteOp write;
  scf::ForOp strips; // runs over the row; null where the row is one vector
  /// A row of one vector that starts anywhere in a line: it has ordinary
  /// stores, and only the fetch of the next block.
  bool isUnaligned = false;
  /// The strips can start at the first line that begins in the row.
  bool isMovable = false;
  /// They also add to what they read.
  bool adds = false;
  /// Other writes of the strips at the same place, streamed along.
  SmallVector<vector::TransferWriteOp> companions = {};
};

/// What is known of a row loop before anything is built.
struct StreamPlan {
  Operation *loop = nullptr;
  SmallVector<Value> buffers; // all that come from outside
  SmallVector<Stream> streams;
  llvm::SetVector<Value> written; // buffers that must overlap no other one
};

/// The plan for a loop over rows; nothing where no write can be streamed.
/// Remarks say that it is streamed, and why a write is not.
std::optional<StreamPlan> planStreams(Operation *loop);

/// Whether `column` is known to be at the start of a line in every row of
/// `buffer`.
bool startsAtLine(Value buffer, int64_t column);

/// The loop over blocks of rows where `rows` goes over those of one; else null.
Operation *getBlocksOf(Operation *rows);

} // namespace mlir::norm

#endif // NORM_LIB_TARGET_CPU_STREAMS_STREAMPLAN_H
