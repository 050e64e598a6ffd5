//===- PrepareRows.cpp - bodies before threads share them -----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PrepareRows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/DataLayoutInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "norm/Floats/Lanes.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"
#include "norm/Rows/Buffers.h"
#include "norm/Rows/Rows.h"
#include "norm/Rows/Vectors.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

using namespace mlir;
using norm::Lanes;
using norm::RowAccess;

bool norm::maySee(Value read, Value written) {
  Value from = getRootBuffer(read), to = getRootBuffer(written);
  if (!isa<MemRefType>(from.getType()) || !isa<MemRefType>(to.getType()))
    return true;
  return from == to ||
         succeeded(verifyCompatibleShape(from.getType(), to.getType()));
}

//===----------------------------------------------------------------------===//
// Results before the reduction
//===----------------------------------------------------------------------===//

/// The last op of the loop that `write` needs; none for a row that nothing in
/// the loop computes, which has no statistic to wait for.
static Operation *findLastProducer(vector::TransferWriteOp write) {
  Operation *last = nullptr;
  for (Value operand : write->getOperands()) {
    Operation *op = operand.getDefiningOp();
    if (op && op->getBlock() == write->getBlock() &&
        (!last || last->isBeforeInBlock(op)))
      last = op;
  }
  return last;
}

static bool isBehindReduction(vector::TransferWriteOp write, Operation *first) {
  return llvm::any_of(
      llvm::make_range(first->getIterator(), write->getIterator()),
      llvm::IsaPred<vector::ReductionOp>);
}

/// A thread overwrites what it has read itself: the same part of the same row.
static bool readsSamePlaceBefore(Operation *op, vector::TransferWriteOp write,
                                 Operation *place) {
  auto read = dyn_cast<vector::TransferReadOp>(op);
  return read && read->getBlock() == place->getBlock() &&
         read->isBeforeInBlock(place) &&
         read.getIndices() == write.getIndices() &&
         read.getPermutationMap() == write.getPermutationMap() &&
         read.getVectorType().getShape() == write.getVectorType().getShape();
}

/// Whether `op` allows that `write` moves before `place`. Two results are two
/// buffers.
static bool allows(Operation *op, vector::TransferWriteOp write,
                   Operation *place) {
  if (op == write || op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() ||
      isMemoryEffectFree(op))
    return true;
  auto effects = getEffectsRecursively(op);
  return effects && llvm::all_of(*effects, [&](const auto &effect) {
           Value buffer = effect.getValue();
           if (!buffer)
             return false;
           if (!isa<MemoryEffects::Read>(effect.getEffect()))
             return norm::getRootBuffer(buffer) !=
                    norm::getRootBuffer(write.getBase());
           return !norm::maySee(buffer, write.getBase()) ||
                  readsSamePlaceBefore(op, write, place);
         });
}

static bool canMove(vector::TransferWriteOp write, Operation *place) {
  auto loop = write->getParentOfType<scf::ForallOp>();
  return !norm::anyIn(loop,
                      [&](Operation *op) { return !allows(op, write, place); });
}

void norm::writeRowsEarly(scf::ForallOp loop) {
  SmallVector<vector::TransferWriteOp> writes(
      loop.getBody()->getOps<vector::TransferWriteOp>());
  for (vector::TransferWriteOp write : writes) {
    Operation *last = findLastProducer(write);
    // Before the statistic's first op: among squares of a row ptxas (13.0)
    // keeps the squares and the row in registers.
    Operation *place = last ? last->getNextNode() : nullptr;
    if (!place || !isBehindReduction(write, place) || !canMove(write, place))
      continue;
    LDBG("norm-distribute-rows-to-gpu", 1)
        << "moves before " << *place << ": " << write;
    write->moveBefore(place);
  }
}

//===----------------------------------------------------------------------===//
// One after the other
//===----------------------------------------------------------------------===//

