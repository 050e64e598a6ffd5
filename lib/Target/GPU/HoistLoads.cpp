//===- HoistLoads.cpp - issue loads before a kernel's reductions ----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ClusterOps.h"
#include "PrepareRows.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/RegionUtils.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"
#include "norm/Rows/Rows.h"
#include "norm/Target/GPU/Passes.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMHOISTGPULOADS
#include "norm/Target/GPU/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;

/// What threads of a row exchange lies in workgroup memory.
static bool isExchange(Operation *op) {
  return isa<gpu::BarrierOp>(op) || norm::isClusterExchange(op);
}

/// What `op` and the ops in it do to memory beside an exchange; nothing:
/// something unknown.
static std::optional<SmallVector<MemoryEffects::EffectInstance>>
getEffects(Operation *op) {
  SmallVector<MemoryEffects::EffectInstance> all;
  WalkResult result = op->walk([&](Operation *nested) {
    if (isExchange(nested) ||
        nested->hasTrait<OpTrait::HasRecursiveMemoryEffects>())
      return WalkResult::advance();
    auto effects = getEffectsRecursively(nested);
    if (!effects)
      return WalkResult::interrupt();
    llvm::append_range(all, *effects);
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return std::nullopt;
  return all;
}

/// Whether an effect is on memory that other kernels see.
static bool isGlobal(const MemoryEffects::EffectInstance &effect) {
  Value buffer = effect.getValue();
  auto type = buffer ? dyn_cast<MemRefType>(buffer.getType()) : MemRefType();
  return !type || !gpu::GPUDialect::hasWorkgroupMemoryAddressSpace(type);
}

static bool isGlobalRead(const MemoryEffects::EffectInstance &effect) {
  return isa<MemoryEffects::Read>(effect.getEffect()) && isGlobal(effect);
}

/// Whether `op` may write global memory; with `buffer`, what is read there.
static bool mayWrite(Operation *op, Value buffer = Value()) {
  auto effects = getEffects(op);
  return !effects || llvm::any_of(*effects, [&](const auto &effect) {
    return isGlobal(effect) && !isGlobalRead(effect) &&
           (!buffer || !effect.getValue() ||
            norm::maySee(buffer, effect.getValue()));
  });
}

/// Whether `op` reads global memory, and does nothing else to any.
static bool isLoad(Operation *op) {
  auto effects = getEffects(op);
  return effects && !effects->empty() && llvm::all_of(*effects, isGlobalRead);
}

static int64_t getBits(Type type) {
  auto vector = dyn_cast<VectorType>(type);
  Type element = getElementTypeOrSelf(type);
  return element.isIntOrFloat() ? element.getIntOrFloatBitWidth() *
                                      (vector ? vector.getNumElements() : 1)
                                : 0;
}

static int64_t getResultBits(Operation *op) {
  return llvm::sum_of(llvm::map_range(op->getResultTypes(), getBits),
                      int64_t(0));
}

/// Moves the reads that follow `first` before it, up to the first write.
static void hoistBefore(IRRewriter &rewriter, Operation *first, int64_t bits) {
  Operation *next = nullptr;
  for (Operation *op = first->getNextNode(); op; op = next) {
    next = op->getNextNode();
    if (mayWrite(op))
      return;
    if (!isLoad(op) || getResultBits(op) > bits)
      continue;
    // What needs an exchange after `first` stays: its reads have effects.
    llvm::SetVector<Value> used(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), used);
    if (failed(moveValueDefinitions(rewriter, used.getArrayRef(), first)))
      continue;
    rewriter.moveOpBefore(op, first);
    bits -= getResultBits(op);
  }
}

//===----------------------------------------------------------------------===//
// Two blocks an SM
//===----------------------------------------------------------------------===//

/// Threads of a block; 0: not known.
static int64_t getBlockThreads(gpu::LaunchOp launch) {
  int64_t threads = 1;
  gpu::KernelDim3 size = launch.getBlockSizeOperandValues();
  for (Value extent : {size.x, size.y, size.z})
    threads *= getConstantIntValue(extent).value_or(0);
  return threads;
}

/// Bits of vectors that are held while a row's threads exchange, from `first`
/// or the first shuffle after it on.
static int64_t getHeldBits(Operation *first) {
  int64_t bits = 0;
  Block *block = first->getBlock();
  while (first->getNextNode() && !isa<gpu::ShuffleOp>(first))
    first = first->getNextNode();
  for (Operation &op : llvm::make_range(block->begin(), Block::iterator(first)))
    for (Value result : op.getResults())
      if (isa<VectorType>(result.getType()) &&
          llvm::any_of(result.getUsers(), [&](Operation *user) {
            Operation *at = block->findAncestorOpInBlock(*user);
            return at && first->isBeforeInBlock(at);
          }))
        bits += getResultBits(&op);
  return bits;
}

/// Bits of vectors that are loaded after `first`. Nothing where some are under
/// a condition: ptxas (13.0) spills what crosses such branches between stores.
static std::optional<int64_t> getLaterBits(Operation *first) {
  int64_t bits = 0;
  for (Operation *op = first->getNextNode(); op; op = op->getNextNode()) {
    if (!isLoad(op))
      continue;
    if (op->getNumRegions() != 0)
      return std::nullopt;
    bits += getResultBits(op);
  }
  return bits;
}

/// Bits that hoisted loads may fill where all of them together would leave one
/// block on an SM, and fewer leave two. Nothing: no matter, or no help.
static std::optional<int64_t> getRoomForTwo(Operation *first) {
  int64_t threads = getBlockThreads(first->getParentOfType<gpu::LaunchOp>());
  if (threads == 0)
    return std::nullopt;
  int64_t each = llvm::alignDown(norm::kRegistersPerSM / (2 * threads), 8);
  int64_t room = 32 * (each - norm::getRowTarget(first).registersBesideRow) -
                 getHeldBits(first);
  std::optional<int64_t> later = getLaterBits(first);
  if (room < 0 || !later || *later <= room)
    return std::nullopt;
  return room;
}

/// Whether `op` may run as late as its first use: it computes, or reads what
/// nothing between writes.
static bool canSink(Operation *op, Operation *user) {
  if (isExchange(op) || isa<gpu::GPUDialect>(op->getDialect()))
    return false;
  auto effects = getEffects(op);
  if (!effects)
    return false;
  llvm::iterator_range between(std::next(op->getIterator()),
                               user->getIterator());
  return llvm::all_of(*effects, [&](const auto &read) {
    return isGlobalRead(read) && read.getValue() &&
           llvm::none_of(between, [&](Operation &next) {
             return mayWrite(&next, read.getValue());
           });
  });
}

/// Moves what computes, and loads after `first`, to their first use, so that a
/// chunk of the row is loaded, computed and stored before the next one needs
/// registers.
static void sinkToUses(Operation *first) {
  Block *block = first->getBlock();
  Operation *previous = nullptr;
  for (Operation *op = block->getTerminator()->getPrevNode(); op;
       op = previous) {
    previous = op->getPrevNode();
    if (op->isBeforeInBlock(first) && !isMemoryEffectFree(op))
      continue;
    Operation *user = nullptr;
    for (Operation *other : op->getUsers()) {
      Operation *at = block->findAncestorOpInBlock(*other);
      if (at && (!user || at->isBeforeInBlock(user)))
        user = at;
    }
    if (user && user != op->getNextNode() && canSink(op, user))
      op->moveBefore(user);
  }
}

//===----------------------------------------------------------------------===//
// The next row
//===----------------------------------------------------------------------===//

/// Whether both access elements of one row.
static bool isOfOneRow(vector::LoadOp load, vector::StoreOp store) {
  OperandRange read = load.getIndices(), written = store.getIndices();
  if (read.size() == 1 || read.size() != written.size())
    return read == written;
  return llvm::equal(read.drop_back(), written.drop_back());
}

/// Adds `load` and what its indices need to `ops` if it reads a row that the
/// iteration's number gives, and nothing in the loop writes to another row of
/// that buffer.
static bool addLoadOfIteration(vector::LoadOp load, scf::ForOp loop,
                               llvm::SetVector<Operation *> &ops) {
  BackwardSliceOptions options;
  options.inclusive = options.omitBlockArguments = true;
  options.filter = [&](Operation *op) { return loop->isProperAncestor(op); };
  llvm::SetVector<Operation *> slice;
  if (failed(getBackwardSlice(load.getOperation(), &slice, options)))
    return false;
  auto usesAny = [](Operation *op, ValueRange values) {
    return llvm::any_of(op->getOperands(), [&](Value operand) {
      return llvm::is_contained(values, operand);
    });
  };
  bool canRepeat = llvm::all_of(slice, [&](Operation *op) {
    return (op == load || isMemoryEffectFree(op)) && op->getNumRegions() == 0 &&
           !usesAny(op, loop.getRegionIterArgs());
  });
  bool isOfIteration = llvm::any_of(slice, [&](Operation *op) {
    return usesAny(op, loop.getInductionVar());
  });
  bool isOverwritten = norm::anyIn(loop, [&](Operation *op) {
    auto store = dyn_cast<vector::StoreOp>(op);
    return op->getNumRegions() == 0 && !(store && isOfOneRow(load, store)) &&
           mayWrite(op, load.getBase());
  });
  if (!canRepeat || !isOfIteration || isOverwritten)
    return false;
  ops.insert_range(slice);
  return true;
}

/// Whether a thread has registers for the rows of an iteration, widened, those
/// of the next one, what else it carries, twice, and loads that are hoisted.
static bool hasRoomAhead(scf::ForOp loop, ArrayRef<vector::LoadOp> loads) {
  norm::RowTarget target = norm::getRowTarget(loop);
  int64_t bits = 32 * (target.registersBesideRow + target.registersOfLoop +
                       target.hoistedRegisters);
  for (Value sum : loop.getRegionIterArgs())
    bits += 2 * getBits(sum.getType());
  for (vector::LoadOp load : loads)
    bits += getBits(load.getType()) +
            std::max<int64_t>(getBits(load.getType()),
                              32 * load.getVectorType().getNumElements());
  // Each quarter of an SM has a quarter of the warps and of the registers.
  int64_t threads =
      llvm::alignTo(getBlockThreads(loop->getParentOfType<gpu::LaunchOp>()),
                    4 * norm::kWarpSize);
  return threads != 0 && threads * bits <= 32 * norm::kRegistersPerSM;
}

/// Loads the rows of each iteration in the one before it: while a row's threads
/// wait for each other, the next row is on its way.
static void loadOneAhead(IRRewriter &rewriter, scf::ForOp loop) {
  SmallVector<vector::LoadOp> loads;
  llvm::SetVector<Operation *> ops;
  for (auto load : loop.getBody()->getOps<vector::LoadOp>())
    if (addLoadOfIteration(load, loop, ops))
      loads.push_back(load);
  if (loads.empty() || getConstantIntValue(loop.getStep()) != 1 ||
      !hasRoomAhead(loop, loads))
    return;
  auto cloneLoads = [&](OpBuilder &b, Value iteration) {
    IRMapping map;
    map.map(loop.getInductionVar(), iteration);
    for (Operation *op : topologicalSort(ops))
      b.clone(*op, map);
    return llvm::map_to_vector(loads, [&](vector::LoadOp load) {
      return map.lookup(load.getResult());
    });
  };
  rewriter.setInsertionPoint(loop);
  Location loc = loop.getLoc();
  Value isEntered =
      arith::CmpIOp::create(rewriter, loc, arith::CmpIPredicate::slt,
                            loop.getLowerBound(), loop.getUpperBound());
  auto first = scf::IfOp::create(
      rewriter, loc, isEntered,
      [&](OpBuilder &b, Location) {
        scf::YieldOp::create(b, loc, cloneLoads(b, loop.getLowerBound()));
      },
      [&](OpBuilder &b, Location) {
        scf::YieldOp::create(
            b, loc, llvm::map_to_vector(loads, [&](vector::LoadOp load) {
              return arith::ConstantOp::create(b, loc,
                                               b.getZeroAttr(load.getType()))
                  .getResult();
            }));
      });
  // The last iteration loads its own rows once more, for nothing.
  auto loadNext = [&](OpBuilder &b, Location, ArrayRef<BlockArgument> loaded) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Value one = loop.getStep();
    Value next = arith::AddIOp::create(b, loc, loop.getInductionVar(), one);
    Value last = arith::SubIOp::create(b, loc, loop.getUpperBound(), one);
    SmallVector<Value> values =
        cloneLoads(b, arith::MinSIOp::create(b, loc, next, last));
    for (auto [load, value] : llvm::zip(loads, loaded))
      rewriter.replaceOp(load, value);
    return values;
  };
  (void)loop.replaceWithAdditionalYields(rewriter, first.getResults(),
                                         /*replaceInitOperandUsesInLoop=*/false,
                                         loadNext);
}

