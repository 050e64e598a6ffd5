//===- VectorizeRows.cpp - strip-mined vector loops over rows -------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowEmitter.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Transforms/CSE.h"
#include "mlir/Transforms/LoopInvariantCodeMotionUtils.h"
#include "norm/Rows/Passes.h"
#include "norm/Rows/Vectors.h"
#include "llvm/ADT/MapVector.h"
#include <memory>

namespace mlir::norm {
#define GEN_PASS_DEF_NORMVECTORIZEROWS
#include "norm/Rows/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using linalg::LinalgOp;
using norm::RowEmitter;
using norm::RowMatch;

std::optional<int64_t> norm::getUpperBound(OpFoldResult v) {
  FailureOr<int64_t> bound = ValueBoundsConstraintSet::computeConstantBound(
      presburger::BoundType::UB, v, /*stopCondition=*/nullptr,
      /*closedUB=*/true);
  return succeeded(bound) ? std::optional<int64_t>(*bound) : std::nullopt;
}

/// Returns the schedule of the loop around `op`; null if threads share none.
static norm::GPUScheduleAttr findSchedule(Operation *op) {
  norm::GPUScheduleAttr schedule;
  while (!schedule && (op = op->getParentOp()))
    schedule = norm::getSchedule(op);
  return schedule;
}

RowEmitter::RowEmitter(IRRewriter &b, LinalgOp op, RowMatch match,
                       norm::RowValues &values)
    : b(op.getLoc(), b), op(op), match(std::move(match)), values(values),
      target(norm::getRowTarget(op)),
      streams(op->getAttrOfType<norm::RowStreamsAttr>(norm::streamsAttrName)) {
  if (norm::GPUScheduleAttr schedule = findSchedule(op)) {
    lanes = tail = part = schedule.getLanes();
    distributed = true;
    // A loop over rows adds one after the other.
    if (isa<scf::ForOp>(op->getParentOp()))
      this->match.columns.clear();
  } else {
    norm::StripLanes strips = norm::chooseStripLanes(op, this->match);
    lanes = strips.lanes;
    tail = strips.tail;
    part = choosePart();
  }
  starts.assign(op.getNumDpsInits(), Value());
  // A row that threads share starts from memory, its columns do not.
  if (distributed ? !this->match.columns.empty()
                  : !this->match.reductions.empty())
    forwardFills();
  if (!distributed)
    simplifyNeutrals();
}

/// Erases temporaries of which nothing is read.
static void eraseUnread(IRRewriter &rewriter, Block &block) {
  for (auto alloc :
       llvm::make_early_inc_range(block.getOps<memref::AllocOp>())) {
    bool isUnread = llvm::all_of(alloc->getUsers(), [&](Operation *user) {
      std::optional<norm::RowAccess> access = norm::getRowAccess(user);
      return access && access->isWrite && access->base == alloc;
    });
    if (!isUnread)
      continue;
    for (Operation *user : llvm::make_early_inc_range(alloc->getUsers()))
      rewriter.eraseOp(user);
    rewriter.eraseOp(alloc);
  }
}

static void emitBlock(IRRewriter &rewriter, Block &block,
                      ArrayRef<LinalgOp> ops) {
  norm::RowValues values;
  SmallVector<std::unique_ptr<RowEmitter>> emitters;
  llvm::SmallPtrSet<Operation *, 8> dead;
  for (LinalgOp op : ops)
    if (std::optional<RowMatch> match = norm::matchRow(op)) {
      emitters.push_back(std::make_unique<RowEmitter>(
          rewriter, op, std::move(*match), values));
      dead.insert_range(emitters.back()->getForwarded());
    }
  llvm::erase_if(emitters, [&](const auto &emitter) {
    LinalgOp op = emitter->getOp();
    bool isDead = dead.contains(op);
    if (isDead)
      rewriter.eraseOp(op);
    return isDead;
  });
  Operation *next = &block.front();
  for (auto [i, emitter] : llvm::enumerate(emitters)) {
    LinalgOp op = emitter->getOp();
    for (; next != op; next = next->getNextNode())
      values.forgetWrites(next);
    next = op->getNextNode();
    if (!emitter->hasRun())
      emitter->run(i + 1 < emitters.size() ? emitters[i + 1].get() : nullptr);
    rewriter.eraseOp(op);
  }
  eraseUnread(rewriter, block);
}

/// Hoists what all rows read in one piece, such as a weight, out of loops over
/// rows that do not write it. Threads that share rows have no registers for it.
static void hoistReads(scf::ForOp loop, norm::RowWorkers workers) {
  std::optional<norm::LoopRole> role = norm::getRole(loop);
  if (role != norm::LoopRole::Rows && role != norm::LoopRole::Block)
    return;
  moveLoopInvariantCode(
      {&loop.getRegion()},
      [&](Value v, Region *) { return loop.isDefinedOutsideOfLoop(v); },
      [&](Operation *op, Region *) {
        if (std::optional<norm::RowAccess> access = norm::getRowAccess(op))
          return workers != norm::RowWorkers::GPU && !access->isWrite &&
                 norm::isNotWritten(access->base, loop);
        return isMemoryEffectFree(op) && isSpeculatable(op);
      },
      [&](Operation *op, Region *) { loop.moveOutOfLoop(op); });
}

/// Returns the place of an access that an emitter has built.
static norm::Place getPlace(VectorTransferOpInterface access) {
  return {access.getBase(), access.getIndices(),
          access.getVectorType().getDimSize(0), access.getMask()};
}

/// Returns the read of what each iteration of `rows` replaces by `write`; null
/// if other ops may access that, or the place is not the same in each
/// iteration.
static vector::TransferReadOp findCarried(scf::ForOp rows,
                                          vector::TransferWriteOp write) {
  vector::TransferReadOp carried;
  for (Operation &op : rows.getBody()->without_terminator()) {
    auto read = dyn_cast<vector::TransferReadOp>(op);
    if (read && !carried && read->isBeforeInBlock(write) &&
        getPlace(read) == getPlace(write))
      carried = read;
    else if (&op != write && norm::mayAccess(&op, write.getBase()))
      return {};
  }
  auto isInvariant = [&](OperandRange operands) {
    return llvm::all_of(
        operands, [&](Value v) { return rows.isDefinedOutsideOfLoop(v); });
  };
  return carried && isInvariant(carried->getOperands()) &&
                 isInvariant(write->getOperands().drop_front())
             ? carried
             : vector::TransferReadOp();
}

/// Returns the write of what `read` reads, if no op between them accesses it.
static vector::TransferWriteOp findStart(vector::TransferReadOp read) {
  Operation *op = read->getPrevNode();
  while (op && !norm::mayAccess(op, read.getBase()))
    op = op->getPrevNode();
  auto write = dyn_cast_or_null<vector::TransferWriteOp>(op);
  return write && getPlace(read) == getPlace(write) ? write
                                                    : vector::TransferWriteOp();
}

/// Carries what each iteration of a loop over rows reads and writes back, such
/// as their sums, in registers.
static void carrySums(IRRewriter &b, scf::ForOp rows) {
  SmallVector<vector::TransferWriteOp> writes(
      rows.getBody()->getOps<vector::TransferWriteOp>());
  for (vector::TransferWriteOp write : writes) {
    vector::TransferReadOp read = findCarried(rows, write);
    if (!read)
      continue;
    b.moveOpBefore(read, rows);
    b.moveOpAfter(write, rows);
    Value sum = write.getVector();
    rows = cast<scf::ForOp>(*rows.replaceWithAdditionalYields(
        b, ValueRange(read.getResult()), /*replaceInitOperandUsesInLoop=*/true,
        [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
          return SmallVector<Value>{sum};
        }));
    b.modifyOpInPlace(write, [&] {
      write.getValueToStoreMutable().assign(rows.getResults().back());
    });
    // The neutral elements that sums start from need no memory any more.
    vector::TransferWriteOp start = findStart(read);
    if (!start)
      continue;
    Value first = start.getVector();
    if (read.getMask()) {
      b.setInsertionPoint(read);
      Value padding = vector::BroadcastOp::create(
          b, read.getLoc(), first.getType(), read.getPadding());
      first = arith::SelectOp::create(b, read.getLoc(), read.getMask(), first,
                                      padding);
    }
    b.replaceOp(read, first);
    b.eraseOp(start);
  }
}

void norm::emitRows(Operation *scope, RowWorkers workers) {
  // Threads keep them in registers.
  if (workers != RowWorkers::GPU)
    narrowTemporaries(scope);
  llvm::MapVector<Block *, SmallVector<LinalgOp>> ops;
  scope->walk([&](LinalgOp op) {
    if (op.hasPureBufferSemantics() &&
        (workers != RowWorkers::GPU || findSchedule(op)))
      ops[op->getBlock()].push_back(op);
  });
  IRRewriter rewriter(scope->getContext());
  for (auto &[block, opsOfBlock] : ops)
    emitBlock(rewriter, *block, opsOfBlock);
  scope->walk([&](scf::ForOp loop) { hoistReads(loop, workers); });
  scope->walk([&](scf::ForOp loop) {
    if (getRole(loop) == LoopRole::Rows && getSchedule(loop->getParentOp()))
      carrySums(rewriter, loop);
  });
  // Loops over the same strips have equal bounds from here on.
  DominanceInfo dominance(scope);
  eliminateCommonSubExpressions(rewriter, dominance, scope);
  sinkDeinterleaves(rewriter, scope);
}

namespace {
struct NormVectorizeRows
    : norm::impl::NormVectorizeRowsBase<NormVectorizeRows> {
  using NormVectorizeRowsBase::NormVectorizeRowsBase;

  void runOnOperation() override {
    norm::emitRows(getOperation(), scheduled ? norm::RowWorkers::GPU
                                             : norm::RowWorkers::Thread);
  }
};
} // namespace
