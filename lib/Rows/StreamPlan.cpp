//===- StreamPlan.cpp - which results can be streamed ---------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowMatch.h"
#include "RowValues.h"
#include "Streams.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/ValueBoundsOpInterface.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "norm/IR/Missed.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"
#include "norm/Normalize/ElementStorage.h"
#include "norm/Rows/Buffers.h"

using namespace mlir;
using namespace mlir::norm;
using linalg::LinalgOp;

//===----------------------------------------------------------------------===//
// Buffers and views
//===----------------------------------------------------------------------===//

Value norm::getRootIn(Operation *loop, Value v) {
  while (auto view = v.getDefiningOp<ViewLikeOpInterface>()) {
    if (!loop->isProperAncestor(view))
      break;
    v = view.getViewSource();
  }
  return v;
}

/// Returns true if ops in `loop` have no other effects on `buffer`.
template <typename Effect>
static bool hasOnlyEffect(Operation *loop, Value buffer) {
  return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
    if (!loop->isAncestor(user) || isa<memref::PrefetchOp>(user))
      return true;
    if (isa<ViewLikeOpInterface>(user))
      return hasOnlyEffect<Effect>(loop, user->getResult(0));
    return isMemoryEffectFree(user) || hasSingleEffect<Effect>(user, buffer);
  });
}

bool norm::isOnlyReadIn(Operation *loop, Value buffer) {
  return hasOnlyEffect<MemoryEffects::Read>(loop, buffer);
}

/// The span of such a buffer is known from its extents.
static bool hasForwardStrides(Value buffer) {
  if (!hasCountableBytes(buffer))
    return false;
  auto type = cast<MemRefType>(buffer.getType());
  if (type.getLayout().isIdentity())
    return true;
  return llvm::all_of(type.getStridesAndOffset().first, [](int64_t stride) {
    return !ShapedType::isDynamic(stride) && stride >= 0;
  });
}

bool norm::hasKnownRoot(Operation *loop, Value v) {
  Value root = getRootIn(loop, v);
  return !loop->isAncestor(root.getParentBlock()->getParentOp()) ||
         isa_and_nonnull<memref::AllocOp, memref::AllocaOp>(
             root.getDefiningOp());
}

/// Returns true if rows start where lines do in no buffer that is aligned
/// itself.
static bool hasUnalignedRows(Value buffer, int64_t line) {
  SmallVector<int64_t> strides =
      cast<MemRefType>(buffer.getType()).getStridesAndOffset().first;
  int64_t bytes = norm::getElementBytes(buffer.getType());
  return llvm::any_of(ArrayRef(strides).drop_back(), [&](int64_t stride) {
    return !ShapedType::isDynamic(stride) && stride * bytes % line != 0;
  });
}

/// Returns the views in `loop` through which `v` is seen, innermost first.
static SmallVector<memref::SubViewOp> getViewsIn(Operation *loop, Value v) {
  SmallVector<memref::SubViewOp> views;
  for (auto view = v.getDefiningOp<memref::SubViewOp>();
       view && loop->isProperAncestor(view);
       view = view.getSource().getDefiningOp<memref::SubViewOp>())
    views.push_back(view);
  return views;
}

/// Returns the column of its buffer at which a view in `loop` begins, if it is
/// known.
static std::optional<int64_t> getFirstColumn(Operation *loop, Value v) {
  int64_t column = 0;
  for (memref::SubViewOp view : getViewsIn(loop, v)) {
    std::optional<int64_t> offset = getConstantIntValue(
                               view.getMixedOffsets().back()),
                           stride = getConstantIntValue(
                               view.getMixedStrides().back());
    if (!offset || !stride)
      return std::nullopt;
    column = *offset + column * *stride;
  }
  return column;
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

bool norm::hasRowsOfBlock(LinalgOp op) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  return llvm::any_of(ArrayRef(extents).drop_back(),
                      [](int64_t extent) { return extent != 1; });
}

SmallVector<OpOperand *> norm::getRowsRead(LinalgOp op) {
  unsigned innermost = op.getNumLoops() - 1;
  SmallVector<OpOperand *> rows;
  for (OpOperand &operand : op->getOpOperands())
    if (!op.getMatchingBlockArgument(&operand).use_empty() &&
        op.getMatchingIndexingMap(&operand).isFunctionOfDim(innermost))
      rows.push_back(&operand);
  return rows;
}

