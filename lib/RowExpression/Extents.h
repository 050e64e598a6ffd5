//===- Extents.h - integers that a program computes from shapes -*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This header traces extents and products of extents to where the program gets
// them from. Two dynamic values are equal only when both lead to one place.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_ROWEXPRESSION_EXTENTS_H
#define NORM_LIB_ROWEXPRESSION_EXTENTS_H

#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>

namespace mlir::norm::row {

/// A mathematical integer: `factor` times extents that are known only at run
/// time and are at least 0.
struct SymbolicCount {
  int64_t factor = 1;
  /// A tensor and a dimension, or an integer value and -1.
  using Symbol = std::pair<void *, int64_t>;
  SmallVector<Symbol, 2> symbols; // sorted

  bool isConstant() const { return symbols.empty(); }
  bool operator==(const SymbolicCount &other) const {
    return factor == other.factor && symbols == other.symbols;
  }
  static SymbolicCount get(int64_t value) { return {value, {}}; }
  static SymbolicCount getSymbol(Value value, int64_t dim) {
    return {1, {{value.getAsOpaquePointer(), dim}}};
  }
  /// Returns the product; nullopt if the constant overflows or more than
  /// kMaxSymbols extents are multiplied.
  std::optional<SymbolicCount> times(const SymbolicCount &other) const;
  static constexpr size_t kMaxSymbols = 16;
};

/// Returns true if an integer of `type` holds `count` without wrapping around,
/// both signed and unsigned. An extent of a tensor is assumed to be below 2^31,
/// and a tensor to have fewer than 2^63 elements.
bool isHeldBy(const SymbolicCount &count, Type type);

// These functions evaluate integers of the program; nullopt is not a count.
// Constants wrap around and are never cut to 64 bits.

std::optional<SymbolicCount> getSigned(const llvm::APInt &bits);
/// Converts to another type, by zero or sign extension or by truncation.
std::optional<SymbolicCount> convert(const SymbolicCount &count, Type from,
                                     Type to, bool isUnsigned);
/// Evaluates a conversion, a sum, a product or a maximum of integers. With
/// `dividesRow`, the result is only compared with the number of elements of a
/// row, so max(extents, 1) equals the extents.
std::optional<SymbolicCount>
compute(Operation *op, ArrayRef<SymbolicCount> operands, bool dividesRow);

/// The integers and extents of one program. Each is traced once, and nothing
/// recurses over the length of the program.
class Extents {
public:
  /// Returns the extent of dimension `dim` of a ranked tensor.
  SymbolicCount getExtent(Value tensor, int64_t dim) {
    return resolve({tensor, dim});
  }
  /// Returns an index or integer value outside linalg bodies, read as signed,
  /// as a divisor of a row: max(extent, 1) is read as the extent, because only
  /// a row without elements tells them apart.
  SymbolicCount getInteger(Value value) { return resolve({value, kCount}); }

private:
  /// A dimension of a tensor or an integer, as it is or as a row's count.
  using Key = std::pair<Value, int64_t>;
  static constexpr int64_t kInteger = -1, kCount = -2;

  SymbolicCount resolve(Key root);
  /// Returns `key` if it is known, and puts it on the worklist otherwise.
  std::optional<SymbolicCount> ask(Key key);
  std::optional<SymbolicCount> ask(OpFoldResult size);
  /// Returns nullopt if the value is a symbol of its own, or if it depends on a
  /// key that is not known yet.
  std::optional<SymbolicCount> readExtent(Value tensor, int64_t dim);
  std::optional<SymbolicCount> readInteger(Value value, int64_t kind);
  std::optional<SymbolicCount> readAffine(Operation *op, AffineExpr expr,
                                          int64_t kind);

  llvm::DenseMap<Key, SymbolicCount> known;
  llvm::DenseSet<Key> inProgress;
  SmallVector<Key> worklist;
};

} // namespace mlir::norm::row

#endif // NORM_LIB_ROWEXPRESSION_EXTENTS_H
