//===- RMSNormCanonicalize.cpp - canonicalization of the ops --------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// No pattern for tensor.cast is needed here, because the tensor dialect folds
// it into every destination-style op.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "norm/IR/Norm.h"

using namespace mlir;
using namespace mlir::norm;

/// Returns true if `weight` is a constant whose elements are all exactly 1.
static bool isAllOnes(Value weight) {
  if (auto fill = weight.getDefiningOp<linalg::FillOp>())
    return matchPattern(fill.value(), m_OneFloat());
  DenseFPElementsAttr values;
  if (!matchPattern(weight, m_Constant(&values)))
    return false;
  auto isOne = [](const APFloat &value) { return value.isExactlyValue(1.0); };
  // A splat is tested by its one value and not element by element.
  if (values.isSplat())
    return isOne(values.getSplatValue<APFloat>());
  return llvm::all_of(values.getValues<APFloat>(), isOne);
}

/// Drops a weight of ones (S5). z*1 is z, NaN included, and widening z first is
/// exact, so the final rounding (S6) sees the same value in z's own type.
static LogicalResult dropOnesWeight(RMSNormOp op, PatternRewriter &rewriter) {
  if (!op.getWeight() || !isAllOnes(op.getWeight()))
    return rewriter.notifyMatchFailure(op, "weight is not a constant of ones");
  rewriter.modifyOpInPlace(op, [&] {
    op.getWeightMutable().clear();
    op.removeWeightDimsAttr();
  });
  return success();
}

static bool isWholeCount(RMSNormOpInterface op) {
  if (!op.getCount())
    return false;
  int64_t count = *op.getCount();
  return count == op.getInputType().getDimSize(op.getDims().front());
}

namespace {
/// Drops the attributes whose absence means the same.
struct DropRedundantAttributes : OpInterfaceRewritePattern<RMSNormOpInterface> {
  using OpInterfaceRewritePattern::OpInterfaceRewritePattern;

  LogicalResult matchAndRewrite(RMSNormOpInterface op,
                                PatternRewriter &rewriter) const override {
    FloatType compute = op.getEffectiveComputeType();
    std::pair<StringRef, bool> attributes[] = {
        {"compute_type", op.getComputeType() == op.getDefaultComputeType()},
        {"scale_type", op.getScaleType() == compute},
        {"normalized_type", op.getNormalizedType() == compute},
        {"weight_dims", op.getWeightDims() == op.getDims()},
        {"count", isWholeCount(op)}};
    if (llvm::none_of(llvm::make_second_range(attributes),
                      [](bool isRedundant) { return isRedundant; }))
      return rewriter.notifyMatchFailure(op, "every attribute says something");
    rewriter.modifyOpInPlace(op, [&] {
      for (auto [name, isRedundant] : attributes)
        if (isRedundant)
          op->removeAttr(name);
    });
    return success();
  }
};
} // namespace

void RMSNormOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                            MLIRContext *context) {
  patterns.add(dropOnesWeight);
  patterns.add<DropRedundantAttributes>(context);
}

//===----------------------------------------------------------------------===//
// norm.rmsnorm_backward
//===----------------------------------------------------------------------===//

/// Drops the results without users and their inits. Where dx goes, so does the
/// weight: dw is of its type, so that P stays.
static LogicalResult dropDeadResults(RMSNormBackwardOp op,
                                     PatternRewriter &rewriter) {
  bool dropsDx = op.getDx() && op.getDx().use_empty();
  bool dropsDw = op.getDw() && op.getDw().use_empty();
  if (dropsDx == dropsDw)
    return rewriter.notifyMatchFailure(op, "no result goes, or the whole op");
  if (dropsDw && op.getProductType() != op.getEffectiveNormalizedType() &&
      !op.getWeight())
    return rewriter.notifyMatchFailure(op, "the type of dw is that of P");
  Value kept = dropsDx ? op.getDw() : op.getDx();
  auto narrow = RMSNormBackwardOp::create(
      rewriter, op.getLoc(), kept.getType(), op.getDy(), op.getInput(),
      dropsDx ? Value() : op.getWeight(), op.getInvRms(), op.getRms(),
      dropsDx ? Value() : op.getDxInit(), dropsDw ? Value() : op.getDwInit(),
      op.getDimsAttr(), op.getEpsilonAttr(), op.getEpsilonModeAttr(),
      op.getComputeTypeAttr(), op.getScaleTypeAttr(),
      op.getNormalizedTypeAttr(),
      dropsDw && !op.getWeight() ? nullptr : op.getWeightDimsAttr(),
      op.getCountAttr(), op.getRootFormAttr(), op.getSumTypeAttr());
  rewriter.replaceAllUsesWith(kept, narrow.getResult(0));
  rewriter.eraseOp(op);
  return success();
}

