//===- TileProducts.cpp - products by blocks of columns -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "norm/IR/Missed.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"
#include "norm/Products/Passes.h"
#include "norm/Rows/Rows.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"
#include <vector>

namespace mlir::norm {
#define GEN_PASS_DEF_NORMTILEPRODUCTS
#include "norm/Products/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using linalg::GenericOp;
using norm::MatrixProduct;
using utils::IteratorType;

/// Returns a tensor of the extents of `like`, of elements of `type`.
static Value createEmptyLike(OpBuilder &b, Location loc, Value like,
                             Type type) {
  return tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, like),
                                 type);
}

/// Builds an elementwise op on `inputs`, which have the extents of `dest`, and
/// on what that holds.
static GenericOp
createElementwise(OpBuilder &b, Location loc, ValueRange inputs, Value dest,
                  function_ref<Value(OpBuilder &, ValueRange)> body) {
  auto map =
      b.getMultiDimIdentityMap(cast<ShapedType>(dest.getType()).getRank());
  SmallVector<AffineMap> maps(inputs.size() + 1, map);
  SmallVector<IteratorType> kinds(map.getNumDims(), IteratorType::parallel);
  return GenericOp::create(b, loc, dest.getType(), inputs, dest, maps, kinds,
                           [&](OpBuilder &b, Location loc, ValueRange args) {
                             linalg::YieldOp::create(b, loc, body(b, args));
                           });
}

static Value createZeros(OpBuilder &b, Location loc, Value dest) {
  Type type = getElementTypeOrSelf(dest.getType());
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  return createElementwise(b, loc, ValueRange(), dest,
                           [&](OpBuilder &, ValueRange) { return zero; })
      .getResult(0);
}

/// Views dimension `split` as groups of neighbors.
static Value splitDim(OpBuilder &b, Value v, unsigned split, int64_t group) {
  auto type = cast<RankedTensorType>(v.getType());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, v.getLoc(), v);
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0, next = 0; dim < type.getRank(); ++dim) {
    groups.push_back({next++});
    if (dim == split)
      groups.back().push_back(next++);
  }
  shape[split] /= group;
  shape.insert(shape.begin() + split + 1, group);
  sizes[split] = b.getIndexAttr(shape[split]);
  sizes.insert(sizes.begin() + split + 1, b.getIndexAttr(group));
  return tensor::ExpandShapeOp::create(b, v.getLoc(), type.clone(shape), v,
                                       groups, sizes);
}

/// Returns the groups of a view of `v` that has one more dimension in front.
static SmallVector<ReassociationIndices> getUnitGroups(Value v) {
  SmallVector<ReassociationIndices> groups = {{0}};
  for (int64_t dim = 0, e = cast<ShapedType>(v.getType()).getRank(); dim < e;
       ++dim)
    (dim == 0 ? groups.back() : groups.emplace_back()).push_back(dim + 1);
  return groups;
}

/// Returns that view, in which the dimension is of one element.
static Value addUnitDim(OpBuilder &b, Value v) {
  auto type = cast<RankedTensorType>(v.getType());
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, v.getLoc(), v);
  shape.insert(shape.begin(), 1);
  sizes.insert(sizes.begin(), b.getIndexAttr(1));
  return tensor::ExpandShapeOp::create(b, v.getLoc(), type.clone(shape), v,
                                       getUnitGroups(v), sizes);
}

static bool isZero(Value v) {
  return v && (matchPattern(v, m_AnyZeroFloat()) || matchPattern(v, m_Zero()));
}

/// Returns `v` widened as `widen` does, or itself where that is null.
static Value createWidened(OpBuilder &b, Operation *widen, Value v, Type type) {
  if (v.getType() == type)
    return v;
  if (!widen)
    return arith::ExtFOp::create(b, v.getLoc(), type, v);
  return b.create(v.getLoc(), widen->getName().getIdentifier(), v, type)
      ->getResult(0);
}

/// Returns true if AMX computes blocks of the product.
static bool usesTiles(const MatrixProduct &product, norm::ProductKinds kinds) {
  return kinds == norm::ProductKinds::Tiles && norm::hasTiles(product);
}

/// Returns true if one instruction multiplies pairs of neighbors and adds the
/// products to the sums: of bf16, or of i8 that have become i16.
static bool addsPairs(const MatrixProduct &product, norm::ProductKinds kinds) {
  int64_t group = norm::getAMXGroup(product);
  bool hasInstruction = group == 4 ? kinds != norm::ProductKinds::Elements
                                   : kinds == norm::ProductKinds::Pairs;
  return group > 0 && hasInstruction && norm::hasWords(product);
}

/// Returns how many neighbors of A are a word for an instruction that adds
/// their products, 1 where there is none.
static int64_t getGroup(const MatrixProduct &product,
                        norm::ProductKinds kinds) {
  GenericOp op = product.op;
  int64_t depth = op.getStaticLoopRanges()[product.loops.depth];
  if (usesTiles(product, kinds))
    return norm::getAMXGroup(product);
  bool hasPairs = !ShapedType::isDynamic(depth) && depth % 2 == 0;
  return hasPairs && addsPairs(product, kinds) ? 2 : 1;
}

/// Builds the product of `inputs`, A and B at the places that `like` says, in
/// the type of its sums; elements that are narrower are widened.
static GenericOp createProduct(OpBuilder &b, const MatrixProduct &like,
                               ValueRange inputs, Value dest,
                               ArrayRef<AffineMap> maps,
                               ArrayRef<IteratorType> kinds) {
  return GenericOp::create(
      b, dest.getLoc(), dest.getType(), inputs, dest, maps, kinds,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value x = createWidened(b, like.widenLhs, args[like.lhs], like.sum);
        Value y = createWidened(b, like.widenRhs, args[like.rhs], like.sum);
        Value sum;
        if (isa<FloatType>(like.sum))
          sum = arith::AddFOp::create(b, loc, args[2],
                                      arith::MulFOp::create(b, loc, x, y));
        else
          sum = arith::AddIOp::create(b, loc, args[2],
                                      arith::MulIOp::create(b, loc, x, y));
        linalg::YieldOp::create(b, loc, sum);
      });
}

//===----------------------------------------------------------------------===//
// Products whose sums are wide, and an elementwise op behind each
//===----------------------------------------------------------------------===//

namespace {
/// Makes of each product one that adds to zeros in the type of its sums, and an
/// elementwise op that adds these to the destination and rounds them once.
class ProductSplitter {
public:
  ProductSplitter(IRRewriter &b, norm::ProductKinds kinds)
      : b(b), kinds(kinds) {}

