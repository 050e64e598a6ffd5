//===- ChainProducts.cpp - products of what products give -----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileProducts.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Tensor/Transforms/Transforms.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include "norm/IR/KnownExtents.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"
#include "norm/Normalize/ElementStorage.h"
#include "llvm/Support/MathExtras.h"
#include <vector>

using namespace mlir;
using linalg::GenericOp;
using linalg::LinalgOp;
using norm::MatrixProduct;
using norm::ProductPlan;

/// Returns the dimensions of `map` that are `loops`, if it has them all.
static std::optional<SmallVector<unsigned>> findDims(AffineMap map,
                                                     ArrayRef<unsigned> loops) {
  SmallVector<unsigned> dims;
  for (unsigned loop : loops) {
    std::optional<unsigned> dim =
        map.getResultPosition(getAffineDimExpr(loop, map.getContext()));
    if (!dim)
      return std::nullopt;
    dims.push_back(*dim);
  }
  return dims;
}

/// Reads `op` as a product that is computed by blocks.
static std::optional<MatrixProduct> matchBlocks(Operation *op,
                                                const ProductPlan &plan) {
  auto generic = dyn_cast<GenericOp>(op);
  std::optional<MatrixProduct> product =
      generic && generic.hasPureTensorSemantics()
          ? norm::matchMatrixProduct(generic)
          : std::nullopt;
  return product && plan.hasBlocks(*product) ? product : std::nullopt;
}

namespace {
/// A product and the ops that compute its A from other products. All of them
/// have its loops over batches and rows.
class ProductChain {
public:
  ProductChain(const MatrixProduct &last, const ProductPlan &plan)
      : last(last), plan(plan), target(norm::getRowTarget(last.op)),
        rows(last.batch) {
    rows.append(last.rows);
    members.insert({last.op, rows});
    for (Operation *op = last.op->getPrevNode(); op; op = op->getPrevNode())
      if (auto linalgOp = dyn_cast<LinalgOp>(op))
        addMember(linalgOp);
  }

  /// Returns the rows of a block, all if it has these whole; nullopt where
  /// there is no other product, or blocks are not worth it.
  std::optional<int64_t> getRowsOfBlock() const;

  /// Returns true if the chain computes `op` in its loop.
  bool contains(Operation *op) const { return members.contains(op); }

  void tile(IRRewriter &b, int64_t rowsOfBlock);

private:
  /// Adds `op` if all readers compute blocks of it: it would be computed twice
  /// for others. What has no inputs is no work.
  void addMember(LinalgOp op) {
    std::optional<SmallVector<unsigned>> loops;
    for (OpOperand &use : op->getUses()) {
      if (isa<tensor::DimOp>(use.getOwner()))
        continue;
      std::optional<SmallVector<unsigned>> read = findLoops(op, use);
      if (read && (!loops || loops == read))
        loops = read;
      else if (op.getNumDpsInputs() > 0)
        return;
    }
    if (!loops || !op.hasPureTensorSemantics())
      return;
    std::optional<MatrixProduct> product = matchBlocks(op, plan);
    bool fits = !product || llvm::all_of(*loops, [&](unsigned loop) {
      return llvm::is_contained(product->batch, loop) ||
             llvm::is_contained(product->rows, loop);
    });
    if (!fits)
      return;
    members.insert({op, *loops});
    if (product)
      products.push_back(*product);
  }

  /// Returns the loops of `op` over the batches and rows of a member that reads
  /// its result, but as a factor of another product.
  std::optional<SmallVector<unsigned>> findLoops(LinalgOp op, OpOperand &use) {
    auto member = members.find(use.getOwner());
    if (member == members.end())
      return std::nullopt;
    auto reader = cast<LinalgOp>(use.getOwner());
    bool isBetween =
        reader == last.op
            ? &use == reader.getDpsInputOperand(last.lhs)
            : !reader.isDpsInput(&use) || !matchBlocks(reader, plan);
    auto dims = findDims(reader.getMatchingIndexingMap(&use), member->second);
    if (!isBetween || !dims)
      return std::nullopt;
    AffineMap map = op.getIndexingMapMatchingResult(cast<OpResult>(use.get()));
    SmallVector<unsigned> loops;
    for (unsigned dim : *dims) {
      auto loop = dyn_cast<AffineDimExpr>(map.getResult(dim));
      if (!loop)
        return std::nullopt;
      loops.push_back(loop.getPosition());
    }
    return loops;
  }

