//===- EmitStreams.cpp - rows that pass the caches ------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowEmitter.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "norm/Floats/Lanes.h"
#include "norm/Normalize/ElementStorage.h"
#include "norm/Rows/Vectors.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using norm::Lanes;
using norm::RowEmitter;

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Builds the number of the element at `at` in the memory of a buffer.
static Lanes createOffset(ImplicitLocOpBuilder &b, ValueRange at,
                          memref::ExtractStridedMetadataOp metadata) {
  Lanes place(b, metadata.getOffset());
  for (auto [index, stride] : llvm::zip(at, metadata.getStrides()))
    place = place + place.like(index) * stride;
  return place;
}

Value RowEmitter::createHead(Value column) {
  OpOperand &result = getStreamedResult();
  Value row = result.get();
  int64_t bytes = norm::getElementBytes(row.getType());
  auto metadata = memref::ExtractStridedMetadataOp::create(b, row);
  Lanes start(b, memref::ExtractAlignedPointerAsIndexOp::create(b, row));
  Lanes address =
      start + createOffset(b, getPlace(result, {column}).at, metadata) * bytes;
  Lanes missing = (address.like(0) - address) & (target.lineBytes - 1);
  return missing.apply<arith::DivUIOp>(bytes);
}

bool RowEmitter::isStreamed(Value buffer) {
  return isStreamed() &&
         llvm::any_of(streams.getResults().asArrayRef(), [&](int64_t number) {
           Value result = op.getDpsInits()[number];
           return result == buffer || halves.lookup(result).pairs == buffer;
         });
}

// Upstream: LLVM 22.1: fold-memref-alias-ops drops the alignment of a
// vector.store behind a view, and behind a subview also that it is
// non-temporal; goes when it keeps both. It does not look behind a cast.
void RowEmitter::storePast(Value vector, const Place &place) {
  auto metadata = memref::ExtractStridedMetadataOp::create(b, place.buffer);
  OpFoldResult offset = Value(createOffset(b, place.at, metadata)),
               one = b.getIndexAttr(1);
  auto type = cast<VectorType>(vector.getType());
  int64_t lanes = type.getNumElements(),
          bytes = lanes * norm::getElementBytes(type.getElementType());
  auto layout =
      StridedLayoutAttr::get(b.getContext(), ShapedType::kDynamic, {1});
  Value elements = memref::ReinterpretCastOp::create(
      b, MemRefType::get({lanes}, type.getElementType(), layout),
      metadata.getBaseBuffer(), offset, {b.getIndexAttr(lanes)}, {one});
  vector::StoreOp::create(b, vector, elements, index(0), /*nontemporal=*/true,
                          llvm::Align(llvm::MinAlign(target.lineBytes, bytes)));
}

//===----------------------------------------------------------------------===//
// Fetches
//===----------------------------------------------------------------------===//

void RowEmitter::fetchRows(Value column, int64_t width) {
  int64_t count = streams ? streams.getFetched() : 0;
  // A row of one vector has no strips to fetch others in.
  std::optional<int64_t> extent = getConstantIntValue(extents.back());
  if (extent && *extent / width == 1)
    width = *extent;
  SmallVector<OpOperand *> inputs = op.getDpsInputOperands();
  for (OpOperand *row : ArrayRef(inputs).take_back(count))
    norm::createPrefetches(
        b, b.getLoc(), row->get(), getPlace(*row, {column}).at, width,
        streams.getNear() ? CacheLevel::First : CacheLevel::Second);
}

void RowEmitter::fetchAhead(Value column) {
  for (OpOperand *row : op.getDpsInputOperands()) {
    if (!isVector(op.getMatchingIndexingMap(row)))
      continue;
    // A weight stays in the cache.
    auto view = row->get().getDefiningOp<memref::SubViewOp>();
    if (view && view.getSourceType().getRank() > 1)
      norm::createPrefetches(b, b.getLoc(), view, getPlace(*row, {column}).at,
                             lanes, CacheLevel::First, target.prefetchBytes);
  }
}

//===----------------------------------------------------------------------===//
// Strips
//===----------------------------------------------------------------------===//

void RowEmitter::buildPast(Value from, Value to, int64_t width, StripFn strip) {
  llvm::SaveAndRestore past(passesCaches, true);
  State none;
  buildStrips(from, to, width, none, strip);
}

