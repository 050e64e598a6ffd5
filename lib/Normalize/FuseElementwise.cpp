//===- FuseElementwise.cpp - fuse what is not computed anew ---------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: linalg-fuse-elementwise-ops has no option for its
// control function; goes when it keeps producers out of products of matrices.

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "norm/IR/RowTarget.h"
#include "norm/Normalize/Passes.h"
#include "norm/Normalize/Recompute.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMFUSEELEMENTWISE
#include "norm/Normalize/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using linalg::GenericOp;

/// A vector that a sum over each of so few rows reads is computed with it.
static constexpr int64_t kFewRows = 16;

/// Rows that compute an element as fast as blocks do which need not be turned,
/// measured on Emerald Rapids.
static constexpr int64_t kFewRowsOfBlocks = 2;

/// Returns true if the operand is a factor of a product of matrices, which
/// reads each of its elements once for each row or column of the other one, or
/// the vector of a product with a matrix of many rows.
static bool isReadAgain(OpOperand *use, GenericOp op) {
  if (op.getNumReductionLoops() == 0)
    return false;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  if (failed(dims) || dims->k.empty())
    return false;
  if (!dims->m.empty() && !dims->n.empty())
    return true;
  AffineMap map = op.getMatchingIndexingMap(use);
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  auto isOther = [&](unsigned loop) {
    return !map.isFunctionOfDim(loop) && extents[loop] >= kFewRows;
  };
  return llvm::any_of(dims->m, isOther) || llvm::any_of(dims->n, isOther);
}

/// Returns the rows, or columns, for which it takes as long to compute an
/// element again as to compute a block of them first: few if these are
/// neighbors in memory, so that a block is not turned, or are rounded to 16
/// bits.
static int64_t getFewRows(OpOperand *use, GenericOp product) {
  AffineMap map = product.getMatchingIndexingMap(use);
  Type element = getElementTypeOrSelf(use->get().getType());
  // A convolution reads its input at the sum of two loops.
  auto last = map.getNumResults() == 0
                  ? AffineDimExpr(nullptr)
                  : dyn_cast<AffineDimExpr>(map.getResults().back());
  bool isTurned = last && product.getIteratorTypesArray()[last.getPosition()] ==
                              utils::IteratorType::reduction;
  return isTurned && !element.isF16() && !element.isBF16()
             ? norm::getRowTarget(product).fewRows
             : kFewRowsOfBlocks;
}

/// Returns true if the product reads an element for more than `few` rows, or
/// columns.
static bool isReadByManyRows(OpOperand *use, GenericOp product, int64_t few) {
  AffineMap map = product.getMatchingIndexingMap(use);
  for (auto [loop, extent] : llvm::enumerate(product.getStaticLoopRanges()))
    if (!map.isFunctionOfDim(loop) &&
        (ShapedType::isDynamic(extent) || extent > few))
      return true;
  return false;
}

/// Returns true if an op only moves elements or widens them, as
/// norm-tile-products does. For more than half of a few rows it multiplies bf16
/// as such.
static bool onlyWidens(GenericOp op, OpOperand *use, GenericOp reader) {
  auto body = op.getBody()->without_terminator();
  if (body.empty())
    return true;
  Operation *widening = &*body.begin();
  if (!llvm::hasSingleElement(body) || !norm::isWidening(widening))
    return false;
  return !widening->getResult(0).getType().isBF16() ||
         !isReadByManyRows(use, reader, norm::getRowTarget(reader).fewRows / 2);
}

/// Returns true if products of two elements are added in 16 bits.
static bool hasNarrowSums(GenericOp op) {
  Type sum = getElementTypeOrSelf(op.getDpsInits()[0].getType());
  return (sum.isF16() || sum.isBF16()) && op.getNumDpsInputs() == 2 &&
         linalg::isaContractionOpInterface(
             cast<linalg::LinalgOp>(op.getOperation()));
}

/// Returns true for a fill that is viewed in another shape. Sums of several
/// products start from one, and must find it without a view.
static bool isViewedFill(OpOperand *use) {
  auto fill = use->get().getDefiningOp<GenericOp>();
  return isa<tensor::ExpandShapeOp>(use->getOwner()) && fill &&
         fill.getNumDpsInputs() == 0 &&
         fill.getBody()->without_terminator().empty();
}

