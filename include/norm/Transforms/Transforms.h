//===- Transforms.h - what other passes ask of row code gen. ----*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TRANSFORMS_TRANSFORMS_H
#define NORM_TRANSFORMS_TRANSFORMS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::norm {

/// Returns true if norm-vectorize-rows can vectorize `op`.
bool canVectorizeRow(linalg::LinalgOp op);

/// How an op reduces rows into one result: its combining op and what changes no
/// result of it.
struct ColumnReduction {
  Operation *combiner;
  TypedAttr neutral;
};

/// Returns the reductions of an op whose last loops are over rows, which are
/// reduced, and over columns, and whose others are parallel; one per result.
/// nullopt: norm-vectorize-rows cannot reduce whole rows of it in any order.
std::optional<SmallVector<ColumnReduction>>
matchColumnReductions(linalg::LinalgOp op);

/// Returns the one value of all elements of the op's result, or null.
Value getFilled(linalg::LinalgOp op);

/// Lets passes know what mpi.allreduce does to memory, which it does not state.
void registerMPIEffects(DialectRegistry &registry);

/// Adds the pattern that keeps a row as a vector where one op writes it under a
/// mask and another reads it under the same one.
void populateForwardMaskedRows(RewritePatternSet &patterns);

/// The widest integer in memory, in bits: LLVM's loads and stores of wider ones
/// disagree with its arrays.
constexpr unsigned kMostStoredBits = 128;

/// Returns the distance in bytes between array elements in memory, as LLVM lays
/// them out: 1 for an i1, 4 for an i24. Returns 0 for types that are not known
/// here, such as complex numbers.
int64_t getElementBytes(Type element);

/// Returns true if memory holds exactly the bits of the elements, so that
/// vectors and arrays have one layout. Other vectors are packed: 8 i1 per byte.
bool isStoredWhole(Type element);

/// Returns true for types of C and numpy: f16, bf16, f32, f64, index and
/// integers of 1, 8, 16, 32 or 64 bits.
bool isNativeElement(Type element);

/// Returns the integer in which norm-store-whole-bytes keeps an element, or
/// null if it keeps the element's own type.
IntegerType getStorageType(Type element);

/// Returns the value of `type`, an integer, index or float, that changes no
/// result of a reduction; null if there is none. arith::getNeutralElement lacks
/// maxnumf, and maximums of formats without infinities.
TypedAttr getNeutralElement(vector::CombiningKind kind, Type type);

/// Returns the value that all lanes of a vector have, if that is a constant or
/// was broadcast, and a null OpFoldResult otherwise.
OpFoldResult getUniform(Value v);

/// Returns `type` with elements of type `element`: a scalar becomes `element`,
/// a vector or a memref keeps its shape and layout.
Type withElement(Type type, Type element);

/// Returns the least number that `v`, an index, is known not to exceed, if any.
std::optional<int64_t> getUpperBound(OpFoldResult v);

} // namespace mlir::norm

#endif // NORM_TRANSFORMS_TRANSFORMS_H
