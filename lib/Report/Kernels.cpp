//===- Kernels.cpp - what a kernel does for a row -------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "norm/IR/Norm.h"
#include "norm/Transforms/Transforms.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/Format.h"

using namespace mlir;
using namespace mlir::norm;

/// Instructions of a thread besides those of its elements: indices, shuffles,
/// the root. SASS of a norm with weight (f32, N = 4096, sm_90, ptxas 13.0)
/// executes 133 a thread, of which the elements are 76.
static constexpr double threadInstructions = 57;

/// What a warp of the row writes into workgroup memory, at most.
static constexpr int64_t exchangeBytes = 8;

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// How often the body of `loop` runs; nullopt where that is not constant.
static std::optional<int64_t> getTrips(scf::ForOp loop) {
  auto from = getConstantIntValue(loop.getLowerBound());
  auto to = getConstantIntValue(loop.getUpperBound());
  auto step = getConstantIntValue(loop.getStep());
  if (!from || !to || !step || *step <= 0)
    return std::nullopt;
  return llvm::divideCeil(std::max<int64_t>(*to - *from, 0), *step);
}

/// The loop over the rows of a part, where blocks have several: the work of a
/// block is then that of all of them.
static bool isPart(scf::ForOp loop, scf::ForallOp rows) {
  return loop->getParentOp() == rows && norm::getRole(loop) == LoopRole::Rows;
}

static int64_t countRowsAPart(scf::ForallOp rows) {
  for (auto loop : rows.getOps<scf::ForOp>())
    if (isPart(loop, rows))
      return getTrips(loop).value_or(1);
  return 1;
}

/// Returns why the loops in `rows` are not those of a row in strips or of the
/// rows of a part, or "".
static std::string findObstacle(scf::ForallOp rows, int64_t lanes) {
  std::string obstacle;
  rows.walk([&](LoopLikeOpInterface loop) {
    if (loop == rows)
      return;
    auto strips = dyn_cast<scf::ForOp>(*loop);
    if (strips && isPart(strips, rows)) {
      if (obstacle.empty() && !getTrips(strips))
        obstacle = "the number of its rows is unknown";
      return;
    }
    if (!strips || !norm::getRole(strips) || strips->getParentOp() != rows ||
        getConstantIntValue(strips.getStep()) != lanes)
      obstacle = "its threads share no row";
    else if (obstacle.empty() && !getTrips(strips))
      obstacle = "the length of its rows is unknown";
  });
  return obstacle;
}

/// How often `op` runs for a row, or for all rows of a part.
static int64_t getRuns(Operation *op) {
  auto loop = dyn_cast<scf::ForOp>(op->getParentOp());
  return loop ? getTrips(loop).value_or(1) : 1;
}

static std::optional<int64_t> countRows(scf::ForallOp rows) {
  int64_t count = 1;
  for (auto [from, to, step] :
       llvm::zip_equal(rows.getMixedLowerBound(), rows.getMixedUpperBound(),
                       rows.getMixedStep())) {
    auto low = getConstantIntValue(from), high = getConstantIntValue(to);
    auto by = getConstantIntValue(step);
    if (!low || !high || !by)
      return std::nullopt;
    count *= llvm::divideCeil(std::max<int64_t>(*high - *low, 0), *by);
  }
  return count;
}

//===----------------------------------------------------------------------===//
// Bytes and instructions
//===----------------------------------------------------------------------===//

static bool dependsOn(Value value, Value index, Operation *scope) {
  if (value == index)
    return true;
  Operation *op = value.getDefiningOp();
  return op && scope->isProperAncestor(op) &&
         llvm::any_of(op->getOperands(), [&](Value operand) {
           return dependsOn(operand, index, scope);
         });
}

/// Whether each row has memory of its own here. What several rows share, such
/// as a weight, comes from a cache.
static bool isOfOneRow(VectorTransferOpInterface access, scf::ForallOp rows) {
  if (countRows(rows) == 1)
    return true;
  return llvm::all_of(rows.getInductionVars(), [&](Value index) {
    return dependsOn(access.getBase(), index, rows) ||
           llvm::any_of(access.getIndices(), [&](Value position) {
             return dependsOn(position, index, rows);
           });
  });
}

static Value getBuffer(Value value) {
  while (auto view = value.getDefiningOp<ViewLikeOpInterface>())
    value = view.getViewSource();
  return value;
}

static double getVectorBytes(VectorType type) {
  return double(type.getNumElements()) *
         norm::getElementBytes(type.getElementType());
}

