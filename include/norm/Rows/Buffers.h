//===- Buffers.h - extents of buffers at run time ---------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_ROWS_BUFFERS_H
#define NORM_ROWS_BUFFERS_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "norm/Floats/Lanes.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::norm {

/// The memrefs that ops in `loop` use and that are defined outside.
llvm::SetVector<Value> getOuterBuffers(Operation *loop);

/// Whether bytes of `memref` can be counted: ranked, integers or floats.
bool hasCountableBytes(Value memref);

/// The bytes that the elements of all buffers take, as an index.
Lanes createByteCount(ImplicitLocOpBuilder &b, ArrayRef<Value> buffers);

/// Returns the ops in `loop` that `values` come from, such as views, each
/// behind what it uses; nullopt where one has effects.
std::optional<SmallVector<Operation *>> findSources(Operation *loop,
                                                    ValueRange values);

/// Loops of `scope` that are in no other one, and linalg ops, which become
/// loops.
SmallVector<Operation *> getOutermostLoops(Operation *scope);

/// Replaces an `scf.forall` or `scf.parallel` by `scf.for` loops; those of the
/// former keep the role and the plan. Fails where there are results.
LogicalResult serializeLoop(RewriterBase &rewriter, Operation *loop);

} // namespace mlir::norm

#endif // NORM_ROWS_BUFFERS_H
