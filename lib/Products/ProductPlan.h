//===- ProductPlan.h - how products are computed ----------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_PRODUCTS_PRODUCTPLAN_H
#define NORM_LIB_PRODUCTS_PRODUCTPLAN_H

#include "MatrixProduct.h"
#include "mlir/Dialect/SCF/Transforms/TileUsingInterface.h"
#include "norm/IR/Missed.h"
#include "norm/IR/RowTarget.h"
#include "norm/Products/Products.h"

namespace mlir::norm {

/// Returns the elementwise op that computes a matrix, such as of scaled
/// integers; null for others.
linalg::GenericOp getComputedColumns(Value matrix);

/// Returns true if B is computed, which blocks of columns do.
bool hasComputedColumns(const MatrixProduct &product);

/// Returns true if hasThinTiles holds, and the rows are several tiles.
bool hasManyTiles(const MatrixProduct &product);

/// Returns true if level 2 does not keep all of A beside the columns of a
/// block.
bool isLarge(const MatrixProduct &product);

/// Returns the most of `extent` that divide it, up to `most` and more than half
/// of that, or all.
int64_t getEvenPart(int64_t extent, int64_t most);

/// Returns why an op on matrices is not computed by blocks.
Missed getMissed(const std::optional<MatrixProduct> &product);

/// How the products of a function are computed, by the options of
/// norm-tile-products and the numbers of the machine.
struct ProductPlan {
  Products products;
  ProductKinds kinds;
  unsigned threads; // that share blocks

  /// Returns true if the product is computed by blocks of columns.
  bool hasBlocks(const MatrixProduct &product) const;

  /// Returns true for a product whose time is that of reading B once.
  bool isThin(const MatrixProduct &product) const;

  /// Returns true for a product by blocks of which all extents but the number
  /// of rows are known, so that there may be few of them.
  bool mayHaveFewRows(const MatrixProduct &product) const;

  /// Returns true if AMX computes blocks of the product.
  bool usesTiles(const MatrixProduct &product) const;

  /// Returns how many neighbors of A are a word for an instruction that adds
  /// their products, 1 where there is none.
  int64_t getGroup(const MatrixProduct &product) const;

  /// Returns the columns of a block. Of a large A level 2 keeps a part beside
  /// the sums of many columns that AMX adds.
  int64_t getBlockColumns(const MatrixProduct &product, bool isAMX) const;

  /// Returns the columns of a block that AMX reads in place: they divide all,
  /// so that whole tiles do.
  int64_t getColumnsInPlace(int64_t extent, const RowTarget &target) const;

  /// Returns what an instruction adds to the sums of a product of few rows.
  ProductKinds getThinKind(const MatrixProduct &product) const;

  /// Adds a remark that says how a product is computed.
  void explain(const MatrixProduct &product) const;

private:
  bool addsPairs(const MatrixProduct &product) const;
  bool usesThinTiles(const MatrixProduct &product) const;
  int64_t getFewRows(const MatrixProduct &product) const;
};

} // namespace mlir::norm

#endif // NORM_LIB_PRODUCTS_PRODUCTPLAN_H
