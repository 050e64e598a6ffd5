//===- FinishBuffers.cpp - freed buffers again, strided copies as loops ---===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: no pass reuses a freed buffer for a later allocation;
// goes when one does.
// Upstream: LLVM 22.1: finalize-memref-to-llvm makes a strided copy a call of
// memrefCopy of the runner library; goes when it makes loops.

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/PatternMatch.h"
#include "norm/Buffers/Passes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMFINISHBUFFERS
#include "norm/Buffers/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using memref::AllocOp;
using memref::DeallocOp;

/// Returns true if the buffer of `freed` can serve as `wanted`.
static bool fits(AllocOp freed, AllocOp wanted) {
  return freed.getDynamicSizes() == wanted.getDynamicSizes() &&
         freed.getSymbolOperands() == wanted.getSymbolOperands() &&
         freed.getAlignment() == wanted.getAlignment();
}

/// Reuses the buffer that was freed last, which a cache may still hold.
static void reuse(IRRewriter &rewriter, Block &block) {
  llvm::DenseMap<Type, SmallVector<std::pair<AllocOp, DeallocOp>>> freed;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (auto dealloc = dyn_cast<DeallocOp>(op)) {
      auto alloc = dealloc.getMemref().getDefiningOp<AllocOp>();
      if (alloc && alloc->getBlock() == &block)
        freed[alloc.getType()].emplace_back(alloc, dealloc);
      continue;
    }
    auto wanted = dyn_cast<AllocOp>(op);
    if (!wanted)
      continue;
    auto &candidates = freed[wanted.getType()];
    auto found = llvm::find_if(llvm::reverse(candidates), [&](auto &each) {
      return fits(each.first, wanted);
    });
    if (found == candidates.rend())
      continue;
    auto [alloc, dealloc] = *found;
    candidates.erase(std::next(found).base());
    LDBG("norm-finish-buffers", 1) << "reuses " << alloc << " for " << wanted;
    rewriter.eraseOp(dealloc);
    rewriter.replaceOp(wanted, alloc.getResult());
  }
}

/// Returns true for types that finalize-memref-to-llvm copies with memcpy.
static bool isContiguous(Type type) {
  return cast<MemRefType>(type).getLayout().isIdentity();
}

static LogicalResult expandStrided(IRRewriter &rewriter, memref::CopyOp copy) {
  Value source = copy.getSource(), target = copy.getTarget();
  for (Type type : {source.getType(), target.getType()})
    if (isa<UnrankedMemRefType>(type))
      return copy.emitError("norm-finish-buffers: cannot copy ") << type;
  if (isContiguous(source.getType()) && isContiguous(target.getType()))
    return success();
  rewriter.setInsertionPoint(copy);
  rewriter.replaceOpWithNewOp<linalg::CopyOp>(copy, source, target);
  return success();
}

namespace {
struct NormFinishBuffers
    : norm::impl::NormFinishBuffersBase<NormFinishBuffers> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation()->walk([&](Block *block) { reuse(rewriter, *block); });
    auto result = getOperation()->walk([&](memref::CopyOp copy) {
      return WalkResult(expandStrided(rewriter, copy));
    });
    if (result.wasInterrupted())
      signalPassFailure();
  }
};
} // namespace
