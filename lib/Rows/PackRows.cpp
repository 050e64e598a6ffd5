//===- PackRows.cpp - several short rows in one strip ---------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row in blocks, such as those that share a scale, is many short rows behind
// each other. They become one: element c of it is one of block c / length,
// whose values an operand has at c / length.
//
//===----------------------------------------------------------------------===//

#include "RowEmitter.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "norm/Normalize/RowJoins.h"

using namespace mlir;
using linalg::GenericOp;

/// Whether an operand has an element per column or a value per short row.
enum class Packing { Column, Row, Neither };

static std::optional<Packing> matchPacking(GenericOp op, OpOperand &operand) {
  auto type = dyn_cast<MemRefType>(operand.get().getType());
  AffineMap map = op.getMatchingIndexingMap(&operand);
  unsigned column = op.getNumLoops() - 1, row = column - 1;
  ArrayRef<AffineExpr> at = map.getResults();
  auto endsWith = [&](ArrayRef<AffineExpr> exprs, unsigned dim) {
    return !exprs.empty() &&
           exprs.back() == getAffineDimExpr(dim, op.getContext());
  };
  if (!map.isFunctionOfDim(column)) {
    if (!map.isFunctionOfDim(row))
      return Packing::Neither;
    return endsWith(at, row) && type.isLastDimUnitStride()
               ? std::optional(Packing::Row)
               : std::nullopt;
  }
  bool areNeighbors = endsWith(at, column) && endsWith(at.drop_back(), row);
  if (!areNeighbors || !memref::CollapseShapeOp::isGuaranteedCollapsible(
                           type, norm::groupLastTwo(type.getRank())))
    return std::nullopt;
  return Packing::Column;
}

/// Returns how the operands of an op over short rows that fill whole strips
/// are packed; nothing if it has to compute row by row, or may as well.
static SmallVector<Packing> matchShortRows(GenericOp op,
                                           const norm::RowTarget &target) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  if (!op.hasPureBufferSemantics() || extents.size() < 2 ||
      op.hasIndexSemantics())
    return {};
  int64_t length = extents.back(), rows = extents[extents.size() - 2];
  // Longer rows fill vectors: measured, packing them gains nothing.
  if (length < 2 || length > target.tailLanes || !llvm::isPowerOf2_64(length) ||
      rows % (target.lanes / length) != 0 || rows == 0)
    return {};
  std::optional<norm::RowMatch> match = norm::matchRow(op);
  bool isReduction = match && !match->reductions.empty();
  if (!match || op.getNumReductionLoops() != (isReduction ? 1 : 0))
    return {};
  SmallVector<Packing> packings;
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<Packing> packing = matchPacking(op, operand);
    bool isResult = op.isDpsInit(&operand);
    // A value of a row that fills a vector is broadcast to it.
    bool isApart =
        packing == Packing::Row && !isReduction && length >= target.tailLanes;
    if (!packing || isApart ||
        (isResult && packing != (isReduction ? Packing::Row : Packing::Column)))
      return {};
    packings.push_back(*packing);
  }
  return packings;
}

linalg::LinalgOp norm::packShortRows(RewriterBase &b, linalg::LinalgOp rows) {
  auto op = dyn_cast<GenericOp>(*rows);
  SmallVector<Packing> packings =
      op ? matchShortRows(op, getRowTarget(op)) : SmallVector<Packing>();
  if (packings.empty())
    return {};
  b.setInsertionPoint(op);
  unsigned loops = op.getNumLoops() - 1;
  AffineExpr column = b.getAffineDimExpr(loops - 1);
  int64_t length = op.getStaticLoopRanges().back();
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (auto [operand, packing] : llvm::zip(op->getOpOperands(), packings)) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    SmallVector<AffineExpr> at(map.getResults());
    operands.push_back(operand.get());
    if (packing == Packing::Column) {
      at.pop_back();
      auto type = cast<MemRefType>(operand.get().getType());
      operands.back() = memref::CollapseShapeOp::create(
          b, op.getLoc(), operand.get(), norm::groupLastTwo(type.getRank()));
    } else if (packing == Packing::Row) {
      at.back() = column.floorDiv(length);
    }
    maps.push_back(AffineMap::get(loops, 0, at, b.getContext()));
  }
  SmallVector<utils::IteratorType> kinds = op.getIteratorTypesArray();
  kinds.erase(kinds.end() - 2);
  size_t inputs = op.getNumDpsInputs();
  auto packed = GenericOp::create(
      b, op.getLoc(), TypeRange(), ArrayRef(operands).take_front(inputs),
      ArrayRef(operands).drop_front(inputs), maps, kinds);
  packed->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  b.inlineRegionBefore(op.getRegion(), packed.getRegion(),
                       packed.getRegion().begin());
  b.eraseOp(op);
  return packed;
}
