//===- StreamRows.cpp - non-temporal stores of large rows -----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelineRows.h"
#include "StreamPlan.h"
#include "StripLanes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Matchers.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"
#include "norm/Rows/Vectors.h"
#include "norm/Target/CPU/Buffers.h"
#include "norm/Target/CPU/Streams/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMSTREAMROWS
#include "norm/Target/CPU/Streams/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using norm::Stream;
using norm::StreamPlan;

/// glibc's _SC_LEVEL2_CACHE_SIZE; other systems answer 0 or -1.
static constexpr int64_t kLevel2CacheSize = 191;

namespace {
/// Where a buffer lies, found before the loop.
struct BufferInfo {
  Value start, end;
  SmallVector<Value> places; // `start`, and the bytes between rows
};
} // namespace

/// A guess at the instructions of a strip: a function is a polynomial.
static int64_t getWork(scf::ForOp strips) {
  int64_t functionWork = norm::getRowTarget(strips).functionWork;
  int64_t work = 0;
  for (Operation &op : *strips.getBody())
    work += isa<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp,
                math::Log1pOp, math::TanhOp, math::ErfOp>(op)
                ? functionWork
                : 1;
  return work;
}

/// Prefetches go where they wait least for each other: to the loop over the
/// same strips that computes the most, if it is far ahead of `strips`.
static scf::ForOp choosePrefetchLoop(scf::ForOp strips) {
  scf::ForOp chosen = strips;
  int64_t most = 2 * getWork(strips);
  for (auto loop : strips->getBlock()->getOps<scf::ForOp>())
    if (norm::getRole(loop) && loop.getLowerBound() == strips.getLowerBound() &&
        loop.getUpperBound() == strips.getUpperBound() &&
        loop.getStep() == strips.getStep() && getWork(loop) > most) {
      chosen = loop;
      most = getWork(loop);
    }
  return chosen;
}

/// Where the next row waits while `strips` runs: in the level 1 cache it would
/// push this row out, unless arithmetic outlasts the memory.
static norm::CacheLevel chooseLevel(scf::ForOp strips) {
  return getWork(strips) < norm::getRowTarget(strips).functionWork
             ? norm::CacheLevel::Second
             : norm::CacheLevel::First;
}

//===----------------------------------------------------------------------===//
// Two versions
//===----------------------------------------------------------------------===//

namespace {
class RowStreamer {
public:
  RowStreamer(OpBuilder &b, const StreamPlan &plan, int64_t cacheBytes)
      : b(plan.loop->getLoc(), b), plan(plan), cacheBytes(cacheBytes),
        target(norm::getRowTarget(plan.loop)) {}

  void run() {
    b.setInsertionPoint(plan.loop);
    for (Value buffer : plan.buffers)
      describe(buffer);
    Value large = createIsLarge();
    for (Value buffer : plan.written)
      for (Value other : plan.buffers)
        if (other != buffer)
          large = both(large, createAreDisjoint(infos[buffer], infos[other]));
    for (Stream stream : plan.streams)
      large = both(large, createIsAligned(stream));
    auto choice = scf::IfOp::create(b, large, /*withElseRegion=*/true);
    b.setInsertionPoint(choice.thenYield());
    buildVersion();
    plan.loop->moveBefore(choice.elseYield());
  }

private:
  Value constant(int64_t value) {
    return arith::ConstantIndexOp::create(b, value);
  }
  Value add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(x, y); }
  Value sub(Value x, Value y) { return b.createOrFold<arith::SubIOp>(x, y); }
  Value mul(Value x, Value y) { return b.createOrFold<arith::MulIOp>(x, y); }
  Value both(Value x, Value y) { return b.createOrFold<arith::AndIOp>(x, y); }
  Value least(Value x, Value y) { return b.createOrFold<arith::MinSIOp>(x, y); }
  Value compare(arith::CmpIPredicate predicate, Value x, Value y) {
    return b.createOrFold<arith::CmpIOp>(predicate, x, y);
  }