static void moveLoads(IRRewriter &rewriter, gpu::LaunchOp launch) {
  for (auto loop : norm::collect<scf::ForOp>(launch))
    if (llvm::any_of(*loop.getBody(), llvm::IsaPred<gpu::ShuffleOp>))
      loadOneAhead(rewriter, loop);
  // What hoisted loads may fill, in registers of 32 bits per thread.
  int64_t most = 32 * norm::getRowTarget(launch).hoistedRegisters;
  launch.walk([&](Block *block) {
    auto first = llvm::find_if(*block, [](Operation &op) {
      return isa<gpu::ShuffleOp>(op) || norm::isClusterWait(&op);
    });
    if (first == block->end())
      return;
    std::optional<int64_t> room = getRoomForTwo(&*first);
    LDBG("norm-hoist-gpu-loads", 1)
        << "loads before " << *first << (room ? ", others to uses" : "");
    hoistBefore(rewriter, &*first, std::min(most, room.value_or(most)));
    if (room)
      sinkToUses(&*first);
  });
}

namespace {
struct NormHoistGPULoads
    : norm::impl::NormHoistGPULoadsBase<NormHoistGPULoads> {
  void runOnOperation() override {
    IRRewriter rewriter(&getContext());
    getOperation().walk(
        [&](gpu::LaunchOp launch) { moveLoads(rewriter, launch); });
  }
};
} // namespace