/// Returns true if a reshape can move past the padding at one end of `use`.
// Upstream: LLVM 22.1: the patterns infer the type of the padding anew,
// although canonicalization may have given it extents of a reader, and expand
// its source before extents are computed that follow it; goes when they do
// neither.
static bool canPassPadding(OpOperand &use) {
  if (auto pad = dyn_cast<tensor::PadOp>(use.getOwner()))
    return tensor::PadOp::inferResultType(
               pad.getSourceType(), pad.getStaticLow(), pad.getStaticHigh()) ==
           pad.getResultType();
  auto pad = use.get().getDefiningOp<tensor::PadOp>();
  auto expand = dyn_cast<tensor::ExpandShapeOp>(use.getOwner());
  return !pad || !expand ||
         llvm::all_of(expand.getOutputShape(), [&](Value extent) {
           Operation *op = extent.getDefiningOp();
           return !op || op->getBlock() != pad->getBlock() ||
                  op->isBeforeInBlock(pad);
         });
}

/// Returns true if the consumer has one use for the producer, and does not
/// compute its elements many times over.
static bool canFuse(OpOperand *use, norm::Products products) {
  Operation *producer = use->get().getDefiningOp();
  if (!producer || (!producer->hasOneUse() && !isViewedFill(use)) ||
      !canPassPadding(*use))
    return false;
  auto source = dyn_cast<GenericOp>(producer);
  auto reader = dyn_cast<GenericOp>(use->getOwner());
  if (!source || !reader)
    return true;
  bool widens = onlyWidens(source, use, reader);
  // norm-tile-products makes the sums of products wide.
  if (hasNarrowSums(reader) && !widens)
    return false;
  if (!isReadAgain(use, reader))
    return true;
  bool isComputedByBlocks =
      products == norm::Products::Blocks && !widens &&
      isReadByManyRows(use, reader, getFewRows(use, reader));
  return !isComputedByBlocks &&
         norm::isCheaperToRecompute(source, norm::KeptFor::Product);
}

//===----------------------------------------------------------------------===//
// Accumulators that no element reads
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: the fusion of elementwise ops and bufferization drop an
// accumulator that the body does not read, which is the result if there are no
// elements; goes when both look at extents.

/// Returns a loop that may run zero times and does not index `init`, if the
/// body does not read it.
static std::optional<unsigned> findEmptyLoop(GenericOp op, OpOperand &init) {
  if (!op.hasPureTensorSemantics() || op.payloadUsesValueFromOperand(&init))
    return std::nullopt;
  AffineMap map = op.getMatchingIndexingMap(&init);
  for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges()))
    if ((extent == 0 || ShapedType::isDynamic(extent)) &&
        !map.isFunctionOfDim(loop))
      return loop;
  return std::nullopt;
}

/// Lets the body read the accumulator, by a comparison that always holds and is
/// not folded.
static void readAccumulator(GenericOp op, OpOperand &init, unsigned loop) {
  Operation *yield = op.getBody()->getTerminator();
  OpOperand &yielded =
      yield->getOpOperand(init.getOperandNumber() - op.getNumDpsInputs());
  OpBuilder b(yield);
  Location loc = op.getLoc();
  Value index = linalg::IndexOp::create(b, loc, loop);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value holds =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, index, zero);
  yielded.set(arith::SelectOp::create(b, loc, holds, yielded.get(),
                                      op.getMatchingBlockArgument(&init)));
}

namespace {
struct NormFuseElementwise
    : norm::impl::NormFuseElementwiseBase<NormFuseElementwise> {
  using NormFuseElementwiseBase::NormFuseElementwiseBase;

  void runOnOperation() override {
    getOperation()->walk([](GenericOp op) {
      for (OpOperand &init : op.getDpsInitsMutable())
        if (std::optional<unsigned> loop = findEmptyLoop(op, init))
          readAccumulator(op, init, *loop);
    });
    MLIRContext *context = &getContext();
    RewritePatternSet patterns(context);
    auto canFuse = [this](OpOperand *use) { return ::canFuse(use, products); };
    linalg::populateElementwiseOpsFusionPatterns(patterns, canFuse);
    linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, canFuse);
    tensor::populateBubbleUpExpandShapePatterns(patterns);
    affine::AffineApplyOp::getCanonicalizationPatterns(patterns, context);
    GenericOp::getCanonicalizationPatterns(patterns, context);
    tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
    tensor::CollapseShapeOp::getCanonicalizationPatterns(patterns, context);
    context->getLoadedDialect<linalg::LinalgDialect>()
        ->getCanonicalizationPatterns(patterns);
    linalg::populateConstantFoldLinalgOperations(patterns, canFuse);
    GreedyRewriteConfig config;
    config.setUseTopDownTraversal();
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
