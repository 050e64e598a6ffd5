//===- StreamRows.cpp - versions of loops that pass the caches ------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowMatch.h"
#include "Streams.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "norm/Floats/Lanes.h"
#include "norm/Floats/ValueOrigins.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"
#include "norm/Normalize/ElementStorage.h"
#include "norm/Rows/Buffers.h"
#include "norm/Rows/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMSTREAMROWS
#include "norm/Rows/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using linalg::GenericOp;
using linalg::LinalgOp;
using norm::Lanes;
using norm::Stream;
using norm::StreamPlan;

/// glibc's _SC_LEVEL2_CACHE_SIZE; other systems answer 0 or -1.
static constexpr int64_t kLevel2CacheSize = 191;

//===----------------------------------------------------------------------===//
// Fetches
//===----------------------------------------------------------------------===//

/// A guess at the instructions of a strip: a function is a polynomial.
static int64_t getWork(LinalgOp op) {
  int64_t functionWork = norm::getRowTarget(op).functionWork;
  int64_t work = norm::getRowsRead(op).size() + op.getNumDpsInits();
  for (Operation &each : op.getBlock()->without_terminator())
    work += norm::isVectorFunction(each) ? functionWork : 1;
  return work;
}

/// Returns the ops that go over the columns of `op` in the same rows.
static SmallVector<GenericOp> findBeside(LinalgOp op) {
  return llvm::filter_to_vector(
      op->getBlock()->getOps<GenericOp>(), [&](GenericOp other) {
        std::optional<norm::RowMatch> match = norm::matchRow(other);
        return match && match->hasVectorLoop &&
               norm::haveSameColumns(op, other);
      });
}

namespace {
/// Rows that the next iteration of a loop reads: the views of this and of the
/// next one, and how an op reads them.
struct NextRow {
  Value now, next;
  AffineMap map;
  SmallVector<int64_t> extents; // of the reader's loops
};
} // namespace

/// Builds the view of the rows behind those of `view`: what the next iteration
/// of `loop` has, or what lies behind the last rows, which a prefetch may ask
/// for. Returns null where all iterations have the same.
static Value createNextView(OpBuilder &b, memref::SubViewOp view,
                            LoopLikeOpInterface loop) {
  Value iteration = loop.getLoopInductionVars()->back();
  OpFoldResult step = loop.getLoopSteps()->back();
  std::optional<SmallVector<Operation *>> ops =
      norm::findSources(loop, view.getResult());
  // Behind the last row a quotient may be one by zero.
  if (!ops || !llvm::all_of(*ops, isPure) ||
      llvm::none_of(*ops, [&](Operation *op) {
        return llvm::is_contained(op->getOperands(), iteration);
      }))
    return {};
  b.setInsertionPointAfter(view);
  Value by = getValueOrCreateConstantIndexOp(b, view.getLoc(), step);
  IRMapping next;
  next.map(iteration, arith::AddIOp::create(b, view.getLoc(), iteration, by));
  for (Operation *op : *ops)
    b.clone(*op, next);
  return next.lookup(view.getResult());
}

/// Returns true for elements side by side; the even ones stand for all.
static bool startsWithNeighbors(memref::SubViewOp view) {
  std::optional<int64_t> offset =
                             getConstantIntValue(view.getMixedOffsets().back()),
                         stride =
                             getConstantIntValue(view.getMixedStrides().back());
  return stride == 1 || (stride == 2 && offset && *offset % 2 == 0);
}

/// Returns what the loop around `op` reads in its next iteration of buffers
/// from outside of `scope`.
static SmallVector<NextRow> findNextRows(OpBuilder &b, LinalgOp op,
                                         Operation *scope) {
  SmallVector<NextRow> found;
  auto loop = dyn_cast<LoopLikeOpInterface>(op->getParentOp());
  if (norm::getRole(op->getParentOp()) != norm::LoopRole::Rows)
    return found;
  for (auto reader : llvm::to_vector(op->getBlock()->getOps<LinalgOp>()))
    for (OpOperand *row : norm::getRowsRead(reader)) {
      auto view = row->get().getDefiningOp<memref::SubViewOp>();
      Value root = norm::getRootIn(scope, row->get());
      if (!view || scope->isAncestor(root.getParentBlock()->getParentOp()) ||
          !startsWithNeighbors(view) ||
          llvm::any_of(found, [&](NextRow &next) { return next.now == view; }))
        continue;
      if (Value next = createNextView(b, view, loop))
        found.push_back({view, next, reader.getMatchingIndexingMap(row),
                         reader.getStaticLoopRanges()});
    }
  return found;
}

