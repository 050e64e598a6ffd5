//===- VectorizeProducts.cpp - loops of vectors of products ---------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductLoops.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/Transforms/LoweringPatterns.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "norm/IR/KnownExtents.h"
#include "norm/IR/Norm.h"
#include "norm/Products/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMVECTORIZEPRODUCTS
#include "norm/Products/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using linalg::GenericOp;
using norm::MatrixProduct;

/// Casts operands to the extents that others have, which canonicalization has
/// folded into the op: a tile was chosen for them.
static void refineOperands(OpBuilder &b, GenericOp op) {
  SmallVector<int64_t> extents = norm::getKnownExtents(op);
  for (OpOperand &operand : op->getOpOperands())
    if (Type type = norm::getRefinedType(op, operand, extents);
        type != operand.get().getType())
      operand.set(memref::CastOp::create(b, op.getLoc(), type, operand.get()));
}

namespace {
struct NormVectorizeProducts
    : norm::impl::NormVectorizeProductsBase<NormVectorizeProducts> {
  void runOnOperation() override {
    auto isMarked = [](GenericOp op) {
      return op.hasPureBufferSemantics() && (op->hasAttr(norm::packAttrName) ||
                                             op->hasAttr(norm::tileAttrName) ||
                                             op->hasAttr(norm::thinAttrName));
    };
    auto ops = norm::collect<GenericOp>(getOperation(), isMarked);
    // Blocks look for what packs their columns.
    for (GenericOp op : llvm::reverse(ops))
      if (failed(vectorize(op)))
        return signalPassFailure();
    SmallVector<Operation *> squares = norm::collect<Operation *>(
        getOperation(), llvm::IsaPred<vector::TransposeOp>);
    RewritePatternSet patterns(&getContext());
    vector::populateVectorTransposeLoweringPatterns(
        patterns, vector::VectorTransposeLowering::Shuffle16x16);
    if (failed(applyOpPatternsGreedily(squares, std::move(patterns))))
      signalPassFailure();
  }

  static LogicalResult vectorize(GenericOp op) {
    OpBuilder b(op);
    refineOperands(b, op);
    if (op->hasAttr(norm::packAttrName))
      return vectorizeCopy(b, op);
    bool isInBlocks = op->hasAttr(norm::tileAttrName);
    if (isInBlocks ? !isBlock(op) : !isThin(op))
      return op.emitError("norm-vectorize-products: '")
             << (isInBlocks ? norm::tileAttrName : norm::thinAttrName)
             << "' does not fit the op's loops or extents";
    isInBlocks ? norm::buildBlockLoops(b, op) : norm::buildThinLoops(b, op);
    op.erase();
    return success();
  }

  static LogicalResult vectorizeCopy(OpBuilder &b, GenericOp op) {
    bool isCopy = op.getNumDpsInputs() == 1 && op.getNumDpsInits() == 1 &&
                  op.getNumReductionLoops() == 0 &&
                  llvm::range_size(op.getBody()->without_terminator()) <= 1 &&
                  llvm::all_of(op.getBody()->without_terminator(),
                               llvm::IsaPred<CastOpInterface>);
    if (!isCopy)
      return op.emitError("norm-vectorize-products: expects a copy with '")
             << norm::packAttrName << "'";
    norm::buildPackLoops(b, op);
    op.erase();
    return success();
  }

  /// Loops over batches and other columns have one iteration in a block, and
  /// need not be those of a product. Tiles divide its columns.
  static bool isBlock(GenericOp op) {
    bool isProduct =
        op.getNumDpsInputs() == 2 && op.getNumDpsInits() == 1 &&
        op.getNumReductionLoops() > 0 &&
        llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) {
          return map.isProjectedPermutation() && map.getNumResults() > 1;
        });
    if (!isProduct)
      return false;
    norm::BlockLoops loops = norm::getBlockLoops(op, /*lhs=*/0);
    Type element = getElementTypeOrSelf(op.getDpsInits()[0].getType());
    int64_t columns = op.getStaticLoopRanges()[loops.column];
    if (!loops.row || !element.isIntOrFloat() || columns <= 0)
      return false;
    int64_t lanes = norm::getTileLanes(op, columns);
    return lanes > 0 && columns % lanes == 0 &&
           (!op->hasAttr(norm::amxAttrName) || hasAMXTiles(op));
  }

  /// Returns true if whole tiles hold the words of A.
  static bool hasAMXTiles(GenericOp op) {
    norm::BlockLoops loops = norm::getBlockLoops(op, /*lhs=*/0);
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    Type sum = getElementTypeOrSelf(op.getDpsInits()[0]);
    int64_t group = norm::getAMXGroup(op, sum);
    auto isWhole = [&](unsigned loop) {
      return !ShapedType::isDynamic(extents[loop]) &&
             extents[loop] % norm::amxRows == 0;
    };
    return group > 0 && extents[loops.depth] == group &&
           op.getNumReductionLoops() > 1 && isWhole(loops.column) &&
           isWhole(norm::getWordLoop(op)) &&
           (ShapedType::isDynamic(extents[*loops.row]) || isWhole(*loops.row));
  }

  /// The number of rows is known.
  static bool isThin(GenericOp op) {
    std::optional<MatrixProduct> product = norm::matchMatrixProduct(op);
    auto attr = op->getAttrOfType<IntegerAttr>(norm::thinAttrName);
    if (!product || !norm::hasThinLayout(*product) || !attr)
      return false;
    auto kind = static_cast<norm::ProductKinds>(attr.getInt());
    bool hasKind =
        kind == norm::ProductKinds::Elements ||
        (kind == norm::ProductKinds::Pairs && norm::hasPairs(*product)) ||
        (kind == norm::ProductKinds::Tiles && norm::hasThinTiles(*product));
    return hasKind && (!product->loops.row ||
                       !ShapedType::isDynamic(
                           op.getStaticLoopRanges()[*product->loops.row]));
  }
};
} // namespace
