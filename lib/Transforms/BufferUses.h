//===- BufferUses.h - what a function does to a buffer ----------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_TRANSFORMS_BUFFERUSES_H
#define NORM_LIB_TRANSFORMS_BUFFERUSES_H

#include "mlir/IR/Value.h"

namespace mlir::norm {

/// Ops that read and write the memory of a buffer, through views of it too. An
/// op of unknown effects, and a call, does both.
struct BufferUses {
  SmallVector<Operation *> reads, writes;

  bool isWritten() const { return !writes.empty(); }
};

BufferUses getBufferUses(Value buffer);

/// Whether `input` is read where `output`, if it is the same memory, has been
/// overwritten: in a later loop that does not write it itself, which the next
/// rows of a loop in two parts would, or at the place that was just written.
/// Of what else happens within a loop nothing is said.
bool isReadAfterWrite(const BufferUses &input, const BufferUses &output);

} // namespace mlir::norm

#endif // NORM_LIB_TRANSFORMS_BUFFERUSES_H
