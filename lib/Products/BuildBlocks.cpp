//===- BuildBlocks.cpp - blocks of columns of products --------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductTensors.h"
#include "TileProducts.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"
#include "norm/Rows/Rows.h"
#include <vector>

using namespace mlir;
using linalg::GenericOp;
using norm::MatrixProduct;
using norm::ProductPlan;

/// Tiling adds a block's first column to linalg.index by affine.apply, which
/// has no vectors.
static void expandIndices(IRRewriter &b, Operation *tile) {
  OpBuilder::InsertionGuard guard(b);
  tile->walk([&](affine::AffineApplyOp apply) {
    b.setInsertionPoint(apply);
    auto values =
        affine::expandAffineMap(b, apply.getLoc(), apply.getAffineMap(),
                                llvm::to_vector(apply.getOperands()));
    b.replaceOp(apply, *values);
  });
}

FailureOr<scf::SCFTilingResult> norm::tileLoops(IRRewriter &b, GenericOp op,
                                                ArrayRef<OpFoldResult> sizes,
                                                unsigned threads) {
  auto outer = op->getParentOfType<LoopLikeOpInterface>();
  bool isInBlock = (outer && getRole(outer) == LoopRole::Product) ||
                   op->getParentOfType<scf::ForallOp>();
  scf::SCFTilingOptions options;
  options.setTileSizes(sizes);
  options.setLoopType(isInBlock || threads <= 1
                          ? scf::SCFTilingOptions::LoopType::ForOp
                          : scf::SCFTilingOptions::LoopType::ForallOp);
  b.setInsertionPoint(op);
  FailureOr<scf::SCFTilingResult> tiled =
      scf::tileUsingSCF(b, cast<TilingInterface>(op.getOperation()), options);
  if (failed(tiled))
    return failure();
  for (LoopLikeOpInterface loop : tiled->loops)
    setRole(loop, LoopRole::Product);
  b.replaceOp(op, tiled->replacements);
  expandIndices(b, tiled->tiledOps.front());
  return tiled;
}

namespace {
/// The loops of one op behind products, and blocks of these in them.
class BlockBuilder {
public:
  BlockBuilder(IRRewriter &b, GenericOp anchor, const ProductPlan &plan,
               norm::CopyMap &copies)
      : b(b), anchor(anchor), plan(plan), copies(copies),
        target(norm::getRowTarget(anchor)) {}

  LogicalResult run() {
    std::vector<MatrixProduct> products;
    SmallVector<OpFoldResult> sizes(anchor.getNumLoops(), b.getIndexAttr(0));
    for (OpOperand *input : anchor.getDpsInputOperands())
      if (std::optional<MatrixProduct> product = readProduct(*input))
        products.push_back(*product);
    bool isAMX = llvm::all_of(products, [](MatrixProduct product) {
      return product.op->hasAttr(norm::amxAttrName);
    });
    extent = GenericOp(products.front().op)
                 .getStaticLoopRanges()[products.front().loops.column];
    bool readInPlace = llvm::any_of(products, [](const MatrixProduct &product) {
      return product.op->hasAttr(norm::thinAttrName) &&
             norm::hasManyTiles(product);
    });
    columns = readInPlace ? plan.getColumnsInPlace(extent, target)
                          : plan.getBlockColumns(products.front(), isAMX);
    for (const MatrixProduct &product : products)
      for (OpOperand &use : GenericOp(product.op)->getUses())
        if (use.getOwner() == anchor)
          setSizes(product, anchor.getMatchingIndexingMap(&use), sizes);
    // Few rows whose B is computed no more, but by blocks of its own.
    if (llvm::all_of(sizes, isZeroInteger))
      return success();
    FailureOr<scf::SCFTilingResult> tiled =
        norm::tileLoops(b, anchor, sizes, plan.threads);
    if (failed(tiled))
      return failure();
    auto tile = cast<GenericOp>(tiled->tiledOps.front());
    for (const MatrixProduct &product : products)
      if (failed(buildBlock(product, tile, tiled->loops)))
        return failure();
    return success();
  }

private:
  static std::optional<MatrixProduct> readProduct(OpOperand &input) {
    auto op = input.get().getDefiningOp<GenericOp>();
    if (!op ||
        !(op->hasAttr(norm::tileAttrName) || op->hasAttr(norm::thinAttrName)))
      return std::nullopt;
    return norm::matchMatrixProduct(op);
  }

