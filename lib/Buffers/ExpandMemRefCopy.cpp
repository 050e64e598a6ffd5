//===- ExpandMemRefCopy.cpp - strided copies as loops ---------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: finalize-memref-to-llvm makes a strided copy a call of
// memrefCopy of the runner library; goes when it makes loops.

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "norm/Buffers/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMEXPANDMEMREFCOPY
#include "norm/Buffers/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

/// Returns true for types that finalize-memref-to-llvm copies with memcpy.
static bool isContiguous(Type type) {
  auto memref = dyn_cast<MemRefType>(type);
  return memref && memref.getLayout().isIdentity();
}

namespace {
struct NormExpandMemRefCopy
    : norm::impl::NormExpandMemRefCopyBase<NormExpandMemRefCopy> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](memref::CopyOp copy) {
      Value source = copy.getSource(), target = copy.getTarget();
      if (isContiguous(source.getType()) && isContiguous(target.getType()))
        return;
      if (!isa<MemRefType>(source.getType()) ||
          !isa<MemRefType>(target.getType()))
        return;
      rewriter.setInsertionPoint(copy);
      rewriter.replaceOpWithNewOp<linalg::CopyOp>(copy, source, target);
    });
  }
};
} // namespace