  /// Returns the op behind the product, which gets blocks. With `thinTile` a
  /// product for few rows stands beside it.
  GenericOp split(const MatrixProduct &product, DenseI64ArrayAttr thinTile) {
    Value zeros = createSums(product);
    int64_t group = getGroup(product, kinds);
    GenericOp wide = group > 1 ? createGrouped(product, zeros, group)
                               : createWide(product, zeros);
    wide->setAttr(norm::tileAttrName, b.getUnitAttr());
    if (usesTiles(product, kinds))
      wide->setAttr(norm::amxAttrName, b.getUnitAttr());
    if (thinTile)
      forFewRows.map(wide.getResult(0),
                     createThin(product, zeros, thinTile).getResult(0));
    return replace(product, wide);
  }

  /// Returns the op behind the product, which is computed by `tile`; null for
  /// loops over rows.
  GenericOp splitThin(const MatrixProduct &product, DenseI64ArrayAttr tile) {
    return replace(product, createThin(product, createSums(product), tile));
  }

  /// What stands beside products whose number of rows is not known.
  IRMapping forFewRows;

private:
  GenericOp createThin(const MatrixProduct &product, Value zeros,
                       DenseI64ArrayAttr tile) {
    GenericOp op = product.op;
    SmallVector<Value> inputs(op.getDpsInputs());
    if (tile && tile[3] == static_cast<int64_t>(norm::ProductKinds::Pairs))
      inputs[product.lhs] = widenToHalves(product);
    GenericOp thin =
        createProduct(b, product, inputs, zeros, op.getIndexingMapsArray(),
                      op.getIteratorTypesArray());
    if (tile)
      thin->setAttr(norm::thinAttrName, tile);
    return thin;
  }

  /// Returns A, in which pairs of i8 have become halves of words.
  Value widenToHalves(const MatrixProduct &product) {
    Value lhs = GenericOp(product.op).getDpsInputs()[product.lhs];
    return getElementTypeOrSelf(lhs.getType()).isInteger(8)
               ? widen(lhs, product.widenLhs, b.getI16Type())
               : lhs;
  }

  Value createSums(const MatrixProduct &product) {
    GenericOp op = product.op;
    b.setInsertionPoint(op);
    return createZeros(
        b, op.getLoc(),
        createEmptyLike(b, op.getLoc(), op.getDpsInits()[0], product.sum));
  }

  GenericOp replace(const MatrixProduct &product, GenericOp wide) {
    GenericOp behind = createBehind(product, wide.getResult(0));
    b.replaceOp(product.op, behind);
    return behind;
  }

  /// Widens all of A once: each of its elements is read for every column.
  Value widen(Value lhs, Operation *extension, Type type) {
    if (getElementTypeOrSelf(lhs.getType()) == type)
      return lhs;
    Value &wide = widened[{lhs, type,
                           extension ? extension->getName().getTypeID()
                                     : TypeID::get<arith::ExtFOp>()}];
    if (wide)
      return wide;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(lhs);
    Location loc = lhs.getLoc();
    Value empty = createEmptyLike(b, loc, lhs, type);
    wide =
        createElementwise(b, loc, lhs, empty,
                          [&](OpBuilder &b, ValueRange args) {
                            return createWidened(b, extension, args[0], type);
                          })
            .getResult(0);
    return wide;
  }

  GenericOp createWide(const MatrixProduct &product, Value zeros) {
    GenericOp op = product.op;
    SmallVector<Value> inputs(op.getDpsInputs());
    inputs[product.lhs] =
        widen(inputs[product.lhs], product.widenLhs, product.sum);
    return createProduct(b, product, inputs, zeros, op.getIndexingMapsArray(),
                         op.getIteratorTypesArray());
  }

  /// Divides the loop over depths by one more loop, over `group` of them.
  GenericOp createGrouped(const MatrixProduct &product, Value zeros,
                          int64_t group) {
    GenericOp op = product.op;
    unsigned loops = op.getNumLoops(), depth = product.loops.depth;
    SmallVector<Value> inputs;
    SmallVector<AffineMap> maps;
    for (OpOperand &operand : op->getOpOperands()) {
      AffineMap map = op.getMatchingIndexingMap(&operand);
      SmallVector<AffineExpr> dims;
      std::optional<unsigned> split;
      for (auto [position, expr] : llvm::enumerate(map.getResults())) {
        dims.push_back(expr);
        if (cast<AffineDimExpr>(expr).getPosition() == depth) {
          split = position;
          dims.push_back(b.getAffineDimExpr(loops));
        }
      }
      maps.push_back(AffineMap::get(loops + 1, 0, dims, b.getContext()));
      if (!split)
        continue;
      bool hasHalves = group == 2 && operand.getOperandNumber() == product.lhs;
      Value v = hasHalves ? widenToHalves(product) : operand.get();
      inputs.push_back(splitDim(b, v, *split, group));
    }
    SmallVector<IteratorType> iterators(op.getIteratorTypesArray());
    iterators.push_back(IteratorType::reduction);
    return createProduct(b, product, inputs, zeros, maps, iterators);
  }

  GenericOp createBehind(const MatrixProduct &product, Value sums) {
    GenericOp op = product.op;
    Value dest = op.getDpsInits()[0];
    auto fill = dest.getDefiningOp<linalg::LinalgOp>();
    bool addsToZeros = fill && isZero(norm::getFilled(fill));
    Value out = addsToZeros ? fill.getDpsInits()[0] : dest;
    Location loc = op.getLoc();
    return createElementwise(
        b, loc, sums, out, [&](OpBuilder &b, ValueRange args) {
          Value v = args[0];
          if (!addsToZeros) {
            Value old = createWidened(b, nullptr, args[1], v.getType());
            v = isa<FloatType>(v.getType())
                    ? arith::AddFOp::create(b, loc, old, v).getResult()
                    : arith::AddIOp::create(b, loc, old, v).getResult();
          }
          if (v.getType() != args[1].getType())
            v = arith::TruncFOp::create(b, loc, args[1].getType(), v);
          return v;
        });
  }

  IRRewriter &b;
  norm::ProductKinds kinds;
  llvm::DenseMap<std::tuple<Value, Type, TypeID>, Value> widened;
};
} // namespace

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Returns true if level 2 does not keep all of A beside the columns of a
/// block.
static bool isLarge(const MatrixProduct &product) {
  GenericOp op = product.op;
  auto type = cast<ShapedType>(op.getDpsInputs()[product.lhs].getType());
  return !type.hasStaticShape() ||
         type.getNumElements() * type.getElementTypeBitWidth() / 8 >=
             norm::getRowTarget(op).largeBytes;
}

