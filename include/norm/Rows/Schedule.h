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

/// Whether `threads` of one block can share a row: see RowSchedule.
bool isLegalThreadCount(int64_t threads);

/// Rows of a block with `threads` threads per row. Rows that share a warp or a
/// block without a barrier are cheaper than blocks.
int64_t getRowsPerBlock(const RowTarget &target, int64_t threads);

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
  /// tests check against the assembler, not one that it is given.
  int64_t registers = 0;
  int64_t cluster = 1; ///< blocks that share a row: a power of two to 16

  /// Elements that the threads hold together; a longer row is done in strips.
  int64_t getLanes() const { return threads * vector * chunks; }
};

/// `extent`: elements of a row, or ShapedType::kDynamic. `pitch`: a number that
/// divides the distance between rows in every buffer (0: a single row, or only
/// the host can know). `bytes`: size of the narrowest element type.
/// `reductions`: of the row, each of which waits for the one before.
/// `maxCluster`: blocks that may share a row; 1: the chip has no clusters.
RowSchedule chooseRowSchedule(const RowTarget &target, int64_t extent,
                              int64_t pitch, int64_t bytes, int64_t reductions,
                              int64_t maxCluster);

/// Rows that their threads also add up, element by element: a block goes
/// through the rows of its part and keeps the sums in registers.
struct SummedRow {
  int64_t extent = 1, pitch = 0, bytes = 8; ///< as of chooseRowSchedule
  int64_t rows = 1, sums = 0; ///< that are held at once, elements of 32 bits
  int64_t leastThreads = 1;   ///< that share the row
};

/// Nothing where the threads of a block cannot hold the row and its sums.
std::optional<RowSchedule> chooseSummedRowSchedule(const RowTarget &target,
                                                   const SummedRow &row);

/// How summed rows are divided: into `parts` of equal size, but no part has
/// fewer rows than `least` or more than `most`. It depends on the columns
/// alone, so that neither do the bits of a sum. More parts would write more
/// sums than rows, and fewer would leave multiprocessors idle; more rows would
/// round more.
struct RowDivision {
  int64_t parts, least, most;

  /// Returns the rows of each of the parts of `rows` but the last.
  int64_t getRowsPerPart(int64_t rows) const;
};
RowDivision chooseRowDivision(const RowTarget &target, int64_t columns);

/// The same for reductions of rows into one row of `extent` columns: blocks of
/// as many columns as a warp accesses at once, or of fewer, so that they divide
/// a known extent. Each column is one thread's.
RowSchedule chooseColumnSchedule(const RowTarget &target, int64_t extent,
                                 int64_t pitch, int64_t bytes);

/// Into how many parts at most the `rows` (at most) of `groups` independent
/// reductions are split, whose narrowest elements have `bytes`. It depends on
/// nothing but the extents (ShapedType::kDynamic where they are not known), so
/// that neither do the bits of a sum.
int64_t chooseMostParts(const RowTarget &target, int64_t rows, int64_t columns,
                        int64_t groups, int64_t bytes);

} // namespace mlir::norm

#endif // NORM_ROWS_SCHEDULE_H
