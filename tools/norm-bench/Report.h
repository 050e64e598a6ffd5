//===- Report.h - results as a table or JSON --------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TOOLS_NORM_BENCH_REPORT_H
#define NORM_TOOLS_NORM_BENCH_REPORT_H

#include "Benchmark.h"
#include "llvm/Support/raw_ostream.h"

namespace mlir::norm {
void printTable(raw_ostream &os, ArrayRef<BenchResult> results,
                unsigned repetitions);
/// Prints an array with one object per result; a missing ratio is null.
void printJSON(raw_ostream &os, ArrayRef<BenchResult> results);
} // namespace mlir::norm

#endif // NORM_TOOLS_NORM_BENCH_REPORT_H