/// Returns the columns of a block of `product`, a multiple of `step`: of up to
/// `most`, but at least half as many, those that leave the fewest columns of
/// the last block empty.
static int64_t getEvenColumns(int64_t extent, int64_t step, int64_t most) {
  int64_t best = most;
  for (int64_t columns = most - step; columns > 0 && 2 * columns >= most;
       columns -= step)
    if (llvm::alignTo(extent, columns) < llvm::alignTo(extent, best))
      best = columns;
  return best;
}

/// Returns the columns of a block of `product`. Of a large A level 2 keeps a
/// part beside the sums of many columns that AMX adds.
static int64_t getBlockColumns(const MatrixProduct &product, bool isAMX,
                               bool isParallel) {
  GenericOp op = product.op;
  norm::RowTarget target = norm::getRowTarget(op);
  int64_t least = target.productColumns,
          extent = op.getStaticLoopRanges()[product.loops.column];
  if (ShapedType::isDynamic(extent) || (isAMX && !isLarge(product)))
    return least;
  if (!isAMX)
    return getEvenColumns(extent, std::min(least, target.leastColumns), least);
  int64_t all = llvm::divideCeil(extent, least),
          most = std::min(all, target.tileColumns / least);
  if (isParallel)
    most = std::min(most, all / target.tileBlocks);
  return getEvenColumns(llvm::alignTo(extent, least), least,
                        std::max<int64_t>(most, 1) * least);
}

static bool readsProduct(GenericOp op, StringRef attrName) {
  return llvm::any_of(op.getDpsInputs(), [&](Value v) {
    Operation *product = v.getDefiningOp();
    return product && product->hasAttr(attrName);
  });
}

/// Returns true if one reads a product by blocks and the other one of few rows,
/// whose loops have other columns.
static bool areMixed(GenericOp a, GenericOp b) {
  auto differ = [](GenericOp a, GenericOp b) {
    return readsProduct(a, norm::tileAttrName) &&
           readsProduct(b, norm::thinAttrName);
  };
  return differ(a, b) || differ(b, a);
}

/// Returns the one use of `op`, if it is by an elementwise op whose innermost
/// loop goes over the columns; null for others.
static OpOperand *findConsumer(GenericOp op) {
  if (!op->hasOneUse())
    return nullptr;
  OpOperand *use = &*op->use_begin();
  auto user = dyn_cast<GenericOp>(use->getOwner());
  if (!user || user->getBlock() != op->getBlock() ||
      user.getNumReductionLoops() > 0 || !user.isDpsInput(use) ||
      !linalg::areElementwiseOpsFusable(use))
    return nullptr;
  AffineMap map = user.getMatchingIndexingMap(use);
  unsigned innermost = user.getNumLoops() - 1;
  bool keepsColumns = map.isPermutation() && map.getNumResults() > 0 &&
                      map.getDimPosition(map.getNumResults() - 1) == innermost;
  return keepsColumns && !areMixed(op, user) ? use : nullptr;
}

/// Returns the elementwise op that computes a matrix, such as of scaled
/// integers; null for others.
static GenericOp getComputedColumns(Value matrix) {
  auto op = matrix.getDefiningOp<GenericOp>();
  bool isElementwise = op && op.getNumReductionLoops() == 0 &&
                       op->getNumResults() == 1 && op.getNumDpsInputs() > 0;
  return isElementwise ? op : nullptr;
}

