//===- Loops.h - what a loop over rows does ---------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_REPORT_LOOPS_H
#define NORM_LIB_REPORT_LOOPS_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "norm/Report/Report.h"

namespace mlir::norm {

/// The outermost loops of a function on buffers. `numInputs`: arguments from
/// there on are buffers for results. `file`: whose lines are noted.
std::vector<RowLoop> describeLoops(FunctionOpInterface function,
                                   unsigned numInputs, StringRef file);

/// Notes in `loops` which of them have streamed stores in `function`, in which
/// there may be several versions of each.
void noteStreams(FunctionOpInterface function, MutableArrayRef<RowLoop> loops);

/// Float operations of the linalg ops in `function`.
Volume countOperations(FunctionOpInterface function);

} // namespace mlir::norm

#endif // NORM_LIB_REPORT_LOOPS_H
