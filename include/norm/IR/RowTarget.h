//===- RowTarget.h - what code generation assumes of a machine --*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every number that code generation of rows depends on, in one table
// (RowTarget.def). A module gives other ones in its attribute
// `norm.row_target`, a dictionary with a 64-bit integer for each number that
// differs:
//
//   module attributes {norm.row_target = {lanes = 32, tail_lanes = 8}} {...}
//
//===----------------------------------------------------------------------===//

#ifndef NORM_IR_ROWTARGET_H
#define NORM_IR_ROWTARGET_H

#include "mlir/IR/Operation.h"

namespace mlir::norm {

/// The name of the attribute.
constexpr llvm::StringLiteral rowTargetAttrName = "norm.row_target";

/// The numbers of one machine. The table has their units and sources.
struct RowTarget {
#define ROW_NUMBER(field, value, least, most, unit, source)                    \
  int64_t field = value;
#include "norm/IR/RowTarget.def"

  /// Longer rows than this many elements are not put into blocks.
  int64_t getShortRow() const { return blockElements / leastRowsPerBlock; }
};

/// Returns the numbers of the module around `op`, and the table's for others.
RowTarget getRowTarget(Operation *op);

/// Verifies the attribute: names, ranges, and numbers that depend on others.
LogicalResult verifyRowTarget(Operation *op, Attribute attr);

/// Verifies a number of the table, by its name in the attribute.
LogicalResult verifyRowNumber(function_ref<InFlightDiagnostic()> emitError,
                              StringRef name, int64_t value);

/// Prints the attribute of `op`'s module with all numbers, one per line, with
/// their units and sources as comments; what is printed can be given again.
void printRowTarget(Operation *op, raw_ostream &os);

} // namespace mlir::norm

#endif // NORM_IR_ROWTARGET_H