  void describe(Value buffer) {
    Value bytes = constant(norm::getElementBytes(buffer));
    auto metadata = memref::ExtractStridedMetadataOp::create(b, buffer);
    Value base = memref::ExtractAlignedPointerAsIndexOp::create(b, buffer);
    BufferInfo info;
    info.start = add(base, mul(metadata.getOffset(), bytes));
    // One past the last element; an extent of zero leaves nothing to run.
    Value last = constant(1);
    for (auto [size, stride] :
         llvm::zip(metadata.getSizes(), metadata.getStrides()))
      last = add(last, mul(sub(size, constant(1)), stride));
    info.end = add(info.start, mul(last, bytes));
    info.places = {info.start};
    ValueRange strides = metadata.getStrides(); // none of a scalar
    for (Value stride : strides.drop_back(strides.empty() ? 0 : 1))
      info.places.push_back(mul(stride, bytes));
    infos[buffer] = std::move(info);
  }

  /// The module-level pass has declared sysconf, or its name is taken.
  Value createCacheBytes() {
    if (cacheBytes > 0)
      return constant(cacheBytes);
    auto module = plan.loop->getParentOfType<ModuleOp>();
    auto sysconf = module.lookupSymbol<func::FuncOp>("sysconf");
    Type i32 = b.getI32Type(), i64 = b.getI64Type();
    if (!sysconf || sysconf.getFunctionType() != b.getFunctionType(i32, i64))
      return constant(target.defaultCacheBytes);
    Value name = arith::ConstantIntOp::create(b, i32, kLevel2CacheSize);
    Value level2 = func::CallOp::create(b, sysconf, name).getResult(0);
    level2 = arith::IndexCastOp::create(b, b.getIndexType(), level2);
    Value known = compare(arith::CmpIPredicate::sgt, level2, constant(0));
    return arith::SelectOp::create(b, known,
                                   mul(level2, constant(target.level2Multiple)),
                                   constant(target.defaultCacheBytes));
  }

  Value createIsLarge() {
    Value bytes = norm::createByteCount(b, b.getLoc(), plan.buffers);
    auto isLarge = [&] {
      return compare(arith::CmpIPredicate::uge, bytes, createCacheBytes());
    };
    if (cacheBytes > 0)
      return isLarge();
    Value worthAsking = compare(arith::CmpIPredicate::uge, bytes,
                                constant(target.leastStreamedBytes));
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
    Value before = compare(arith::CmpIPredicate::ule, x.end, y.start);
    Value after = compare(arith::CmpIPredicate::ule, y.end, x.start);
    return arith::OrIOp::create(b, before, after);
  }

  /// Strips can reach a line from any multiple of the element; rows that stay
  /// where they are must all be aligned. Companions are at the same distance
  /// from a line.
  Value createIsAligned(Stream stream) {
    Value buffer = stream.write.getBase();
    const BufferInfo &info = infos[buffer];
    Value isAligned;
    if (stream.isMovable)
      isAligned = createAreMultiples(info.start, norm::getElementBytes(buffer));
    else if (stream.isUnaligned)
      isAligned = arith::ConstantIntOp::create(b, b.getI1Type(), 1);
    else
      isAligned = createAreMultiples(info.places, target.lineBytes);
    for (vector::TransferWriteOp companion : stream.companions) {
      SmallVector<Value> apart;
      for (auto [x, y] :
           llvm::zip(info.places, infos[companion.getBase()].places))
        apart.push_back(sub(x, y));
      isAligned = both(isAligned, createAreMultiples(apart, target.lineBytes));
    }
    return isAligned;
  }

  /// `divisor` is a power of two.
  Value createAreMultiples(ValueRange numbers, int64_t divisor) {
    Value bits = numbers.front();
    for (Value number : numbers.drop_front())
      bits = b.createOrFold<arith::OrIOp>(bits, number);
    return compare(arith::CmpIPredicate::eq, both(bits, constant(divisor - 1)),
                   constant(0));
  }

  //===--------------------------------------------------------------------===//
  // The second version
  //===--------------------------------------------------------------------===//

  void buildVersion() {
    IRMapping mapping;
    b.clone(*plan.loop, mapping);
    for (Stream stream : plan.streams)
      buildStream(stream, mapping);
    for (auto [rows, strips] : moved)
      norm::pipelineRows(rows, strips);
  }

