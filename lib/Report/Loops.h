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

/// Describes the outermost loops of a function on buffers. Arguments from
/// `numInputs` on are buffers for results. Lines of `file` are recorded.
std::vector<RowLoop> describeLoops(FunctionOpInterface function,
                                   unsigned numInputs, StringRef file);

/// Counts the float operations of the linalg ops in `function`.
Volume countOperations(FunctionOpInterface function);

} // namespace mlir::norm

#endif // NORM_LIB_REPORT_LOOPS_H
