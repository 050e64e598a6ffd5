//===- StreamPlan.cpp - which writes can be streamed ----------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StreamPlan.h"
#include "StripLanes.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"
#include "norm/IR/Missed.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"
#include "norm/Target/CPU/Buffers.h"
#include <variant>

using namespace mlir;
using norm::LoopRole;
using norm::Missed;
using norm::Stream;
using norm::StreamPlan;

/// The span of such a buffer is known from its extents.
static bool hasForwardStrides(Value buffer) {
  if (!norm::hasCountableBytes(buffer))
    return false;
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getLayout().isIdentity())
    return true;
  auto [strides, offset] = type.getStridesAndOffset();
  (void)offset;
  return llvm::all_of(strides, [](int64_t stride) {
    return !ShapedType::isDynamic(stride) && stride >= 0;
  });
}

/// From outside of `loop`, where overlap is found at run time, or an
/// allocation, which overlaps nothing; a view inside could hide that two are
/// one.
static bool isKnownBase(Value base, Operation *loop) {
  return !loop->isAncestor(base.getParentBlock()->getParentOp()) ||
         isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(
             base.getDefiningOp());
}

/// The strips access buffers whose overlap is known.
static bool hasKnownBuffers(scf::ForOp strips, Operation *loop) {
  auto transfers = strips.getBody()->getOps<VectorTransferOpInterface>();
  return llvm::all_of(transfers, [&](VectorTransferOpInterface transfer) {
    return isKnownBase(transfer.getBase(), loop);
  });
}

/// Such strips may be done twice, and may start anywhere.
static bool readsNothingWritten(scf::ForOp strips) {
  llvm::DenseSet<Value> written;
  for (auto write : strips.getBody()->getOps<vector::TransferWriteOp>())
    written.insert(write.getBase());
  auto reads = strips.getBody()->getOps<vector::TransferReadOp>();
  return llvm::none_of(reads, [&](vector::TransferReadOp read) {
    return written.contains(read.getBase());
  });
}

/// Only vector and scalar stores touch `buffer` in `loop`.
static bool isOnlyWritten(Value buffer, Operation *loop) {
  return llvm::all_of(buffer.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (!loop->isAncestor(user) || isa<memref::DimOp>(user))
      return true;
    if (auto store = dyn_cast<memref::StoreOp>(user))
      return store.getMemref() == buffer;
    auto write = dyn_cast<vector::TransferWriteOp>(user);
    return write && write.getBase() == buffer;
  });
}

static int64_t getWidestWrite(Value buffer, Operation *loop) {
  int64_t widest = 0;
  for (Operation *user : buffer.getUsers())
    if (auto write = dyn_cast<vector::TransferWriteOp>(user))
      if (loop->isAncestor(write))
        widest = std::max(widest, write.getVectorType().getNumElements());
  return widest;
}

/// Whether strips that also add are worth moving to a line.
static bool isLongRow(scf::ForOp strips) {
  std::optional<int64_t> from = getConstantIntValue(strips.getLowerBound());
  std::optional<int64_t> to = getConstantIntValue(strips.getUpperBound());
  return from && to && *to - *from >= norm::getRowTarget(strips).longRow;
}

Operation *norm::getBlocksOf(Operation *rows) {
  Operation *blocks = rows->getParentOp();
  bool isInBlock =
      getRole(rows) == LoopRole::Block && getRole(blocks) == LoopRole::Rows;
  return isInBlock ? blocks : nullptr;
}

/// Whether rows start where lines do in no buffer that is aligned itself.
static bool hasUnalignedRows(Value buffer) {
  auto [strides, offset] =
      cast<MemRefType>(buffer.getType()).getStridesAndOffset();
  (void)offset;
  int64_t bytes = norm::getElementBytes(buffer);
  int64_t line = norm::getLineBytes(buffer);
  return llvm::any_of(ArrayRef(strides).drop_back(), [&](int64_t stride) {
    return !ShapedType::isDynamic(stride) && stride * bytes % line != 0;
  });
}

bool norm::startsAtLine(Value buffer, int64_t column) {
  auto alloc = buffer.getDefiningOp<memref::AllocOp>();
  auto type = cast<MemRefType>(buffer.getType());
  int64_t line = getLineBytes(buffer);
  return alloc && alloc.getAlignment().value_or(1) % line == 0 &&
         column * getElementBytes(buffer) % line == 0 &&
         type.getLayout().isIdentity() &&
         llvm::none_of(type.getShape().drop_front(), ShapedType::isDynamic) &&
         !hasUnalignedRows(buffer);
}

