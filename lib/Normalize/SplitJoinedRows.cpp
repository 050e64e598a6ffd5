//===- SplitJoinedRows.cpp - elementwise ops on the parts of rows ---------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/Transforms/RegionUtils.h"
#include "norm/IR/Norm.h"
#include "norm/Normalize/Passes.h"
#include "norm/Normalize/RowJoins.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMSPLITJOINEDROWS
#include "norm/Normalize/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using namespace mlir::norm;
using linalg::GenericOp;

/// More parts would be as many ops, and loops of a few elements.
static constexpr size_t kMostParts = 4;

/// Returns the loop over the columns of the result, or over those that are
/// reduced.
static std::optional<unsigned> getColumnLoop(GenericOp op) {
  if (op.getNumReductionLoops() > 0)
    return op.getNumLoops() - 1;
  AffineMap map = op.getIndexingMapsArray().back();
  if (map.getNumResults() == 0)
    return std::nullopt;
  auto dim = dyn_cast<AffineDimExpr>(map.getResults().back());
  return dim ? std::optional(dim.getPosition()) : std::nullopt;
}

/// Returns true if the operand has the column of the result as its own.
static bool hasColumns(AffineMap map, unsigned loop) {
  return map.isFunctionOfDim(loop);
}

/// Returns true if columns do not depend on each other nor on where they are.
static bool hasSeparateColumns(GenericOp op) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1)
    return false;
  std::optional<unsigned> loop = getColumnLoop(op);
  if (!loop || ShapedType::isDynamic(op.getStaticLoopRanges()[*loop]))
    return false;
  for (AffineMap map : op.getIndexingMapsArray()) {
    if (!hasColumns(map, *loop))
      continue;
    if (map.getResults().back() != getAffineDimExpr(*loop, op.getContext()) ||
        llvm::any_of(map.getResults().drop_back(), [&](AffineExpr expr) {
          return expr.isFunctionOfDim(*loop);
        }))
      return false;
  }
  return !norm::anyIn(
      op, [&](linalg::IndexOp index) { return index.getDim() == *loop; });
}

static bool canSplit(GenericOp op) {
  return op.isAllParallelLoops() && hasSeparateColumns(op);
}

/// Returns the combiner of a reduction of one tensor's columns that gives the
/// same bits in any order.
static Operation *matchUnorderedReduction(GenericOp op) {
  if (op.getNumReductionLoops() != 1 || op.getNumDpsInputs() != 1 ||
      op.getIteratorTypesArray().back() != utils::IteratorType::reduction ||
      !hasSeparateColumns(op))
    return nullptr;
  SmallVector<Operation *> combiners;
  if (!matchReduction(op.getRegionOutputArgs(), 0, combiners) ||
      combiners.size() != 1)
    return nullptr;
  return isa<arith::MaximumFOp, arith::MinimumFOp, arith::MaxSIOp,
             arith::MaxUIOp, arith::MinSIOp, arith::MinUIOp, arith::AndIOp,
             arith::OrIOp, arith::XOrIOp>(combiners.front())
             ? combiners.front()
             : nullptr;
}

namespace {
/// Splits the ops of one block.
class RowSplitter {
public:
  RowSplitter(IRRewriter &rewriter, Block &block) : b(rewriter), block(block) {}

  void run() {
    findReaders();
    findProducers();
    for (GenericOp op : llvm::make_early_inc_range(block.getOps<GenericOp>())) {
      RowParts parts = getSeams(op);
      if (parts.empty())
        continue;
      b.setInsertionPoint(op);
      if (Operation *combiner = matchUnorderedReduction(op))
        b.replaceAllUsesWith(op->getResults(), buildParts(op, parts, combiner));
      else
        split(op, parts);
    }
  }

private:
  /// Returns the parts in which an op is computed; none if it is whole.
  RowParts getSeams(GenericOp op) const {
    return op->getNumResults() == 1 ? seams.lookup(op->getResult(0))
                                    : RowParts();
  }

  void addJoin(tensor::InsertSliceOp last) {
    SmallVector<tensor::InsertSliceOp> inserts = matchRowInsertions(last);
    // The ops on parts have as many dimensions as those on rows.
    bool areRows = llvm::all_of(inserts, [&](tensor::InsertSliceOp insert) {
      return insert.getSourceType().getRank() == last.getType().getRank();
    });
    if (inserts.size() < 2 || inserts.size() > kMostParts || !areRows)
      return;
    for (tensor::InsertSliceOp insert : inserts)
      seams[last].push_back(getRowPart(insert));
  }

