//===- StripLanes.h - a strip of a row at another width ---------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_TARGET_CPU_STREAMS_STRIPLANES_H
#define NORM_LIB_TARGET_CPU_STREAMS_STRIPLANES_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::norm {

/// A memref whose last dimension is contiguous.
bool isContiguousRow(Value buffer);

/// Whole rank-1 vectors of neighboring elements in memory, all in bounds.
bool isPlainRow(VectorTransferOpInterface op);

/// Where a strip begins: the loop's index, or where the strips go down, its
/// distance from the ends of the row.
Value getColumn(scf::ForOp strips);

/// Lets the strips go up.
void goUp(scf::ForOp strips);

/// Lets the strips cover other columns, in the same direction.
void setBounds(OpBuilder &b, scf::ForOp strips, Value from, Value to);

/// Such vectors that are the strip's columns.
bool isStripOf(VectorTransferOpInterface op, scf::ForOp strips);

/// Whether strips work lane by lane and carry nothing: elementwise ops, uniform
/// values, and reads and writes of the strip's columns.
bool isLaneWise(scf::ForOp strips);

/// The body of `strips`, which is lane-wise, for `lanes` elements at `column`,
/// without its prefetches; `map` has what stands for other values.
void cloneStrip(OpBuilder &b, scf::ForOp strips, Value column, int64_t lanes,
                IRMapping map);

} // namespace mlir::norm

#endif // NORM_LIB_TARGET_CPU_STREAMS_STRIPLANES_H
