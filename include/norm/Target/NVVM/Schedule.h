//===- Schedule.h - how threads share a row ---------------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cost model of the NVVM path, all of it. docs/GPU.md has its table.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TARGET_NVVM_SCHEDULE_H
#define NORM_TARGET_NVVM_SCHEDULE_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace mlir::norm {

/// Threads of a warp, for shuffles.
constexpr int64_t warpSize = 32;

/// Threads of a block.
constexpr int64_t maxBlockThreads = 1024;

/// What GPUScheduleAttr says of a loop over rows.
struct RowSchedule {
  /// That share a row, in all its blocks: a power of two within a warp, else
  /// whole warps of each block.
  int64_t threads;
  int64_t vector; ///< neighboring elements a thread accesses at once: 1 to 16
  int64_t chunks; ///< such vectors a thread holds at once
  /// The threads begin up to vector - 1 elements before the row, where memory
  /// is aligned.
  bool shifted = false;
  /// A thread's registers, at most, for the occupancy wanted. A bound that
  /// tests check against ptxas, not one that ptxas is given.
  int64_t registers = 0;
  int64_t cluster = 1; ///< blocks that share a row: a power of two to 16

  /// Elements that the threads hold together; a longer row is done in strips.
  int64_t getLanes() const { return threads * vector * chunks; }
};

/// Whether `threads` of one block can share a row: see RowSchedule.
bool isLegalThreadCount(int64_t threads);

/// Rows of a block with `threads` threads a row. Rows that share a warp or a
/// block without a barrier are cheaper than blocks.
int64_t getRowsABlock(int64_t threads);

/// `extent`: elements of a row, or ShapedType::kDynamic. `pitch`: a number that
/// divides the distance between rows in every buffer (0: a single row, or only
/// the host can know). `bytes`: size of the narrowest element type.
/// `maxCluster`: blocks that may share a row (1: the chip has no clusters).
RowSchedule chooseRowSchedule(int64_t extent, int64_t pitch, int64_t bytes,
                              int64_t maxCluster);

/// The blocks of a cluster that `chip` ("sm_90") can launch: 16 on data center
/// chips from sm_90 on (above 8 the function needs CUDA's non-portable
/// attribute), 8 on other chips from sm_90 on, 1 before.
int64_t getMaxClusterSize(llvm::StringRef chip);

/// Whether `chip` rounds f32 to 8-bit floats by an instruction that its least
/// PTX version has (sm_89 needs a later one than LLVM takes by default).
bool hasFP8Conversions(llvm::StringRef chip);

/// Whether a kernel on `chip` can wait for the one before it by itself.
bool hasDependentLaunch(llvm::StringRef chip);

} // namespace mlir::norm

#endif // NORM_TARGET_NVVM_SCHEDULE_H