  /// Finds joins and the elementwise ops that read them, directly or not.
  void findReaders() {
    for (Operation &op : block) {
      if (auto insert = dyn_cast<tensor::InsertSliceOp>(op))
        addJoin(insert);
      auto generic = dyn_cast<GenericOp>(op);
      if (!generic || !canSplit(generic))
        continue;
      for (OpOperand *input : generic.getDpsInputOperands()) {
        RowParts parts = seams.lookup(input->get());
        if (parts.empty() || !readsColumns(*input))
          continue;
        seams[op.getResult(0)] = std::move(parts);
        break;
      }
    }
  }

  /// Finds elementwise ops that are only read in parts, last ones first.
  void findProducers() {
    for (Operation &op : llvm::reverse(block)) {
      auto generic = dyn_cast<GenericOp>(op);
      if (!generic || !canSplit(generic) || !getSeams(generic).empty())
        continue;
      RowParts parts = findPartsRead(generic);
      if (parts.empty())
        continue;
      for (Operation *user : op.getUsers())
        if (isReduction(user))
          seams[user->getResult(0)] = parts;
      seams[op.getResult(0)] = std::move(parts);
    }
  }

  static bool isReduction(Operation *op) {
    auto generic = dyn_cast<GenericOp>(op);
    return generic && generic.getNumReductionLoops() > 0;
  }

  static bool readsColumns(OpOperand &use) {
    auto op = cast<GenericOp>(use.getOwner());
    return hasColumns(op.getMatchingIndexingMap(&use), *getColumnLoop(op));
  }

  /// Returns true if a part of the result is all that this use needs.
  bool isReadInParts(OpOperand &use, const RowParts &parts) {
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(use.getOwner())) {
      std::optional<RowPart> part = matchRowSlice(slice);
      return part && llvm::is_contained(parts, *part);
    }
    auto reader = dyn_cast<GenericOp>(use.getOwner());
    return reader && getSeams(reader) == parts && readsColumns(use);
  }

  /// Returns the parts in which all readers of `op` read it; none if some read
  /// others.
  RowParts findPartsRead(GenericOp op) {
    RowParts parts, slices;
    for (Operation *user : op->getUsers()) {
      auto slice = dyn_cast<tensor::ExtractSliceOp>(user);
      std::optional<RowPart> part = slice ? matchRowSlice(slice) : std::nullopt;
      if (part && !llvm::is_contained(slices, *part))
        slices.push_back(*part);
      if (auto reader = dyn_cast<GenericOp>(user); reader && parts.empty())
        parts = getSeams(reader);
    }
    llvm::sort(slices, [](const RowPart &a, const RowPart &b) {
      return a.offset < b.offset;
    });
    if (parts.empty() && areEqualParts(op, slices))
      parts = slices;
    bool areRead = llvm::all_of(op->getUses(), [&](OpOperand &use) {
      auto reader = dyn_cast<GenericOp>(use.getOwner());
      bool readsAnyParts =
          reader && matchUnorderedReduction(reader) && readsColumns(use);
      return readsAnyParts || isReadInParts(use, parts);
    });
    return areRead ? parts : RowParts();
  }

  static bool areAlike(ArrayRef<RowPart> parts) {
    return llvm::all_equal(
        llvm::map_range(parts, [](const RowPart &part) { return part.size; }));
  }

