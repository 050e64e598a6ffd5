//===- Products.h - how products of matrices are computed -------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_PRODUCTS_PRODUCTS_H
#define NORM_PRODUCTS_PRODUCTS_H

#include "llvm/Support/CommandLine.h"

namespace mlir::norm {

/// How products of matrices are computed.
enum class Products {
  Blocks, ///< By blocks of columns whose sums are in registers.
  Loops   ///< By loops over rows, as other reductions: for comparisons.
};

/// Returns the values of an option that takes Products.
inline llvm::cl::ValuesClass getProductsValues() {
  return llvm::cl::values(
      clEnumValN(Products::Blocks, "blocks",
                 "by blocks of columns whose sums are in registers"),
      clEnumValN(Products::Loops, "loops",
                 "by loops over rows, for comparisons"));
}

/// What one instruction adds to each sum of a product of matrices.
enum class ProductKinds {
  Elements, ///< The product of two elements.
  Pairs,    ///< Of bf16 the products of two pairs of neighbors.
  Tiles,    ///< Of bf16 and i8 those of the rows and columns of two tiles.
  Halves    ///< Of i8 those of two pairs of neighbors, as all but Elements.
};

/// Returns the values of an option that takes ProductKinds.
inline llvm::cl::ValuesClass getProductKindsValues() {
  return llvm::cl::values(
      clEnumValN(ProductKinds::Elements, "elements", "one product"),
      clEnumValN(ProductKinds::Pairs, "pairs",
                 "for bf16 those of two neighbors (AVX512-BF16), whose "
                 "subnormals count as zeros"),
      clEnumValN(ProductKinds::Tiles, "tiles",
                 "for bf16 and i8 those of tiles of 16 rows (AMX), the same "
                 "of subnormals; else one"),
      clEnumValN(ProductKinds::Halves, "halves",
                 "for i8 those of two neighbors, which become halves of words "
                 "(AVX2), as with pairs and tiles; else one"));
}

} // namespace mlir::norm

#endif // NORM_PRODUCTS_PRODUCTS_H