namespace {
/// The copies by parts of so many words of what products have as A.
using CopyMap = llvm::DenseMap<std::pair<Value, int64_t>, Value>;

/// The loops of one op behind products, and blocks of these in them.
class BlockBuilder {
public:
  BlockBuilder(IRRewriter &b, GenericOp anchor, int64_t lanes,
               scf::SCFTilingOptions::LoopType loopType, CopyMap &copies)
      : b(b), anchor(anchor), copies(copies),
        target(norm::getRowTarget(anchor)), lanes(lanes),
        columns(target.productColumns),
        thinColumns(loopType == scf::SCFTilingOptions::LoopType::ForallOp
                        ? target.thinColumns
                        : 0),
        loopType(loopType) {}

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
    columns =
        getBlockColumns(products.front(), isAMX,
                        loopType == scf::SCFTilingOptions::LoopType::ForallOp);
    for (const MatrixProduct &product : products)
      for (OpOperand &use : GenericOp(product.op)->getUses())
        if (use.getOwner() == anchor)
          setSizes(product, anchor.getMatchingIndexingMap(&use), sizes);
    FailureOr<scf::SCFTilingResult> tiled = tileLoops(anchor, sizes);
    if (failed(tiled))
      return failure();
    auto tile = cast<GenericOp>(tiled->tiledOps.front());
    expandIndices(tile);
    for (const MatrixProduct &product : products)
      if (failed(buildBlock(product, tile, tiled->loops)))
        return failure();
    return success();
  }

private:
  /// Puts `op` into loops over tiles, of which it computes one.
  FailureOr<scf::SCFTilingResult> tileLoops(GenericOp op,
                                            ArrayRef<OpFoldResult> sizes) {
    // Threads share the outer loops alone.
    auto outer = op->getParentOfType<LoopLikeOpInterface>();
    bool isInBlock = outer && norm::getRole(outer) == norm::LoopRole::Product;
    scf::SCFTilingOptions options;
    options.setTileSizes(sizes);
    options.setLoopType(isInBlock ? scf::SCFTilingOptions::LoopType::ForOp
                                  : loopType);
    b.setInsertionPoint(op);
    FailureOr<scf::SCFTilingResult> tiled =
        scf::tileUsingSCF(b, cast<TilingInterface>(op.getOperation()), options);
    if (failed(tiled))
      return failure();
    for (LoopLikeOpInterface loop : tiled->loops)
      norm::setRole(loop, norm::LoopRole::Product);
    b.replaceOp(op, tiled->replacements);
    return tiled;
  }

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
        size = isThin ? thinColumns : columns;
      else if (llvm::is_contained(product.rows, loop))
        size = ShapedType::isDynamic(op.getStaticLoopRanges()[loop]) && isThin;
      sizes[cast<AffineDimExpr>(to).getPosition()] = b.getIndexAttr(size);
    }
  }

  /// Tiling adds a block's first column to linalg.index by affine.apply, which
  /// has no vectors.
  void expandIndices(GenericOp tile) {
    OpBuilder::InsertionGuard guard(b);
    tile.walk([&](affine::AffineApplyOp apply) {
      b.setInsertionPoint(apply);
      auto values =
          affine::expandAffineMap(b, apply.getLoc(), apply.getAffineMap(),
                                  llvm::to_vector(apply.getOperands()));
      b.replaceOp(apply, *values);
    });
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
    GenericOp source = slice ? getComputedColumns(slice.getSource()) : nullptr;
    bool isOwn =
        source && llvm::all_of(source->getUsers(), [&](Operation *user) {
          return user == slice || user == product.op;
        });
    if (!isOwn)
      return success();
    std::optional<scf::SCFFuseProducerOfSliceResult> fused =
        scf::tileAndFuseProducerOfSlice(b, slice, loops);
    if (!fused)
      return failure();
    if (isGrouped(product))
      collapseWords(
          cast<GenericOp>(fused->tiledOps.front()),
          GenericOp(product.op).getStaticLoopRanges()[product.loops.depth]);
    return success();
  }

  /// Makes one loop of that over words, and of one over the `group` elements in
  /// each, so that vectors hold many, if that is the innermost one.
  void collapseWords(GenericOp op, int64_t group) {
    int64_t last = op.getNumLoops() - 1;
    if (op.getStaticLoopRanges()[last] != group)
      return;
    SmallVector<ReassociationIndices> words = {{last - 1, last}};
    if (!linalg::areDimSequencesPreserved(op.getIndexingMapsArray(), words))
      return;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(op);
    FailureOr<linalg::CollapseResult> collapsed =
        linalg::collapseOpIterationDims(op, words, b);
    if (succeeded(collapsed))
      b.replaceOp(op, collapsed->results);
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
        sizes == ArrayRef(tensor::getMixedSizes(b, op.getLoc(), dest));
    if (!isCopy)
      dest = tensor::EmptyOp::create(
          b, op.getLoc(), sizes,
          getElementTypeOrSelf(op.getResult(0).getType()));
    return createZeros(b, op.getLoc(), dest);
  }

  /// Computes a block from packed columns, which are as many as it may have.
  void replaceBlock(const MatrixProduct &block, GenericOp tile,
                    ArrayRef<OpFoldResult> sizes) {
    GenericOp op = block.op;
    SmallVector<OpFoldResult> all(sizes);
    all.back() = b.getIndexAttr(columns);
    bool isAMX = op->hasAttr(norm::amxAttrName);
    if (isAMX)
      roundRowsUp(op.getLoc(),
                  all[getDim(block, op.getNumDpsInputs(), *block.loops.row)]);
    Value sums = createSums(op, tile, all);
    Value v = isAMX ? addParts(block, sums)
                    : addPacked(block, getLhs(block),
                                packColumns(block, getRhs(block)), sums);
    if (ArrayRef(all) != sizes) {
      SmallVector<OpFoldResult> zero(sizes.size(), b.getIndexAttr(0)),
          one(sizes.size(), b.getIndexAttr(1));
      v = tensor::ExtractSliceOp::create(
          b, op.getLoc(), cast<RankedTensorType>(op.getResult(0).getType()), v,
          zero, sizes, one);
    }
    b.replaceOp(op, v);
  }

  static Value getLhs(const MatrixProduct &block) {
    return GenericOp(block.op).getDpsInputs()[block.lhs];
  }
  static Value getRhs(const MatrixProduct &block) {
    return GenericOp(block.op).getDpsInputs()[block.rhs];
  }

  /// Returns the dimension of an operand that a loop goes over.
  static unsigned getDim(const MatrixProduct &block, unsigned operand,
                         unsigned loop) {
    GenericOp op = block.op;
    return *op.getIndexingMapsArray()[operand].getResultPosition(
        getAffineDimExpr(loop, op.getContext()));
  }

  /// Adds the product of A and packed columns to `sums`.
  Value addPacked(const MatrixProduct &block, Value lhs, Value packed,
                  Value sums) {
    GenericOp op = block.op;
    MatrixProduct packedBlock = block;
    packedBlock.lhs = 0;
    packedBlock.rhs = 1;
    auto product =
        createProduct(b, packedBlock, {lhs, packed}, sums,
                      {op.getIndexingMapsArray()[block.lhs],
                       AffineMap::get(op.getNumLoops(), 0, getPackedDims(block),
                                      b.getContext()),
                       op.getMatchingIndexingMap(op.getDpsInitOperand(0))},
                      op.getIteratorTypesArray());
    product->setAttr(norm::tileAttrName, createTile());
    if (Attribute amx = op->getAttr(norm::amxAttrName))
      product->setAttr(norm::amxAttrName, amx);
    return product.getResult(0);
  }

  //===--------------------------------------------------------------------===//
  // Parts of the sums that AMX adds
  //===--------------------------------------------------------------------===//

  void roundRowsUp(Location loc, OpFoldResult &rows) {
    rows = affine::makeComposedFoldedAffineApply(
        b, loc, b.getAffineSymbolExpr(0).ceilDiv(norm::amxRows) * norm::amxRows,
        {rows});
  }

  /// Returns the loop over words of A.
  static unsigned getWordLoop(const MatrixProduct &block) {
    GenericOp op = block.op;
    AffineMap map = op.getIndexingMapsArray()[block.lhs];
    return map.getDimPosition(map.getNumResults() - 2);
  }

  /// Returns how many words of each row are a part: the sum is divided evenly
  /// into parts as long as level 2 keeps the columns of, or level 1 if A is
  /// small. Few columns do not pay for a copy of that.
  int64_t getWordsOfPart(const MatrixProduct &block) {
    GenericOp op = block.op;
    int64_t words = op.getStaticLoopRanges()[getWordLoop(block)],
            steps = words / norm::amxRows,
            most = isLarge(block) ? target.tileSteps : target.tileSteps / 2;
    bool isCopiedForFew = !isLarge(block) && !ShapedType::isDynamic(extent) &&
                          extent < target.tileColumns;
    if (block.depths.size() != 2 || isCopiedForFew)
      return words;
    for (int64_t part = most; 2 * part > most; --part)
      if (steps % part == 0)
        return part * norm::amxRows;
    return words;
  }

  /// Adds the product to `sums`, part by part.
  Value addParts(const MatrixProduct &block, Value sums) {
    GenericOp op = block.op;
    Location loc = op.getLoc();
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    unsigned wordLoop = getWordLoop(block);
    int64_t part = getWordsOfPart(block), rows = extents[*block.loops.row],
            parts = extents[wordLoop] / part;
    bool isWhole = !ShapedType::isDynamic(rows) && rows % norm::amxRows == 0;
    if (parts == 1)
      return addPacked(
          block,
          isWhole ? getLhs(block)
                  : slicePlane(copyParts(block, part), b.getIndexAttr(0), part),
          packColumns(block, getRhs(block)), sums);
    Value lhs = copyParts(block, part),
          constant = sliceConstant(block, getRhs(block));
    auto index = [&](int64_t value) {
      return arith::ConstantIndexOp::create(b, loc, value);
    };
    auto loop =
        scf::ForOp::create(b, loc, index(0), index(parts), index(1), sums);
    norm::setRole(loop, norm::LoopRole::Product);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value at = loop.getInductionVar(),
          packed =
              constant
                  ? slicePart(constant, /*dim=*/0, at, part)
                  : packColumns(block,
                                slicePart(getRhs(block),
                                          getDim(block, block.rhs, wordLoop),
                                          at, part));
    scf::YieldOp::create(b, loc,
                         addPacked(block, slicePlane(lhs, at, part), packed,
                                   loop.getRegionIterArg(0)));
    return loop.getResult(0);
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

  /// Returns the `at`th part of all rows of what copyParts returns.
  Value slicePlane(Value parts, OpFoldResult at, int64_t words) {
    Location loc = parts.getLoc();
    auto type = cast<RankedTensorType>(parts.getType());
    SmallVector<int64_t> shape(type.getShape().drop_front());
    SmallVector<OpFoldResult> sizes = tensor::getMixedSizes(b, loc, parts),
                              offsets(sizes.size(), b.getIndexAttr(0)),
                              strides(sizes.size(), b.getIndexAttr(1));
    offsets[0] = at;
    sizes[0] = b.getIndexAttr(1);
    shape[shape.size() - 2] = words;
    sizes[sizes.size() - 2] = b.getIndexAttr(words);
    return tensor::ExtractSliceOp::create(
        b, loc, RankedTensorType::get(shape, type.getElementType()), parts,
        offsets, sizes, strides);
  }

  /// Copies A by parts, [part, ..., row, ..., word, group]: rows are as many as
  /// tiles have, and a cache line longer than a part. A's own are often a power
  /// of two long, so that a tile's would be in the same lines of a cache.
  Value copyParts(const MatrixProduct &block, int64_t words) {
    Value lhs = getInvariant(getLhs(block)), root = lhs;
    int64_t rank = cast<RankedTensorType>(lhs.getType()).getRank();
    if (auto grouped = lhs.getDefiningOp<tensor::ExpandShapeOp>())
      root = grouped.getSrc();
    Value &copied = copies[{root, words}];
    if (copied)
      return copied;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointAfterValue(root);
    Location loc = root.getLoc();
    if (root != lhs)
      lhs = splitDim(b, root, rank - 2,
                     cast<RankedTensorType>(lhs.getType()).getShape().back());
    Value from = splitDim(b, lhs, rank - 2, words);
    SmallVector<OpFoldResult> used = tensor::getMixedSizes(b, loc, from),
                              zero(rank + 1, b.getIndexAttr(0)),
                              one(rank + 1, b.getIndexAttr(1));
    std::rotate(used.begin(), used.end() - 3, used.end() - 2);
    SmallVector<OpFoldResult> all = used;
    roundRowsUp(loc, all[1 + getDim(block, block.lhs, *block.loops.row)]);
    all[rank - 1] = b.getIndexAttr(words + target.lineBytes / 4);
    Value whole =
              createAllocated(loc, all, getElementTypeOrSelf(lhs.getType())),
          to = tensor::ExtractSliceOp::create(b, loc, whole, zero, used, one);
    SmallVector<AffineExpr> read;
    for (int64_t loop : llvm::seq<int64_t>(1, rank - 1))
      read.push_back(b.getAffineDimExpr(loop));
    for (int64_t loop : {int64_t(0), rank - 1, rank})
      read.push_back(b.getAffineDimExpr(loop));
    SmallVector<IteratorType> kinds(rank + 1, IteratorType::parallel);
    auto copy = GenericOp::create(
        b, loc, to.getType(), from, to,
        {AffineMap::get(rank + 1, 0, read, b.getContext()),
         b.getMultiDimIdentityMap(rank + 1)},
        kinds, [](OpBuilder &b, Location loc, ValueRange args) {
          linalg::YieldOp::create(b, loc, args[0]);
        });
    copy->setAttr(norm::packAttrName, b.getUnitAttr());
    copied = tensor::InsertSliceOp::create(b, loc, copy.getResult(0), whole,
                                           zero, used, one);
    SmallVector<OpFoldResult> tile(rank + 1, b.getIndexAttr(0));
    tile[0] = b.getIndexAttr(1);
    (void)tileLoops(copy, tile);
    return copied;
  }

  /// Returns a tensor that no pattern takes for one of its slices alone.
  Value createAllocated(Location loc, ArrayRef<OpFoldResult> sizes,
                        Type element) {
    SmallVector<Value> dynamic;
    SmallVector<int64_t> shape;
    dispatchIndexOpFoldResults(sizes, dynamic, shape);
    return bufferization::AllocTensorOp::create(
        b, loc, RankedTensorType::get(shape, element), dynamic);
  }

  /// Returns what `v` is all of, outside the loops if it is the same in all.
  static Value getInvariant(Value v) {
    auto slice = v.getDefiningOp<tensor::ExtractSliceOp>();
    bool isAll = slice && slice.getSourceType() == slice.getType() &&
                 slice.hasZeroOffset();
    return isAll ? slice.getSource() : v;
  }

  DenseI64ArrayAttr createTile() {
    return b.getDenseI64ArrayAttr(
        {target.productRows, std::min(lanes, columns), target.productDepth});
  }

  static bool isGrouped(const MatrixProduct &block) {
    return getElementTypeOrSelf(
               GenericOp(block.op).getDpsInputs()[block.lhs].getType()) !=
           block.sum;
  }

  /// The loops of packed columns, outermost first: groups stay together.
  static SmallVector<unsigned> getPackedLoops(const MatrixProduct &block) {
    SmallVector<unsigned> loops(block.depths);
    loops.push_back(block.loops.column);
    if (isGrouped(block))
      std::swap(loops.back(), loops[loops.size() - 2]);
    return loops;
  }

  SmallVector<AffineExpr> getPackedDims(const MatrixProduct &block) {
    return llvm::map_to_vector(getPackedLoops(block), [&](unsigned loop) {
      return b.getAffineDimExpr(loop);
    });
  }

  static Type getPackedElement(const MatrixProduct &block) {
    return isGrouped(block) ? getElementTypeOrSelf(getLhs(block).getType())
                            : block.sum;
  }

  /// Returns the block of a constant that is packed here; null if it is none,
  /// or need not be.
  Value sliceConstant(const MatrixProduct &block, Value columnsOfB) {
    auto slice = columnsOfB.getDefiningOp<tensor::ExtractSliceOp>();
    SmallVector<unsigned> loops = getPackedLoops(block), dims(loops.size());
    AffineMap map = GenericOp(block.op).getIndexingMapsArray()[block.rhs];
    for (auto [dim, expr] : llvm::enumerate(map.getResults())) {
      const auto *it =
          llvm::find(loops, cast<AffineDimExpr>(expr).getPosition());
      if (it == loops.end())
        return {};
      dims[it - loops.begin()] = dim;
    }
    if (!slice)
      return {};
    unsigned column = llvm::find(loops, block.loops.column) - loops.begin();
    Type element = getPackedElement(block);
    DenseElementsAttr packed =
        norm::packConstant(slice.getSource(), dims, column, columns, element);
    if (!packed)
      return {};
    ImplicitLocOpBuilder ib(slice.getLoc(), b);
    Value constant = arith::ConstantOp::create(ib, packed);
    ArrayRef<int64_t> shape = packed.getType().getShape();
    OpFoldResult at = affine::makeComposedFoldedAffineApply(
        b, ib.getLoc(), b.getAffineSymbolExpr(0).floorDiv(columns),
        {slice.getMixedOffsets()[dims[column]]});
    SmallVector<OpFoldResult> offsets(shape.size(), b.getIndexAttr(0)),
        sizes = getAsIndexOpFoldResult(b.getContext(), shape),
        strides(shape.size(), b.getIndexAttr(1));
    offsets[0] = at;
    sizes[0] = b.getIndexAttr(1);
    auto type = RankedTensorType::get(shape.drop_front(), element);
    return tensor::ExtractSliceOp::create(ib, type, constant, offsets, sizes,
                                          strides);
  }

  /// Returns true if columns of B that have the packed type and order need no
  /// copy: they have no others beside them, or the caches keep all of B.
  bool isPacked(Value block, ArrayRef<OpFoldResult> sizes, Type element) {
    auto slice = block.getDefiningOp<tensor::ExtractSliceOp>();
    if (getElementTypeOrSelf(block.getType()) != element ||
        sizes != ArrayRef(tensor::getMixedSizes(b, block.getLoc(), block)))
      return false;
    if (!slice)
      return true;
    RankedTensorType all = slice.getSourceType();
    return all.getShape().back() == columns ||
           (all.hasStaticShape() &&
            all.getNumElements() * element.getIntOrFloatBitWidth() <=
                16 * target.level1Bytes);
  }

  /// Copies what `read` says of B. An op of equal maps would be folded, so
  /// there is one more loop, over one element.
  Value copyColumns(ImplicitLocOpBuilder &ib, const MatrixProduct &block,
                    Value columns, AffineMap read, Value dest) {
    Value from = dest;
    dest = addUnitDim(ib, from);
    auto type = cast<RankedTensorType>(dest.getType());
    SmallVector<IteratorType> kinds(type.getRank(), IteratorType::parallel);
    auto copy = GenericOp::create(
        ib, dest.getType(), columns, dest,
        {read.shiftDims(1), b.getMultiDimIdentityMap(type.getRank())}, kinds,
        [&](OpBuilder &b, Location loc, ValueRange args) {
          Value v =
              createWidened(b, block.widenRhs, args[0], type.getElementType());
          linalg::YieldOp::create(b, loc, v);
        });
    copy->setAttr(norm::packAttrName, b.getUnitAttr());
    return tensor::CollapseShapeOp::create(
        ib, from.getType(), copy.getResult(0), getUnitGroups(from));
  }

  /// Copies the block's columns of B to rows of as many elements, of the type
  /// of the sums. The last ones may be zeros.
  Value packColumns(const MatrixProduct &block, Value columnsOfB) {
    GenericOp op = block.op;
    ImplicitLocOpBuilder ib(op.getLoc(), b);
    AffineMap from = op.getIndexingMapsArray()[block.rhs];
    Type element = getPackedElement(block);
    SmallVector<unsigned> loops = getPackedLoops(block);
    unsigned column = llvm::find(loops, block.loops.column) - loops.begin();
    SmallVector<AffineExpr> read;
    SmallVector<OpFoldResult> sizes(loops.size());
    for (auto [dim, expr] : llvm::enumerate(from.getResults())) {
      auto *it = llvm::find(loops, cast<AffineDimExpr>(expr).getPosition());
      if (it == loops.end()) {
        read.push_back(b.getAffineConstantExpr(0));
        continue;
      }
      read.push_back(b.getAffineDimExpr(it - loops.begin()));
      sizes[it - loops.begin()] =
          tensor::getMixedSize(b, op.getLoc(), columnsOfB, dim);
    }
    SmallVector<OpFoldResult> all = sizes;
    all[column] = b.getIndexAttr(columns);
    auto map = AffineMap::get(loops.size(), 0, read, b.getContext());
    if (map.isIdentity() && isPacked(columnsOfB, all, element))
      return columnsOfB;
    if (Value constant = sliceConstant(block, columnsOfB))
      return constant;
    Value packed = tensor::EmptyOp::create(ib, all, element);
    bool isWhole = all[column] == sizes[column];
    SmallVector<OpFoldResult> zero(sizes.size(), b.getIndexAttr(0)),
        one(sizes.size(), b.getIndexAttr(1));
    if (!isWhole)
      packed = createZeros(b, op.getLoc(), packed);
    Value dest =
        isWhole ? packed
                : tensor::ExtractSliceOp::create(ib, packed, zero, sizes, one)
                      .getResult();
    Value result = copyColumns(ib, block, columnsOfB, map, dest);
    if (!isWhole)
      result =
          tensor::InsertSliceOp::create(ib, result, packed, zero, sizes, one);
    return result;
  }

  IRRewriter &b;
  GenericOp anchor;
  CopyMap &copies;
  norm::RowTarget target;
  int64_t extent = 0;     // columns of all blocks
  int64_t lanes, columns; // of a block
  int64_t thinColumns;    // of one for few rows; 0: all
  scf::SCFTilingOptions::LoopType loopType;
};

