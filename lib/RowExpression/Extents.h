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

#include "SymbolicCount.h"
#include "mlir/IR/OpDefinition.h"
#include "llvm/ADT/DenseSet.h"

namespace mlir::norm::row {

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
  static SymbolicCount getOwnSymbol(Key key) {
    return SymbolicCount::getSymbol(key.first, std::max(key.second, kInteger));
  }

  SymbolicCount resolve(Key root);
  /// What `key` is if that is known; otherwise it is put on the worklist.
  std::optional<SymbolicCount> ask(Key key);
  std::optional<SymbolicCount> ask(OpFoldResult size);
  /// Nothing: the value is a symbol of its own, or something was asked for that
  /// is not known yet.
  std::optional<SymbolicCount> readExtent(Value tensor, int64_t dim);
  std::optional<SymbolicCount> readInteger(Value value, int64_t kind);
  std::optional<SymbolicCount> readAffine(Operation *op, int64_t kind);

  llvm::DenseMap<Key, SymbolicCount> known;
  llvm::DenseSet<Key> inProgress;
  SmallVector<Key> worklist;
};

} // namespace mlir::norm::row

#endif // NORM_ROWEXPRESSION_EXTENTS_H