LogicalResult norm::serializeBody(LoopLikeOpInterface loop) {
  IRRewriter rewriter(loop.getContext());
  auto isToSerialize = [&](Operation *op) {
    return op != loop && isa<scf::ParallelOp, scf::ForallOp>(op);
  };
  for (Operation *op : collect<Operation *>(loop, isToSerialize))
    if (failed(serializeLoop(rewriter, op)))
      return op->emitError("cannot distribute a parallel loop with results "
                           "over the threads of a row");
  loop->walk([&](scf::ForOp inner) {
    (void)inner.promoteIfSingleIteration(rewriter);
  });
  return success();
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

static bool isVectorBuffer(Value buffer, Operation *loop) {
  return norm::anyIn(loop, [&](VectorTransferOpInterface transfer) {
    return norm::getRootBuffer(transfer.getBase()) == buffer;
  });
}

static int64_t getElementBytes(Operation *op, MemRefType type) {
  return DataLayout::closest(op).getTypeSize(type.getElementType());
}

static bool fitsStack(memref::AllocOp op, Operation *loop, bool isShared) {
  MemRefType type = op.getType();
  if (!type.hasStaticShape() || !type.getLayout().isIdentity())
    return false;
  if (isShared)
    return type.getNumElements() <=
               norm::getRowTarget(op).elementsInAllThreads &&
           !isVectorBuffer(op, loop);
  return type.getNumElements() * getElementBytes(op, type) <=
         norm::getRowTarget(op).threadStackBytes;
}

/// `v`, computed where `b` stands; null where it depends on the row.
static Value cloneOutside(OpBuilder &b, Value v, Operation *loop) {
  Operation *def = v.getDefiningOp();
  if (!loop->isAncestor(v.getParentRegion()->getParentOp()))
    return v;
  if (!def || !isPure(def) || def->getNumRegions() != 0)
    return nullptr;
  IRMapping map;
  for (Value operand : def->getOperands()) {
    Value outside = cloneOutside(b, operand, loop);
    if (!outside)
      return nullptr;
    map.map(operand, outside);
  }
  return b.clone(*def, map)->getResult(cast<OpResult>(v).getResultNumber());
}

/// `size` for all rows, or what it is at most: the last block of columns may be
/// shorter than the others. Null: the row decides it, without a bound.
static Value findMost(ImplicitLocOpBuilder &b, Value size, Operation *loop) {
  if (Value outside = cloneOutside(b, size, loop))
    return outside;
  std::optional<int64_t> bound = norm::getUpperBound(size);
  return bound ? arith::ConstantIndexOp::create(b, *bound) : Value();
}

/// The part of row `number` of one buffer for all `count` rows; null where it
/// is not known how long they are.
static memref::ViewOp placeShared(ImplicitLocOpBuilder b, memref::AllocOp op,
                                  Operation *loop, Value count, Value number) {
  MemRefType type = op.getType();
  if (!type.getLayout().isIdentity())
    return nullptr;
  int64_t fixed = getElementBytes(op, type);
  for (int64_t extent : type.getShape())
    fixed *= ShapedType::isDynamic(extent) ? 1 : extent;
  Lanes bytes(b, arith::ConstantIndexOp::create(b, fixed));
  for (Value size : op.getDynamicSizes()) {
    Value most = findMost(b, size, loop);
    if (!most)
      return nullptr;
    bytes = bytes * most;
  }
  // Rows begin where the widest access may.
  int64_t unit = norm::getRowTarget(op).accessBytes;
  bytes = bytes.apply<arith::CeilDivUIOp>(unit) * unit;
  auto flat = MemRefType::get({ShapedType::kDynamic}, b.getI8Type());
  Value buffer =
      memref::AllocOp::create(b, flat, Value(Lanes(b, count) * bytes));
  b.setInsertionPoint(op);
  return memref::ViewOp::create(b, type, buffer, Lanes(b, number) * bytes,
                                op.getDynamicSizes());
}

FailureOr<SmallVector<Value>> norm::placeBuffers(OpBuilder &b,
                                                 LoopLikeOpInterface loop,
                                                 Value count, Value number,
                                                 bool isShared) {
  SmallVector<Value> placed;
  for (auto op : collect<memref::AllocOp>(loop)) {
    Location loc = op.getLoc();
    Value place;
    if (fitsStack(op, loop, isShared)) {
      // Not where it stands: a loop would take more per iteration.
      OpBuilder inner = OpBuilder::atBlockBegin(&loop->getRegion(0).front());
      place = memref::AllocaOp::create(inner, loc, op.getType());
    } else if (auto view = placeShared({loc, b}, op, loop, count, number)) {
      placed.push_back(view.getSource());
      place = view;
    } else {
      return emitError(loc, "a kernel cannot hold a buffer of type ")
             << op.getType() << " whose size differs from row to row";
    }
    for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
      if (isa<memref::DeallocOp>(user))
        user->erase();
    op.replaceAllUsesWith(place);
    op.erase();
  }
  return placed;
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// Whether two indices are the same, or those of loops over the same strips: a
/// thread then has the same elements of both.
static bool isSameIndex(Value a, Value b, VectorType type) {
  if (a == b)
    return true;
  auto first = scf::getForInductionVarOwner(a),
       second = scf::getForInductionVarOwner(b);
  return first && second && first.getLowerBound() == second.getLowerBound() &&
         getConstantIntValue(first.getStep()) == type.getDimSize(0) &&
         getConstantIntValue(second.getStep()) == type.getDimSize(0);
}

static bool areSameVectors(const RowAccess &a, const RowAccess &b) {
  return a.vector && b.vector && a.base == b.base && a.vector == b.vector &&
         llvm::all_of(llvm::zip(a.indices, b.indices), [&](auto pair) {
           return isSameIndex(std::get<0>(pair), std::get<1>(pair), a.vector);
         });
}

/// The access of one buffer that has to wait for what another thread does. A
/// thread sees its own writes: of vectors those of its elements, of scalars all
/// where each thread does them.
static Operation *findUnordered(ArrayRef<RowAccess> accesses,
                                llvm::DenseSet<Operation *> &readBack) {
  auto isWrite = [](const RowAccess &access) { return access.isWrite; };
  auto isVector = [](const RowAccess &access) { return bool(access.vector); };
  if (llvm::none_of(accesses, isWrite))
    return nullptr;
  bool hasRead = !llvm::all_of(accesses, isWrite);
  const RowAccess &first =
      hasRead ? *llvm::find_if_not(accesses, isWrite) : accesses.front();
  if (llvm::any_of(accesses, isVector)) {
    bool isOrdered =
        llvm::all_of(accesses, isVector) &&
        (!hasRead || llvm::all_of(accesses, [&](const RowAccess &access) {
          return areSameVectors(access, first);
        }));
    return isOrdered ? nullptr : first.op;
  }
  if (hasRead)
    for (const RowAccess &access : llvm::make_filter_range(accesses, isWrite))
      readBack.insert(access.op);
  return nullptr;
}

Operation *norm::findUnorderedAccess(Block &body,
                                     llvm::DenseSet<Operation *> &readBack) {
  llvm::MapVector<Value, SmallVector<RowAccess>> buffers;
  body.walk([&](Operation *op) {
    if (std::optional<RowAccess> access = norm::getRowAccess(op))
      buffers[norm::getRootBuffer(access->base)].push_back(*access);
  });
  readBack.clear();
  for (auto &[root, accesses] : buffers)
    if (Operation *op = findUnordered(accesses, readBack))
      return op;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// What can be distributed
//===----------------------------------------------------------------------===//

static bool hasWholeBytes(VectorTransferOpInterface op) {
  Type element = op.getShapedType().getElementType();
  return element.isIntOrFloat() && element.getIntOrFloatBitWidth() % 8 == 0;
}

/// A transfer along one dimension, in bounds but for its mask.
static bool isPlainTransfer(VectorTransferOpInterface op) {
  return isa<MemRefType>(op.getShapedType()) && hasWholeBytes(op) &&
         op.getVectorType().getRank() == 1 &&
         op.getPermutationMap().isProjectedPermutation() && op.isDimInBounds(0);
}

static bool isDistributable(Operation &op) {
  if (isa<scf::ForOp, scf::IfOp, scf::YieldOp>(op))
    return true;
  if (!norm::hasVectors(&op))
    return op.getNumRegions() == 0 &&
           (op.getNumResults() == 0 || isMemoryEffectFree(&op) ||
            isa<memref::LoadOp, memref::AllocaOp>(op));
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return isa<SplatElementsAttr>(constant.getValue());
  if (auto transfer = dyn_cast<VectorTransferOpInterface>(op))
    return isPlainTransfer(transfer);
  if (auto broadcast = dyn_cast<vector::BroadcastOp>(op))
    return !isa<VectorType>(broadcast.getSourceType());
  if (auto reduction = dyn_cast<vector::ReductionOp>(op))
    return reduction.getDest().getType().isIntOrFloat();
  if (isa<vector::CreateMaskOp, vector::ConstantMaskOp, vector::StepOp>(op))
    return true;
  return OpTrait::hasElementwiseMappableTraits(&op) && isMemoryEffectFree(&op);
}

static LogicalResult verifyDistributable(Operation *op, int64_t lanes) {
  auto transfer = dyn_cast<VectorTransferOpInterface>(op);
  if (transfer && !hasWholeBytes(transfer))
    return op->emitError("rows of ")
           << transfer.getShapedType().getElementType()
           << " in memory are not supported on GPUs: an element is no whole "
              "number of bytes";
  if (!isDistributable(*op))
    return op->emitError("cannot distribute '")
           << op->getName() << "' over the threads of a row";
  for (Type type :
       llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes())) {
    auto vector = dyn_cast<VectorType>(type);
    if (vector && (vector.getRank() != 1 || vector.isScalable() ||
                   vector.getDimSize(0) != lanes))
      return op->emitError("cannot distribute ")
             << type << " over threads: vectors of this loop must be 1-D and "
             << "of length " << lanes;
  }
  return success();
}

/// Clones vectors without memory effects that the body takes from outside, such
/// as constants, to its start.
static LogicalResult sinkVectors(Block &body) {
  Region &region = *body.getParent();
  while (true) {
    llvm::SetVector<Value> outside;
    getUsedValuesDefinedAbove(region, outside);
    outside.remove_if([](Value v) { return !isa<VectorType>(v.getType()); });
    if (outside.empty())
      return success();
    for (Value v : outside) {
      Operation *def = v.getDefiningOp();
      if (!def || !isMemoryEffectFree(def) || def->getNumRegions() != 0)
        return emitError(v.getLoc(), "cannot distribute a row loop that takes "
                                     "a vector from outside");
      Operation *inside = OpBuilder::atBlockBegin(&body).clone(*def);
      for (auto [from, to] : llvm::zip(def->getResults(), inside->getResults()))
        replaceAllUsesInRegionWith(from, to, region);
    }
  }
}

LogicalResult norm::prepareDistribution(Block &body, int64_t lanes) {
  if (failed(sinkVectors(body)))
    return failure();
  WalkResult result = body.walk([&](Operation *op) -> WalkResult {
    return op == body.getTerminator() ? success()
                                      : verifyDistributable(op, lanes);
  });
  return failure(result.wasInterrupted());
}

LogicalResult norm::verifyUniformReductions(Block &body) {
  Operation *rows = body.getParentOp();
  auto isUniform = [&](Value v) {
    return !rows->isAncestor(v.getParentRegion()->getParentOp());
  };
  auto mayDiverge = [&](Operation *parent) {
    auto loop = dyn_cast<scf::ForOp>(parent);
    return !loop || !isUniform(loop.getLowerBound()) ||
           !isUniform(loop.getUpperBound()) || !isUniform(loop.getStep());
  };
  WalkResult result = body.walk([&](vector::ReductionOp op) {
    for (Operation *up = op->getParentOp(); up != rows; up = up->getParentOp())
      if (mayDiverge(up)) {
        op.emitError("cannot distribute a reduction that only some of the rows "
                     "of a warp may reach");
        return WalkResult::interrupt();
      }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}
