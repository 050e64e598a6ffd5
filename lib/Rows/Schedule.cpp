//===- Schedule.cpp - how threads share a row -----------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "norm/Normalize/ElementStorage.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace mlir;
using namespace mlir::norm;
using linalg::LinalgOp;

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

/// As few blocks as keep each one's part of the row to what two of them on an
/// SM can hold.
static int64_t chooseCluster(const RowTarget &target, int64_t extent,
                             int64_t maxCluster) {
  int64_t wanted = llvm::PowerOf2Ceil(llvm::divideCeil(
      std::max<int64_t>(extent, 1), target.elementsBeforeCluster));
  int64_t most = llvm::bit_floor<uint64_t>(std::max<int64_t>(maxCluster, 1));
  return std::min(wanted, most);
}

static norm::GPUScheduleAttr makeSchedule(MLIRContext *context, Split split,
                                          const Row &row, int64_t cluster = 1) {
  int64_t threads = split.threads * cluster;
  return GPUScheduleAttr::get(
      context, threads, row.vector, threads * row.vector * split.chunks,
      getRegisterTarget(split.chunks * row.vector, row), cluster, row.shifted);
}

GPUScheduleAttr norm::chooseRowSchedule(Operation *loop, const RowForm &form,
                                        int64_t maxCluster) {
  RowTarget target = getRowTarget(loop);
  // Beside a byte are wider elements, whose accesses would be two.
  int64_t whole = target.accessBytes / std::max<int64_t>(form.bytes, 2);
  int64_t vector = std::gcd(whole, form.pitch);
  // Wide elements would need more registers for masks than such accesses save.
  if (form.bytes >= 4 && vector < whole)
    whole = std::max(vector, whole / 2);
  bool isDynamic = ShapedType::isDynamic(form.extent);
  int64_t cluster = chooseCluster(target, form.extent, maxCluster);
  if (!isDynamic && form.extent <= cluster * target.mostElementsInBlock) {
    // Vectors of rows that begin anywhere need an aligned part to be worth it.
    bool shifted = vector < whole && form.extent >= 4 * whole;
    int64_t each = shifted ? whole : vector;
    int64_t reach = form.extent + (shifted ? each - 1 : 0);
    int64_t needed = llvm::divideCeil(reach, each * cluster);
    Row row{target, needed, each, form.bytes, shifted};
    // Threads wait for wider rows longer than for each other.
    if (form.widest <= 2)
      row.reductions = std::max<int64_t>(1, form.reductions);
    if (std::optional<Split> split = chooseSplit(row))
      return makeSchedule(loop->getContext(), *split, row, cluster);
  }
  // The threads cannot hold the row at once. Each strip begins at a multiple of
  // its length, so none can be shifted.
  Row strip{target, 1, vector, form.bytes, /*shifted=*/false};
  int64_t threads = isDynamic ? target.threadsPerDynamicRow : kMaxBlockThreads;
  int64_t chunks = std::max<int64_t>(1, target.elementsPerThread / vector);
  return makeSchedule(loop->getContext(), {threads, chunks}, strip);
}

//===----------------------------------------------------------------------===//
// Rows that are also summed
//===----------------------------------------------------------------------===//

/// Returns the elements of 32 bits that hold a row of `type`.
static int64_t countWords(Type type) {
  int64_t bytes = getElementBytes(type);
  return llvm::divideCeil(std::max<int64_t>(bytes, 1), 4);
}

/// Returns the same of all rows that `ops` read and do not compute.
static int64_t countRowsRead(ArrayRef<LinalgOp> ops) {
  llvm::SmallDenseSet<Value> rows;
  int64_t words = 0;
  for (LinalgOp op : ops)
    for (Value input : op.getDpsInputs()) {
      auto type = dyn_cast<RankedTensorType>(input.getType());
      auto producer = input.getDefiningOp<LinalgOp>();
      if (type && type.getRank() > 1 &&
          !(producer && llvm::is_contained(ops, producer)) &&
          rows.insert(input).second)
        words += countWords(type);
    }
  return words;
}

/// Returns into how many parts of equal size the summed rows of `op` are
/// divided, unless parts then have fewer or more rows than they may. It depends
/// on the columns alone, so that neither do the bits of a sum. More parts would
/// write more sums than rows, and fewer would leave multiprocessors idle.
static int64_t countParts(const RowTarget &target, LinalgOp op) {
  int64_t warps = llvm::divideCeil(op.getStaticLoopRanges().back(),
                                   target.elementsPerThread * kWarpSize);
  return std::max<int64_t>(1, target.warpsOfSummedRows / warps);
}

