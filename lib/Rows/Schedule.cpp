//===- Schedule.cpp - how threads share a row -----------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Rows/Schedule.h"
#include "mlir/IR/BuiltinTypeInterfaces.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>
#include <optional>

using namespace mlir;
using namespace mlir::norm;

bool norm::isLegalThreadCount(int64_t threads) {
  if (threads < 1 || threads > kMaxBlockThreads)
    return false;
  return threads < kWarpSize ? llvm::isPowerOf2_64(threads)
                             : threads % kWarpSize == 0;
}

int64_t norm::getRowsPerBlock(const RowTarget &target, int64_t threads) {
  if (threads > kWarpSize)
    return 1;
  return target.threadsPerBlock / threads;
}

namespace {
/// What has to be shared, and one way to do so.
struct Row {
  const RowTarget &target;
  int64_t needed; // vectors
  int64_t vector, bytes;
  bool shifted;
  int64_t held = 0;         // further registers per element
  int64_t leastThreads = 1; // that share it
  int64_t reductions = 1;   // of it, one after the other
};
struct Split {
  int64_t threads, chunks;
};
} // namespace

/// Registers for `elements` per thread: their values (16-bit ones stay packed),
/// as much of the weight as is loaded ahead, what is held of other rows,
/// addresses, and masks where rows begin anywhere. A multiple of what the
/// hardware allocates.
static int64_t getRegisterTarget(int64_t elements, const Row &row) {
  int64_t values =
      row.bytes < 4 ? elements * 3 / 2 : elements * 2 * (row.bytes / 4);
  if (row.held > 0)
    values += elements * row.held + row.target.registersOfLoop;
  int64_t masks = row.shifted ? 16 + elements / 2 : 0;
  return std::max<int64_t>(32, llvm::alignTo(16 + values, 8) +
                                   llvm::alignTo(masks, 8));
}

static int64_t getBlockRegisters(Split split, const Row &row) {
  return split.threads * getRowsPerBlock(row.target, split.threads) *
         getRegisterTarget(split.chunks * row.vector, row);
}

/// Whether two blocks fit on an SM, each quarter of which has a quarter of
/// their warps and of the registers.
static bool fitsTwice(Split split, const Row &row) {
  int64_t threads =
      2 * split.threads * getRowsPerBlock(row.target, split.threads);
  return llvm::alignTo(threads, 4 * kWarpSize) *
             getRegisterTarget(split.chunks * row.vector, row) <=
         kRegistersPerSM;
}

static int64_t getCost(Split split, const Row &row) {
  int64_t idle = split.threads * split.chunks - row.needed;
  int64_t elements = split.chunks * row.vector;
  int64_t warps = split.threads / kWarpSize;
  int64_t cost = 1000 * idle / row.needed;
  if (split.chunks == 1)
    cost += row.target.singleAccessCost;
  if (warps > 1)
    cost += row.target.exchangeCost +
            row.target.nextExchangeCost * (warps - 1) * (row.reductions - 1);
  if (!fitsTwice(split, row))
    cost += row.target.loneBlockCost;
  cost += row.target.elementCost *
          std::max<int64_t>(0, elements - row.target.elementsPerThread);
  return cost + row.target.warpCost *
                    std::max<int64_t>(0, warps - row.target.warpsWithoutCost);
}

static bool isLegal(Split split, const Row &row) {
  int64_t most = split.threads > kWarpSize ? row.target.mostElementsPerThread
                                           : row.target.mostElementsInWarp;
  return split.threads <= kMaxBlockThreads &&
         split.chunks * row.vector <= most &&
         getRegisterTarget(split.chunks * row.vector, row) <=
             row.target.registersPerThread &&
         getBlockRegisters(split, row) <= kRegistersPerSM;
}

static int64_t roundUpThreads(int64_t threads) {
  return threads > kWarpSize ? llvm::alignTo(threads, kWarpSize)
                             : llvm::PowerOf2Ceil(threads);
}

/// The cheapest split of a row, or none where the threads cannot hold it.
static std::optional<Split> chooseSplit(const Row &row) {
  // An access of a row's threads covers a line: no sector is read twice.
  int64_t least =
      std::min({kWarpSize, row.needed,
                row.target.gpuLineBytes / (row.vector * row.bytes)});
  least = std::max(least, row.leastThreads);
  std::optional<Split> best;
  for (int64_t chunks = 1; chunks * row.vector <= row.target.mostElementsInWarp;
       ++chunks) {
    int64_t share = llvm::divideCeil(row.needed, chunks);
    Split split{roundUpThreads(std::max(least, share)), chunks};
    if (isLegal(split, row) &&
        (!best || getCost(split, row) < getCost(*best, row)))
      best = split;
  }
  return best;
}

/// Vectors of rows that begin anywhere need an aligned part to be worth it.
static bool canShift(int64_t extent, int64_t vector) {
  return !ShapedType::isDynamic(extent) && extent >= 4 * vector;
}

/// As few blocks as keep each one's part of the row to what two of them on an
/// SM can hold.
static int64_t chooseCluster(const RowTarget &target, int64_t extent,
                             int64_t maxCluster) {
  int64_t wanted = llvm::PowerOf2Ceil(llvm::divideCeil(
      std::max<int64_t>(extent, 1), target.elementsBeforeCluster));
  int64_t most = llvm::bit_floor<uint64_t>(std::max<int64_t>(maxCluster, 1));
  return std::min(wanted, most);
}