  /// Blocks have all rows, and one of each loop over batches and columns but
  /// the innermost one. Rows that are few but unknown are blocks, each.
  void setSizes(const MatrixProduct &product, AffineMap use,
                SmallVectorImpl<OpFoldResult> &sizes) {
    GenericOp op = product.op;
    bool isThin = op->hasAttr(norm::thinAttrName);
    AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
    for (auto [from, to] : llvm::zip(result.getResults(), use.getResults())) {
      unsigned loop = cast<AffineDimExpr>(from).getPosition();
      int64_t size = 1;
      if (loop == product.loops.column)
        size = isThin ? getThinColumns(product) : columns;
      else if (llvm::is_contained(product.rows, loop))
        size = ShapedType::isDynamic(op.getStaticLoopRanges()[loop]) && isThin;
      // What is a row for one product may be a batch of another one.
      if (size != 0)
        sizes[cast<AffineDimExpr>(to).getPosition()] = b.getIndexAttr(size);
    }
  }

  /// Returns the columns of a block of few rows, 0 for all. What computes
  /// columns keeps them in the caches. Each thread reads as much of a row of B
  /// as level 1 keeps the sums of.
  int64_t getThinColumns(const MatrixProduct &product) const {
    if (norm::hasComputedColumns(product) || norm::hasManyTiles(product))
      return columns;
    if (plan.threads <= 1)
      return 0;
    if (ShapedType::isDynamic(extent))
      return target.thinColumns;
    GenericOp op = product.op;
    int64_t rows =
        product.loops.row ? op.getStaticLoopRanges()[*product.loops.row] : 1;
    int64_t bytes =
        product.sum.getIntOrFloatBitWidth() / 8 * std::max<int64_t>(rows, 1);
    int64_t share = llvm::divideCeil(extent, plan.threads),
            blocks = llvm::divideCeil(share * bytes, target.level1Bytes);
    return llvm::alignTo(llvm::divideCeil(share, blocks), target.lanes);
  }

  LogicalResult buildBlock(const MatrixProduct &product, GenericOp tile,
                           MutableArrayRef<LoopLikeOpInterface> loops) {
    tensor::ExtractSliceOp slice;
    Value sums = GenericOp(product.op).getResult(0);
    for (Value operand : tile.getDpsInputs())
      if (auto candidate = operand.getDefiningOp<tensor::ExtractSliceOp>())
        if (candidate.getSource() == sums)
          slice = candidate;
    if (!slice)
      return failure();
    std::optional<scf::SCFFuseProducerOfSliceResult> fused =
        scf::tileAndFuseProducerOfSlice(b, slice, loops);
    if (!fused)
      return failure();
    auto op = cast<GenericOp>(fused->tiledOps.front());
    if (failed(fuseComputedColumns(product, op, loops)))
      return failure();
    b.moveOpBefore(op, tile);
    b.setInsertionPoint(op);
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(b, op.getLoc(), op.getDpsInits()[0]);
    if (op->hasAttr(norm::thinAttrName)) {
      op.getDpsInitsMutable()[0].set(createSums(op, tile, sizes));
      return success();
    }
    std::optional<MatrixProduct> block = norm::matchMatrixProduct(op);
    auto group = op->getAttrOfType<IntegerAttr>(norm::tileAttrName);
    if (block && group && group.getInt() > 1)
      block = norm::matchMatrixProduct(groupDepths(*block, group.getInt()));
    if (!block)
      return failure();
    replaceBlock(*block, tile, sizes);
    return success();
  }

  /// Computes columns in the block, if they are computed for it alone.
  LogicalResult
  fuseComputedColumns(const MatrixProduct &product, GenericOp block,
                      MutableArrayRef<LoopLikeOpInterface> loops) {
    auto slice = block.getDpsInputs()[product.rhs]
                     .getDefiningOp<tensor::ExtractSliceOp>();
    GenericOp source =
        slice ? norm::getComputedColumns(slice.getSource()) : nullptr;
    bool isOwn =
        source && llvm::all_of(source->getUsers(), [&](Operation *user) {
          return user == slice || user == product.op;
        });
    if (!isOwn)
      return success();
    std::optional<scf::SCFFuseProducerOfSliceResult> fused =
        scf::tileAndFuseProducerOfSlice(b, slice, loops);
    return success(fused.has_value());
  }

  /// Divides the loop over depths by one more loop, over `group` of them.
  GenericOp groupDepths(const MatrixProduct &product, int64_t group) {
    GenericOp op = product.op;
    unsigned loops = op.getNumLoops();
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      SmallVector<AffineExpr> dims(map.getResults());
      AffineExpr depth = b.getAffineDimExpr(product.loops.depth);
      if (std::optional<unsigned> dim = map.getResultPosition(depth)) {
        dims.insert(dims.begin() + *dim + 1, b.getAffineDimExpr(loops));
        inputs.push_back(viewWords(operand.get(), *dim, group));
      }
      maps.push_back(AffineMap::get(loops + 1, 0, dims, b.getContext()));
    }
    SmallVector<utils::IteratorType> kinds(op.getIteratorTypesArray());
    kinds.push_back(utils::IteratorType::reduction);
    GenericOp grouped = norm::createProduct(b, product, inputs,
                                            op.getDpsInits()[0], maps, kinds);
    grouped->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    b.replaceOp(op, grouped);
    b.setInsertionPoint(grouped);
    return grouped;
  }

