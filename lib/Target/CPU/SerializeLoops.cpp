//===- SerializeLoops.cpp - no threads where they lose or must not run ----===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlowOps.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "norm/Floats/Lanes.h"
#include "norm/IR/Norm.h"
#include "norm/Rows/Buffers.h"
#include "norm/Rows/Rows.h"
#include "norm/Target/CPU/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMSERIALIZELOOPS
#include "norm/Target/CPU/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using norm::Lanes;

//===----------------------------------------------------------------------===//
// Loops that may fail
//===----------------------------------------------------------------------===//

/// Returns whether an iteration may fail an assertion, its own or that of a
/// function that it calls.
static bool mayFail(Operation *loop) {
  return norm::anyIn(loop, [](Operation *op) {
    return isa<cf::AssertOp, CallOpInterface>(op);
  });
}

static LogicalResult serializeThoseThatMayFail(IRRewriter &rewriter,
                                               func::FuncOp function) {
  auto isToSerialize = [](Operation *op) {
    return isa<scf::ForallOp, scf::ParallelOp>(op) && mayFail(op);
  };
  for (Operation *op : norm::collect<Operation *>(function, isToSerialize))
    if (failed(norm::serializeLoop(rewriter, op)))
      return op->emitError("norm-serialize-loops: cannot run a parallel loop "
                           "with results and an assertion in one thread");
  return success();
}

//===----------------------------------------------------------------------===//
// Small loops
//===----------------------------------------------------------------------===//

/// Fewer bytes than the grain, or nothing to share.
static Value createIsSmall(OpBuilder &builder, scf::ForallOp loop,
                           ArrayRef<Value> buffers, uint64_t grain) {
  ImplicitLocOpBuilder b(loop.getLoc(), builder);
  Lanes iterations(b, arith::ConstantIndexOp::create(b, 1));
  for (auto [lower, upper, step] : llvm::zip(
           loop.getLowerBound(b), loop.getUpperBound(b), loop.getStep(b))) {
    Lanes extent = iterations.like(upper) - lower;
    iterations = iterations * extent.apply<arith::CeilDivSIOp>(step);
  }
  Lanes isFew(b, iterations.is(arith::CmpIPredicate::slt, 2));
  Lanes bytes = norm::createByteCount(b, buffers);
  return isFew | bytes.is(arith::CmpIPredicate::ult, grain);
}

static LogicalResult addSerialVersion(IRRewriter &rewriter, scf::ForallOp loop,
                                      uint64_t grain) {
  SmallVector<Value> buffers = llvm::filter_to_vector(
      norm::getOuterBuffers(loop), norm::hasCountableBytes);
  if (buffers.empty())
    return success();
  rewriter.setInsertionPoint(loop);
  Value small = createIsSmall(rewriter, loop, buffers, grain);
  auto choice = scf::IfOp::create(rewriter, loop.getLoc(), small,
                                  /*withElseRegion=*/true);
  rewriter.setInsertionPoint(choice.thenYield());
  Operation *copy = rewriter.clone(*loop);
  rewriter.moveOpBefore(loop, choice.elseYield());
  return norm::serializeLoop(rewriter, copy);
}

namespace {
struct NormSerializeLoops
    : norm::impl::NormSerializeLoopsBase<NormSerializeLoops> {
  using NormSerializeLoopsBase::NormSerializeLoopsBase;

  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    if (failed(serializeThoseThatMayFail(rewriter, getOperation())))
      return signalPassFailure();
    for (Operation *op : norm::getOutermostLoops(getOperation())) {
      auto loop = dyn_cast<scf::ForallOp>(op);
      // Versions that pass the caches are only taken where buffers are large.
      if (loop && loop.getNumResults() == 0 && !loop.getMapping() &&
          !norm::isStreamedVersion(loop) &&
          failed(addSerialVersion(rewriter, loop, grain)))
        return signalPassFailure();
    }
  }
};
} // namespace
