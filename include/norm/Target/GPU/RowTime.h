//===- RowTime.h - how long a GPU takes for rows ----------------*- C++ -*-===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A prediction from a schedule and the figures of a machine, without running
// anything. docs/GPU.md has the formula, and where it is known to be off.
//
//===----------------------------------------------------------------------===//

#ifndef NORM_TARGET_GPU_ROWTIME_H
#define NORM_TARGET_GPU_ROWTIME_H

#include "norm/Target/GPU/Schedule.h"

namespace mlir::norm {

/// The figures of a GPU. A multiprocessor is what holds blocks; cycles are of
/// its clock.
struct GPURates {
  int64_t multiprocessors;
  double gigahertz;
  double gigabytesPerSecond; ///< that a copy reaches, read and written

  int64_t registers, threads, blocks, sharedBytes; ///< of a multiprocessor
  double warpsACycle; ///< whose instruction in f32 begins in one cycle

  double memoryCycles;   ///< from a load to its value, if nothing else loads
  double chainCycles;    ///< from an addition to one that uses it
  double shuffleCycles;  ///< the same of a shuffle
  double rootCycles;     ///< of what follows a reduction: division, root
  double exchangeCycles; ///< workgroup memory: store, barrier and load
  double clusterCycles;  ///< the same between the blocks of a cluster
};

/// What a kernel does for one row.
struct RowWork {
  double loadedBytes, storedBytes; ///< of memory; twice what is loaded twice
  double copiedBytes;              ///< by a copy that moves each byte once
  double instructions;             ///< of elements: as many as one thread has
  double threadInstructions;       ///< of each thread besides
  int64_t waits = 0;               ///< times a thread waits for its loads
  int64_t reductions = 0;          ///< that wait for one another
  int64_t sharedBytes = 0;         ///< workgroup memory of a block
};

/// A multiprocessor with as many blocks as it holds, at least one.
struct RowTime {
  int64_t blocks, threads; ///< resident
  double bytesInFlight;    ///< that resident threads load before they wait
  double blocksARow;       ///< less than one where a block has several rows
  double memoryCycles;     ///< of a block, at an equal share of the bandwidth
  double issueCycles;      ///< of a block's instructions
  double exposedCycles;    ///< of a block alone: latency and serial parts

  /// From a block's start to its end.
  double getResidence() const {
    return exposedCycles + memoryCycles + issueCycles;
  }
};

enum class RowLimit { Memory, Instructions, Latency };

/// A launch of a kernel.
struct RowLaunch {
  double waves; ///< how many times its blocks fill the machine
  double nanoseconds;
  RowLimit limit; ///< what the time is mostly
};

/// What one multiprocessor does with blocks of such rows.
RowTime predictRows(const RowSchedule &schedule, const RowWork &work,
                    const GPUMachine &machine, const GPURates &rates);

/// What a launch with `rows` rows takes.
RowLaunch predictLaunch(const RowTime &time, double rows,
                        const GPURates &rates);

/// The time of a kernel that copies as many bytes, by the same formula: 16
/// bytes a thread, as many threads as the machine holds.
double predictCopyNanoseconds(double bytes, const GPUMachine &machine,
                              const GPURates &rates);

/// How fast the rows are where a copy of the same bytes is 1.
double predictShareOfCopy(const RowSchedule &schedule, const RowWork &work,
                          double rows, const GPUMachine &machine,
                          const GPURates &rates);

} // namespace mlir::norm

#endif // NORM_TARGET_GPU_ROWTIME_H