  /// Returns how many elements `loops` of `product` go over, at most 2^64 - 1.
  uint64_t count(const MatrixProduct &product, ArrayRef<unsigned> loops) const {
    SmallVector<int64_t> extents = GenericOp(product.op).getStaticLoopRanges();
    return norm::multiplyExtents(
        llvm::map_to_vector(loops,
                            [&](unsigned loop) { return extents[loop]; }),
        target.assumedExtent);
  }

  uint64_t countFactors(const MatrixProduct &product) const {
    return llvm::SaturatingMultiply(count(product, product.columns),
                                    count(product, product.depths));
  }

  MatrixProduct last;
  const ProductPlan &plan;
  norm::RowTarget target;
  SmallVector<unsigned> rows; // loops of `last` over batches and rows
  llvm::DenseMap<Operation *, SmallVector<unsigned>> members; // and their loops
  std::vector<MatrixProduct> products;                        // but `last`
};
} // namespace

std::optional<int64_t> ProductChain::getRowsOfBlock() const {
  if (products.empty())
    return std::nullopt;
  GenericOp op = last.op;
  uint64_t row = count(last, last.depths), factors = countFactors(last),
           bytes = llvm::SaturatingMultiply<uint64_t>(
               row, norm::getElementBytes(
                        getElementTypeOrSelf(op.getDpsInputs()[last.lhs])));
  for (const MatrixProduct &product : products)
    factors = llvm::SaturatingAdd(factors, countFactors(product));
  // A block reads all factors again, which costs less than what stays in the
  // cache from this many rows on.
  uint64_t least = llvm::divideCeil(llvm::divideCeil(factors, row), 2),
           all = count(last, rows), most = target.chainBytes / bytes;
  bool isSmall =
      llvm::SaturatingMultiply(all, bytes) < uint64_t(target.largeBytes);
  if (least > 2 * uint64_t(target.chainRows) || isSmall)
    return std::nullopt;
  most = std::max(least, std::min<uint64_t>(most, target.chainRows));
  int64_t step = llvm::alignTo(most, 2 * norm::amxRows),
          extent = count(last, *last.loops.row),
          block = norm::getEvenPart(extent, step);
  if (block > 2 * step)
    block = step;
  // Threads share the blocks, and each has some.
  uint64_t blocks = all / extent * llvm::divideCeil(extent, block),
           fewest = plan.threads > 1 ? 2 * plan.threads : 2;
  return blocks >= fewest ? std::optional(block) : std::nullopt;
}

void ProductChain::tile(IRRewriter &b, int64_t rowsOfBlock) {
  GenericOp op = last.op;
  SmallVector<OpFoldResult> sizes(op.getNumLoops(), b.getIndexAttr(0));
  for (unsigned loop : rows)
    sizes[loop] = b.getIndexAttr(1);
  sizes[*last.loops.row] = b.getIndexAttr(rowsOfBlock);
  scf::SCFTileAndFuseOptions options;
  options.tilingOptions.setTileSizes(sizes).setLoopType(
      plan.threads > 1 ? scf::SCFTilingOptions::LoopType::ForallOp
                       : scf::SCFTilingOptions::LoopType::ForOp);
  using Fusion = scf::SCFTileAndFuseOptions::ControlFnResult;
  options.setFusionControlFn(
      [&](tensor::ExtractSliceOp, OpResult result, bool) {
        return members.contains(result.getOwner()) ? std::optional(Fusion{})
                                                   : std::nullopt;
      });
  b.setInsertionPoint(op);
  FailureOr<scf::SCFTileAndFuseResult> tiled =
      scf::tileConsumerAndFuseProducersUsingSCF(
          b, cast<TilingInterface>(op.getOperation()), options);
  if (failed(tiled))
    return;
  for (auto [from, to] : tiled->replacements)
    b.replaceAllUsesWith(from, to);
  b.eraseOp(op);
}

