//===- Kernels.h - what a kernel does for a row -----------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_LIB_REPORT_KERNELS_H
#define NORM_LIB_REPORT_KERNELS_H

#include "norm/Report/Report.h"

namespace mlir::norm {

/// Returns the schedule of a loop over rows on buffers, before it becomes a
/// kernel, and what it does for a row; nullopt for a loop without a schedule.
std::optional<KernelSchedule> describeKernel(Operation *loop);

/// Prints for each product what is predicted of the kernel, or why nothing is.
void printPrediction(const Report &report, const KernelSchedule &kernel,
                     raw_ostream &os);

} // namespace mlir::norm

#endif // NORM_LIB_REPORT_KERNELS_H