/// Adds the bytes that the loop moves, and those that a copy would: what two
/// passes over a row read counts once there.
static void addTraffic(scf::ForallOp rows, RowWork &work) {
  using Place = std::pair<Value, unsigned>; // 1: it is written
  llvm::MapVector<Place, llvm::SmallMapVector<Operation *, double, 2>> passes;
  llvm::SmallMapVector<Operation *, int64_t, 2> waits;
  rows.walk([&](VectorTransferOpInterface access) {
    if (!isOfOneRow(access, rows))
      return;
    bool isWritten = isa<vector::TransferWriteOp>(access);
    double bytes = getRuns(access) * getVectorBytes(access.getVectorType());
    (isWritten ? work.storedBytes : work.loadedBytes) += bytes;
    passes[{getBuffer(access.getBase()), isWritten}][access->getParentOp()] +=
        bytes;
    if (!isWritten)
      waits[access->getParentOp()] = getRuns(access);
  });
  for (auto &[place, byLoop] : passes)
    work.copiedBytes += llvm::max_element(byLoop, llvm::less_second())->second;
  int64_t sum = 0;
  for (auto [loop, runs] : waits)
    sum += runs;
  work.waits = sum;
}

/// Instructions for the elements of vectors, one for each operation and one
/// for each access.
static double countInstructions(Operation *op, int64_t vector) {
  if (auto access = dyn_cast<VectorTransferOpInterface>(op))
    return double(access.getVectorType().getNumElements()) / vector;
  if (auto reduction = dyn_cast<vector::ReductionOp>(op))
    return reduction.getSourceVectorType().getNumElements();
  bool computes = isa<arith::ArithDialect, math::MathDialect>(op->getDialect());
  if (!computes || op->hasTrait<OpTrait::ConstantLike>() ||
      op->getNumResults() != 1)
    return 0;
  auto type = dyn_cast<VectorType>(op->getResult(0).getType());
  return type ? type.getNumElements() : 0;
}

static RowWork describeWork(scf::ForallOp rows, const RowSchedule &schedule) {
  RowWork work{};
  int64_t rowsAPart = countRowsAPart(rows);
  work.threadInstructions = rowsAPart * threadInstructions;
  addTraffic(rows, work);
  int64_t reductions = 0;
  rows.walk([&](Operation *op) {
    work.instructions += getRuns(op) * countInstructions(op, schedule.vector);
    reductions += isa<vector::ReductionOp>(op);
  });
  work.reductions = rowsAPart * reductions;
  int64_t warps = schedule.threads / GPUMachine().warpSize;
  work.sharedBytes = reductions * warps * exchangeBytes;
  return work;
}

std::optional<KernelSchedule> norm::describeKernel(Operation *loop) {
  GPUScheduleAttr attr = norm::getSchedule(loop);
  auto rows = dyn_cast<scf::ForallOp>(loop);
  if (!attr || !rows)
    return std::nullopt;
  KernelSchedule kernel;
  kernel.threads = {attr.getThreads(),
                    attr.getVector(),
                    attr.getLanes() / (attr.getThreads() * attr.getVector()),
                    attr.getShifted(),
                    attr.getRegisters(),
                    attr.getCluster()};
  kernel.rowsABlock =
      GPUMachine().getRowsABlock(attr.getThreads() / attr.getCluster());
  kernel.obstacle = findObstacle(rows, attr.getLanes());
  if (!kernel.obstacle.empty())
    return kernel;
  kernel.work = describeWork(rows, kernel.threads);
  kernel.rows = countRows(rows);
  if (kernel.work.copiedBytes == 0)
    kernel.obstacle = "it moves no rows";
  return kernel;
}

//===----------------------------------------------------------------------===//
// Predictions
//===----------------------------------------------------------------------===//

static StringRef getName(RowLimit limit) {
  switch (limit) {
  case RowLimit::Memory:
    return "memory";
  case RowLimit::Instructions:
    return "instructions";
  case RowLimit::Latency:
    return "latency";
  }
  llvm_unreachable("all limits have names");
}

static void printProduct(const GPUProduct &product, const GPUMachine &machine,
                         const KernelSchedule &kernel, raw_ostream &os) {
  const GPURates &rates = product.rates;
  RowTime time = predictRows(kernel.threads, kernel.work, machine, rates);
  os << "    predicted for " << product.name << ": ";
  StringRef some = kernel.rows ? "its rows" : "1 GB of rows";
  double rows = kernel.rows.value_or(1e9 / kernel.work.copiedBytes);
  RowLaunch launch = predictLaunch(time, rows, rates);
  double share =
      predictShareOfCopy(kernel.threads, kernel.work, rows, machine, rates);
  os << time.threads << " threads in " << time.blocks
     << (time.blocks == 1 ? " block" : " blocks") << " an SM, "
     << llvm::format("%.1f", time.bytesInFlight / 1024) << " KiB in flight; "
     << some
     << llvm::format(launch.waves < 10 ? " are %.3g waves, "
                                       : " are %.1f waves, ",
                     launch.waves)
     << llvm::format("%.3f of a copy's speed, limit: ", share)
     << getName(launch.limit) << '\n';
}

void norm::printPrediction(const Report &report, const KernelSchedule &kernel,
                           raw_ostream &os) {
  std::string obstacle = kernel.obstacle;
  if (report.products.empty())
    obstacle = "no figures of " + report.machine + " are known";
  if (!obstacle.empty()) {
    os << "    predicted: nothing, because " << obstacle << '\n';
    return;
  }
  for (const GPUProduct &product : report.products)
    printProduct(product, report.gpu, kernel, os);
}
