//===- NextColumns.h - columns that are packed next -------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_PRODUCTS_NEXTCOLUMNS_H
#define NORM_LIB_PRODUCTS_NEXTCOLUMNS_H

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace mlir::norm {

/// The columns that are packed behind a block of a product, by the next
/// iteration of the loops around it. They are fetched while the block is
/// computed: packing would wait for memory.
class NextColumns {
public:
  /// Finds nothing unless an op in the loops copies all of `columns`, the
  /// operand B of `block`, from memory where neighbors are columns.
  NextColumns(ImplicitLocOpBuilder &b, linalg::GenericOp block, Value columns);

  explicit operator bool() const { return source != nullptr; }

  /// Returns the cache lines of all columns.
  int64_t getLines() const { return rows * linesPerRow; }

  /// Returns the number of lines, `lines` at least, that fetch() takes: those
  /// of whole rows, or an even part of one.
  int64_t roundUp(int64_t lines) const;

  /// Fetches the `number`th `count` lines, or the last ones.
  void fetch(Value number, int64_t count);

private:
  Value createInNextIteration(Value v);

  ImplicitLocOpBuilder &b;
  linalg::GenericOp block;
  Value source;
  AffineMap readMap; // from the loops of the copy to the source
  unsigned depth;    // its loop over numbers of the sum, or over words
  int64_t group = 1; // numbers in a word
  int64_t rows = 0, linesPerRow = 0, elementsPerLine = 0;
};

} // namespace mlir::norm

#endif // NORM_LIB_PRODUCTS_NEXTCOLUMNS_H
