//===- RowTime.cpp - how long a GPU takes for rows ------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Target/GPU/RowTime.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::norm;

/// A copying thread has an index, a test, a load and a store.
static constexpr double copyInstructions = 12;
static constexpr int64_t copyThreads = 256, copyRegisters = 16;
static constexpr int64_t copyThreadBytes = 16;

static int64_t getBlockThreads(const RowSchedule &schedule,
                               const GPUMachine &machine) {
  int64_t threads = schedule.threads / schedule.cluster;
  return threads * machine.getRowsABlock(threads);
}

/// At least one: what the compiler accepted can be launched, because the
/// assembler spills where a block would need more registers than there are.
static int64_t getResidentBlocks(const RowSchedule &schedule,
                                 const RowWork &work, const GPUMachine &machine,
                                 const GPURates &rates) {
  int64_t threads = getBlockThreads(schedule, machine);
  int64_t registers = threads * std::max<int64_t>(schedule.registers, 1);
  int64_t shared = std::max<int64_t>(work.sharedBytes, 1);
  int64_t blocks =
      std::min({rates.blocks, rates.threads / threads,
                rates.registers / registers, rates.sharedBytes / shared});
  return std::max<int64_t>(blocks, 1);
}

/// A reduction's chain: a tree in the thread, shuffles in the warp, and what
/// the warps and the blocks of a row exchange.
static double getReductionCycles(const RowSchedule &schedule,
                                 const GPUMachine &machine,
                                 const GPURates &rates) {
  double step = rates.shuffleCycles + rates.chainCycles;
  int64_t threads = schedule.threads / schedule.cluster;
  int64_t held = schedule.vector * schedule.chunks;
  double cycles = rates.chainCycles * llvm::Log2_64_Ceil(held) +
                  step * llvm::Log2_64(std::min(threads, machine.warpSize)) +
                  rates.rootCycles;
  int64_t warps = schedule.threads / machine.warpSize; // of all blocks
  if (schedule.cluster > 1)
    return cycles + rates.clusterCycles + step * llvm::Log2_64_Ceil(warps);
  if (threads > machine.warpSize)
    return cycles + rates.exchangeCycles + step * llvm::Log2_64_Ceil(warps);
  return cycles;
}

RowTime norm::predictRows(const RowSchedule &schedule, const RowWork &work,
                          const GPUMachine &machine, const GPURates &rates) {
  RowTime time;
  int64_t threads = getBlockThreads(schedule, machine);
  time.blocks = getResidentBlocks(schedule, work, machine, rates);
  time.threads = time.blocks * threads;
  time.blocksARow = double(schedule.threads) / threads;
  time.bytesInFlight = time.blocks * work.loadedBytes / time.blocksARow /
                       std::max<int64_t>(work.waits, 1);

  double bytesACycle =
      rates.gigabytesPerSecond / rates.gigahertz / rates.multiprocessors;
  time.memoryCycles =
      (work.loadedBytes + work.storedBytes) / time.blocksARow / bytesACycle;
  double instructions =
      work.instructions / time.blocksARow + work.threadInstructions * threads;
  time.issueCycles = instructions / machine.warpSize / rates.warpsACycle;
  time.exposedCycles =
      work.waits * rates.memoryCycles +
      work.reductions * getReductionCycles(schedule, machine, rates);
  return time;
}

RowLaunch norm::predictLaunch(const RowTime &time, double rows,
                              const GPURates &rates) {
  double blocks = rows * time.blocksARow / rates.multiprocessors; // of each
  double waves = blocks / time.blocks;
  // Nothing hides the first block's latency and the last one's serial part.
  double busiest = std::max(time.memoryCycles, time.issueCycles);
  double busy = blocks * busiest + time.exposedCycles;
  // Where there are fewer blocks than multiprocessors, each has more bandwidth.
  double unshared = time.memoryCycles * (1 - std::min(1.0, blocks));
  double resident = std::max(waves, 1.0) * (time.getResidence() - unshared);
  RowLimit limit = time.memoryCycles < time.issueCycles ? RowLimit::Instructions
                                                        : RowLimit::Memory;
  if (resident > busy)
    limit = RowLimit::Latency;
  return {waves, std::max(busy, resident) / rates.gigahertz, limit};
}

double norm::predictCopyNanoseconds(double bytes, const GPUMachine &machine,
                                    const GPURates &rates) {
  int64_t threads = std::min(copyThreads, machine.maxBlockThreads);
  RowSchedule schedule{threads, copyThreadBytes, /*chunks=*/1,
                       /*shifted=*/false, copyRegisters};
  double moved = threads * copyThreadBytes;
  RowWork work{/*loadedBytes=*/moved, /*storedBytes=*/moved,
               /*copiedBytes=*/moved, /*instructions=*/0,
               copyInstructions,      /*waits=*/1};
  RowTime time = predictRows(schedule, work, machine, rates);
  return predictLaunch(time, bytes / (2 * moved), rates).nanoseconds;
}

double norm::predictShareOfCopy(const RowSchedule &schedule,
                                const RowWork &work, double rows,
                                const GPUMachine &machine,
                                const GPURates &rates) {
  RowTime time = predictRows(schedule, work, machine, rates);
  return predictCopyNanoseconds(rows * work.copiedBytes, machine, rates) /
         predictLaunch(time, rows, rates).nanoseconds;
}