  /// Views a dimension as words of `group` elements: of a slice, before that.
  Value viewWords(Value v, unsigned dim, int64_t group) {
    auto slice = v.getDefiningOp<tensor::ExtractSliceOp>();
    if (!slice ||
        slice.getSourceType().getRank() != slice.getType().getRank() ||
        slice.getSourceType().getDimSize(dim) !=
            slice.getType().getDimSize(dim))
      return norm::splitDim(b, v, dim, group);
    SmallVector<OpFoldResult> offsets = slice.getMixedOffsets(),
                              sizes = slice.getMixedSizes(),
                              strides = slice.getMixedStrides();
    sizes[dim] = b.getIndexAttr(slice.getType().getDimSize(dim) / group);
    offsets.insert(offsets.begin() + dim + 1, b.getIndexAttr(0));
    sizes.insert(sizes.begin() + dim + 1, b.getIndexAttr(group));
    strides.insert(strides.begin() + dim + 1, b.getIndexAttr(1));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(slice.getSource());
    Value words = norm::splitDim(b, slice.getSource(), dim, group);
    b.setInsertionPoint(slice);
    return tensor::ExtractSliceOp::create(b, v.getLoc(), words, offsets, sizes,
                                          strides);
  }

  /// Returns zeros for the sums of a block. They are where `tile` would copy
  /// them to, if it only does that, and is as large.
  Value createSums(GenericOp op, GenericOp tile, ArrayRef<OpFoldResult> sizes) {
    Value dest = tile.getDpsInits()[0];
    auto yield = cast<linalg::YieldOp>(tile.getBody()->getTerminator());
    bool isCopy =
        tile.getNumDpsInputs() == 1 &&
        yield.getValues()[0] == tile.getBody()->getArgument(0) &&
        dest.getType() == op.getResult(0).getType() &&
        norm::hasNeighbors(dest) &&
        sizes == ArrayRef(tensor::getMixedSizes(b, op.getLoc(), dest));
    if (!isCopy)
      dest = tensor::EmptyOp::create(
          b, op.getLoc(), sizes,
          getElementTypeOrSelf(op.getResult(0).getType()));
    return norm::createZeros(b, op.getLoc(), dest);
  }

  /// Computes a block from packed columns, which are as many as it may have.
  void replaceBlock(const MatrixProduct &block, GenericOp tile,
                    ArrayRef<OpFoldResult> sizes) {
    GenericOp op = block.op;
    SmallVector<OpFoldResult> all(sizes);
    all.back() = b.getIndexAttr(columns);
    bool isAMX = op->hasAttr(norm::amxAttrName);
    if (isAMX) {
      OpFoldResult &rows =
          all[norm::getDim(block, op.getNumDpsInputs(), *block.loops.row)];
      rows = norm::roundRowsUp(b, op.getLoc(), rows);
    }
    Value sums = createSums(op, tile, all);
    Value v = addParts(block, sums);
    if (ArrayRef(all) != sizes)
      v = norm::sliceFirst(b, v, sizes);
    b.replaceOp(op, v);
  }

  /// Adds the product of A and packed columns to `sums`.
  Value addPacked(const MatrixProduct &block, Value lhs, Value packed,
                  Value sums) {
    GenericOp op = block.op;
    MatrixProduct packedBlock = block;
    packedBlock.lhs = 0;
    packedBlock.rhs = 1;
    GenericOp product = norm::createProduct(
        b, packedBlock, {lhs, packed}, sums,
        {op.getIndexingMapsArray()[block.lhs], norm::getPackedMap(block),
         op.getMatchingIndexingMap(op.getDpsInitOperand(0))},
        op.getIteratorTypesArray());
    product->setAttr(norm::tileAttrName, b.getUnitAttr());
    if (Attribute amx = op->getAttr(norm::amxAttrName))
      product->setAttr(norm::amxAttrName, amx);
    return product.getResult(0);
  }

  //===--------------------------------------------------------------------===//
  // Parts of the sums
  //===--------------------------------------------------------------------===//

  /// Returns how many words of each row are a part: the sum is divided evenly
  /// into parts as long as level 2 keeps the columns of, or level 1 if A is
  /// small. Few columns do not pay for a copy of that.
  int64_t getWordsOfPart(const MatrixProduct &block) {
    GenericOp op = block.op;
    int64_t words = op.getStaticLoopRanges()[norm::getWordLoop(op, block.lhs)];
    bool isCopiedForFew = !norm::isLarge(block) &&
                          !ShapedType::isDynamic(extent) &&
                          extent < target.tileColumns;
    if (block.depths.size() != 2 || isCopiedForFew)
      return words;
    int64_t most =
        norm::isLarge(block) ? target.tileSteps : target.tileSteps / 2;
    return norm::getEvenPart(words / norm::amxRows, most) * norm::amxRows;
  }

