//===- Extent.h - integers that a program computes from shapes --*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An extent, or a product of extents, traced to where the program gets it from:
// two dynamic values are taken for equal only when both lead to one place.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_RECOGNITION_EXTENT_H
#define NORM_RECOGNITION_EXTENT_H

#include "mlir/IR/Value.h"
#include <optional>
#include <string>

namespace mlir::norm {

/// `factor` times extents that are only known at run time.
struct SymbolicCount {
  int64_t factor = 1;
  /// Sorted. Dimension of a tensor, or an integer value with dimension -1.
  SmallVector<std::pair<void *, int64_t>, 2> symbols;

  bool isConstant() const { return symbols.empty(); }
  bool operator==(const SymbolicCount &other) const {
    return factor == other.factor && symbols == other.symbols;
  }
  /// Nothing where the constant factor overflows.
  std::optional<SymbolicCount> times(const SymbolicCount &other) const;
};

/// Whether an integer of `type` holds `count` without wrapping around. One
/// extent of a tensor is taken to fit into 32 bits.
bool isHeldBy(const SymbolicCount &count, Type type);

/// The extent of dimension `dim` of a ranked tensor.
SymbolicCount getExtent(Value tensor, int64_t dim);

/// What an index or integer value outside linalg bodies is.
SymbolicCount getInteger(Value value);

} // namespace mlir::norm

#endif // NORM_RECOGNITION_EXTENT_H
