//===- FenceStreams.cpp - order non-temporal stores -----------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/OpenMP/OpenMPDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "norm/Target/CPU/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMFENCESTREAMS
#include "norm/Target/CPU/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

/// The outermost loop around `op`, or the team of threads that runs it.
static Operation *getScope(Operation *op) {
  Operation *scope = op;
  for (Operation *parent = op->getParentOp();
       parent && !isa<func::FuncOp>(parent); parent = parent->getParentOp()) {
    if (isa<omp::ParallelOp>(parent))
      return parent;
    if (isa<LoopLikeOpInterface>(parent))
      scope = parent;
  }
  return scope;
}

static void createFence(OpBuilder &b, Location loc, bool sfence) {
  if (sfence)
    LLVM::CallIntrinsicOp::create(
        b, loc, b.getStringAttr("llvm.x86.sse.sfence"), ValueRange());
  else
    LLVM::FenceOp::create(b, loc, LLVM::AtomicOrdering::seq_cst);
}

namespace {
struct NormFenceStreams : norm::impl::NormFenceStreamsBase<NormFenceStreams> {
  using NormFenceStreamsBase::NormFenceStreamsBase;

  void runOnOperation() override {
    llvm::SetVector<Operation *> scopes;
    getOperation().walk([&](vector::StoreOp store) {
      if (store.getNontemporal())
        scopes.insert(getScope(store));
    });
    for (Operation *scope : scopes) {
      OpBuilder b(&getContext());
      if (isa<scf::ForallOp, scf::ParallelOp>(scope)) {
        scope->emitError("norm-fence-streams: threads that stream need "
                         "convert-scf-to-openmp first");
        return signalPassFailure();
      }
      if (auto team = dyn_cast<omp::ParallelOp>(scope))
        b.setInsertionPoint(team.getRegion().back().getTerminator());
      else
        b.setInsertionPointAfter(scope);
      createFence(b, scope->getLoc(), sfence);
    }
  }
};
} // namespace