//===----------------------------------------------------------------------===//
// Two versions
//===----------------------------------------------------------------------===//

namespace {
/// Where a buffer lies, found before the loop.
struct BufferInfo {
  SmallVector<Lanes> places; // where it starts, and the bytes between rows
  Lanes end;
};

class RowStreamer {
public:
  RowStreamer(OpBuilder &b, const StreamPlan &plan, uint64_t cacheBytes)
      : b(plan.loop->getLoc(), b), plan(plan), cacheBytes(cacheBytes),
        target(norm::getRowTarget(plan.loop)) {}

  void run() {
    b.setInsertionPoint(plan.loop);
    for (Value buffer : plan.buffers)
      describe(buffer);
    Lanes large(b, createIsLarge());
    // Streaming reorders writes, so a written buffer must not overlap another.
    for (Value buffer : plan.buffers)
      for (Value other : plan.buffers)
        if (other != buffer && !norm::isOnlyReadIn(plan.loop, buffer))
          large = large & createAreDisjoint(infos[buffer], infos[other]);
    for (const Stream &stream : plan.streams)
      large = large & createIsAligned(stream);
    auto choice = scf::IfOp::create(b, large, /*withElseRegion=*/true);
    choice->setAttr(norm::versionsAttrName, b.getUnitAttr());
    b.setInsertionPoint(choice.elseYield());
    b.clone(*plan.loop);
    plan.loop->moveBefore(choice.thenYield());
    buildVersion();
  }

private:
  Lanes constant(int64_t value) {
    return Lanes(b, arith::ConstantIndexOp::create(b, value));
  }

  void describe(Value buffer) {
    auto metadata = memref::ExtractStridedMetadataOp::create(b, buffer);
    int64_t bytes = norm::getElementBytes(buffer.getType());
    Lanes offset(b, metadata.getOffset());
    Lanes start =
        offset * bytes +
        Value(memref::ExtractAlignedPointerAsIndexOp::create(b, buffer));
    // One past the last element; an extent of zero leaves nothing to run.
    Lanes last = constant(1);
    for (auto [size, stride] :
         llvm::zip(metadata.getSizes(), metadata.getStrides()))
      last = last + (Lanes(b, size) - 1) * stride;
    BufferInfo info{{start}, start + last * bytes};
    ValueRange strides = metadata.getStrides(); // none of a scalar
    for (Value stride : strides.drop_back(strides.empty() ? 0 : 1))
      info.places.push_back(Lanes(b, stride) * bytes);
    infos[buffer] = std::move(info);
  }

  /// Asks sysconf, unless its name is taken.
  Value createCacheBytes() {
    if (cacheBytes > 0)
      return constant(cacheBytes);
    auto module = plan.loop->getParentOfType<ModuleOp>();
    Type i32 = b.getI32Type(), i64 = b.getI64Type();
    FunctionType type = b.getFunctionType(i32, i64);
    if (!module.lookupSymbol("sysconf")) {
      auto end = OpBuilder::atBlockEnd(module.getBody());
      func::FuncOp::create(end, module.getLoc(), "sysconf", type).setPrivate();
    }
    auto sysconf = module.lookupSymbol<func::FuncOp>("sysconf");
    if (!sysconf || !sysconf.isExternal() || sysconf.getFunctionType() != type)
      return constant(target.defaultCacheBytes);
    Value name = arith::ConstantIntOp::create(b, i32, kLevel2CacheSize);
    Value answer = func::CallOp::create(b, sysconf, name).getResult(0);
    Lanes level2(b, arith::IndexCastOp::create(b, b.getIndexType(), answer));
    return select(level2.is(arith::CmpIPredicate::sgt, 0),
                  level2 * target.level2Multiple,
                  constant(target.defaultCacheBytes));
  }