  void buildStream(Stream stream, IRMapping &mapping) {
    auto write = cast<vector::TransferWriteOp>(
        mapping.lookup(stream.write.getOperation()));
    if (!stream.strips) {
      fetchNextBlock(write);
      if (!stream.isUnaligned)
        streamWrite(write);
      return;
    }
    auto strips =
        cast<scf::ForOp>(mapping.lookup(stream.strips.getOperation()));
    if (!stream.adds)
      return moveStrips(stream, strips, write, mapping);
    fetchEarly(strips, write);
    if (stream.isMovable)
      shiftStrips(stream, strips, write, mapping);
    else
      streamWrites(stream, mapping);
  }

  void streamWrites(Stream stream, IRMapping &mapping) {
    stream.companions.push_back(stream.write);
    for (vector::TransferWriteOp original : stream.companions)
      streamWrite(cast<vector::TransferWriteOp>(
          mapping.lookup(original.getOperation())));
  }

  void streamWrite(vector::TransferWriteOp write) {
    b.setInsertionPoint(write);
    vector::StoreOp::create(b, write.getValueToStore(), write.getBase(),
                            write.getIndices(), /*nontemporal=*/true,
                            llvm::MaybeAlign(target.lineBytes));
    write.erase();
  }

  /// Elements from column `from` of the written row to an aligned address.
  Value createHead(vector::TransferWriteOp write, Value from) {
    std::optional<int64_t> column = getConstantIntValue(from);
    if (column && norm::startsAtLine(write.getBase(), *column))
      return constant(0);
    const BufferInfo &info = infos[write.getBase()];
    Value bytes = constant(norm::getElementBytes(write.getBase()));
    Value address = add(info.start, mul(from, bytes));
    for (auto [index, rowBytes] : llvm::zip(write.getIndices().drop_back(),
                                            ArrayRef(info.places).drop_front()))
      address = add(address, mul(index, rowBytes));
    Value missing =
        both(sub(constant(0), address), constant(target.lineBytes - 1));
    return arith::DivUIOp::create(b, missing, bytes);
  }

  /// Behind the last strip, which may reach further than the loop's bound.
  Value createEnd(scf::ForOp strips, int64_t lanes) {
    Value from = strips.getLowerBound();
    Value length = sub(strips.getUpperBound(), from);
    Value whole = both(add(length, constant(lanes - 1)), constant(-lanes));
    return add(from, whole);
  }

  void moveStrips(Stream stream, scf::ForOp strips,
                  vector::TransferWriteOp write, IRMapping &mapping) {
    int64_t lanes = write.getVectorType().getNumElements();
    int64_t line = target.lineBytes / norm::getElementBytes(write.getBase());
    Value from = strips.getLowerBound(), bound = strips.getUpperBound();
    scf::ForOp fetching = choosePrefetchLoop(strips);
    norm::goUp(strips);
    Value isMoved = shiftStrips(stream, strips, write, mapping);
    if (prefetchingLoops.insert(fetching).second)
      fetchIn(fetching, findNextRows(strips->getParentOp()), lanes,
              chooseLevel(fetching));
    moved[strips->getParentOp()] = {strips, from, bound, isMoved, line};
  }

  /// No other row is read while strips are written that also add, so the next
  /// one is fetched as soon as this one has been: in the second loop that reads
  /// it.
  void fetchEarly(scf::ForOp strips, vector::TransferWriteOp write) {
    int64_t lanes = write.getVectorType().getNumElements();
    for (const auto &next : findNextRows(strips->getParentOp())) {
      SmallVector<scf::ForOp> readers = findReaders(next.first, strips);
      if (!readers.empty())
        fetchIn(readers.size() > 1 ? readers[1] : readers[0], {next}, lanes,
                norm::CacheLevel::Second);
    }
  }

  struct Columns {
    Value from, to;
  };