struct NormTileProducts : norm::impl::NormTileProductsBase<NormTileProducts> {
  using NormTileProductsBase::NormTileProductsBase;

  void runOnOperation() override {
    // Parts of a sum must be added in the order that they have anywhere.
    if (getOperation()->hasAttr(norm::sumPartsAttrName))
      return;
    IRRewriter b(&getContext());
    addUnitRows(b);
    ProductSplitter splitter(b, kinds);
    llvm::SetVector<Operation *> anchors;
    for (const MatrixProduct &product : findProducts()) {
      bool isBlock = hasBlocks(product), isThin = isThinProduct(product);
      if (isBlock || isThin)
        explain(product, isBlock);
      DenseI64ArrayAttr tile;
      if (isThin || mayHaveFewRows(product))
        tile = createTile(product);
      GenericOp behind = isBlock ? splitter.split(product, tile)
                                 : splitter.splitThin(product, tile);
      GenericOp anchor = fuseConsumer(b, behind, anchors);
      if (readsProduct(anchor, norm::tileAttrName) || (isThin && parallel))
        anchors.insert(anchor);
    }
    if (failed(expandComputedColumns()))
      return signalPassFailure();
    copies.clear();
    for (Operation *anchor : anchors) {
      LDBG("norm-tile-products", 1) << "blocks of " << *anchor;
      auto op = cast<GenericOp>(anchor);
      bool isTiled = canHaveFewRows(op, splitter.forFewRows)
                         ? succeeded(buildVersions(b, op, splitter.forFewRows))
                         : succeeded(buildBlocks(b, op));
      if (!isTiled) {
        anchor->emitError("norm-tile-products: cannot tile the product");
        return signalPassFailure();
      }
    }
  }

