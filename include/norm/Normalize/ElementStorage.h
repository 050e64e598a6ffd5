//===- ElementStorage.h - elements in memory --------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_NORMALIZE_ELEMENTSTORAGE_H
#define NORM_NORMALIZE_ELEMENTSTORAGE_H

#include "mlir/IR/BuiltinTypes.h"

namespace mlir::norm {

/// Returns the distance in bytes between array elements in memory, as LLVM lays
/// them out: 1 for an i1, 4 for an i24. Returns 0 for types that are not known
/// here, such as complex numbers. Of a shaped type it is that of its elements.
int64_t getElementBytes(Type type);

/// Returns true if memory holds exactly the bits of the elements, so that
/// vectors and arrays have one layout. Other vectors are packed: 8 i1 per byte.
bool isStoredWhole(Type element);

/// Returns true for types of C and numpy: f16, bf16, f32, f64, index and
/// integers of 1, 8, 16, 32 or 64 bits.
bool isNativeElement(Type element);

} // namespace mlir::norm

#endif // NORM_NORMALIZE_ELEMENTSTORAGE_H
