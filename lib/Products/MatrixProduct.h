//===- MatrixProduct.h - products of matrices -------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_PRODUCTS_MATRIXPRODUCT_H
#define NORM_LIB_PRODUCTS_MATRIXPRODUCT_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"

namespace mlir::norm {

/// The loops of a block of a product: the longest one over rows, that over the
/// neighbors in memory of the result, and that over the neighbors of A. A
/// vector times a matrix has no rows, nor has a product whose neighbors are of
/// other batches.
struct BlockLoops {
  std::optional<unsigned> row;
  unsigned column = 0, depth = 0;
};

/// Returns true if `op` reduces what it reads of two operands, each of which
/// has a loop of the result that the other one lacks.
bool hasMatrices(linalg::GenericOp op);

/// Returns these loops of an op with the operands A and B.
BlockLoops getBlockLoops(linalg::GenericOp op, unsigned lhs);

/// Returns the loop over words of A, whose elements its last dimension has.
unsigned getWordLoop(linalg::GenericOp op, unsigned lhs = 0);

/// A sum of products of the elements of two tensors, of which the first has
/// the rows of the result, and the second its columns:
///   C[batch..., rows..., columns...] += A[batch, rows, depths] * B[batch,
///   depths, columns].
struct MatrixProduct {
  linalg::GenericOp op;
  unsigned lhs = 0, rhs = 1; ///< Operands A and B.
  /// Loops by kind.
  SmallVector<unsigned> batch, rows, columns, depths;
  BlockLoops loops;
  /// Operations that widen elements of A and B; null where none does.
  Operation *widenLhs = nullptr, *widenRhs = nullptr;
  Type sum; ///< The type in which products are added: f32, f64, i32 or i64.
};

/// Reads `op` as a product; nullopt for others.
std::optional<MatrixProduct> matchMatrixProduct(linalg::GenericOp op);

/// The rows of a tile of AMX, each of as many words of 32 bits: a word of A or
/// B holds neighbors along the sum, one of C is a sum.
constexpr int64_t amxRows = 16;

/// Returns how many neighbors along the sum are a word of 32 bits of both
/// operands, if AMX adds their products in the type `sum`; else 0.
int64_t getAMXGroup(linalg::GenericOp op, Type sum);
inline int64_t getAMXGroup(const MatrixProduct &product) {
  return getAMXGroup(product.op, product.sum);
}

/// Returns true if one instruction multiplies pairs of neighbors of both
/// operands and adds the products in the type of the sums: of bf16, or of i8
/// whose A is i16, as B's elements are where they are multiplied.
bool hasPairs(const MatrixProduct &product);

/// Returns true if neighbors in the memory of A are along the sum.
bool hasWords(const MatrixProduct &product);

/// Returns true if tiles of AMX hold the operands: all rows of A are words, as
/// many as whole tiles have.
bool hasTiles(const MatrixProduct &product);

/// Returns true if neighbors in the memory of B are columns, or are along the
/// sum and neighbors in that of A, too: then few rows read B in place.
bool hasThinLayout(const MatrixProduct &product);

/// Returns true if tiles of AMX add a product of few rows, or of few beside the
/// length of its sums, of which B's are read in place: the sum has whole tiles,
/// whose words are neighbors in A and B.
bool hasThinTiles(const MatrixProduct &product);

/// Packs a matrix that is a constant: its dimensions in the order `dims`, in
/// blocks of `columns` columns, which are that one of them, as elements of type
/// `element`. Null if it is none, or its elements would have to be converted by
/// more than a shift.
DenseElementsAttr packConstant(Value matrix, ArrayRef<unsigned> dims,
                               unsigned column, int64_t columns, Type element);

/// The discardable attribute of a product by blocks, whose loops
/// norm-vectorize-products builds: of all of it, how many neighbors along the
/// sum become a word, and a unit attribute of one block.
constexpr llvm::StringLiteral tileAttrName = "norm.product";

/// The discardable unit attribute of such a product that AMX's tiles compute,
/// from zero.
constexpr llvm::StringLiteral amxAttrName = "norm.amx";

/// The same of a product of few rows, whose B is read where it is, once: a
/// ProductKinds.
constexpr llvm::StringLiteral thinAttrName = "norm.thin_product";

/// The discardable attribute of an op that copies columns of B for it.
constexpr llvm::StringLiteral packAttrName = "norm.pack";

} // namespace mlir::norm

#endif // NORM_LIB_PRODUCTS_MATRIXPRODUCT_H