  /// Returns true for parts of one length that make up the rows of the result.
  static bool areEqualParts(GenericOp op, ArrayRef<RowPart> parts) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    return parts.size() > 1 && parts.size() <= kMostParts && areAlike(parts) &&
           isPartition(parts, type.getShape().back());
  }

  /// Returns this part of a tensor.
  Value getPart(Value tensor, RowPart part) {
    auto join = tensor.getDefiningOp<tensor::InsertSliceOp>();
    if (join && seams.contains(join))
      for (tensor::InsertSliceOp insert : matchRowInsertions(join))
        if (getRowPart(insert) == part)
          return insert.getSource();
    if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>()) {
      SmallVector<OpFoldResult> sizes = empty.getMixedSizes();
      sizes.back() = b.getIndexAttr(part.size);
      return tensor::EmptyOp::create(b, empty.getLoc(), sizes,
                                     empty.getType().getElementType());
    }
    return createRowSlice(b, tensor.getLoc(), tensor, part);
  }

  /// Adds these parts of an operand. Without columns, it is the same for all;
  /// canonicalization makes one of such operands.
  void addOperand(GenericOp op, OpOperand &operand, ArrayRef<RowPart> parts,
                  SmallVector<Value> &operands, SmallVector<AffineMap> &maps) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool isSplit = hasColumns(map, *getColumnLoop(op));
    for (RowPart part : parts) {
      operands.push_back(isSplit ? getPart(operand.get(), part)
                                 : operand.get());
      maps.push_back(map);
    }
  }

  /// Computes these parts of the op in one op. With the combiner of a
  /// reduction, each iteration combines one column of each part.
  SmallVector<Value> buildParts(GenericOp op, ArrayRef<RowPart> parts,
                                Operation *combiner = nullptr) {
    SmallVector<Value> ins, outs;
    SmallVector<AffineMap> maps;
    for (OpOperand *input : op.getDpsInputOperands())
      addOperand(op, *input, parts, ins, maps);
    addOperand(op, *op.getDpsInitOperand(0),
               combiner ? parts.take_front() : parts, outs, maps);
    Value computed = op.getBody()->getTerminator()->getOperand(0);
    if (combiner)
      computed = combiner->getOperand(
          combiner->getOperand(0) == op.getRegionOutputArgs()[0] ? 1 : 0);
    auto build = [&](OpBuilder &body, Location loc, ValueRange values) {
      ValueRange starts = values.drop_front(ins.size());
      SmallVector<Value> yielded;
      for (unsigned part = 0; part < parts.size(); ++part) {
        IRMapping mapping;
        for (BlockArgument argument : op.getRegionInputArgs())
          mapping.map(argument,
                      values[argument.getArgNumber() * parts.size() + part]);
        mapping.map(op.getRegionOutputArgs()[0], starts[combiner ? 0 : part]);
        for (Operation &each : op.getBody()->without_terminator())
          if (&each != combiner)
            body.clone(each, mapping);
        yielded.push_back(mapping.lookupOrDefault(computed));
      }
      if (combiner) {
        Value all = yielded.front();
        yielded.push_back(starts[0]);
        for (Value each : llvm::drop_begin(yielded))
          all = clone(body, combiner, all.getType(), {all, each})->getResult(0);
        yielded = {all};
      }
      linalg::YieldOp::create(body, loc, yielded);
    };
    auto built =
        GenericOp::create(b, op.getLoc(), TypeRange(ValueRange(outs)), ins,
                          outs, maps, op.getIteratorTypesArray(), build);
    return SmallVector<Value>(built.getResults());
  }

  void split(GenericOp op, const RowParts &parts) {
    Value whole = op->getResult(0);
    bool isJoined = llvm::any_of(op->getUses(), [&](OpOperand &use) {
      return !isReadInParts(use, parts);
    });
    bool isKept = isJoined || llvm::any_of(op->getUsers(), [](Operation *user) {
                    return isReduction(user);
                  });
    SmallVector<Value> values;
    // One loop writes all parts of what is kept; others are fused into it.
    if (isKept && areAlike(parts))
      values = buildParts(op, parts);
    else
      for (RowPart part : parts)
        values.push_back(buildParts(op, part).front());
    // Nothing may read the whole.
    Value join = createRowJoin(b, whole, parts, values);
    seams[join] = parts;
    b.replaceAllUsesWith(whole, join);
    for (Operation *user : llvm::make_early_inc_range(join.getUsers()))
      if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user))
        if (std::optional<RowPart> part = matchRowSlice(slice);
            part && llvm::is_contained(parts, *part))
          b.replaceOp(slice, getPart(join, *part));
  }

  IRRewriter &b;
  Block &block;
  llvm::DenseMap<Value, RowParts> seams; ///< Of joins and of ops to split.
};
} // namespace

namespace {
struct NormSplitJoinedRows
    : norm::impl::NormSplitJoinedRowsBase<NormSplitJoinedRows> {
  void runOnOperation() override {
    if (failed(spellPartsAsSlices(getOperation())))
      return signalPassFailure();
    IRRewriter rewriter(&getContext());
    auto hasTensors = [](Block *block) {
      return !isa<linalg::LinalgOp>(block->getParentOp());
    };
    for (Block *block : collect<Block *>(getOperation(), hasTensors))
      RowSplitter(rewriter, *block).run();
    // What was split, and the joins and slices that nothing reads any more.
    (void)runRegionDCE(rewriter, getOperation()->getRegions());
  }
};
} // namespace
