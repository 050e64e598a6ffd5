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
#include "mlir/Interfaces/SideEffectInterfaces.h"
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
    SmallVector<GenericOp> ops;
    for (GenericOp op : block.getOps<GenericOp>())
      if (seams.contains(op))
        ops.push_back(op);
    for (GenericOp op : ops) {
      b.setInsertionPoint(op);
      if (Operation *combiner = matchUnorderedReduction(op))
        b.replaceOp(op, buildParts(op, getNumbers(seams[op]), combiner));
      else
        split(op);
    }
    // What was split, and the joins and slices that nothing reads any more.
    if (!ops.empty())
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
        if (isOpTriviallyDead(&op))
          b.eraseOp(&op);
  }

private:
  /// Finds joins and the elementwise ops that read them, directly or not.
  void findReaders() {
    for (Operation &op : block) {
      if (std::optional<RowJoin> join = matchRowJoin(&op)) {
        if (join->parts.size() > 1 && join->parts.size() <= kMostParts)
          joins[op.getResult(0)] = join->parts;
        continue;
      }
      auto generic = dyn_cast<GenericOp>(op);
      if (!generic || !canSplit(generic))
        continue;
      for (OpOperand *input : generic.getDpsInputOperands()) {
        RowParts parts = joins.lookup(input->get());
        if (parts.empty())
          parts = seams.lookup(input->get().getDefiningOp());
        if (parts.empty() || !readsColumns(*input))
          continue;
        seams[generic] = std::move(parts);
        break;
      }
    }
  }

  /// Finds elementwise ops that are only read in parts, last ones first.
  void findProducers() {
    for (Operation &op : llvm::reverse(block)) {
      auto generic = dyn_cast<GenericOp>(op);
      if (!generic || seams.contains(generic) || !canSplit(generic) ||
          joins.contains(op.getResult(0)))
        continue;
      std::optional<RowParts> parts = findPartsRead(generic);
      if (!parts)
        continue;
      for (Operation *user : op.getUsers())
        if (isReduction(user))
          seams[user] = *parts;
      seams[generic] = std::move(*parts);
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

  /// Returns the parts in which all readers of `op` read it, if they do.
  std::optional<RowParts> findPartsRead(GenericOp op) {
    std::optional<RowParts> parts;
    RowParts slices;
    for (OpOperand &use : op->getUses()) {
      auto reader = dyn_cast<GenericOp>(use.getOwner());
      if (reader && matchUnorderedReduction(reader) && readsColumns(use))
        continue; // reads any parts
      if (auto slice = dyn_cast<tensor::ExtractSliceOp>(use.getOwner())) {
        std::optional<RowPart> part = matchRowSlice(slice);
        if (!part)
          return std::nullopt;
        if (!llvm::is_contained(slices, *part))
          slices.push_back(*part);
        continue;
      }
      auto it = seams.find(use.getOwner());
      if (it == seams.end() || !readsColumns(use) ||
          (parts && *parts != it->second))
        return std::nullopt;
      parts = it->second;
    }
    llvm::sort(slices, [](const RowPart &a, const RowPart &b) {
      return a.offset < b.offset;
    });
    if (!parts)
      return areEqualParts(op, slices) ? std::optional(slices) : std::nullopt;
    bool areParts = llvm::all_of(slices, [&](const RowPart &slice) {
      return llvm::is_contained(*parts, slice);
    });
    return areParts ? parts : std::nullopt;
  }

  /// Returns true for parts of one length that make up the rows of the result.
  static bool areEqualParts(GenericOp op, ArrayRef<RowPart> parts) {
    auto type = cast<RankedTensorType>(op->getResult(0).getType());
    return parts.size() > 1 && parts.size() <= kMostParts &&
           llvm::all_equal(llvm::map_range(
               parts, [](const RowPart &part) { return part.size; })) &&
           isPartition(parts, type.getShape().back());
  }

  /// Returns this part of a tensor.
  Value getPart(Value tensor, const RowParts &parts, unsigned number) {
    if (auto it = partsOf.find(tensor); it != partsOf.end())
      if (seams.lookup(tensor.getDefiningOp()) == parts)
        return it->second[number];
    if (auto it = joins.find(tensor); it != joins.end())
      if (it->second == parts)
        return createJoinedPart(b, tensor.getLoc(),
                                *matchRowJoin(tensor.getDefiningOp()), number);
    if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>()) {
      SmallVector<OpFoldResult> sizes = empty.getMixedSizes();
      sizes.back() = b.getIndexAttr(parts[number].size);
      return tensor::EmptyOp::create(b, empty.getLoc(), sizes,
                                     empty.getType().getElementType());
    }
    return createRowSlice(b, tensor.getLoc(), tensor, parts[number]);
  }

  /// Adds these parts of an operand. Without columns, it is the same for all;
  /// canonicalization makes one of such operands.
  void addOperand(GenericOp op, OpOperand &operand, ArrayRef<unsigned> numbers,
                  SmallVector<Value> &operands, SmallVector<AffineMap> &maps) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool isSplit = hasColumns(map, *getColumnLoop(op));
    for (unsigned number : numbers) {
      operands.push_back(isSplit ? getPart(operand.get(), seams[op], number)
                                 : operand.get());
      maps.push_back(map);
    }
  }

  /// Clones the body for one of `parts` parts, which each operand has in turn.
  static IRMapping cloneBody(GenericOp op, OpBuilder &body, ValueRange values,
                             unsigned part, unsigned parts, Value out,
                             Operation *without = nullptr) {
    IRMapping mapping;
    for (BlockArgument argument : op.getRegionInputArgs())
      mapping.map(argument, values[argument.getArgNumber() * parts + part]);
    mapping.map(op.getRegionOutputArgs().front(), out);
    for (Operation &each : op.getBody()->without_terminator())
      if (&each != without)
        body.clone(each, mapping);
    return mapping;
  }

  static SmallVector<unsigned> getNumbers(const RowParts &parts) {
    return llvm::to_vector(llvm::seq<unsigned>(0, parts.size()));
  }

  /// Computes these parts of the op in one op. With the combiner of a
  /// reduction, each iteration combines one column of each part.
  SmallVector<Value> buildParts(GenericOp op, ArrayRef<unsigned> numbers,
                                Operation *combiner = nullptr) {
    SmallVector<Value> ins, outs;
    SmallVector<AffineMap> maps;
    for (OpOperand *input : op.getDpsInputOperands())
      addOperand(op, *input, numbers, ins, maps);
    addOperand(op, *op.getDpsInitOperand(0),
               combiner ? numbers.take_front() : numbers, outs, maps);
    Value computed = op.getBody()->getTerminator()->getOperand(0);
    if (combiner)
      computed = combiner->getOperand(
          combiner->getOperand(0) == op.getRegionOutputArgs()[0] ? 1 : 0);
    auto build = [&](OpBuilder &body, Location loc, ValueRange values) {
      ValueRange starts = values.drop_front(ins.size());
      SmallVector<Value> yielded;
      for (unsigned part = 0; part < numbers.size(); ++part)
        yielded.push_back(cloneBody(op, body, values, part, numbers.size(),
                                    starts[combiner ? 0 : part], combiner)
                              .lookupOrDefault(computed));
      if (combiner) {
        Value all = yielded.front();
        yielded.push_back(starts[0]);
        for (Value each : llvm::drop_begin(yielded))
          all = clone(body, combiner, all.getType(), {all, each})->getResult(0);
        yielded = {all};
      }
      linalg::YieldOp::create(body, loc, yielded);
    };
    auto parts =
        GenericOp::create(b, op.getLoc(), TypeRange(ValueRange(outs)), ins,
                          outs, maps, op.getIteratorTypesArray(), build);
    return SmallVector<Value>(parts.getResults());
  }

  /// Returns true if a part of the result is all that this use needs.
  bool isReadInParts(OpOperand &use, const RowParts &parts) {
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(use.getOwner())) {
      std::optional<RowPart> part = matchRowSlice(slice);
      return part && llvm::is_contained(parts, *part);
    }
    auto it = seams.find(use.getOwner());
    return it != seams.end() && it->second == parts && readsColumns(use);
  }

  void split(GenericOp op) {
    const RowParts &parts = seams[op];
    Value whole = op->getResult(0);
    for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
      if (isa<tensor::DimOp>(user))
        b.modifyOpInPlace(
            user, [&] { user->setOperand(0, op.getDpsInits().front()); });
    bool isJoined = llvm::any_of(op->getUses(), [&](OpOperand &use) {
      return !isReadInParts(use, parts);
    });
    SmallVector<unsigned> all = getNumbers(parts);
    bool areAlike = llvm::all_of(parts, [&](const RowPart &part) {
      return part.size == parts.front().size;
    });
    bool isKept = isJoined || llvm::any_of(op->getUsers(), [](Operation *user) {
                    return isReduction(user);
                  });
    SmallVector<Value> values;
    // One loop writes all parts of what is kept; others are fused into it.
    if (isKept && areAlike)
      values = buildParts(op, all);
    else
      for (unsigned number : all)
        values.push_back(buildParts(op, number).front());
    if (isJoined) {
      Value join = createRowJoin(b, op.getLoc(), op.getDpsInits().front(),
                                 parts, values);
      b.replaceUsesWithIf(whole, join, [&](OpOperand &use) {
        return !isReadInParts(use, parts);
      });
    }
    for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
      if (auto slice = dyn_cast<tensor::ExtractSliceOp>(user)) {
        const RowPart *part = llvm::find(parts, *matchRowSlice(slice));
        b.replaceOp(slice, values[part - parts.begin()]);
      }
    partsOf[whole] = std::move(values);
  }

  IRRewriter &b;
  Block &block;
  llvm::DenseMap<Operation *, RowParts> seams; ///< Of ops that are split.
  llvm::DenseMap<Value, RowParts> joins;
  llvm::DenseMap<Value, SmallVector<Value>> partsOf; ///< Of split ops.
};
} // namespace

namespace {
struct NormSplitJoinedRows
    : norm::impl::NormSplitJoinedRowsBase<NormSplitJoinedRows> {
  void runOnOperation() override {
    if (failed(readPartsAsSlices(getOperation())))
      return signalPassFailure();
    SmallVector<Block *> blocks;
    getOperation().walk([&](Block *block) {
      if (!isa<linalg::LinalgOp>(block->getParentOp()))
        blocks.push_back(block);
    });
    IRRewriter rewriter(&getContext());
    for (Block *block : blocks)
      RowSplitter(rewriter, *block).run();
  }
};
} // namespace
