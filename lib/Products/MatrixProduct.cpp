//===- MatrixProduct.cpp - products of matrices ---------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MatrixProduct.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "norm/IR/RowTarget.h"
#include "norm/Normalize/Recompute.h"

using namespace mlir;
using linalg::GenericOp;
using norm::MatrixProduct;

namespace {
/// A factor of a product: an element of a tensor, and what widens it.
struct Factor {
  BlockArgument element;
  Operation *widen = nullptr;
};
} // namespace

static std::optional<Factor> readFactor(Value v) {
  Factor factor;
  if (Operation *op = v.getDefiningOp(); op && norm::isWidening(op)) {
    factor.widen = op;
    v = op->getOperand(0);
  }
  factor.element = dyn_cast<BlockArgument>(v);
  return factor.element ? std::optional(factor) : std::nullopt;
}

/// Returns the type in which sums of elements of `type` are computed: 16-bit
/// floats are added in f32.
static Type getSumType(Type type) {
  if (type.isF16() || type.isBF16())
    return Float32Type::get(type.getContext());
  bool isKnown =
      type.isF32() || type.isF64() || type.isInteger(32) || type.isInteger(64);
  return isKnown ? type : Type();
}

/// Reads the body as out + a * b.
static bool readBody(MatrixProduct &product) {
  SmallVector<Operation *> combiners;
  Value contribution = matchReduction(product.op.getRegionOutputArgs(),
                                      /*redPos=*/0, combiners);
  if (!contribution || combiners.size() != 1 ||
      !isa<arith::AddFOp, arith::AddIOp>(combiners[0]))
    return false;
  Operation *multiply = contribution.getDefiningOp();
  if (!isa_and_nonnull<arith::MulFOp, arith::MulIOp>(multiply))
    return false;
  product.sum = getSumType(contribution.getType());
  std::optional<Factor> a = readFactor(multiply->getOperand(0)),
                        b = readFactor(multiply->getOperand(1));
  if (!product.sum || !a || !b ||
      a->element.getArgNumber() == b->element.getArgNumber() ||
      a->element.getArgNumber() > 1 || b->element.getArgNumber() > 1)
    return false;
  if (a->element.getArgNumber() != product.lhs)
    std::swap(a, b);
  product.widenLhs = a->widen;
  product.widenRhs = b->widen;
  return true;
}

static bool isLonger(int64_t extent, int64_t other) {
  return !ShapedType::isDynamic(other) &&
         (ShapedType::isDynamic(extent) || extent > other);
}

/// Returns true if all operands have the loop.
static bool isBatch(GenericOp op, unsigned loop) {
  return llvm::all_of(op.getIndexingMapsArray(),
                      [&](AffineMap map) { return map.isFunctionOfDim(loop); });
}

norm::BlockLoops norm::getBlockLoops(GenericOp op, unsigned lhs) {
  AffineMap a = op.getIndexingMapsArray()[lhs];
  AffineMap result = op.getMatchingIndexingMap(op.getDpsInitOperand(0));
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  BlockLoops loops;
  if (result.getNumResults() > 0)
    loops.column = result.getDimPosition(result.getNumResults() - 1);
  for (AffineExpr expr : a.getResults()) {
    unsigned loop = cast<AffineDimExpr>(expr).getPosition();
    if (!result.isFunctionOfDim(loop))
      loops.depth = loop;
    else if (!isBatch(op, loop) &&
             (!loops.row || isLonger(extents[loop], extents[*loops.row])))
      loops.row = loop;
  }
  return loops;
}

unsigned norm::getWordLoop(GenericOp op, unsigned lhs) {
  AffineMap map = op.getIndexingMapsArray()[lhs];
  return map.getDimPosition(map.getNumResults() - 2);
}

bool norm::hasMatrices(GenericOp op) {
  if (op.getNumReductionLoops() == 0)
    return false;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  return succeeded(dims) && !dims->m.empty() && !dims->n.empty() &&
         !dims->k.empty();
}

