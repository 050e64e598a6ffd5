//===- TileProducts.cpp - products by blocks of columns -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileProducts.h"
#include "ProductTensors.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"
#include "norm/Normalize/Recompute.h"
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
using norm::ProductPlan;

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
  if (!linalg::areElementwiseOpsFusable(use))
    return nullptr;
  auto user = cast<GenericOp>(use->getOwner());
  if (user->getBlock() != op->getBlock() || user.getNumReductionLoops() > 0)
    return nullptr;
  AffineMap map = user.getMatchingIndexingMap(use);
  unsigned innermost = user.getNumLoops() - 1;
  bool keepsColumns = map.isPermutation() && map.getNumResults() > 0 &&
                      map.getDimPosition(map.getNumResults() - 1) == innermost;
  return keepsColumns && !areMixed(op, user) ? use : nullptr;
}

namespace {
struct NormTileProducts : norm::impl::NormTileProductsBase<NormTileProducts> {
  using NormTileProductsBase::NormTileProductsBase;

  void runOnOperation() override {
    // Parts of a sum must be added in the order that they have anywhere.
    if (getOperation()->hasAttr(norm::sumPartsAttrName))
      return;
    IRRewriter b(&getContext());
    ProductPlan plan = {products, kinds, threads};
    norm::chainProducts(b, getOperation(), plan);
    norm::ProductSplitter splitter(b, plan);
    llvm::SetVector<Operation *> anchors;
    for (const MatrixProduct &product : findProducts(plan)) {
      // Others of few rows are not divided, not even by batches.
      bool isDivided =
          plan.isThin(product) && (threads > 1 || norm::hasManyTiles(product) ||
                                   norm::hasComputedColumns(product));
      GenericOp anchor = fuseConsumer(b, splitter.split(product), anchors);
      if (readsProduct(anchor, norm::tileAttrName) || isDivided)
        anchors.insert(anchor);
    }
    norm::CopyMap copies;
    for (Operation *anchor : anchors) {
      LDBG("norm-tile-products", 1) << "blocks of " << *anchor;
      auto op = cast<GenericOp>(anchor);
      auto build = [&](GenericOp anchor) {
        return norm::buildBlocks(b, anchor, plan, copies);
      };
      bool isTiled =
          canHaveFewRows(op, splitter.forFewRows)
              ? succeeded(buildVersions(b, op, splitter.forFewRows, build))
              : succeeded(build(op));
      if (!isTiled) {
        anchor->emitError("norm-tile-products: cannot tile the product");
        return signalPassFailure();
      }
    }
    if (failed(norm::turnOperands(b, getOperation(), threads)))
      signalPassFailure();
  }

  /// Returns the products that are computed here, and says why others are not.
  std::vector<MatrixProduct> findProducts(const ProductPlan &plan) {
    std::vector<MatrixProduct> found;
    getOperation().walk([&](GenericOp op) {
      if (!op.hasPureTensorSemantics())
        return;
      std::optional<MatrixProduct> product = norm::matchMatrixProduct(op);
      bool isComputed =
          product && (plan.hasBlocks(*product) || plan.isThin(*product));
      if (isComputed || (product && hasNarrowSums(*product)))
        found.push_back(*product);
      if (isComputed)
        plan.explain(*product);
      else if (products == norm::Products::Blocks && norm::hasMatrices(op))
        norm::missed(op, norm::getMissed(product));
    });
    return found;
  }

  /// Sums of 16-bit floats become wide for loops over rows, too.
  static bool hasNarrowSums(const MatrixProduct &product) {
    Value sums = GenericOp(product.op).getDpsInits()[0];
    return getElementTypeOrSelf(sums.getType()) != product.sum;
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
  static LogicalResult
  buildVersions(IRRewriter &b, GenericOp anchor, const IRMapping &forFewRows,
                function_ref<LogicalResult(GenericOp)> buildBlocks) {
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
      return buildBlocks(version);
    };
    if (failed(build(choice.thenBlock(), forFewRows)) ||
        failed(build(choice.elseBlock(), IRMapping())))
      return failure();
    b.replaceOp(anchor, choice);
    return success();
  }

  /// Fuses what is behind a product into the elementwise op that reads it.
  static GenericOp fuseConsumer(IRRewriter &b, GenericOp behind,
                                llvm::SetVector<Operation *> &anchors) {
    OpOperand *use = findConsumer(behind);
    if (!use)
      return behind;
    anchors.remove(use->getOwner());
    auto fused = cast<GenericOp>(norm::fuseCopyOfProducer(b, *use));
    b.eraseOp(behind);
    return fused;
  }
};
} // namespace
