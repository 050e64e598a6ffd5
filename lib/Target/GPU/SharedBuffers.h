//===- SharedBuffers.h - buffers that may be one ----------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_TARGET_GPU_SHAREDBUFFERS_H
#define NORM_LIB_TARGET_GPU_SHAREDBUFFERS_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

namespace mlir::norm {

/// The buffer that `v` is a view of.
inline Value getRootBuffer(Value v) {
  while (auto view = v.getDefiningOp<ViewLikeOpInterface>())
    v = view.getViewSource();
  return v;
}

/// Whether what is written to `written` may be seen in `read`. A caller may put
/// a result into the buffer of an input of the same shape, whatever the element
/// types; of another shape, rows of other blocks would already read it.
inline bool maySee(Value read, Value written) {
  Value from = getRootBuffer(read), to = getRootBuffer(written);
  if (!isa<MemRefType>(from.getType()) || !isa<MemRefType>(to.getType()))
    return true;
  return from == to ||
         succeeded(verifyCompatibleShape(from.getType(), to.getType()));
}

} // namespace mlir::norm

#endif // NORM_LIB_TARGET_GPU_SHAREDBUFFERS_H