/// Each reader of a result has fused its own copy of what computes it. Copies
/// of one place are equal when their extents are, and what they are of is dead.
static void mergeCopies(IRRewriter &b, Operation *scope) {
  MLIRContext *context = b.getContext();
  RewritePatternSet patterns(context);
  tensor::populateFoldTensorEmptyPatterns(patterns);
  tensor::EmptyOp::getCanonicalizationPatterns(patterns, context);
  tensor::DimOp::getCanonicalizationPatterns(patterns, context);
  (void)applyPatternsGreedily(scope, std::move(patterns));
  DominanceInfo dominance(scope);
  eliminateCommonSubExpressions(b, dominance, scope);
}

/// Returns true if `v` is computed, by other ops than products, from a product
/// with batches.
static bool isFromBatches(Value v, const ProductPlan &plan) {
  bool found = false;
  BackwardSliceOptions options;
  options.filter = [&](Operation *op) {
    std::optional<MatrixProduct> product = matchBlocks(op, plan);
    found |= product && !product->batch.empty();
    return !product &&
           isa<GenericOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op);
  };
  SetVector<Operation *> slice;
  (void)getBackwardSlice(v, &slice, options);
  return found;
}

/// Returns true if `use` reads a view that joins dimensions over which the
/// reader has parallel loops. Others may add in the order of the joined one.
static bool joinsParallelLoops(OpOperand *use) {
  auto view = use->get().getDefiningOp<tensor::CollapseShapeOp>();
  auto reader = dyn_cast<GenericOp>(use->getOwner());
  if (!view || !reader)
    return false;
  AffineMap map = reader.getMatchingIndexingMap(use);
  for (auto [group, expr] :
       llvm::zip(view.getReassociationIndices(), map.getResults())) {
    auto loop = dyn_cast<AffineDimExpr>(expr);
    if (group.size() > 1 &&
        (!loop || reader.getIteratorTypesArray()[loop.getPosition()] !=
                      utils::IteratorType::parallel))
      return false;
  }
  return true;
}

/// Moves views that join loops of such a product, of batches and of groups that
/// share a factor, behind the ops that read them: all ops have the same loops.
static void keepLoopsApart(Operation *scope, const ProductPlan &plan) {
  auto isBetween = [&](OpOperand *use) {
    return joinsParallelLoops(use) && !matchBlocks(use->getOwner(), plan) &&
           isFromBatches(use->get(), plan);
  };
  MLIRContext *context = scope->getContext();
  RewritePatternSet patterns(context);
  linalg::populateFoldReshapeOpsByExpansionPatterns(patterns, isBetween);
  tensor::ExpandShapeOp::getCanonicalizationPatterns(patterns, context);
  (void)applyPatternsGreedily(scope, std::move(patterns));
}

void norm::chainProducts(IRRewriter &b, Operation *scope,
                         const ProductPlan &plan) {
  keepLoopsApart(scope, plan);
  SmallVector<GenericOp> ops = collect<GenericOp>(scope);
  bool hasChains = false;
  while (!ops.empty()) {
    GenericOp op = ops.pop_back_val();
    std::optional<MatrixProduct> product = matchBlocks(op, plan);
    if (!product)
      continue;
    ProductChain chain(*product, plan);
    std::optional<int64_t> rows = chain.getRowsOfBlock();
    if (!rows)
      continue;
    llvm::erase_if(ops, [&](GenericOp other) { return chain.contains(other); });
    remark::passed(
        op.getLoc(),
        remark::RemarkOpts::name("ProductChain").category("norm-tile-products"))
        << "by blocks of " << Twine(*rows).str()
        << " rows, together with what computes these from other products";
    chain.tile(b, *rows);
    hasChains = true;
  }
  if (hasChains)
    mergeCopies(b, scope);
}
