//===- TileProducts.h - the parts of norm-tile-products ---------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_PRODUCTS_TILEPRODUCTS_H
#define NORM_LIB_PRODUCTS_TILEPRODUCTS_H

#include "PackOperands.h"
#include "ProductPlan.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::norm {

/// Puts each product whose A is computed row by row from another product, such
/// as by the softmax of an attention, into a loop over blocks of rows, with all
/// of that: what is between the products stays in the caches.
void chainProducts(IRRewriter &b, Operation *scope, const ProductPlan &plan);

/// Makes of each product one that adds to zeros in the type of its sums, and an
/// elementwise op that adds these to the destination and rounds them once.
class ProductSplitter {
public:
  ProductSplitter(IRRewriter &b, const ProductPlan &plan) : b(b), plan(plan) {}

  /// Returns the op behind the product, which is marked for what computes it:
  /// blocks, loops for few rows, or loops over rows.
  linalg::GenericOp split(const MatrixProduct &product);

  /// What stands beside products by blocks, for few rows, where the number of
  /// rows is not known.
  IRMapping forFewRows;

private:
  linalg::GenericOp createBehind(const MatrixProduct &product, Value sums);
  Value createEmptyLike(Value like, Type type);
  Value widen(Value lhs, Operation *extension, Type type);

  IRRewriter &b;
  const ProductPlan &plan;
  llvm::DenseMap<std::tuple<Value, Type, TypeID>, Value> widened;
};

/// Puts `anchor`, an elementwise op behind products that are marked for blocks
/// or for few rows, into loops over blocks of columns, and these products into
/// the blocks. The copies of A are shared with those in `copies`.
LogicalResult buildBlocks(IRRewriter &b, linalg::GenericOp anchor,
                          const ProductPlan &plan, CopyMap &copies);

/// Puts `op` into loops over tiles, of which it computes one. Threads share the
/// outer loops alone.
FailureOr<scf::SCFTilingResult> tileLoops(IRRewriter &b, linalg::GenericOp op,
                                          ArrayRef<OpFoldResult> sizes,
                                          unsigned threads);

/// Copies what elementwise ops outside blocks go across in memory, by blocks
/// that are turned in registers, so that they go along it.
LogicalResult turnOperands(IRRewriter &b, Operation *scope, unsigned threads);

} // namespace mlir::norm

#endif // NORM_LIB_PRODUCTS_TILEPRODUCTS_H