  /// Lets the strips start at the first line that begins in the row and writes
  /// what is left on both sides, each element once: a line that is streamed and
  /// written by ordinary stores too costs more than either. Returns whether the
  /// strips have moved.
  Value shiftStrips(Stream stream, scf::ForOp strips,
                    vector::TransferWriteOp write, IRMapping &mapping) {
    int64_t lanes = write.getVectorType().getNumElements();
    int64_t line = target.lineBytes / norm::getElementBytes(write.getBase());
    b.setInsertionPoint(strips);
    Value from = strips.getLowerBound(), to = createEnd(strips, lanes);
    Value start = least(add(from, createHead(write, from)), to);
    Value length = sub(to, start);
    Value end = add(start, both(length, constant(-lanes)));
    Value lastLine = add(start, both(length, constant(-line)));
    Value isMoved = compare(arith::CmpIPredicate::ne, start, from);
    if (matchPattern(isMoved, m_Zero())) {
      streamWrites(stream, mapping);
      return isMoved;
    }
    auto before = scf::IfOp::create(b, isMoved);
    auto after = scf::IfOp::create(b, isMoved);
    after->moveAfter(strips);
    b.setInsertionPoint(before.thenYield());
    buildEdge(strips, {from, start}, line);
    fetchForWriting(write, lastLine);
    b.setInsertionPoint(after.thenYield());
    buildEdge(strips, {lastLine, to}, line);
    b.setInsertionPoint(strips);
    norm::setBounds(b, strips, start, end);
    streamWrites(stream, mapping);
    b.setInsertionPointToStart(after.thenBlock());
    buildPieces(strips, {end, lastLine}, line);
    return isMoved;
  }

  /// A store that misses the caches holds up all stores behind it.
  void fetchForWriting(vector::TransferWriteOp write, Value column) {
    SmallVector<Value> indices(write.getIndices());
    indices.back() = column;
    memref::PrefetchOp::create(b, write.getBase(), indices,
                               /*isWrite=*/true, /*localityHint=*/3,
                               /*isDataCache=*/true);
  }

  /// Writes less than a line of columns: quarters of a line, then elements.
  void buildEdge(scf::ForOp strips, Columns columns, int64_t line) {
    int64_t quarter = std::max<int64_t>(line / 4, 1);
    Value count = sub(columns.to, columns.from);
    Value rest = add(columns.from, both(count, constant(-quarter)));
    buildPieces(strips, {columns.from, rest}, quarter);
    buildPieces(strips, {rest, columns.to}, 1);
  }

  /// Writes these columns, `lanes` at once, as the strips do.
  void buildPieces(scf::ForOp strips, Columns columns, int64_t lanes) {
    auto loop =
        scf::ForOp::create(b, columns.from, columns.to, constant(lanes));
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    norm::cloneStrip(b, strips, loop.getInductionVar(), lanes, IRMapping());
    norm::setRole(loop, norm::LoopRole::Edge);
  }

  /// The loops that read `buffer` by the same strips in the same row.
  static SmallVector<scf::ForOp> findReaders(Value buffer, scf::ForOp strips) {
    SmallVector<scf::ForOp> loops;
    strips->getParentOp()->walk([&](vector::TransferReadOp read) {
      auto loop = dyn_cast<scf::ForOp>(read->getParentOp());
      if (loop && read.getBase() == buffer && norm::isStripOf(read, loop) &&
          loop.getStep() == strips.getStep() &&
          !llvm::is_contained(loops, loop))
        loops.push_back(loop);
    });
    return loops;
  }

  //===--------------------------------------------------------------------===//
  // Prefetch
  //===--------------------------------------------------------------------===//

  /// Buffers that are read row by row, and the indices of their next row
  /// without the column.
  using NextRows = SmallVector<std::pair<Value, SmallVector<Value>>>;

  static Value getRow(LoopLikeOpInterface rows) {
    return rows.getLoopInductionVars()->back();
  }

  /// Whether `index` is the iteration of `loop`, or counted from there.
  static bool isCountedBy(LoopLikeOpInterface loop, Value index) {
    Operation *op = index.getDefiningOp();
    return index == getRow(loop) ||
           (op && isMemoryEffectFree(op) &&
            llvm::is_contained(op->getOperands(), getRow(loop)));
  }

  /// The rows of `buffer` that `loop` goes over: as many as it has iterations,
  /// which is the same number for all buffers, or all of the dimension.
  Value createRowCount(LoopLikeOpInterface loop, Value buffer, int64_t dim,
                       Value row) {
    return row == getRow(loop)
               ? getValueOrCreateConstantIndexOp(
                     b, b.getLoc(), loop.getLoopUpperBounds()->back())
               : b.createOrFold<memref::DimOp>(buffer, dim);
  }