std::optional<MatrixProduct> norm::matchMatrixProduct(GenericOp op) {
  if (op.getNumDpsInputs() != 2 || op.getNumDpsInits() != 1 ||
      op.getNumReductionLoops() == 0 ||
      !llvm::all_of(op.getIndexingMapsArray(),
                    [](AffineMap map) { return map.isProjectedPermutation(); }))
    return std::nullopt;
  FailureOr<linalg::ContractionDimensions> dims =
      linalg::inferContractionDims(op);
  if (failed(dims) || dims->k.empty())
    return std::nullopt;
  MatrixProduct product;
  product.op = op;
  product.batch.assign(dims->batch.begin(), dims->batch.end());
  product.rows.assign(dims->m.begin(), dims->m.end());
  product.columns.assign(dims->n.begin(), dims->n.end());
  product.depths.assign(dims->k.begin(), dims->k.end());
  if (llvm::is_contained(product.rows, getBlockLoops(op, /*lhs=*/0).column)) {
    std::swap(product.rows, product.columns);
    std::swap(product.lhs, product.rhs);
  }
  if (!readBody(product))
    return std::nullopt;
  size_t loops = product.batch.size() + product.rows.size() +
                 product.columns.size() + product.depths.size();
  if (loops != op.getNumLoops())
    return std::nullopt;
  product.loops = getBlockLoops(op, product.lhs);
  if (!llvm::is_contained(product.columns, product.loops.column))
    product.loops.row.reset();
  return product;
}

int64_t norm::getAMXGroup(GenericOp op, Type sum) {
  Type a = getElementTypeOrSelf(op.getDpsInputs()[0]),
       b = getElementTypeOrSelf(op.getDpsInputs()[1]);
  if (a == b && a.isBF16() && sum.isF32())
    return 2;
  return a == b && a.isInteger(8) && sum.isInteger(32) ? 4 : 0;
}

bool norm::hasPairs(const MatrixProduct &product) {
  GenericOp op = product.op;
  Type a = getElementTypeOrSelf(op.getDpsInputs()[product.lhs]),
       b = getElementTypeOrSelf(op.getDpsInputs()[product.rhs]);
  bool areHalves = product.sum.isInteger(32) && a.isInteger(16) &&
                   (b.isInteger(8) || b.isInteger(16));
  return areHalves || getAMXGroup(product) == 2;
}

/// Returns true if the last dimensions of an operand are those of `loops`.
static bool endsWith(const MatrixProduct &product, unsigned operand,
                     ArrayRef<unsigned> loops) {
  AffineMap map = GenericOp(product.op).getIndexingMapsArray()[operand];
  ArrayRef<AffineExpr> dims = map.getResults();
  return dims.size() >= loops.size() &&
         llvm::equal(dims.take_back(loops.size()), loops,
                     [](AffineExpr dim, unsigned loop) {
                       return cast<AffineDimExpr>(dim).getPosition() == loop;
                     });
}

bool norm::hasWords(const MatrixProduct &product) {
  return endsWith(product, product.lhs, {product.loops.depth});
}

bool norm::hasTiles(const MatrixProduct &product) {
  int64_t group = getAMXGroup(product),
          depth =
              GenericOp(product.op).getStaticLoopRanges()[product.loops.depth];
  return group > 0 && product.loops.row && hasWords(product) &&
         !ShapedType::isDynamic(depth) && depth % (amxRows * group) == 0;
}

bool norm::hasThinLayout(const MatrixProduct &product) {
  BlockLoops loops = product.loops;
  return llvm::is_contained(product.columns, loops.column) &&
         (endsWith(product, product.rhs, {loops.column}) ||
          (endsWith(product, product.rhs, {loops.depth}) && hasWords(product)));
}

bool norm::hasThinTiles(const MatrixProduct &product) {
  if (!hasTiles(product) || product.depths.size() != 1)
    return false;
  BlockLoops loops = product.loops;
  SmallVector<int64_t> extents = GenericOp(product.op).getStaticLoopRanges();
  int64_t rows = extents[*loops.row], columns = extents[loops.column],
          words = extents[loops.depth] / getAMXGroup(product.op, product.sum);
  RowTarget target = getRowTarget(product.op);
  // Sums are turned instead of words of B.
  bool areMany = rows > amxRows && target.thinTileWords * rows <= words &&
                 rows <= target.thinTileRows &&
                 !ShapedType::isDynamic(columns) &&
                 columns % target.productColumns == 0;
  return ((rows > 1 && rows <= amxRows) || areMany) &&
         endsWith(product, product.rhs, {loops.column, loops.depth});
}