/// Returns the columns of the rows of an op, as one of them has them.
static ValueBoundsConstraintSet::Variable getColumns(LinalgOp op) {
  unsigned innermost = op.getNumLoops() - 1;
  for (OpOperand &operand : op->getOpOperands())
    if (AffineMap map = op.getMatchingIndexingMap(&operand);
        map.isFunctionOfDim(innermost))
      return {operand.get(), map.getNumResults() - 1};
  llvm_unreachable("an operand has each loop of an op");
}

bool norm::haveSameColumns(LinalgOp a, LinalgOp b) {
  FailureOr<bool> areSame =
      ValueBoundsConstraintSet::areEqual(getColumns(a), getColumns(b));
  return succeeded(areSame) && *areSame;
}

//===----------------------------------------------------------------------===//
// The plan
//===----------------------------------------------------------------------===//

namespace {
class StreamPlanner {
public:
  explicit StreamPlanner(Operation *loop) : loop(loop) { plan.loop = loop; }

  std::optional<StreamPlan> run() {
    plan.buffers = getOuterBuffers(loop).takeVector();
    if (!llvm::all_of(plan.buffers, hasForwardStrides)) {
      if (getRole(loop))
        missed(loop, Missed::UnknownSpan);
      return std::nullopt;
    }
    loop->walk([&](LinalgOp op) {
      bool isOverRows = op == loop || getRole(op->getParentOp());
      bool isOpen = isOverRows && !op->hasAttr(streamsAttrName) &&
                    op.hasPureBufferSemantics();
      std::optional<RowMatch> match = isOpen ? matchRow(op) : std::nullopt;
      if (match && match->hasVectorLoop)
        addResults(op, *match);
    });
    // A temporary had better stay in the cache.
    for (auto &[buffer, why] : left)
      if (!streamed.contains(buffer) &&
          !buffer.getDefiningOp<memref::AllocOp>())
        missed(why.first, why.second);
    if (!streamed.empty())
      remark::passed(
          loop->getLoc(),
          remark::RemarkOpts::name("Streamed").category("norm-stream-rows"))
          << "past the cache where the buffers are large, apart and aligned";
    if (plan.streams.empty())
      return std::nullopt;
    return std::move(plan);
  }

private:
  void addResults(LinalgOp op, const RowMatch &match) {
    std::optional<Stream> stream;
    for (OpOperand &init : op.getDpsInitsMutable()) {
      Value root = getRootIn(loop, init.get());
      AffineMap map = op.getMatchingIndexingMap(&init);
      if (!llvm::is_contained(plan.buffers, root) ||
          !map.isFunctionOfDim(op.getNumLoops() - 1))
        continue;
      if (stream &&
          areHalvesOfPairs(op.getDpsInits()[stream->results[0]], init.get()))
        continue; // is written with it
      Stream own;
      own.op = op;
      std::optional<Missed> reason = planResult(own, init, root, match);
      if (!reason && stream && !isAlong(*stream, init, root))
        reason = Missed::NotAlong;
      if (!reason) {
        if (!stream)
          stream = own;
        stream->results.push_back(init.getOperandNumber() -
                                  op.getNumDpsInputs());
        if (stream->isUnaligned)
          reason = Missed::RowsWithinLines;
      }
      if (reason)
        left.try_emplace(root, op, *reason);
      else
        streamed.insert(root);
    }
    if (stream)
      plan.streams.push_back(std::move(*stream));
  }