  CopyMap copies;

  /// Makes a row of a vector that a computed matrix is multiplied by, so that
  /// blocks compute their columns of it, and not all before.
  void addUnitRows(IRRewriter &b) {
    std::vector<MatrixProduct> vectors;
    getOperation().walk([&](GenericOp op) {
      std::optional<MatrixProduct> product =
          op.hasPureTensorSemantics() && products == norm::Products::Blocks
              ? norm::matchMatrixProduct(op)
              : std::nullopt;
      if (product && product->rows.empty() && isComputed(*product) &&
          norm::hasThinLayout(*product))
        vectors.push_back(*product);
    });
    for (const MatrixProduct &product : vectors)
      addUnitRow(b, product.op, product.lhs);
  }

  static void addUnitRow(IRRewriter &b, GenericOp op, unsigned lhs) {
    b.setInsertionPoint(op);
    unsigned loops = op.getNumLoops();
    SmallVector<Value> operands(op->getOperands());
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    for (AffineMap &map : maps)
      map = AffineMap::get(loops + 1, 0, map.getResults(), b.getContext());
    for (unsigned operand : {lhs, unsigned(op.getNumDpsInputs())}) {
      operands[operand] = addUnitDim(b, operands[operand]);
      maps[operand] = maps[operand].insertResult(b.getAffineDimExpr(loops), 0);
    }
    SmallVector<IteratorType> kinds(op.getIteratorTypesArray());
    kinds.push_back(IteratorType::parallel);
    Value dest = operands.back();
    operands.pop_back();
    auto rows = GenericOp::create(b, op.getLoc(), dest.getType(), operands,
                                  dest, maps, kinds);
    b.cloneRegionBefore(op.getRegion(), rows.getRegion(),
                        rows.getRegion().begin());
    b.replaceOpWithNewOp<tensor::CollapseShapeOp>(
        op, op.getResult(0).getType(), rows.getResult(0),
        getUnitGroups(op.getResult(0)));
  }