  /// Returns how many rows of B are packed at once: what is packed next is
  /// fetched while these are multiplied.
  int64_t getRowsOfPart(const MatrixProduct &block, unsigned loop) {
    int64_t depth = GenericOp(block.op).getStaticLoopRanges()[loop];
    bool isDivided = !ShapedType::isDynamic(depth) &&
                     block.depths.size() == (norm::isGrouped(block) ? 2 : 1) &&
                     norm::copiesRows(b, block, columns);
    int64_t rows = GenericOp(block.op).getStaticLoopRanges()[*block.loops.row];
    bool areMany = ShapedType::isDynamic(rows) || rows > target.packedRows;
    return isDivided ? norm::getEvenPart(depth, areMany ? target.productDepth
                                                        : target.packedDepth)
                     : depth;
  }

  /// Adds the product to `sums`, part by part. AMX has copies of those of A.
  Value addParts(const MatrixProduct &block, Value sums) {
    GenericOp op = block.op;
    Location loc = op.getLoc();
    bool isAMX = op->hasAttr(norm::amxAttrName);
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    unsigned loop = norm::isGrouped(block) ? norm::getWordLoop(op, block.lhs)
                                           : block.loops.depth;
    Value lhs = norm::getLhs(block), rhs = norm::getRhs(block),
          ready = norm::slicePacked(b, block, columns);
    int64_t part = isAMX   ? getWordsOfPart(block)
                   : ready ? extents[loop]
                           : getRowsOfPart(block, loop),
            rows = extents[*block.loops.row];
    if (part == extents[loop]) {
      bool isWhole =
          !isAMX || (!ShapedType::isDynamic(rows) && rows % norm::amxRows == 0);
      if (!isWhole)
        lhs =
            norm::slicePart(b, copyParts(block, part), b.getIndexAttr(0), part);
      if (!ready)
        ready = norm::packColumns(b, block, rhs, columns);
      return addPacked(block, lhs, ready, sums);
    }
    Value copy = isAMX ? copyParts(block, part) : Value();
    auto index = [&](int64_t value) {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    auto parts = scf::ForOp::create(
        b, loc, index(0), index(extents[loop] / part), index(1), sums);
    norm::setRole(parts, norm::LoopRole::Product);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(parts.getBody());
    Value at = parts.getInductionVar(), packed;
    auto slice = [&](Value v, unsigned operand) {
      return slicePart(v, norm::getDim(block, operand, loop), at, part);
    };
    if (ready)
      packed = slicePart(ready, /*dim=*/0, at, part);
    else
      packed = norm::packColumns(b, block, slice(rhs, block.rhs), columns);
    lhs = isAMX ? norm::slicePart(b, copy, at, part) : slice(lhs, block.lhs);
    scf::YieldOp::create(
        b, loc, addPacked(block, lhs, packed, parts.getRegionIterArg(0)));
    return parts.getResult(0);
  }

  Value copyParts(const MatrixProduct &block, int64_t words) {
    return norm::copyParts(b, block, words, copies, [&](GenericOp copy) {
      SmallVector<OpFoldResult> part(copy.getNumLoops(), b.getIndexAttr(0));
      part[0] = b.getIndexAttr(1);
      (void)norm::tileLoops(b, copy, part, plan.threads);
    });
  }

  /// Returns the `at`th `size` elements along a dimension.
  Value slicePart(Value v, unsigned dim, Value at, int64_t size) {
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, v.getLoc(), v),
                              offsets(sizes.size(), b.getIndexAttr(0)),
                              strides(sizes.size(), b.getIndexAttr(1));
    sizes[dim] = b.getIndexAttr(size);
    offsets[dim] = affine::makeComposedFoldedAffineApply(
        b, v.getLoc(), b.getAffineSymbolExpr(0) * size, {at});
    return tensor::ExtractSliceOp::create(b, v.getLoc(), v, offsets, sizes,
                                          strides);
  }

  IRRewriter &b;
  GenericOp anchor;
  const ProductPlan &plan;
  norm::CopyMap &copies;
  norm::RowTarget target;
  int64_t extent = 0;  // columns of all blocks
  int64_t columns = 0; // of a block
};
} // namespace

LogicalResult norm::buildBlocks(IRRewriter &b, GenericOp anchor,
                                const ProductPlan &plan, CopyMap &copies) {
  return BlockBuilder(b, anchor, plan, copies).run();
}