/// The loop over a row that `write` is directly in; rows of one vector have
/// none and are written in the body of the row loop.
static std::variant<Stream, Missed> planWrite(vector::TransferWriteOp write,
                                              Operation *loop) {
  Value buffer = write.getBase();
  int64_t lanes = write.getVectorType().getNumElements();
  if (!norm::findPlan(write).getStream())
    return Missed::NotStreamed;
  if (!norm::isPlainRow(write))
    return Missed::NotWholeRow;
  if (!isOnlyWritten(buffer, loop))
    return Missed::ReadAgain;
  int64_t bytes = norm::getElementBytes(buffer);
  int64_t line = norm::getLineBytes(buffer);
  if (line % bytes != 0 || lanes * bytes % line != 0)
    return Missed::NotWholeLines;
  Operation *parent = write->getParentOp();
  std::optional<LoopRole> role = norm::getRole(parent);
  if (role == LoopRole::Strips) {
    auto strips = cast<scf::ForOp>(parent);
    if (strips == loop || !norm::isStripOf(write, strips) ||
        !norm::isLaneWise(strips) || !hasKnownBuffers(strips, loop))
      return Missed::NotLaneWise;
    bool adds = !readsNothingWritten(strips);
    bool isMovable = !adds || isLongRow(strips);
    std::optional<int64_t> from = getConstantIntValue(strips.getLowerBound());
    if (!isMovable &&
        (!from || *from * bytes % line != 0 || hasUnalignedRows(buffer)))
      return Missed::ShortFixedRow;
    return Stream{write, strips, /*isUnaligned=*/false, isMovable, adds};
  }
  std::optional<int64_t> column =
      getConstantIntValue(write.getIndices().back());
  if (role != LoopRole::Rows && role != LoopRole::Block)
    return Missed::NotInStrips;
  bool isUnaligned = hasUnalignedRows(buffer);
  if (!column || *column * bytes % line != 0 ||
      (isUnaligned && !norm::getBlocksOf(parent)))
    return Missed::RowsWithinLines;
  return Stream{write, scf::ForOp(), isUnaligned};
}

/// Whether lines of `write` begin where those of the stream do, if its buffer
/// is aligned like that one's.
static bool isAlong(const Stream &stream, vector::TransferWriteOp write) {
  vector::TransferWriteOp first = stream.write;
  return write.getBase() != first.getBase() &&
         write.getVectorType() == first.getVectorType() &&
         ValueRange(write.getIndices()) == ValueRange(first.getIndices());
}

std::optional<StreamPlan> norm::planStreams(Operation *loop) {
  // A program's own loop may hold ours, but its threads get no fence.
  if (loop->getNumResults() != 0 ||
      (!isa<scf::ForOp>(loop) && norm::getRole(loop) != LoopRole::Rows))
    return std::nullopt;
  StreamPlan plan;
  plan.loop = loop;
  plan.buffers = norm::getOuterBuffers(loop).takeVector();
  if (!llvm::all_of(plan.buffers, hasForwardStrides)) {
    if (norm::getRole(loop))
      missed(loop, Missed::UnknownSpan);
    return std::nullopt;
  }
  // A buffer is explained by its first write, unless another one is streamed
  // or it is a temporary, which had better stay in the cache.
  llvm::MapVector<Value, std::pair<Operation *, Missed>> left;
  llvm::DenseSet<Value> streamed;
  loop->walk([&](vector::TransferWriteOp write) {
    Value buffer = write.getBase();
    if (!llvm::is_contained(plan.buffers, buffer) ||
        !norm::getRole(write->getParentOp()) ||
        write.getVectorType().getNumElements() != getWidestWrite(buffer, loop))
      return;
    std::variant<Stream, Missed> planned = planWrite(write, loop);
    auto *stream = std::get_if<Stream>(&planned);
    // The first write of a loop chooses where its strips start.
    auto *first = llvm::find_if(plan.streams, [&](const Stream &other) {
      return stream && stream->strips && other.strips == stream->strips;
    });
    bool isOwn = first == plan.streams.end();
    std::optional<Missed> reason;
    if (!stream)
      reason = std::get<Missed>(planned);
    else if (isOwn)
      plan.streams.push_back(*stream);
    else if (isAlong(*first, write))
      first->companions.push_back(write);
    else
      reason = Missed::NotAlong;
    if (stream && !stream->strips && stream->isUnaligned)
      reason = Missed::RowsWithinLines;
    if (reason)
      left.try_emplace(buffer, write, *reason);
    else
      streamed.insert(buffer);
  });
  for (auto &[buffer, why] : left)
    if (!streamed.contains(buffer) && !buffer.getDefiningOp<memref::AllocOp>())
      missed(why.first, why.second);
  if (!streamed.empty())
    remark::passed(
        loop->getLoc(),
        remark::RemarkOpts::name("Streamed").category("norm-stream-rows"))
        << "past the cache where the buffers are large, apart and aligned";
  if (plan.streams.empty())
    return std::nullopt;
  // Streaming reorders writes, so a written buffer must not overlap another.
  for (Value buffer : plan.buffers)
    if (!norm::isOnlyRead(buffer, loop))
      plan.written.insert(buffer);
  return plan;
}
