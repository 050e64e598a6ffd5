//===- SeparateResults.cpp - results that start from one value ------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: eliminate-empty-tensors follows ops that do not compute
// in place, and a result overwrites a value that is still read; goes when it
// stops there.

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "norm/Buffers/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMSEPARATERESULTS
#include "norm/Buffers/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using namespace mlir::bufferization;

/// Returns true if the result is in a tensor of this buffer already: it was
/// written over an argument.
static bool isWrittenThere(MaterializeInDestinationOp write) {
  auto result = write.getSource().getDefiningOp<MaterializeInDestinationOp>();
  auto argument =
      result ? result.getDest().getDefiningOp<ToTensorOp>() : ToTensorOp();
  return argument && argument.getBuffer() == write.getDest();
}

static bool isResultWrite(Operation *op) {
  auto write = dyn_cast<MaterializeInDestinationOp>(op);
  return write && isa<MemRefType>(write.getDest().getType()) &&
         (write.getRestrict() || isWrittenThere(write));
}

/// Returns the writes of results behind which only other ops on values follow.
/// A value that is computed behind any other write could overwrite its buffer.
static SmallVector<MaterializeInDestinationOp> getLastWrites(Block &body) {
  SmallVector<MaterializeInDestinationOp> writes;
  for (Operation &op : llvm::reverse(body.without_terminator())) {
    if (isResultWrite(&op))
      writes.push_back(cast<MaterializeInDestinationOp>(op));
    else if (!isMemoryEffectFree(&op))
      break;
  }
  std::reverse(writes.begin(), writes.end());
  return writes;
}

/// Changes a write into a buffer to one into a tensor, which bufferization
/// checks against all other uses of that buffer.
static void writeTensor(OpBuilder &b, MaterializeInDestinationOp write) {
  Value buffer = write.getDest();
  b.setInsertionPointAfterValue(buffer);
  auto tensor =
      ToTensorOp::create(b, write.getLoc(), write.getSource().getType(), buffer,
                         /*restrict=*/true, /*writable=*/true);
  b.setInsertionPoint(write);
  auto written = MaterializeInDestinationOp::create(
      b, write.getLoc(), tensor.getType(), write.getSource(), tensor);
  write.getSourceMutable().assign(written.getResult());
  write.setRestrict(false);
}

/// Returns true if `v` is one of several tensors: another one that was computed
/// in the caller's buffer may be larger, or be read after it was overwritten.
/// Two branches that start from one buffer are a conflict, too.
static bool isChosen(Value v) {
  Operation *def = v.getDefiningOp();
  return isa_and_nonnull<RegionBranchOpInterface, arith::SelectOp>(def) &&
         !isa<LoopLikeOpInterface>(def);
}

/// Returns true if `v` may be in the buffer of another result.
static bool mayBeElsewhere(Value v) {
  return isa_and_nonnull<RegionBranchOpInterface, arith::SelectOp,
                         tensor::CastOp, tensor::CollapseShapeOp,
                         tensor::ExpandShapeOp, tensor::ExtractSliceOp>(
      v.getDefiningOp());
}

/// Runs upstream's elimination of empty tensors where every op between the
/// empty tensor and the write computes in place.
static LogicalResult eliminateInPlace(func::FuncOp func) {
  OneShotBufferizationOptions options;
  options.allowReturnAllocsFromLoops = true;
  OneShotAnalysisState state(func, options);
  if (failed(analyzeOp(func, state)))
    return failure();
  auto build = [&](RewriterBase &rewriter, SubsetInsertionOpInterface write,
                   tensor::EmptyOp empty, Operation *user) -> Value {
    // A tensor that a loop carries is read until it is overwritten.
    auto copy = dyn_cast<MaterializeInDestinationOp>(*write);
    if (copy && !copy.getDest().getDefiningOp<ToTensorOp>())
      return Value();
    TraversalConfig config;
    config.alwaysIncludeLeaves = false;
    config.followInPlaceOnly = true;
    config.followEquivalentOnly = true;
    config.followSameTypeOrCastsOnly = true;
    auto found = state.findValueInReverseUseDefChain(
        &write.getSourceOperand(),
        [&](Value v) { return v == empty.getResult() || isChosen(v); }, config);
    return found.size() != 1 || found.front() != empty.getResult()
               ? Value()
               : buildSubsetExtraction(rewriter, write, empty, user);
  };
  IRRewriter rewriter(func.getContext());
  return eliminateEmptyTensors(rewriter, func, state, build);
}

namespace {
struct NormSeparateResults
    : norm::impl::NormSeparateResultsBase<NormSeparateResults> {
  void runOnOperation() override {
    if (getOperation().isExternal())
      return;
    if (llvm::hasSingleElement(getOperation().getBody())) {
      Block &body = getOperation().getBody().front();
      OpBuilder b(&getContext());
      SmallVector<MaterializeInDestinationOp> last = getLastWrites(body);
      auto over = llvm::filter_to_vector(last, isWrittenThere);
      // What may be in the buffer of another result is read before its write.
      auto mayAlias = [](MaterializeInDestinationOp write) {
        return mayBeElsewhere(write.getSource());
      };
      auto writes = llvm::filter_to_vector(last, mayAlias);
      llvm::append_range(writes,
                         llvm::make_filter_range(last, std::not_fn(mayAlias)));
      for (MaterializeInDestinationOp write : writes)
        if (write.getRestrict()) {
          write->moveBefore(body.getTerminator());
          writeTensor(b, write);
        }
      // What a result is written over may be read for all others.
      for (MaterializeInDestinationOp write : over)
        write.getSource().getDefiningOp()->moveBefore(body.getTerminator());
      for (MaterializeInDestinationOp write : over)
        write->moveBefore(body.getTerminator());
    }
    if (failed(eliminateInPlace(getOperation())))
      signalPassFailure();
  }
};
} // namespace
