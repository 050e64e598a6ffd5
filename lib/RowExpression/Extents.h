//===- Extents.h - integers that a program computes from shapes -*- C++ -*-===//
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

#ifndef NORM_ROWEXPRESSION_EXTENTS_H
#define NORM_ROWEXPRESSION_EXTENTS_H

#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseSet.h"
#include <optional>

namespace mlir::norm::row {

/// A mathematical integer: `factor` times extents that are only known at run
/// time, each of them at least 0.
struct SymbolicCount {
  int64_t factor = 1;
  /// Sorted. Dimension of a tensor, or an integer value with dimension -1.
  SmallVector<std::pair<void *, int64_t>, 2> symbols;

  bool isConstant() const { return symbols.empty(); }
  bool operator==(const SymbolicCount &other) const {
    return factor == other.factor && symbols == other.symbols;
  }
  static SymbolicCount get(int64_t value) { return {value, {}}; }
  static SymbolicCount getSymbol(Value value, int64_t dim) {
    return {1, {{value.getAsOpaquePointer(), dim}}};
  }
  /// Nothing where the constant overflows, or where more than kMaxSymbols
  /// extents are multiplied.
  std::optional<SymbolicCount> times(const SymbolicCount &other) const;
  static constexpr size_t kMaxSymbols = 16;
};

/// Whether an integer of `type` holds `count` without wrapping around, read as
/// signed and as unsigned. An extent of a tensor is taken to be below 2^31, and
/// a tensor to have fewer than 2^63 elements.
bool isHeldBy(const SymbolicCount &count, Type type);

// What integers of a program compute; nothing where no count says it. Constants
// wrap around, and are never cut to 64 bits.

std::optional<SymbolicCount> getSigned(const llvm::APInt &bits);
/// From one type to another, which extends as unsigned or as signed, or cuts.
std::optional<SymbolicCount> convert(const SymbolicCount &count, Type from,
                                     Type to, bool isUnsigned);
/// What a conversion, a sum, a product or a maximum of integers computes.
/// `dividesRow`: nothing but the number of elements of a row is compared with
/// the result, so that max(extents, 1) is the extents.
std::optional<SymbolicCount>
compute(Operation *op, ArrayRef<SymbolicCount> operands, bool dividesRow);

/// What the integers and extents of one program are; each is traced once, and
/// nothing recurses over the length of the program.
class Extents {
public:
  /// The extent of dimension `dim` of a ranked tensor.
  SymbolicCount getExtent(Value tensor, int64_t dim) {
    return resolve({tensor, dim});
  }
  /// What an index or integer value outside linalg bodies is, read as signed.
  /// It is what a row may be divided by: max(extent, 1) is read as the extent,
  /// which only a row without elements can tell apart.
  SymbolicCount getInteger(Value value) { return resolve({value, kCount}); }

private:
  /// A dimension of a tensor, or an integer: as it is, or as a row's count.
  using Key = std::pair<Value, int64_t>;
  static constexpr int64_t kInteger = -1, kCount = -2;

  SymbolicCount resolve(Key root);
  /// What `key` is if that is known; otherwise it is put on the worklist.
  std::optional<SymbolicCount> ask(Key key);
  std::optional<SymbolicCount> ask(OpFoldResult size);
  /// Nothing: the value is a symbol of its own, or something was asked for that
  /// is not known yet.
  std::optional<SymbolicCount> readExtent(Value tensor, int64_t dim);
  std::optional<SymbolicCount> readInteger(Value value, int64_t kind);
  std::optional<SymbolicCount> readAffine(Operation *op, AffineExpr expr,
                                          int64_t kind);

  llvm::DenseMap<Key, SymbolicCount> known;
  llvm::DenseSet<Key> inProgress;
  SmallVector<Key> worklist;
};

} // namespace mlir::norm::row

#endif // NORM_ROWEXPRESSION_EXTENTS_H
