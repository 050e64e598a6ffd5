//===- ProductPlan.cpp - how products are computed ------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductPlan.h"
#include "mlir/IR/Remarks.h"
#include "norm/IR/RowTarget.h"

using namespace mlir;
using linalg::GenericOp;
using norm::MatrixProduct;
using norm::ProductKinds;
using norm::ProductPlan;

GenericOp norm::getComputedColumns(Value matrix) {
  auto op = matrix.getDefiningOp<GenericOp>();
  bool isElementwise = op && op.getNumReductionLoops() == 0 &&
                       op->getNumResults() == 1 && op.getNumDpsInputs() > 0;
  return isElementwise ? op : nullptr;
}

bool norm::hasComputedColumns(const MatrixProduct &product) {
  GenericOp op = product.op;
  return getComputedColumns(op.getDpsInputs()[product.rhs]) != nullptr;
}

bool norm::hasManyTiles(const MatrixProduct &product) {
  SmallVector<int64_t> extents = GenericOp(product.op).getStaticLoopRanges();
  return hasThinTiles(product) && extents[*product.loops.row] > amxRows;
}

bool norm::isLarge(const MatrixProduct &product) {
  GenericOp op = product.op;
  auto type = cast<ShapedType>(op.getDpsInputs()[product.lhs].getType());
  return !type.hasStaticShape() ||
         type.getNumElements() * type.getElementTypeBitWidth() / 8 >=
             norm::getRowTarget(op).largeBytes;
}

int64_t norm::getEvenPart(int64_t extent, int64_t most) {
  for (int64_t part = most; 2 * part > most; --part)
    if (extent % part == 0)
      return part;
  return extent;
}

norm::Missed norm::getMissed(const std::optional<MatrixProduct> &product) {
  if (!product)
    return Missed::OtherProduct;
  return llvm::is_contained(product->columns, product->loops.column)
             ? Missed::NoColumns
             : Missed::NoNeighbors;
}

static bool isAtLeast(GenericOp op, unsigned loop, int64_t least) {
  int64_t extent = op.getStaticLoopRanges()[loop];
  return ShapedType::isDynamic(extent) || extent >= least;
}

