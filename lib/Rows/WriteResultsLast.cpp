//===- WriteResultsLast.cpp - results that are read again -----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "norm/Rows/Passes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMWRITERESULTSLAST
#include "norm/Rows/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using bufferization::MaterializeInDestinationOp;
using linalg::GenericOp;

static bool isWritten(Value v) {
  return llvm::any_of(v.getUsers(), [](Operation *user) {
    return isa<MaterializeInDestinationOp>(user);
  });
}

static bool isElementwise(GenericOp op) {
  return op && op.hasPureTensorSemantics() && op.isAllParallelLoops();
}

static bool hasReductionOf(Value v) {
  return llvm::any_of(v.getUsers(), [](Operation *user) {
    auto op = dyn_cast<linalg::LinalgOp>(user);
    return op && op.getNumReductionLoops() > 0;
  });
}

/// Returns the last reader of `v` if it is elementwise, has a written result,
/// and reads each element of `v` at the element's own place.
static GenericOp findLastReader(Value v) {
  GenericOp last;
  for (OpOperand &use : v.getUses()) {
    auto reader = dyn_cast<GenericOp>(use.getOwner());
    if (!reader || reader->getBlock() != v.getParentBlock())
      continue;
    if (!last || last->isBeforeInBlock(reader))
      last = reader;
  }
  if (!isElementwise(last) || !llvm::any_of(last->getResults(), isWritten))
    return {};
  bool readsInPlace = llvm::any_of(v.getUses(), [&](OpOperand &use) {
    return use.getOwner() == last && last.isDpsInput(&use) &&
           last.getMatchingIndexingMap(&use).isIdentity();
  });
  return readsInPlace ? last : GenericOp();
}

/// Adds the unchanged `v` to the results of `reader`.
static Value addResult(IRRewriter &rewriter, GenericOp reader, Value v) {
  Location loc = reader.getLoc();
  rewriter.setInsertionPoint(reader);
  auto type = cast<RankedTensorType>(v.getType());
  // These are sizes of its destination, so that nothing new uses `v`.
  Value sizes = v.getDefiningOp<GenericOp>().getDpsInits().front();
  Value init = tensor::EmptyOp::create(
      rewriter, loc, tensor::getMixedSizes(rewriter, loc, sizes),
      type.getElementType());
  SmallVector<Value> outs(reader.getOutputs());
  SmallVector<AffineMap> maps = reader.getIndexingMapsArray();
  outs.push_back(init);
  maps.push_back(rewriter.getMultiDimIdentityMap(type.getRank()));
  SmallVector<Type> types(reader.getResultTypes());
  types.push_back(init.getType());
  auto wide = GenericOp::create(rewriter, loc, types, reader.getInputs(), outs,
                                maps, reader.getIteratorTypesArray());
  rewriter.inlineRegionBefore(reader.getRegion(), wide.getRegion(),
                              wide.getRegion().begin());
  Block *body = wide.getBody();
  body->addArgument(type.getElementType(), loc);
  for (OpOperand *input : wide.getDpsInputOperands())
    if (input->get() == v && wide.getMatchingIndexingMap(input).isIdentity()) {
      Operation *yield = body->getTerminator();
      yield->insertOperands(yield->getNumOperands(),
                            wide.getMatchingBlockArgument(input));
      break;
    }
  rewriter.replaceOp(reader, wide->getResults().drop_back());
  return wide->getResults().back();
}

namespace {
struct NormWriteResultsLast
    : norm::impl::NormWriteResultsLastBase<NormWriteResultsLast> {
  void runOnOperation() override {
    SmallVector<MaterializeInDestinationOp> writes;
    getOperation().walk(
        [&](MaterializeInDestinationOp write) { writes.push_back(write); });
    IRRewriter rewriter(&getContext());
    for (MaterializeInDestinationOp write : writes) {
      Value v = write.getSource();
      auto producer = v.getDefiningOp<GenericOp>();
      if (!isElementwise(producer) || producer->getNumResults() != 1 ||
          !hasReductionOf(v))
        continue;
      GenericOp reader = findLastReader(v);
      if (!reader || reader->getBlock() != write->getBlock() ||
          !reader->isBeforeInBlock(write))
        continue;
      LDBG("norm-write-results-last", 1) << "writes " << v << " in " << reader;
      Value late = addResult(rewriter, reader, v);
      rewriter.modifyOpInPlace(write,
                               [&] { write.getSourceMutable().assign(late); });
    }
  }
};
} // namespace
