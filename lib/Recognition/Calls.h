//===- Calls.h - norms that span a call --------------------------*- C++-*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to this folder. Front ends put parts of a norm into functions of
// their own (jnp.linalg.norm, jnp.mean). Recognition reads a copy of the caller
// that has them inlined, and the program keeps its calls where that does not
// give more norms.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_RECOGNITION_CALLS_H
#define NORM_RECOGNITION_CALLS_H

#include "Plan.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::norm {

/// A function and a copy of it in which calls are inlined.
struct InlinedFunction {
  func::FuncOp original;
  OwningOpRef<func::FuncOp> copy;
  SmallVector<func::FuncOp> callees; // one a call, in order
  Plan plan;                         // of the copy
};

/// A copy of every function of `scope` that calls private functions of one
/// block without side effects; callees come before their callers. A callee of
/// more than kMaxInlinedOps operations stays a call, so that the copies are
/// linear in the program; so does one that is recursive or has no body.
constexpr unsigned kMaxInlinedOps = 512;
SmallVector<InlinedFunction> inlineCalls(Operation *scope);

/// The private functions of `candidates` that have no more users, and those
/// that only they use.
llvm::SetVector<Operation *> findUnused(Operation *scope,
                                        ArrayRef<func::FuncOp> candidates);

} // namespace mlir::norm

#endif // NORM_RECOGNITION_CALLS_H