void RowEmitter::buildPieces(Value from, Value to, int64_t width,
                             StripFn strip) {
  buildLoop(LoopRole::Edge, from, to, index(width), {},
            [&](Value column, State &none) {
              buildParts({column, width}, countParts(width), none, strip);
            });
}

void RowEmitter::buildEdge(Value from, Value to, int64_t line, StripFn strip) {
  int64_t quarter = std::max<int64_t>(line / 4, 1);
  Lanes begin(b, from), end(b, to);
  Value rest = begin + ((end - begin) & -quarter);
  buildPieces(from, rest, quarter, strip);
  buildPieces(rest, to, 1, strip);
}

RowEmitter::Lines RowEmitter::createLines(Value from, Value to, int64_t width) {
  int64_t line = target.lineBytes /
                 norm::getElementBytes(getStreamedResult().get().getType());
  Lines lines{from, to, from, to, to, {}, width, line};
  if (!streams.getMoved()) {
    lines.isMoved = arith::ConstantIntOp::create(b, /*value=*/0, /*width=*/1);
    return lines;
  }
  Lanes begin(b, from), end(b, to);
  Lanes start = (begin + createHead(from)).apply<arith::MinSIOp>(to);
  Lanes length = end - start;
  lines.start = start;
  lines.end = start + (length & -width);
  lines.lastLine = start + (length & -line);
  lines.isMoved = start.is(arith::CmpIPredicate::ne, from);
  return lines;
}

void RowEmitter::buildStreamedStrips(Value from, Value to, int64_t width,
                                     StripFn strip) {
  Lines lines = createLines(from, to, width);
  auto buildEdges = [&](function_ref<void()> build) {
    if (!streams.getMoved())
      return;
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(scf::IfOp::create(b, lines.isMoved).thenYield());
    build();
  };
  buildEdges([&] {
    buildEdge(from, lines.start, lines.line, strip);
    // A store that misses the caches holds up all stores behind it.
    OpOperand &result = getStreamedResult();
    memref::PrefetchOp::create(b, result.get(),
                               getPlace(result, {lines.lastLine}).at,
                               /*isWrite=*/true, /*localityHint=*/3,
                               /*isDataCache=*/true);
  });
  statistic ? buildBeside(lines, strip)
            : buildPast(lines.start, lines.end, width, strip);
  buildEdges([&] {
    {
      llvm::SaveAndRestore past(passesCaches, true);
      buildPieces(lines.end, lines.lastLine, lines.line, strip);
    }
    buildEdge(lines.lastLine, to, lines.line, strip);
  });
}

/// Buffers often lie at the same place of a page, and a core takes a read for
/// one of what was just stored there: a strip is written when the next row has
/// been read past it. Moved strips lie up to two lines further.
void RowEmitter::buildBeside(const Lines &lines, StripFn strip) {
  Value lag = arith::SelectOp::create(b, lines.isMoved, index(2 * lines.width),
                                      index(lines.width));
  // The accumulators of the next row take half of the registers.
  llvm::SaveAndRestore inPieces(part, std::min(part, lines.line));
  statistic->beside = [&](Value column) {
    OpBuilder::InsertionGuard guard(b);
    b.restoreInsertionPoint(statistic->b.saveInsertionPoint());
    Lanes offset = Lanes(b, column) - lines.from;
    Value at = offset.like(lines.start) + offset - lag;
    Value isStrip = offset.is(arith::CmpIPredicate::sge, lag);
    // It stands before the reads of the next row, or LLVM would keep their
    // products open over the branch.
    b.setInsertionPoint(scf::IfOp::create(b, isStrip).thenYield());
    llvm::SaveAndRestore past(passesCaches, true);
    State none;
    buildParts({at, lines.width}, countParts(lines.width), none, strip);
    fetchRows(at, lines.width);
  };
  statistic->run();
  b.setInsertionPoint(statistic->op);
  // What the lag leaves: strips that were moved are one less, so always one.
  Lanes length = Lanes(b, lines.to) - lines.from;
  Lanes done = (length - lag).apply<arith::MaxSIOp>(0);
  buildPast(done + lines.start, lines.end, lines.width, strip);
}
