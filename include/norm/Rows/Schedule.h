//===- Schedule.h - how threads share a row ---------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The costs that decide a schedule are numbers of RowTarget. docs/GPU.md has
// their table.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_ROWS_SCHEDULE_H
#define NORM_ROWS_SCHEDULE_H

#include "mlir/IR/Operation.h"
#include "norm/IR/RowTarget.h"
#include <optional>

namespace mlir::norm {

/// Threads that shuffle together, and threads of a block, at most: whole warps,
/// whose partial results one warp can combine (CUDA C++ Programming Guide,
/// "Compute Capabilities").
constexpr int64_t kWarpSize = 32;
constexpr int64_t kMaxBlockThreads = 1024;
/// Registers of 32 bits that the blocks of a multiprocessor share.
constexpr int64_t kRegistersPerSM = 65536;

/// Rows of a block with `threads` threads per row. Rows that share a warp or a
/// block without a barrier are cheaper than blocks.
int64_t getRowsPerBlock(const RowTarget &target, int64_t threads);

} // namespace mlir::norm

#endif // NORM_ROWS_SCHEDULE_H
