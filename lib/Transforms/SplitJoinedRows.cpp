//===- SplitJoinedRows.cpp - elementwise ops on the parts of rows ---------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowJoins.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "norm/Transforms/Passes.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMSPLITJOINEDROWS
#include "norm/Transforms/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using namespace mlir::norm;
using linalg::GenericOp;

/// More parts would be as many ops, and loops of a few elements.
static constexpr size_t kMostParts = 4;

/// Returns the loop over the columns of the result.
static std::optional<unsigned> getColumnLoop(GenericOp op) {
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

/// Returns true for elementwise ops whose columns do not depend on each other
/// nor on where they are.
static bool canSplit(GenericOp op) {
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      !op.isAllParallelLoops())
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
  auto isColumnIndex = [&](Operation *each) {
    auto index = dyn_cast<linalg::IndexOp>(each);
    return index && index.getDim() == *loop;
  };
  return !op.getBody()
              ->walk([&](Operation *each) {
                return isColumnIndex(each) ? WalkResult::interrupt()
                                           : WalkResult::advance();
              })
              .wasInterrupted();
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
    for (GenericOp op : ops)
      split(op);
    // What was split, and the joins and slices that nothing reads any more.
    if (!ops.empty())
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
        if (isOpTriviallyDead(&op))
          b.eraseOp(&op);
  }

private:
  /// Finds joins and the elementwise ops that read them, directly or not.
  void findReaders() {
    llvm::DenseMap<Value, RowParts> known;
    for (Operation &op : block) {
      if (std::optional<RowJoin> join = matchRowJoin(&op)) {
        if (join->parts.size() > 1 && join->parts.size() <= kMostParts) {
          known[op.getResult(0)] = join->parts;
          joins[op.getResult(0)] = join->parts;
        }
        continue;
      }
      auto generic = dyn_cast<GenericOp>(op);
      if (!generic || !canSplit(generic))
        continue;
      for (OpOperand *input : generic.getDpsInputOperands()) {
        auto it = known.find(input->get());
        if (it == known.end() || !readsColumns(*input))
          continue;
        RowParts parts = it->second;
        known[generic->getResult(0)] = parts;
        seams[generic] = std::move(parts);
        break;
      }
    }
  }

  /// Finds elementwise ops that are only read in parts, last ones first.
  void findProducers() {
    for (Operation &op : llvm::reverse(block)) {
      auto generic = dyn_cast<GenericOp>(op);
      if (!generic || seams.contains(generic) ||
          joins.contains(op.getResult(0)) || !canSplit(generic))
        continue;
      if (const RowParts *parts = findPartsRead(generic))
        seams[generic] = RowParts(*parts);
    }
  }

  static bool readsColumns(OpOperand &use) {
    auto op = cast<GenericOp>(use.getOwner());
    return hasColumns(op.getMatchingIndexingMap(&use), *getColumnLoop(op));
  }

  /// Returns the parts in which all readers of `op` read it, or null.
  const RowParts *findPartsRead(GenericOp op) {
    const RowParts *parts = nullptr;
    SmallVector<tensor::ExtractSliceOp> slices;
    for (OpOperand &use : op->getUses()) {
      if (auto slice = dyn_cast<tensor::ExtractSliceOp>(use.getOwner())) {
        slices.push_back(slice);
        continue;
      }
      auto it = seams.find(use.getOwner());
      if (it == seams.end() || !readsColumns(use) ||
          (parts && *parts != it->second))
        return nullptr;
      parts = &it->second;
    }
    bool areParts = parts && llvm::all_of(slices, [&](auto slice) {
                      std::optional<RowPart> part = matchRowSlice(slice);
                      return part && llvm::is_contained(*parts, *part);
                    });
    return areParts ? parts : nullptr;
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

  /// Adds the operands of these parts, and the body's values for them. Operands
  /// without columns are the same for all parts.
  void addOperand(GenericOp op, OpOperand &operand, ArrayRef<unsigned> numbers,
                  SmallVector<Value> &operands, SmallVector<AffineMap> &maps,
                  SmallVector<SmallVector<unsigned>> &arguments) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    bool isSplit = hasColumns(map, *getColumnLoop(op));
    for (auto [index, number] : llvm::enumerate(numbers)) {
      if (isSplit || index == 0) {
        operands.push_back(isSplit ? getPart(operand.get(), seams[op], number)
                                   : operand.get());
        maps.push_back(map);
      }
      arguments[index].push_back(operands.size() - 1);
    }
  }

  /// Computes these parts of the op in one op.
  SmallVector<Value> buildParts(GenericOp op, ArrayRef<unsigned> numbers) {
    SmallVector<Value> ins, outs;
    SmallVector<AffineMap> maps;
    SmallVector<SmallVector<unsigned>> arguments(numbers.size());
    for (OpOperand *input : op.getDpsInputOperands())
      addOperand(op, *input, numbers, ins, maps, arguments);
    SmallVector<SmallVector<unsigned>> outArguments(numbers.size());
    addOperand(op, *op.getDpsInitOperand(0), numbers, outs, maps, outArguments);
    auto build = [&](OpBuilder &body, Location loc, ValueRange values) {
      SmallVector<Value> yielded;
      for (auto [used, usedOut] : llvm::zip(arguments, outArguments)) {
        IRMapping mapping;
        for (auto [argument, place] : llvm::zip(op.getRegionInputArgs(), used))
          mapping.map(argument, values[place]);
        mapping.map(op.getRegionOutputArgs().front(),
                    values[ins.size() + usedOut.front()]);
        for (Operation &each : op.getBody()->without_terminator())
          body.clone(each, mapping);
        yielded.push_back(mapping.lookupOrDefault(
            op.getBody()->getTerminator()->getOperand(0)));
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
    b.setInsertionPoint(op);
    for (Operation *user : llvm::make_early_inc_range(op->getUsers()))
      if (isa<tensor::DimOp>(user))
        b.modifyOpInPlace(
            user, [&] { user->setOperand(0, op.getDpsInits().front()); });
    bool isJoined = llvm::any_of(op->getUses(), [&](OpOperand &use) {
      return !isReadInParts(use, parts);
    });
    auto all = llvm::to_vector(llvm::seq<unsigned>(0, parts.size()));
    bool areAlike = llvm::all_of(parts, [&](const RowPart &part) {
      return part.size == parts.front().size;
    });
    SmallVector<Value> values;
    // One loop writes all parts of what is kept; others are fused into it.
    if (isJoined && areAlike)
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