  /// Computes B by words where its columns are computed, so that blocks do.
  LogicalResult expandComputedColumns() {
    SmallVector<Operation *> views;
    getOperation().walk([&](tensor::ExpandShapeOp view) {
      GenericOp source = getComputedColumns(view.getSrc());
      if (source && source->hasOneUse() && isColumnsOnly(view) &&
          llvm::none_of(source->getOperands(),
                        [](Value v) { return isProduct(v.getDefiningOp()); }))
        views.push_back(view);
    });
    RewritePatternSet patterns(&getContext());
    linalg::populateFoldReshapeOpsByExpansionPatterns(
        patterns, [](OpOperand *) { return true; });
    GreedyRewriteConfig config;
    config.setStrictness(GreedyRewriteStrictness::ExistingAndNewOps);
    return applyOpPatternsGreedily(views, std::move(patterns), config);
  }

  /// Returns true if products alone read `v`, as B.
  static bool isColumnsOnly(Value v) {
    return llvm::all_of(v.getUsers(), [&](Operation *user) {
      auto op = dyn_cast<GenericOp>(user);
      std::optional<MatrixProduct> product =
          op && isProduct(op) ? norm::matchMatrixProduct(op) : std::nullopt;
      return product && op.getDpsInputs()[product->rhs] == v;
    });
  }

  static bool isProduct(Operation *op) {
    return op &&
           (op->hasAttr(norm::tileAttrName) || op->hasAttr(norm::thinAttrName));
  }

  LogicalResult buildBlocks(IRRewriter &b, GenericOp anchor) {
    auto loopType = parallel ? scf::SCFTilingOptions::LoopType::ForallOp
                             : scf::SCFTilingOptions::LoopType::ForOp;
    return BlockBuilder(b, anchor, lanes, loopType, copies).run();
  }

  /// Returns the products that are computed here, and says why others are not.
  std::vector<MatrixProduct> findProducts() {
    std::vector<MatrixProduct> found;
    getOperation().walk([&](GenericOp op) {
      if (!op.hasPureTensorSemantics())
        return;
      std::optional<MatrixProduct> product = norm::matchMatrixProduct(op);
      bool isComputed =
          product && (hasBlocks(*product) || isThinProduct(*product));
      if (isComputed || (product && hasNarrowSums(*product)))
        found.push_back(*product);
      if (!isComputed && products == norm::Products::Blocks &&
          norm::hasMatrices(op))
        norm::missed(op, getMissed(product));
    });
    return found;
  }

  static norm::Missed getMissed(const std::optional<MatrixProduct> &product) {
    if (!product)
      return norm::Missed::OtherProduct;
    return llvm::is_contained(product->columns, product->loops.column)
               ? norm::Missed::NoColumns
               : norm::Missed::NoNeighbors;
  }

  void explain(const MatrixProduct &product, bool isBlock) {
    GenericOp op = product.op;
    norm::RowTarget target = norm::getRowTarget(op);
    auto note = remark::passed(
        op.getLoc(),
        remark::RemarkOpts::name("Product").category("norm-tile-products"));
    if (!isBlock) {
      note << "of few rows: reads the matrix once, in place";
      return;
    }
    bool isAMX = usesTiles(product, kinds);
    note << "in blocks of "
         << Twine(getBlockColumns(product, isAMX, parallel)).str()
         << " columns, which " << (isAMX ? "AMX's " : "") << "tiles of "
         << Twine(isAMX ? 2 * norm::amxRows : target.productRows).str()
         << " rows and " << Twine(isAMX ? 2 * norm::amxRows : lanes).str()
         << " columns add up";
  }

  /// Sums of 16-bit floats become wide for loops over rows, too.
  static bool hasNarrowSums(const MatrixProduct &product) {
    Value sums = GenericOp(product.op).getDpsInits()[0];
    return getElementTypeOrSelf(sums.getType()) != product.sum;
  }

  bool hasBlocks(const MatrixProduct &product) {
    GenericOp op = product.op;
    norm::RowTarget target = norm::getRowTarget(op);
    return products == norm::Products::Blocks && product.loops.row &&
           isAtLeast(op, *product.loops.row, getFewRows(product) + 1) &&
           !usesThinTiles(product) &&
           isAtLeast(op, product.loops.column, target.leastColumns) &&
           isAtLeast(op, product.loops.depth, target.leastDepth) &&
           !llvm::is_contained(op.getStaticLoopRanges(), 0);
  }

