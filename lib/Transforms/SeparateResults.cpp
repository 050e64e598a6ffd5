//===- SeparateResults.cpp - results that start from one value ------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Bufferization/Transforms/Transforms.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "norm/Transforms/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMSEPARATERESULTS
#include "norm/Transforms/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using namespace mlir::bufferization;

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
    // Both branches of an scf.if would start from the one buffer, which is a
    // conflict that bufferization rejects.
    if (user->getBlock() != write->getBlock())
      return Value();
    TraversalConfig config;
    config.alwaysIncludeLeaves = false;
    config.followInPlaceOnly = true;
    config.followEquivalentOnly = true;
    config.followSameTypeOrCastsOnly = true;
    auto found = state.findValueInReverseUseDefChain(
        &write.getSourceOperand(),
        [&](Value v) { return v == empty.getResult(); }, config);
    return found.empty() ? Value()
                         : buildSubsetExtraction(rewriter, write, empty, user);
  };
  IRRewriter rewriter(func.getContext());
  return eliminateEmptyTensors(rewriter, func, state, build);
}

namespace {
struct NormSeparateResults
    : norm::impl::NormSeparateResultsBase<NormSeparateResults> {
  using NormSeparateResultsBase::NormSeparateResultsBase;

  void runOnOperation() override {
    SmallVector<MaterializeInDestinationOp> writes;
    getOperation().walk([&](MaterializeInDestinationOp write) {
      if (isa<MemRefType>(write.getDest().getType()) && write.getRestrict())
        writes.push_back(write);
    });
    OpBuilder b(&getContext());
    for (MaterializeInDestinationOp write : writes)
      writeTensor(b, write);
    if (!getOperation().isExternal() &&
        failed(eliminateInPlace(getOperation())))
      signalPassFailure();
  }
};
} // namespace