  /// Finds what `rows`, or the loop over blocks of rows around it, reads in its
  /// next iteration.
  NextRows findNextRows(Operation *rows) {
    NextRows found;
    llvm::DenseSet<Value> seen;
    Operation *blocks = norm::getBlocksOf(rows);
    auto loop = dyn_cast<LoopLikeOpInterface>(blocks ? blocks : rows);
    if (!isa_and_present<scf::ForOp, scf::ForallOp>(loop))
      return found;
    std::optional<int64_t> step =
        getConstantIntValue(loop.getLoopSteps()->back());
    rows->walk([&](vector::TransferReadOp read) {
      Value buffer = read.getBase();
      SmallVector<Value> indices(read.getIndices().drop_back());
      auto isRow = [&](Value index) { return isCountedBy(loop, index); };
      if (!step || !infos.contains(buffer) || !norm::isContiguousRow(buffer) ||
          llvm::count_if(indices, isRow) != 1 || !seen.insert(buffer).second)
        return;
      Value &row = *llvm::find_if(indices, isRow);
      b.setInsertionPointAfterValue(row);
      Value count = createRowCount(loop, buffer, &row - indices.begin(), row);
      row = least(add(row, constant(*step)), sub(count, constant(1)));
      found.push_back({buffer, indices});
    });
    return found;
  }

  static bool areKnown(ArrayRef<Value> indices, Operation *at) {
    DominanceInfo dominance;
    return llvm::all_of(indices, [&](Value index) {
      return dominance.properlyDominates(index, at);
    });
  }

  void fetchIn(scf::ForOp loop, const NextRows &rows, int64_t lanes,
               norm::CacheLevel level) {
    Value column = norm::getColumn(loop);
    b.setInsertionPointAfterValue(column);
    for (auto [buffer, indices] : rows) {
      if (!areKnown(indices, loop))
        continue;
      indices.push_back(column);
      norm::createPrefetches(b, b.getLoc(), buffer, indices, lanes, level);
    }
  }

  /// A row of one vector has no strips to fetch others in.
  void fetchNextBlock(vector::TransferWriteOp write) {
    Operation *rows = write->getParentOp();
    if (!norm::getBlocksOf(rows))
      return;
    NextRows next = findNextRows(rows);
    b.setInsertionPoint(write);
    for (auto &[buffer, indices] : next) {
      int64_t length = cast<MemRefType>(buffer.getType()).getShape().back();
      if (ShapedType::isDynamic(length) || !areKnown(indices, write))
        continue;
      indices.push_back(constant(0));
      norm::createPrefetches(b, b.getLoc(), buffer, indices, length,
                             norm::CacheLevel::Second);
    }
  }

  ImplicitLocOpBuilder b;
  const StreamPlan &plan;
  int64_t cacheBytes;
  norm::RowTarget target;
  llvm::DenseSet<Operation *> prefetchingLoops;
  llvm::DenseMap<Value, BufferInfo> infos;
  llvm::MapVector<Operation *, norm::RowStrips> moved; // the last of each row
};

struct NormStreamRows : norm::impl::NormStreamRowsBase<NormStreamRows> {
  using NormStreamRowsBase::NormStreamRowsBase;

  void runOnOperation() override {
    if (cacheBytes < 0) {
      getOperation().emitError(
          "norm-stream-rows: cache-bytes must not be negative, got ")
          << int64_t(cacheBytes);
      return signalPassFailure();
    }
    SmallVector<StreamPlan> plans;
    for (auto func : getOperation().getOps<func::FuncOp>())
      for (Operation *loop : norm::getOutermostLoops(func))
        if (std::optional<StreamPlan> plan = norm::planStreams(loop))
          plans.push_back(std::move(*plan));
    if (plans.empty())
      return;
    if (cacheBytes == 0)
      declareSysconf();
    OpBuilder b(&getContext());
    for (const StreamPlan &plan : plans)
      RowStreamer(b, plan, cacheBytes).run();
  }

  void declareSysconf() {
    if (getOperation().lookupSymbol("sysconf"))
      return;
    auto b = OpBuilder::atBlockEnd(getOperation().getBody());
    Type i32 = b.getI32Type(), i64 = b.getI64Type();
    func::FuncOp::create(b, getOperation().getLoc(), "sysconf",
                         b.getFunctionType(i32, i64))
        .setPrivate();
  }
};
} // namespace
