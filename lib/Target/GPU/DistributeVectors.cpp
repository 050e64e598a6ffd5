//===- DistributeVectors.cpp - vectors of a row over threads --------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowBuffers.h"
#include "VectorDistributor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Transforms/RegionUtils.h"
#include "norm/Floats/Lanes.h"
#include "norm/Floats/ValueOrigins.h"
#include "norm/IR/Norm.h"
#include "norm/Rows/Vectors.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::norm;

//===----------------------------------------------------------------------===//
// What can be distributed
//===----------------------------------------------------------------------===//

/// A transfer along one dimension, in bounds but for its mask.
static bool isPlainTransfer(VectorTransferOpInterface op) {
  Type element = op.getVectorType().getElementType();
  return isa<MemRefType>(op.getShapedType()) && element.isIntOrFloat() &&
         element.getIntOrFloatBitWidth() % 8 == 0 &&
         op.getVectorType().getRank() == 1 &&
         op.getPermutationMap().isProjectedPermutation() && op.isDimInBounds(0);
}

static bool isDistributable(Operation &op) {
  if (isa<scf::ForOp, scf::IfOp, scf::YieldOp>(op))
    return true;
  if (!hasVectors(&op))
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

static void reportUndistributable(Operation *op) {
  if (auto transfer = dyn_cast<VectorTransferOpInterface>(op)) {
    Type element = transfer.getShapedType().getElementType();
    if (!element.isIntOrFloat() || element.getIntOrFloatBitWidth() % 8 != 0) {
      op->emitError("rows of ")
          << element << " in memory are not supported on GPUs: an element is "
          << "no whole number of bytes";
      return;
    }
  }
  op->emitError("cannot distribute '")
      << op->getName() << "' over the threads of a row";
}

static LogicalResult joinLength(Operation *op, Type type, int64_t &length) {
  auto vectorType = dyn_cast<VectorType>(type);
  if (!vectorType)
    return success();
  if (vectorType.getRank() != 1 || vectorType.isScalable() ||
      (length != 1 && vectorType.getDimSize(0) != length))
    return op->emitError("cannot distribute ")
           << type << " over threads: vectors of one loop must be 1-D and of "
           << "one length";
  length = vectorType.getDimSize(0);
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

FailureOr<int64_t> norm::prepareDistribution(Block &body) {
  if (failed(sinkVectors(body)))
    return failure();
  int64_t length = 1;
  WalkResult result = body.walk([&](Operation *op) -> WalkResult {
    if (!isDistributable(*op) && op != body.getTerminator()) {
      reportUndistributable(op);
      return WalkResult::interrupt();
    }
    for (Type type : op->getOperandTypes())
      if (failed(joinLength(op, type, length)))
        return WalkResult::interrupt();
    for (Type type : op->getResultTypes())
      if (failed(joinLength(op, type, length)))
        return WalkResult::interrupt();
    return WalkResult::advance();
  });
  if (result.wasInterrupted())
    return failure();
  return length;
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

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

SmallVector<Type> VectorDistributor::getTypes(TypeRange types) {
  SmallVector<Type> result;
  for (Type type : types)
    result.append(getMaps(type).size(),
                  isa<VectorType>(type)
                      ? getChunkType(getElementTypeOrSelf(type))
                      : type);
  return result;
}

SmallVector<Value> VectorDistributor::lookup(ValueRange values) {
  SmallVector<Value> result;
  for (Value v : values)
    for (IRMapping &map : getMaps(v.getType()))
      result.push_back(map.lookupOrDefault(v));
  return result;
}

void VectorDistributor::mapResults(ValueRange from, ValueRange to) {
  for (Value v : from)
    for (IRMapping &map : getMaps(v.getType())) {
      map.map(v, to.front());
      to = to.drop_front();
    }
}

Value VectorDistributor::index(int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

Value VectorDistributor::getSlot(int64_t chunk) {
  Lanes slot(b, layout.thread);
  if (layout.vector != 1)
    slot = slot * layout.vector;
  return chunk == 0 ? slot : slot + chunk * layout.threads * layout.vector;
}

Value VectorDistributor::getBase(int64_t chunk) {
  Lanes slot(b, getSlot(chunk));
  return shift ? slot - shift : slot;
}

Value VectorDistributor::getLaneNumbers() {
  return arith::ConstantOp::create(
      b, b.getIndexVectorAttr(
             llvm::to_vector(llvm::seq<int64_t>(0, layout.vector))));
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void VectorDistributor::run(Block &body) {
  if (layout.shiftReference && !shift)
    computeShift();
  for (Operation &op : body.without_terminator()) {
    b.setLoc(op.getLoc());
    // Once, and so before a loop rather than in it.
    if (norm::anyIn(&op, [](vector::ReductionOp) { return true; }))
      waitForClusterStart();
    distribute(op);
  }
}

void VectorDistributor::distribute(Operation &op) {
  llvm::TypeSwitch<Operation *>(&op)
      .Case<scf::ForOp, scf::IfOp>([&](auto) { distributeRegions(op); })
      .Case([&](vector::TransferReadOp read) { distributeRead(read); })
      .Case([&](vector::TransferWriteOp write) { distributeWrite(write); })
      .Case([&](vector::ReductionOp reduction) {
        distributeReduction(reduction);
      })
      .Case([&](vector::StepOp step) { distributeStep(step); })
      .Case([&](vector::CreateMaskOp mask) {
        distributeMask(op, scalars.lookupOrDefault(mask.getOperand(0)));
      })
      .Case([&](vector::ConstantMaskOp mask) {
        distributeMask(op, index(mask.getMaskDimSizes().front()));
      })
      .Default([&](Operation *) {
        hasVectors(&op) ? distributeElementwise(op) : distributeScalar(op);
      });
}

void VectorDistributor::distributeElementwise(Operation &op) {
  for (IRMapping &chunk : chunks) {
    SmallVector<Value> operands;
    for (Value operand : op.getOperands())
      operands.push_back(isa<VectorType>(operand.getType())
                             ? chunk.lookup(operand)
                             : scalars.lookupOrDefault(operand));
    chunk.map(op.getResults(),
              cloneAtWidth(b, &op, layout.vector, operands)->getResults());
  }
}

void VectorDistributor::distributeStep(vector::StepOp op) {
  VectorType type = getChunkType(b.getIndexType());
  Value step = getLaneNumbers();
  for (auto [c, chunk] : llvm::enumerate(chunks)) {
    Lanes base(b, vector::BroadcastOp::create(b, type, getBase(c)));
    Lanes number = base + step;
    // Lanes before the row are the last ones.
    if (shift && c == 0)
      number = select(number.is(arith::CmpIPredicate::slt, 0),
                      number + layout.lanes, number);
    chunk.map(op.getResult(), number);
  }
}

/// A loop or a branch.
void VectorDistributor::distributeRegions(Operation &op) {
  OperationState state(op.getLoc(), op.getName(), lookup(op.getOperands()),
                       getTypes(op.getResultTypes()));
  for (Region &region : op.getRegions()) {
    Region *inner = state.addRegion();
    if (region.empty())
      continue;
    OpBuilder::InsertionGuard guard(b);
    SmallVector<Type> types = getTypes(region.getArgumentTypes());
    Block *block = b.createBlock(
        inner, {}, types, SmallVector<Location>(types.size(), op.getLoc()));
    mapResults(region.getArguments(), block->getArguments());
    run(region.front());
    scf::YieldOp::create(b,
                         lookup(region.front().getTerminator()->getOperands()));
  }
  mapResults(op.getResults(), b.create(state)->getResults());
}

/// A scalar effect of the row happens in one of its threads, or in each where
/// they read it back.
void VectorDistributor::distributeScalar(Operation &op) {
  Value writes; // null: in each
  if (!isMemoryEffectFree(&op) && !isa<memref::LoadOp, memref::AllocaOp>(op)) {
    auto store = dyn_cast<memref::StoreOp>(op);
    bool isPrivate =
        store &&
        getRootBuffer(store.getMemRef()).getDefiningOp<memref::AllocaOp>();
    writes = isPrivate ? Value() : layout.active;
    if (!layout.readBack->contains(&op)) {
      Lanes isFirst(b, Lanes(b, layout.thread).is(arith::CmpIPredicate::eq, 0));
      writes = writes ? isFirst & writes : isFirst;
    }
  }
  if (!writes) {
    b.clone(op, scalars);
    return;
  }
  scf::IfOp::create(b, writes, [&](OpBuilder &, Location) {
    b.clone(op, scalars);
    scf::YieldOp::create(b);
  });
}
