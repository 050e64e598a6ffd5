//===- PipelineRows.h - overlap a row with the next one ---------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_TARGET_CPU_STREAMS_PIPELINEROWS_H
#define NORM_LIB_TARGET_CPU_STREAMS_PIPELINEROWS_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace mlir::norm {

/// The strips that write a row, in a loop over rows.
struct RowStrips {
  scf::ForOp strips;
  Value from, to;    // of the row, before strips were moved to alignment
  Value isMoved;     // whether they were, an i1
  int64_t lineLanes; // elements in a line of what they stream
};

/// Rewrites rows { L; ...; strips } so that the reduction L of the next row
/// goes on strip by strip with the strips that write this one: memory is read
/// and written all the time instead of alternately. L is the first loop of the
/// body with results; it must cover the same columns and only read, and nothing
/// that it reads may overlap what `rows` writes. Says why where it does not
/// apply. The last dimension of an `scf.forall` is first split into several
/// rows per iteration.
void pipelineRows(Operation *rows, RowStrips strips);

} // namespace mlir::norm

#endif // NORM_LIB_TARGET_CPU_STREAMS_PIPELINEROWS_H