  /// Decides how a result of the op is streamed, or returns why it is not.
  std::optional<Missed> planResult(Stream &stream, OpOperand &init, Value root,
                                   const RowMatch &match) {
    LinalgOp op = stream.op;
    StripLanes strips = chooseStripLanes(op, match);
    int64_t extent = op.getStaticLoopRanges().back(),
            lanes = ShapedType::isDynamic(extent) || extent >= strips.lanes
                        ? strips.lanes
                        : strips.tail;
    bool isKnown = !ShapedType::isDynamic(extent);
    if (!findPlan(op).getStream())
      return Missed::NotStreamed;
    bool hasStrips = !isKnown || extent / lanes != 1;
    bool arePairs = !hasStrips && llvm::any_of(op.getDpsInits(), [&](Value v) {
      return areHalvesOfPairs(v, init.get());
    });
    bool isPlain =
        cast<MemRefType>(init.get().getType()).isLastDimUnitStride() &&
        hasPlainViews(init.get());
    if ((!isPlain && !arePairs) || (isKnown && extent < lanes))
      return Missed::NotWholeRow;
    if (!hasOnlyEffect<MemoryEffects::Write>(loop, root))
      return Missed::ReadAgain;
    int64_t bytes = norm::getElementBytes(root.getType()),
            line = getRowTarget(op).lineBytes;
    if (line % bytes != 0 || lanes * (arePairs ? 2 : 1) * bytes % line != 0)
      return Missed::NotWholeLines;
    std::optional<int64_t> column = getFirstColumn(loop, init.get());
    if (column && arePairs)
      *column -= *column % 2;
    bool startsAtLine = column && *column * bytes % line == 0,
         areUnaligned = hasUnalignedRows(root, line);
    stream.hasStrips = hasStrips;
    if (!hasStrips) {
      stream.isUnaligned = areUnaligned;
      bool isInBlock =
          hasRowsOfBlock(op) && getRole(op->getParentOp()) == LoopRole::Rows;
      if (!startsAtLine || (areUnaligned && !isInBlock))
        return Missed::RowsWithinLines;
      return std::nullopt;
    }
    if (!llvm::all_of(op->getOperands(), [&](Value v) {
          return !isa<MemRefType>(v.getType()) || hasKnownRoot(loop, v);
        }))
      return Missed::UnknownBuffer;
    stream.adds = readsWhatItWrites(op);
    // What is allocated here can start at lines.
    auto alloc = root.getDefiningOp<memref::AllocOp>();
    bool isAligned = alloc && startsAtLine && !areUnaligned &&
                     alloc.getAlignment().value_or(1) % line == 0 &&
                     alloc.getType().getLayout().isIdentity() &&
                     llvm::none_of(alloc.getType().getShape().drop_front(),
                                   ShapedType::isDynamic);
    stream.isMovable =
        !isAligned &&
        (!stream.adds || (isKnown && extent >= getRowTarget(op).longRow));
    if (!stream.isMovable && (!startsAtLine || areUnaligned))
      return Missed::ShortFixedRow;
    return std::nullopt;
  }

  /// Returns true if `v` is seen through views of neighbors alone.
  bool hasPlainViews(Value v) {
    SmallVector<memref::SubViewOp> views = getViewsIn(loop, v);
    Value source = views.empty() ? v : views.back().getSource();
    return source == getRootIn(loop, v) &&
           llvm::all_of(views, [](memref::SubViewOp view) {
             return view.hasUnitStride();
           });
  }

  /// Returns true if lines of another result begin where those of the stream
  /// do, if its buffer is aligned like that one's.
  bool isAlong(const Stream &stream, OpOperand &init, Value root) {
    LinalgOp op = stream.op;
    OpOperand *first = op.getDpsInitOperand(stream.results.front());
    auto getOffsets = [&](Value v) {
      SmallVector<OpFoldResult> offsets;
      for (memref::SubViewOp view : getViewsIn(loop, v))
        llvm::append_range(offsets, view.getMixedOffsets());
      return offsets;
    };
    return getRootIn(loop, first->get()) != root &&
           op.getMatchingIndexingMap(first) ==
               op.getMatchingIndexingMap(&init) &&
           norm::getElementBytes(first->get().getType()) ==
               norm::getElementBytes(init.get().getType()) &&
           isEqualConstantIntOrValueArray(getOffsets(first->get()),
                                          getOffsets(init.get()));
  }

  Operation *loop;
  StreamPlan plan;
  /// A buffer is explained by its first write, unless another one is streamed.
  llvm::MapVector<Value, std::pair<Operation *, Missed>> left;
  llvm::DenseSet<Value> streamed;
};
} // namespace

std::optional<StreamPlan> norm::planStreams(Operation *loop) {
  // A program's own loop may hold ours, but its threads get no fence.
  if (loop->getNumResults() != 0 ||
      (!isa<scf::ForOp, LinalgOp>(loop) && getRole(loop) != LoopRole::Rows))
    return std::nullopt;
  if (auto op = dyn_cast<LinalgOp>(loop); op && op.getNumLoops() < 2)
    return std::nullopt;
  return StreamPlanner(loop).run();
}
