//===- BufferUses.h - what a function does to a buffer ----------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_BUFFERS_BUFFERUSES_H
#define NORM_LIB_BUFFERS_BUFFERUSES_H

#include "mlir/IR/Value.h"

namespace mlir::norm {

/// The ops that access the memory of a buffer, also through views. Ops of
/// unknown effects and calls count as both reads and writes.
struct BufferUses {
  SmallVector<Operation *> reads, writes;

  bool isWritten() const { return !writes.empty(); }
};

BufferUses getBufferUses(Value buffer);

/// Returns true if `input` is read where `output`, if it is the same memory,
/// has been overwritten: in a later loop that does not write it itself, as the
/// next rows of a split loop would, or at the place that was just written. It
/// ignores other orders within a loop.
bool isReadAfterWrite(const BufferUses &input, const BufferUses &output);

} // namespace mlir::norm

#endif // NORM_LIB_BUFFERS_BUFFERUSES_H