  /// Returns the rows of a product that is no block: no CPU multiplies integers
  /// as fast as tiles do.
  int64_t getFewRows(const MatrixProduct &product) {
    if (!norm::hasThinLayout(product) || isComputed(product))
      return 0;
    norm::RowTarget target = norm::getRowTarget(product.op);
    return norm::getAMXGroup(product) == 4 && usesTiles(product, kinds)
               ? std::min(target.fewRows, target.fewRowsOfBytes)
               : target.fewRows;
  }

  /// Returns true if B is computed, which each row would do.
  static bool isComputed(const MatrixProduct &product) {
    GenericOp op = product.op;
    return getComputedColumns(op.getDpsInputs()[product.rhs]) != nullptr;
  }

  static bool isAtLeast(GenericOp op, unsigned loop, int64_t least) {
    int64_t extent = op.getStaticLoopRanges()[loop];
    return ShapedType::isDynamic(extent) || extent >= least;
  }

  /// Returns true if all extents but the number of rows are known.
  bool mayHaveFewRows(const MatrixProduct &product) {
    SmallVector<int64_t> extents = GenericOp(product.op).getStaticLoopRanges();
    return hasBlocks(product) && norm::hasThinLayout(product) &&
           product.rows.size() == 1 &&
           ShapedType::isDynamic(extents[product.rows[0]]) &&
           llvm::count_if(extents, ShapedType::isDynamic) == 1 &&
           !isComputed(product);
  }

  /// Returns true if that is so for all products that `anchor` reads.
  static bool canHaveFewRows(GenericOp anchor, const IRMapping &forFewRows) {
    return llvm::any_of(anchor.getDpsInputs(),
                        [&](Value v) { return forFewRows.contains(v); }) &&
           llvm::all_of(anchor.getDpsInputs(), [&](Value v) {
             Operation *op = v.getDefiningOp();
             return !op || !op->hasAttr(norm::tileAttrName) ||
                    forFewRows.contains(v);
           });
  }

  /// A number of rows that is not known may be one, as when a model writes
  /// text: then each row is a product of its own, whose weights are read in
  /// place. Both versions write to one destination.
  LogicalResult buildVersions(IRRewriter &b, GenericOp anchor,
                              IRMapping forFewRows) {
    Location loc = anchor.getLoc();
    b.setInsertionPoint(anchor);
    SmallVector<int64_t> extents = anchor.getStaticLoopRanges();
    const auto *dynamic = llvm::find_if(extents, ShapedType::isDynamic);
    Range range = cast<linalg::LinalgOp>(*anchor).createLoopRanges(
        b, loc)[dynamic - extents.begin()];
    Value few = arith::ConstantIndexOp::create(
        b, loc, norm::getRowTarget(anchor).fewRows / 2);
    Value isFew = arith::CmpIOp::create(
        b, loc, arith::CmpIPredicate::ule,
        getValueOrCreateConstantIndexOp(b, loc, range.size), few);
    auto choice = scf::IfOp::create(b, loc, anchor.getResultTypes(), isFew,
                                    /*withElseRegion=*/true);
    auto build = [&](Block *block, IRMapping map) {
      b.setInsertionPointToStart(block);
      auto version = cast<GenericOp>(b.clone(*anchor, map));
      scf::YieldOp::create(b, loc, version.getResults());
      return buildBlocks(b, version);
    };
    if (failed(build(choice.thenBlock(), forFewRows)) ||
        failed(build(choice.elseBlock(), IRMapping())))
      return failure();
    b.replaceOp(anchor, choice);
    return success();
  }

  /// Returns true for a product whose time is that of reading B once.
  bool isThinProduct(const MatrixProduct &product) {
    GenericOp op = product.op;
    norm::RowTarget target = norm::getRowTarget(op);
    SmallVector<int64_t> extents = op.getStaticLoopRanges();
    auto isLoop = [&](unsigned loop) { return extents[loop] != 1; };
    if (llvm::count_if(product.rows, isLoop) > 1 ||
        llvm::is_contained(extents, 0) || !norm::hasThinLayout(product) ||
        products == norm::Products::Loops ||
        !isAtLeast(op, product.loops.column, target.leastColumns) ||
        !isAtLeast(op, product.loops.depth, 2 * target.leastDepth))
      return false;
    if (!product.rows.empty())
      return usesThinTiles(product) ||
             (extents[*product.loops.row] <= getFewRows(product) &&
              !ShapedType::isDynamic(extents[*product.loops.row]));
    // A sum over each row of a matrix may share a loop with other ops.
    Value matrix = op.getDpsInputs()[product.rhs];
    return readsColumns(product) ||
           (matrix.hasOneUse() &&
            !isa_and_nonnull<linalg::LinalgOp>(matrix.getDefiningOp()));
  }

  bool usesThinTiles(const MatrixProduct &product) {
    return kinds == norm::ProductKinds::Tiles && norm::hasThinTiles(product) &&
           !isComputed(product);
  }

  /// Returns true if columns of B are neighbors in memory, and not depths.
  static bool readsColumns(const MatrixProduct &product) {
    GenericOp op = product.op;
    AffineMap map = op.getIndexingMapsArray()[product.rhs];
    return map.getDimPosition(map.getNumResults() - 1) == product.loops.column;
  }

  DenseI64ArrayAttr createTile(const MatrixProduct &product) {
    norm::RowTarget target = norm::getRowTarget(product.op);
    auto kind = usesThinTiles(product)      ? norm::ProductKinds::Tiles
                : addsPairs(product, kinds) ? norm::ProductKinds::Pairs
                                            : norm::ProductKinds::Elements;
    return DenseI64ArrayAttr::get(&getContext(),
                                  {target.productRows, lanes, target.thinDepth,
                                   static_cast<int64_t>(kind)});
  }

  /// Fuses what is behind a product into the elementwise op that reads it.
  static GenericOp fuseConsumer(IRRewriter &b, GenericOp behind,
                                llvm::SetVector<Operation *> &anchors) {
    OpOperand *use = findConsumer(behind);
    if (!use)
      return behind;
    Operation *user = use->getOwner();
    b.setInsertionPoint(user);
    FailureOr<linalg::ElementwiseOpFusionResult> fused =
        linalg::fuseElementwiseOps(b, use);
    if (failed(fused))
      return behind;
    for (auto [from, to] : fused->replacements)
      if (from.getDefiningOp() == user)
        b.replaceAllUsesWith(from, to);
    anchors.remove(user);
    b.eraseOp(user);
    b.eraseOp(behind);
    return cast<GenericOp>(fused->fusedOp);
  }
};
} // namespace