  Value createIsLarge() {
    Lanes bytes = norm::createByteCount(b, plan.buffers);
    auto isLarge = [&] {
      return bytes.is(arith::CmpIPredicate::uge, createCacheBytes());
    };
    if (cacheBytes > 0)
      return isLarge();
    Value worthAsking =
        bytes.is(arith::CmpIPredicate::uge, target.leastStreamedBytes);
    auto asked = scf::IfOp::create(b, b.getI1Type(), worthAsking,
                                   /*withElseRegion=*/true);
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(asked.thenBlock());
    scf::YieldOp::create(b, isLarge());
    b.setInsertionPointToStart(asked.elseBlock());
    Value no = arith::ConstantIntOp::create(b, b.getI1Type(), 0);
    scf::YieldOp::create(b, no);
    return asked.getResult(0);
  }

  Value createAreDisjoint(const BufferInfo &x, const BufferInfo &y) {
    Value before = x.end.is(arith::CmpIPredicate::ule, y.places.front());
    Value behind = y.end.is(arith::CmpIPredicate::ule, x.places.front());
    return Lanes(b, before) | behind;
  }

  /// Strips can reach a line from any multiple of the element; rows that stay
  /// where they are must all be aligned, unless they are stored as usual.
  /// Companions are at the same distance from a line.
  Value createIsAligned(const Stream &stream) {
    Value buffer = norm::getRootIn(plan.loop, stream.getBuffer(0));
    ArrayRef<Lanes> places = infos[buffer].places;
    Lanes isAligned =
        stream.isMovable
            ? createAreMultiples(places[0],
                                 norm::getElementBytes(buffer.getType()))
            : createAreMultiples(places,
                                 stream.isUnaligned ? 1 : target.lineBytes);
    for (unsigned i = 1; i < stream.results.size(); ++i) {
      Value companion = norm::getRootIn(plan.loop, stream.getBuffer(i));
      SmallVector<Lanes> apart;
      for (auto [x, y] : llvm::zip(places, infos[companion].places))
        apart.push_back(x - y);
      isAligned = isAligned & createAreMultiples(apart, target.lineBytes);
    }
    return isAligned;
  }

  /// `divisor` is a power of two.
  Lanes createAreMultiples(ArrayRef<Lanes> numbers, int64_t divisor) {
    Lanes bits = numbers.front();
    for (Lanes number : numbers.drop_front())
      bits = bits | number;
    return Lanes(b, (bits & (divisor - 1)).is(arith::CmpIPredicate::eq, 0));
  }

  //===--------------------------------------------------------------------===//
  // The second version
  //===--------------------------------------------------------------------===//

  void buildVersion() {
    llvm::MapVector<Operation *, LinalgOp> moved; // the last of each loop
    for (const Stream &stream : plan.streams)
      if (LinalgOp op = stream.op; stream.hasStrips && !stream.adds)
        moved[op->getParentOp()] = op;
    llvm::MapVector<Operation *, norm::RowPipeline> pipelines; // by writer
    for (auto [rows, writer] : moved)
      if (std::optional<norm::RowPipeline> found =
              norm::planPipeline(writer, plan.loop))
        pipelines[writer] = std::move(*found);
    for (const Stream &stream : plan.streams)
      buildStream(stream, pipelines.lookup(stream.op).statistic);
    for (auto &[writer, pipeline] : pipelines)
      norm::pipelineRows(pipeline);
  }

  norm::RowStreamsAttr getStreams(ArrayRef<int64_t> results, bool isMoved,
                                  size_t fetched, bool isNear) {
    return norm::RowStreamsAttr::get(b.getContext(),
                                     b.getDenseI64ArrayAttr(results), isMoved,
                                     fetched, isNear, /*beside=*/false);
  }

