//===- LowerTensorOps.cpp - what tensors have no bufferization for --------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

// Upstream: LLVM 22.1: convert-elementwise-to-linalg folds first, and arith's
// folders make constants of open extents; goes when they look at the shape.
// Upstream: LLVM 22.1: linalg.pack and unpack and Winograd's transforms have no
// bufferization, and no pass but the transform dialect lowers them; goes when
// one does.
// Upstream: LLVM 22.1: arith.remsi and remui claim to be speculatable, and are
// hoisted out of loops that do not run; goes when they say what quotients do.
// Upstream: LLVM 22.1: the lowering of a memref.global without dimensions looks
// for the element of a resource, and crashes; goes when it reads the bytes.
// Upstream: LLVM 22.1: linalg-fold-unit-extent-dims takes 0 for an open extent of
// a result that an operand says is 1; goes when it asks the result.
// Upstream: LLVM 22.1: a concat or a pad of an empty tensor is bufferized to a
// view that begins behind the end; goes when that is allowed or left out.

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Transforms/WalkPatternRewriteDriver.h"
#include "norm/Workarounds/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMLOWERTENSOROPS
#include "norm/Workarounds/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

static LogicalResult lowerPack(linalg::PackOp op, PatternRewriter &rewriter) {
  return linalg::lowerPack(rewriter, op, /*lowerPadLikeWithInsertSlice=*/false);
}

static LogicalResult lowerUnPack(linalg::UnPackOp op,
                                 PatternRewriter &rewriter) {
  return linalg::lowerUnPack(rewriter, op,
                             /*lowerUnpadLikeWithExtractSlice=*/false);
}

/// Computes a remainder by the quotient, which stays where it is.
template <typename Remainder, typename Quotient>
static LogicalResult divideFirst(Remainder op, PatternRewriter &rewriter) {
  if (matchPattern(op.getRhs(), m_Constant()))
    return failure();
  Location loc = op.getLoc();
  Value quotient = Quotient::create(rewriter, loc, op.getLhs(), op.getRhs());
  Value multiple = arith::MulIOp::create(rewriter, loc, quotient, op.getRhs());
  rewriter.replaceOpWithNewOp<arith::SubIOp>(op, op.getLhs(), multiple);
  return success();
}

/// Returns true for a tensor that is known to have no elements.
static bool isEmpty(Value v) {
  return llvm::is_contained(cast<RankedTensorType>(v.getType()).getShape(), 0);
}

static LogicalResult dropEmptyParts(tensor::ConcatOp op,
                                    PatternRewriter &rewriter) {
  SmallVector<Value> parts =
      llvm::filter_to_vector(op.getInputs(), std::not_fn(isEmpty));
  if (parts.size() == op.getInputs().size())
    return failure();
  Location loc = op.getLoc();
  Value joined;
  if (parts.empty()) {
    ReifiedRankedShapedTypeDims shapes;
    if (failed(reifyResultShapes(rewriter, op, shapes)))
      return failure();
    joined = tensor::EmptyOp::create(rewriter, loc, shapes.front(),
                                     op.getResultType().getElementType());
  } else {
    joined = tensor::ConcatOp::create(rewriter, loc, op.getDim(), parts);
  }
  rewriter.replaceOpWithNewOp<tensor::CastOp>(op, op.getType(), joined);
  return success();
}

/// Computes what is around nothing.
static LogicalResult generatePadding(tensor::PadOp op,
                                     PatternRewriter &rewriter) {
  if (!isEmpty(op.getSource()))
    return failure();
  SmallVector<Value> extents;
  ReifiedRankedShapedTypeDims shapes;
  if (failed(reifyResultShapes(rewriter, op, shapes)))
    return failure();
  for (OpFoldResult extent : shapes.front())
    if (auto value = dyn_cast<Value>(extent))
      extents.push_back(value);
  auto generate = tensor::GenerateOp::create(rewriter, op.getLoc(),
                                             op.getResultType(), extents);
  rewriter.inlineRegionBefore(op.getRegion(), generate.getBody(),
                              generate.getBody().begin());
  rewriter.replaceOp(op, generate);
  return success();
}

/// Makes a number of a resource without dimensions.
static void unpackScalar(Operation *op) {
  StringRef name = isa<memref::GlobalOp>(op) ? "initial_value" : "value";
  auto resource = op->getAttrOfType<DenseResourceElementsAttr>(name);
  if (!resource || resource.getType().getRank() != 0 ||
      !resource.getRawHandle().getBlob())
    return;
  bool isSplat;
  if (DenseElementsAttr::isValidRawBuffer(resource.getType(),
                                          resource.getData(), isSplat))
    op->setAttr(name, DenseElementsAttr::getFromRawBuffer(resource.getType(),
                                                          resource.getData()));
}

namespace {
struct NormLowerTensorOps
    : norm::impl::NormLowerTensorOpsBase<NormLowerTensorOps> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (isa<arith::ConstantOp, memref::GlobalOp>(op))
        unpackScalar(op);
    });
    RewritePatternSet patterns(&getContext());
    linalg::populateElementwiseToLinalgConversionPatterns(patterns);
    linalg::populateDecomposeWinogradOpsPatterns(patterns);
    patterns.add(lowerPack);
    patterns.add(lowerUnPack);
    patterns.add(dropEmptyParts);
    patterns.add(generatePadding);
    walkAndApplyPatterns(getOperation(), std::move(patterns));
    // Casts operands to the extents that others have.
    RewritePatternSet extents(&getContext());
    getContext()
        .getLoadedDialect<linalg::LinalgDialect>()
        ->getCanonicalizationPatterns(extents);
    walkAndApplyPatterns(getOperation(), std::move(extents));
    // Also in the bodies that the others have made.
    RewritePatternSet remainders(&getContext());
    remainders.add(divideFirst<arith::RemSIOp, arith::DivSIOp>);
    remainders.add(divideFirst<arith::RemUIOp, arith::DivUIOp>);
    walkAndApplyPatterns(getOperation(), std::move(remainders));
  }
};
} // namespace