/// Drops a weight of ones from an op that has no dw: P(dy)*1 is P(dy), and
/// rounding that to T is one rounding of dy unless P rounds it too.
static LogicalResult dropBackwardOnesWeight(RMSNormBackwardOp op,
                                            PatternRewriter &rewriter) {
  if (!op.getWeight() || op.getDwInit() || !isAllOnes(op.getWeight()))
    return rewriter.notifyMatchFailure(op, "weight is not a constant of ones");
  auto dy = cast<FloatType>(getElementTypeOrSelf(op.getDy()));
  if (getWiderFloatType(dy, op.getProductType()) != op.getProductType())
    return rewriter.notifyMatchFailure(op,
                                       "dy is rounded to the weight's type");
  rewriter.modifyOpInPlace(op, [&] {
    op.getWeightMutable().clear();
    op.removeWeightDimsAttr();
  });
  return success();
}

/// Returns true if the forward op computes the r of the backward op (S3).
static bool haveSameRoot(RMSNormOp forward, RMSNormBackwardOp backward) {
  auto epsilon = [](RMSNormOpInterface op) {
    return op.getEpsilonInComputeType();
  };
  return forward.getInput() == backward.getInput() &&
         forward.getDims() == backward.getDims() &&
         forward.getEffectiveComputeType() ==
             backward.getEffectiveComputeType() &&
         forward.getSumType() == backward.getSumType() &&
         forward.getCount() == backward.getCount() &&
         forward.getRootForm() == backward.getRootForm() &&
         forward.getEpsilonMode() == backward.getEpsilonMode() &&
         epsilon(forward).bitwiseIsEqual(epsilon(backward));
}

/// Finds a forward op before `op`, in its block or around it.
static RMSNormOp findForward(RMSNormBackwardOp op) {
  for (Operation *user : op.getInput().getUsers()) {
    auto forward = dyn_cast<RMSNormOp>(user);
    if (!forward || !haveSameRoot(forward, op))
      continue;
    Operation *ancestor = forward->getBlock()->findAncestorOpInBlock(*op);
    if (ancestor && ancestor != forward && forward->isBeforeInBlock(ancestor))
      return forward;
  }
  return {};
}

/// Returns `forward` with the result inv_rms.
static RMSNormOp addInvRms(RMSNormOp forward, PatternRewriter &rewriter) {
  OpBuilder::InsertionGuard guard(rewriter);
  rewriter.setInsertionPoint(forward);
  Location loc = forward.getLoc();
  SmallVector<OpFoldResult> all = tensor::getMixedSizes(rewriter, loc,
                                                        forward.getInput()),
                            sizes;
  for (int64_t dim : forward.getBatchDims())
    sizes.push_back(all[dim]);
  Value init = tensor::EmptyOp::create(rewriter, loc, sizes,
                                       forward.getEffectiveComputeType());
  SmallVector<Value> operands(forward->getOperands());
  operands.push_back(init);
  RMSNormOp::Properties properties = forward.getProperties();
  properties.operandSegmentSizes.back() = 1; // inv_rms_init
  auto widened = RMSNormOp::create(
      rewriter, loc, TypeRange{forward.getResult(0).getType(), init.getType()},
      operands, properties);
  rewriter.replaceOp(forward, widened.getResult(0));
  return widened;
}

/// Takes inv_rms of a forward norm of the same x, so that x is not summed
/// twice. A quotient divides by the root, which inv_rms rounds once more.
static LogicalResult takeInvRms(RMSNormBackwardOp op,
                                PatternRewriter &rewriter) {
  if (op.getInvRms() || !op.hasPureTensorSemantics() ||
      op.getEpsilonMode() != EpsilonMode::Inside ||
      op.getRootForm() == RootForm::Quotient)
    return rewriter.notifyMatchFailure(op, "r is not what inv_rms holds");
  RMSNormOp forward = findForward(op);
  if (!forward)
    return rewriter.notifyMatchFailure(op, "no forward norm of the same x");
  if (!forward.getInvRmsInit())
    forward = addInvRms(forward, rewriter);
  Value invRms = forward.getResult(1);
  rewriter.modifyOpInPlace(op, [&] { op.getInvRmsMutable().assign(invRms); });
  return success();
}

void RMSNormBackwardOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                    MLIRContext *context) {
  patterns.add(dropDeadResults);
  patterns.add(dropBackwardOnesWeight);
  patterns.add(takeInvRms);
  patterns.add<DropRedundantAttributes>(context);
}
