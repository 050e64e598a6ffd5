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

/// Whether norm-vectorize-rows can vectorize `op`.
bool canVectorizeRow(linalg::LinalgOp op);

/// Of an integer in memory: LLVM's loads and stores of longer ones do not agree
/// with its arrays.
constexpr unsigned kMostStoredBits = 128;

/// Bytes from one element of an array in memory to the next, as LLVM lays it
/// out: 1 for an i1, 4 for an i24; 0: not known here, such as of a complex
/// number.
int64_t getElementBytes(Type element);

/// Whether memory holds nothing but the bits of the elements, so that a vector
/// lies there as an array does. Vectors of others are packed: of i1 8 a byte.
bool isStoredWhole(Type element);

/// Whether C and numpy have the type: f16, bf16, f32, f64, index and integers
/// of 1, 8, 16, 32 or 64 bits.
bool isNativeElement(Type element);

/// The integer as which norm-store-whole-bytes keeps an element in memory; null
/// where it keeps the element's own type.
IntegerType getStorageType(Type element);

/// What changes no result of a reduction over values of `type`, an integer,
/// index or float; null where there is none. Unlike arith::getNeutralElement:
/// formats without infinities have one for a maximum, and maxnumf has.
TypedAttr getNeutralElement(vector::CombiningKind kind, Type type);

/// The one value in all lanes of a vector, a constant or what was broadcast;
/// nothing for others.
OpFoldResult getUniform(Value v);

} // namespace mlir::norm

#endif // NORM_TRANSFORMS_TRANSFORMS_H