OpFoldResult norm::createRowsPerPart(OpBuilder &b, LinalgOp op) {
  RowTarget target = getRowTarget(op);
  OpFoldResult rows = op.createLoopRanges(b, op.getLoc()).front().size;
  AffineExpr count = b.getAffineSymbolExpr(0);
  auto constant = [&](int64_t v) { return b.getAffineConstantExpr(v); };
  OpFoldResult most = affine::makeComposedFoldedAffineMin(
      b, op.getLoc(),
      AffineMap::get(0, 1,
                     {count.ceilDiv(countParts(target, op)),
                      constant(target.mostSummedRows)},
                     b.getContext()),
      {rows});
  return affine::makeComposedFoldedAffineMax(
      b, op.getLoc(),
      AffineMap::get(0, 1, {count, constant(target.leastSummedRows)},
                     b.getContext()),
      {most});
}

/// Returns the same of all rows that `ops` sum their rows into.
static int64_t countSums(ArrayRef<LinalgOp> ops) {
  int64_t words = 0;
  for (LinalgOp op : ops)
    if (std::optional<PartialSums> sums = matchRowSums(op))
      for (auto [sum, type] :
           llvm::zip_equal(sums->results, op->getResultTypes()))
        words += sum ? countWords(type) : 0;
  return words;
}

GPUScheduleAttr norm::scheduleSums(ArrayRef<LinalgOp> ops) {
  LinalgOp root = ops.front();
  SmallVector<int64_t> extents = root.getStaticLoopRanges();
  // Other ops than those on rows have one element per row.
  RowForm form(llvm::filter_to_vector(
      ops, [](LinalgOp op) { return op.getNumLoops() > 1; }));
  // An extent that is not known is negative.
  if (extents.size() != 2 || std::min(extents.back(), form.extent) < 2)
    return {};
  RowTarget target = getRowTarget(root);
  // Rows that share a warp have to iterate equally often.
  int64_t leastThreads = kWarpSize, rows = extents.front();
  if (!ShapedType::isDynamic(rows)) {
    int64_t each =
        std::clamp<int64_t>(llvm::divideCeil(rows, countParts(target, root)),
                            target.leastSummedRows, target.mostSummedRows);
    if (rows <= each)
      return {};
    if (rows % each == 0)
      leastThreads = 1;
  }
  int64_t vector = std::gcd(
      std::gcd(target.accessBytes / form.bytes, form.extent), form.pitch);
  int64_t read = std::max<int64_t>(1, countRowsRead(ops));
  int64_t held = read - 1 + target.registersPerSum * countSums(ops);
  // The next row is loaded while this one is computed, if it fits, 16 bits
  // packed.
  int64_t ahead = llvm::divideCeil(read * std::min<int64_t>(form.bytes, 4), 4);
  for (int64_t more : {ahead, int64_t(0)}) {
    Row row{target,
            form.extent / vector,
            vector,
            form.bytes,
            /*shifted=*/false,
            held + more,
            leastThreads};
    if (std::optional<Split> split = chooseSplit(row))
      return makeSchedule(root->getContext(), *split, row);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Columns
//===----------------------------------------------------------------------===//

GPUScheduleAttr norm::chooseColumnSchedule(ArrayRef<LinalgOp> ops) {
  RowForm form(ops);
  LinalgOp op = ops.front();
  RowTarget target = getRowTarget(op);
  int64_t vector = std::gcd(target.accessBytes / form.bytes, form.pitch),
          threads = kWarpSize;
  // Neighboring blocks are neighbors in a warp: fewer threads cost nothing, and
  // a mask in the loop over rows would be a branch for each load.
  if (!ShapedType::isDynamic(form.extent)) {
    vector = std::gcd(vector, form.extent);
    threads = std::gcd(threads, form.extent / vector);
  }
  // One column would be no vector, so an odd number of them has a mask.
  if (threads * vector == 1)
    threads = std::min<int64_t>(kWarpSize, llvm::PowerOf2Ceil(form.extent));
  // Sums at three levels, and what a thread loads before it adds.
  int64_t held = 3 + llvm::divideCeil(target.rowsAhead * form.bytes, 4);
  Row row{target, 1, vector, form.bytes, /*shifted=*/false, held};
  return makeSchedule(op->getContext(), {threads, 1}, row);
}
