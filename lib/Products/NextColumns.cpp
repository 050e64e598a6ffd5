//===- NextColumns.cpp - columns that are packed next ---------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NextColumns.h"
#include "MatrixProduct.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/MemRef/Utils/MemRefUtils.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RowTarget.h"
#include "norm/Normalize/ElementStorage.h"
#include "norm/Rows/Buffers.h"
#include "norm/Rows/Vectors.h"

using namespace mlir;
using linalg::GenericOp;
using norm::NextColumns;

static Value getRoot(Value buffer) {
  return memref::skipViewLikeOps(cast<MemrefValue>(buffer));
}

/// Returns the op before `block` that packs `columns`, in the same loops.
static GenericOp findPack(GenericOp block, Value columns) {
  for (Operation *op = block->getPrevNode(); op; op = op->getPrevNode())
    if (auto pack = dyn_cast<GenericOp>(op))
      if (pack->hasAttr(norm::packAttrName) && pack.getNumDpsInputs() == 1 &&
          pack.getNumDpsInits() == 1 &&
          getRoot(pack.getDpsInits()[0]) == getRoot(columns))
        return pack;
  return {};
}

NextColumns::NextColumns(ImplicitLocOpBuilder &b, GenericOp block,
                         Value columns)
    : b(b), block(block) {
  GenericOp pack = findPack(block, columns);
  bool isGrouped = getElementTypeOrSelf(columns.getType()) !=
                   getElementTypeOrSelf(block.getDpsInits()[0].getType());
  if (!pack || pack.getNumLoops() < (isGrouped ? 4 : 3))
    return;
  Value from = pack.getDpsInputs()[0];
  auto type = cast<MemRefType>(from.getType()),
       packed = cast<MemRefType>(pack.getDpsInits()[0].getType()),
       all = cast<MemRefType>(columns.getType());
  bool areAll = packed.hasStaticShape() && all.hasStaticShape() &&
                packed.getNumElements() == all.getNumElements() &&
                all.getNumElements() > 0;
  if (!areAll || type.getRank() == 0)
    return;
  SmallVector<int64_t> extents = pack.getStaticLoopRanges();
  unsigned column = pack.getNumLoops() - (isGrouped ? 2 : 1);
  readMap = pack.getIndexingMapsArray()[0];
  bool areNeighbors = type.isLastDimUnitStride() &&
                      readMap.getResults().back() == b.getAffineDimExpr(column);
  depth = column - 1;
  if (!areNeighbors || ShapedType::isDynamicShape(extents) ||
      llvm::product_of(ArrayRef(extents).take_front(depth)) != 1)
    return;
  int64_t bytes = getElementBytes(type.getElementType()),
          lineBytes = getRowTarget(block).lineBytes;
  if (bytes == 0 || bytes > lineBytes)
    return;
  group = isGrouped ? extents.back() : 1;
  rows = extents[depth] * group;
  elementsPerLine = lineBytes / bytes;
  linesPerRow = llvm::divideCeil(extents[column], elementsPerLine);
  source = createInNextIteration(from);
}

/// Behind the last part of a block comes the first of the next one.
Value NextColumns::createInNextIteration(Value v) {
  auto asValue = [&](OpFoldResult v) {
    return getValueOrCreateConstantIndexOp(b, b.getLoc(), v);
  };
  IRMapping map;
  LoopLikeOpInterface outermost;
  Value isNext = arith::ConstantIntOp::create(b, b.getI1Type(), 1);
  for (auto loop = block->getParentOfType<LoopLikeOpInterface>();
       loop && getRole(loop) == LoopRole::Product;
       loop = loop->getParentOfType<LoopLikeOpInterface>()) {
    outermost = loop;
    Value at = loop.getLoopInductionVars()->back(),
          behind = arith::AddIOp::create(b, at,
                                         asValue(loop.getLoopSteps()->back())),
          isLast =
              arith::CmpIOp::create(b, arith::CmpIPredicate::uge, behind,
                                    asValue(loop.getLoopUpperBounds()->back())),
          next = arith::SelectOp::create(
              b, isLast, asValue(loop.getLoopLowerBounds()->back()), behind);
    map.map(at, arith::SelectOp::create(b, isNext, next, at));
    isNext = arith::AndIOp::create(b, isNext, isLast);
  }
  std::optional<SmallVector<Operation *>> sources;
  if (outermost)
    sources = findSources(outermost, v);
  if (!sources || !llvm::all_of(*sources, isPure))
    return {};
  for (Operation *op : *sources)
    b.clone(*op, map);
  return map.lookupOrDefault(v);
}

int64_t NextColumns::roundUp(int64_t lines) const {
  if (lines >= linesPerRow)
    return llvm::alignTo(lines, linesPerRow);
  while (linesPerRow % lines != 0)
    ++lines;
  return lines;
}

void NextColumns::fetch(Value number, int64_t count) {
  auto index = [&](int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, value);
  };
  Value first = b.createOrFold<arith::MinUIOp>(
      b.createOrFold<arith::MulIOp>(number, index(count)),
      index(std::max<int64_t>(getLines() - count, 0)));
  Value row = b.createOrFold<arith::DivUIOp>(first, index(linesPerRow)),
        line = b.createOrFold<arith::RemUIOp>(first, index(linesPerRow)),
        column = b.createOrFold<arith::MulIOp>(line, index(elementsPerLine));
  int64_t lines = std::min(count, linesPerRow);
  for (int64_t i = 0; i < std::min(count / lines, rows); ++i) {
    Value at = b.createOrFold<arith::AddIOp>(row, index(i)),
          word = b.createOrFold<arith::DivUIOp>(at, index(group)),
          inWord = b.createOrFold<arith::RemUIOp>(at, index(group));
    SmallVector<Value> place;
    for (AffineExpr expr : readMap.getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      bool isZero = !dim || dim.getPosition() < depth;
      place.push_back(isZero                           ? index(0)
                      : dim.getPosition() == depth     ? word
                      : dim.getPosition() == depth + 1 ? column
                                                       : inWord);
    }
    createPrefetches(b, b.getLoc(), source, place, lines * elementsPerLine,
                     CacheLevel::Second);
  }
}