/// A row that the threads hold at once, with V elements per access.
static std::optional<RowSchedule>
chooseInRegisters(const RowTarget &target, int64_t extent, int64_t vector,
                  int64_t bytes, int64_t reductions, bool shifted,
                  int64_t maxCluster) {
  if (ShapedType::isDynamic(extent))
    return std::nullopt;
  int64_t cluster = chooseCluster(target, extent, maxCluster);
  if (extent > cluster * target.mostElementsInBlock)
    return std::nullopt;
  int64_t reach = std::max<int64_t>(extent, 1) + (shifted ? vector - 1 : 0);
  Row row{target,
          static_cast<int64_t>(llvm::divideCeil(reach, vector * cluster)),
          vector, bytes, shifted};
  row.reductions = std::max<int64_t>(1, reductions);
  std::optional<Split> split = chooseSplit(row);
  if (!split)
    return std::nullopt;
  return RowSchedule{split->threads * cluster,
                     vector,
                     split->chunks,
                     shifted,
                     getRegisterTarget(split->chunks * vector, row),
                     cluster};
}

RowSchedule norm::chooseRowSchedule(const RowTarget &target, int64_t extent,
                                    int64_t pitch, int64_t bytes,
                                    int64_t reductions, int64_t maxCluster) {
  // Beside a byte are wider elements, whose accesses would be two.
  int64_t whole = target.accessBytes / std::max<int64_t>(bytes, 2);
  int64_t vector = pitch == 0 ? whole : std::gcd(whole, pitch);
  // Wide elements would need more registers for masks than such accesses save.
  if (bytes >= 4 && vector < whole)
    whole = std::max(vector, whole / 2);
  bool shifted = vector < whole && canShift(extent, whole);
  if (auto schedule =
          chooseInRegisters(target, extent, shifted ? whole : vector, bytes,
                            reductions, shifted, maxCluster))
    return *schedule;
  // Each strip begins at a multiple of its length, so none can be shifted.
  Row strip{target, 1, vector, bytes, /*shifted=*/false};
  int64_t threads = ShapedType::isDynamic(extent) ? target.threadsPerDynamicRow
                                                  : kMaxBlockThreads;
  return RowSchedule{
      threads, vector, std::max<int64_t>(1, target.elementsPerThread / vector),
      /*shifted=*/false, getRegisterTarget(target.elementsPerThread, strip)};
}

std::optional<RowSchedule>
norm::chooseSummedRowSchedule(const RowTarget &target, const SummedRow &row) {
  if (ShapedType::isDynamic(row.extent) || row.extent <= 1)
    return std::nullopt;
  int64_t vector = std::gcd(target.accessBytes / row.bytes, row.extent);
  if (row.pitch != 0)
    vector = std::gcd(vector, row.pitch);
  int64_t held = row.rows - 1 + target.registersPerSum * row.sums;
  // The next row is loaded while this one is computed, if it fits, 16 bits
  // packed.
  int64_t ahead =
      llvm::divideCeil(row.rows * std::min<int64_t>(row.bytes, 4), 4);
  for (int64_t more : {ahead, int64_t(0)}) {
    Row split{target,
              row.extent / vector,
              vector,
              row.bytes,
              /*shifted=*/false,
              held + more,
              row.leastThreads};
    if (std::optional<Split> best = chooseSplit(split))
      return RowSchedule{best->threads, vector, best->chunks,
                         /*shifted=*/false,
                         getRegisterTarget(best->chunks * vector, split)};
  }
  return std::nullopt;
}

RowDivision norm::chooseRowDivision(const RowTarget &target, int64_t columns) {
  int64_t warps =
      llvm::divideCeil(columns, target.elementsPerThread * kWarpSize);
  return RowDivision{std::max<int64_t>(1, target.warpsOfSummedRows / warps),
                     target.leastSummedRows, target.mostSummedRows};
}

int64_t RowDivision::getRowsPerPart(int64_t rows) const {
  int64_t each = llvm::divideCeil(rows, parts);
  return std::max(std::min(each, most), least);
}

/// Registers for the sums of `elements` columns at three levels, and for what a
/// thread loads before it adds.
static int64_t getColumnRegisters(const RowTarget &target, int64_t elements,
                                  int64_t bytes) {
  int64_t loaded = llvm::divideCeil(target.rowsAhead * elements * bytes, 4);
  return llvm::alignTo(24 + loaded + 3 * elements, 8);
}

RowSchedule norm::chooseColumnSchedule(const RowTarget &target, int64_t extent,
                                       int64_t pitch, int64_t bytes) {
  int64_t whole = target.accessBytes / bytes;
  int64_t vector = pitch == 0 ? whole : std::gcd(whole, pitch);
  int64_t threads = kWarpSize;
  // Neighboring blocks are neighbors in a warp: fewer threads cost nothing, and
  // a mask in the loop over rows would be a branch for each load.
  if (!ShapedType::isDynamic(extent) && extent > 0) {
    vector = std::gcd(vector, extent);
    threads = std::gcd(threads, extent / vector);
  }
  // One column would be no vector, so an odd number of them has a mask.
  if (threads * vector == 1)
    threads = std::min<int64_t>(kWarpSize, llvm::PowerOf2Ceil(extent));
  return RowSchedule{threads, vector, /*chunks=*/1, /*shifted=*/false,
                     getColumnRegisters(target, vector, bytes)};
}

int64_t norm::chooseMostParts(const RowTarget &target, int64_t rows,
                              int64_t columns, int64_t groups, int64_t bytes) {
  if (!ShapedType::isDynamic(rows) && rows < 2 * target.rowsPerPart)
    return 1;
  int64_t warpColumns = kWarpSize * target.accessBytes / bytes;
  int64_t warps =
      ShapedType::isDynamic(columns)
          ? target.warpsOfDynamicColumns
          : llvm::divideCeil(std::max<int64_t>(columns, 1), warpColumns);
  return std::max<int64_t>(
      1, target.warpsOfParts /
             std::max<int64_t>(
                 1, llvm::SaturatingMultiply<uint64_t>(warps, groups)));
}