  /// The rows that a statistic reads beside `op` need no fetch.
  void buildStream(const Stream &stream, LinalgOp statistic) {
    LinalgOp op = stream.op;
    ArrayRef<int64_t> results = stream.results;
    op->setAttr(norm::streamsAttrName,
                getStreams(stream.isUnaligned ? ArrayRef<int64_t>() : results,
                           stream.isMovable, 0, false));
    if (!stream.hasStrips && !norm::hasRowsOfBlock(op))
      return;
    OpBuilder::InsertionGuard guard(b);
    SmallVector<NextRow> rows = findNextRows(b, op, plan.loop);
    if (stream.adds)
      return fetchEarly(op, rows);
    GenericOp fetching =
        stream.hasStrips ? choosePrefetchOp(op) : dyn_cast<GenericOp>(*op);
    if (!fetching)
      return;
    if (statistic && fetching == op)
      llvm::erase_if(rows,
                     [&](const NextRow &row) { return reads(statistic, row); });
    // Where the next row waits meanwhile: in the level 1 cache it would push
    // this row out, unless arithmetic outlasts the memory.
    bool isNear = stream.hasStrips && getWork(fetching) >= target.functionWork;
    fetch(fetching, rows, isNear);
  }

  /// Returns true if `op` reads the buffer with these rows.
  bool reads(LinalgOp op, const NextRow &next) {
    return llvm::any_of(norm::getRowsRead(op), [&](OpOperand *row) {
      return norm::getRootIn(plan.loop, row->get()) ==
             norm::getRootIn(plan.loop, next.now);
    });
  }

  /// Prefetches go where they wait least for each other: to the op over the
  /// same columns that computes the most, if it is far ahead of `op`.
  GenericOp choosePrefetchOp(LinalgOp op) {
    auto chosen = dyn_cast<GenericOp>(*op);
    int64_t most = 2 * getWork(op);
    for (GenericOp other : findBeside(op))
      if (int64_t work = getWork(other); work > most) {
        chosen = other;
        most = work;
      }
    return chosen;
  }

  /// No other row is read while an op writes that also adds, so the next one is
  /// fetched as soon as this one has been: by the second op that reads it.
  void fetchEarly(LinalgOp op, ArrayRef<NextRow> rows) {
    for (const NextRow &row : rows) {
      SmallVector<GenericOp> readers = llvm::filter_to_vector(
          findBeside(op), [&](GenericOp reader) { return reads(reader, row); });
      if (!readers.empty())
        fetch(readers.size() > 1 ? readers[1] : readers[0], row,
              /*isNear=*/false);
    }
  }

  /// Lets an op fetch rows beside what it does.
  void fetch(GenericOp op, ArrayRef<NextRow> rows, bool isNear) {
    if (rows.empty())
      return;
    auto old = op->getAttrOfType<norm::RowStreamsAttr>(norm::streamsAttrName);
    if (!old)
      old = getStreams({}, false, 0, false);
    int64_t count = old.getFetched();
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    for (const NextRow &row : rows) {
      if (row.extents != op.getStaticLoopRanges() ||
          !row.next.getDefiningOp()->isBeforeInBlock(op) ||
          !fetched.insert({op, row.now}).second)
        continue;
      unsigned number = op.getNumDpsInputs();
      op.getInputsMutable().append(row.next);
      maps.insert(maps.begin() + number, row.map);
      op.getBody()->insertArgument(
          number, getElementTypeOrSelf(row.next.getType()), op.getLoc());
      ++count;
    }
    op.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
    op->setAttr(norm::streamsAttrName,
                getStreams(old.getResults(), old.getMoved(), count, isNear));
  }

  ImplicitLocOpBuilder b;
  const StreamPlan &plan;
  uint64_t cacheBytes;
  norm::RowTarget target;
  llvm::DenseSet<std::pair<Operation *, Value>> fetched;
  llvm::DenseMap<Value, BufferInfo> infos;
};

struct NormStreamRows : norm::impl::NormStreamRowsBase<NormStreamRows> {
  using NormStreamRowsBase::NormStreamRowsBase;

  void runOnOperation() override {
    OpBuilder b(&getContext());
    for (auto func : getOperation().getOps<func::FuncOp>())
      for (Operation *loop : norm::getOutermostLoops(func))
        if (std::optional<StreamPlan> plan = norm::planStreams(loop))
          RowStreamer(b, *plan, cacheBytes).run();
  }
};
} // namespace