/// Returns true if columns of B are neighbors in memory, and not depths.
static bool readsColumns(const MatrixProduct &product) {
  GenericOp op = product.op;
  AffineMap map = op.getIndexingMapsArray()[product.rhs];
  return map.getDimPosition(map.getNumResults() - 1) == product.loops.column;
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

bool ProductPlan::usesTiles(const MatrixProduct &product) const {
  return kinds == ProductKinds::Tiles && hasTiles(product);
}

bool ProductPlan::usesThinTiles(const MatrixProduct &product) const {
  return kinds == ProductKinds::Tiles && hasThinTiles(product);
}

/// Returns true if one instruction multiplies pairs of neighbors and adds the
/// products to the sums: of bf16, or of i8 that have become i16.
bool ProductPlan::addsPairs(const MatrixProduct &product) const {
  int64_t group = getAMXGroup(product);
  bool hasInstruction = group == 4 ? kinds != ProductKinds::Elements
                                   : kinds == ProductKinds::Pairs;
  return group > 0 && hasInstruction && hasWords(product);
}

int64_t ProductPlan::getGroup(const MatrixProduct &product) const {
  GenericOp op = product.op;
  int64_t depth = op.getStaticLoopRanges()[product.loops.depth];
  if (usesTiles(product))
    return getAMXGroup(product);
  bool hasPairs = !ShapedType::isDynamic(depth) && depth % 2 == 0;
  return hasPairs && addsPairs(product) ? 2 : 1;
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

bool ProductPlan::hasBlocks(const MatrixProduct &product) const {
  GenericOp op = product.op;
  RowTarget target = getRowTarget(op);
  return products == Products::Blocks && product.loops.row &&
         isAtLeast(op, *product.loops.row, getFewRows(product) + 1) &&
         !usesThinTiles(product) &&
         isAtLeast(op, product.loops.column, target.leastColumns) &&
         isAtLeast(op, product.loops.depth, target.leastDepth) &&
         !llvm::is_contained(op.getStaticLoopRanges(), 0);
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

int64_t ProductPlan::getBlockColumns(const MatrixProduct &product,
                                     bool isAMX) const {
  GenericOp op = product.op;
  RowTarget target = getRowTarget(op);
  int64_t least = target.productColumns,
          extent = op.getStaticLoopRanges()[product.loops.column];
  if (ShapedType::isDynamic(extent) || (isAMX && !isLarge(product)))
    return least;
  if (!isAMX) {
    // Tiles divide a block: they have all of its columns, or that many.
    int64_t lanes = target.productLanes,
            step = least > lanes ? llvm::alignTo(target.leastColumns, lanes)
                                 : target.leastColumns;
    return getEvenColumns(extent, std::min(least, step), least);
  }
  int64_t all = llvm::divideCeil(extent, least),
          most = std::min(all, target.tileColumns / least);
  if (threads > 1)
    most = std::min(most, all / (target.tileBlocks * threads));
  return getEvenColumns(llvm::alignTo(extent, least), least,
                        std::max<int64_t>(most, 1) * least);
}

int64_t ProductPlan::getColumnsInPlace(int64_t extent,
                                       const RowTarget &target) const {
  int64_t least = target.productColumns, all = extent / least,
          share = std::min<int64_t>(llvm::divideCeil(all, threads),
                                    target.tileColumns / least);
  return getEvenPart(all, std::max<int64_t>(share, 1)) * least;
}

//===----------------------------------------------------------------------===//
// Few rows
//===----------------------------------------------------------------------===//

/// Returns the rows of a product that is no block: no CPU multiplies integers
/// as fast as tiles do, and computed columns that are neighbors are packed.
int64_t ProductPlan::getFewRows(const MatrixProduct &product) const {
  if (!hasThinLayout(product) ||
      (hasComputedColumns(product) && readsColumns(product)))
    return 0;
  RowTarget target = getRowTarget(product.op);
  return getAMXGroup(product) == 4 && usesTiles(product)
             ? std::min(target.fewRows, target.fewRowsOfBytes)
             : target.fewRows;
}

bool ProductPlan::mayHaveFewRows(const MatrixProduct &product) const {
  SmallVector<int64_t> extents = GenericOp(product.op).getStaticLoopRanges();
  return hasBlocks(product) && hasThinLayout(product) &&
         product.rows.size() == 1 &&
         ShapedType::isDynamic(extents[product.rows[0]]) &&
         llvm::count_if(extents, ShapedType::isDynamic) == 1 &&
         !hasComputedColumns(product);
}

bool ProductPlan::isThin(const MatrixProduct &product) const {
  GenericOp op = product.op;
  RowTarget target = getRowTarget(op);
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  auto isLoop = [&](unsigned loop) { return extents[loop] != 1; };
  if (products == Products::Loops || !hasThinLayout(product) ||
      llvm::count_if(product.rows, isLoop) > 1 ||
      llvm::is_contained(extents, 0) ||
      !isAtLeast(op, product.loops.column, target.leastColumns) ||
      !isAtLeast(op, product.loops.depth, 2 * target.leastDepth))
    return false;
  if (!product.rows.empty())
    return usesThinTiles(product) ||
           (extents[*product.loops.row] <= getFewRows(product) &&
            !ShapedType::isDynamic(extents[*product.loops.row]));
  // A sum over each row of a matrix may share a loop with other ops.
  Value matrix = op.getDpsInputs()[product.rhs];
  return readsColumns(product) || hasComputedColumns(product) ||
         (matrix.hasOneUse() &&
          !isa_and_nonnull<linalg::LinalgOp>(matrix.getDefiningOp()));
}

ProductKinds ProductPlan::getThinKind(const MatrixProduct &product) const {
  return usesThinTiles(product) ? ProductKinds::Tiles
         : addsPairs(product)   ? ProductKinds::Pairs
                                : ProductKinds::Elements;
}

void ProductPlan::explain(const MatrixProduct &product) const {
  GenericOp op = product.op;
  auto note = remark::passed(
      op.getLoc(),
      remark::RemarkOpts::name("Product").category("norm-tile-products"));
  if (!hasBlocks(product)) {
    bool areMany = usesThinTiles(product) && hasManyTiles(product);
    note << (areMany ? "in blocks of columns, by AMX's tiles" : "of few rows")
         << ": reads the matrix once"
         << (hasComputedColumns(product) ? ", as it is computed"
                                         : ", in place");
    return;
  }
  bool isAMX = usesTiles(product);
  RowTarget target = getRowTarget(op);
  int64_t rows = isAMX ? 2 * amxRows : target.productRows,
          lanes = isAMX ? rows : target.productLanes;
  note << "in blocks of " << Twine(getBlockColumns(product, isAMX)).str()
       << " columns, which " << (isAMX ? "AMX's " : "") << "tiles of "
       << Twine(rows).str() << " rows and " << Twine(lanes).str()
       << " columns add up";
}
