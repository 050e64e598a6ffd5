//===- ExpandMemRefCopy.cpp - strided copies as loops ---------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "norm/Transforms/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMEXPANDMEMREFCOPY
#include "norm/Transforms/Passes.h.inc"
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
    SmallVector<memref::CopyOp> copies;
    getOperation()->walk([&](memref::CopyOp copy) { copies.push_back(copy); });
    for (memref::CopyOp copy : copies) {
      Value source = copy.getSource(), target = copy.getTarget();
      if (isContiguous(source.getType()) && isContiguous(target.getType()))
        continue;
      if (!isa<MemRefType>(source.getType()) ||
          !isa<MemRefType>(target.getType()))
        continue;
      rewriter.setInsertionPoint(copy);
      rewriter.replaceOpWithNewOp<linalg::CopyOp>(copy, source, target);
    }
  }
};
} // namespace
