//===- HoistRowScalars.cpp - what is one value a row, for several rows ----===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "norm/Transforms/Passes.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMHOISTROWSCALARS
#include "norm/Transforms/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using linalg::GenericOp;

/// Returns true if a vector of rows is cheaper than one value at a time.
static bool isSlow(Operation *op) {
  return isa<arith::DivFOp>(op) ||
         isa_and_nonnull<math::MathDialect>(op->getDialect());
}

namespace {
/// The part of an op's body that is equal for all elements of a row.
struct RowPart {
  SmallVector<OpOperand *> inputs;
  llvm::SetVector<Operation *> ops;
  SmallVector<Value> results; // results of `ops` that the rest of the body uses
};
} // namespace

/// Returns true if there are several rows that do not depend on each other.
static bool hasRows(GenericOp op) {
  if (!op.hasPureTensorSemantics() || op.getNumLoops() < 2 ||
      !op.isAllParallelLoops() || op.hasIndexSemantics() ||
      !op->getParentOfType<LoopLikeOpInterface>())
    return false;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  return extents.back() != 1 &&
         llvm::any_of(ArrayRef(extents).drop_back(),
                      [](int64_t extent) { return extent != 1; });
}

static std::optional<RowPart> findRowPart(GenericOp op) {
  RowPart part;
  llvm::DenseSet<Value> known;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!isa<RankedTensorType>(input->get().getType()) ||
        map.isFunctionOfDim(op.getNumLoops() - 1))
      continue;
    part.inputs.push_back(input);
    known.insert(op.getMatchingBlockArgument(input));
  }
  Block *body = op.getBody();
  bool isWorthIt = false;
  for (Operation &each : body->without_terminator()) {
    bool isOfRow = each.getNumResults() == 1 && each.getNumRegions() == 0 &&
                   isMemoryEffectFree(&each) && each.getNumOperands() > 0 &&
                   llvm::all_of(each.getOperands(), [&](Value operand) {
                     return known.contains(operand) ||
                            operand.getParentBlock() != body ||
                            matchPattern(operand, m_Constant());
                   });
    if (!isOfRow)
      continue;
    part.ops.insert(&each);
    known.insert(each.getResult(0));
    isWorthIt |= isSlow(&each);
  }
  for (Operation *each : part.ops)
    if (llvm::any_of(each->getUsers(),
                     [&](Operation *user) { return !part.ops.contains(user); }))
      part.results.push_back(each->getResult(0));
  return isWorthIt ? std::optional(part) : std::nullopt;
}

/// Creates the op over rows that computes `part`.
static GenericOp createRowOp(IRRewriter &b, GenericOp op, RowPart &part) {
  Location loc = op.getLoc();
  unsigned loops = op.getNumLoops() - 1;
  SmallVector<OpFoldResult> extents;
  auto ranges = cast<linalg::LinalgOp>(*op).createLoopRanges(b, loc);
  for (Range range : ArrayRef(ranges).drop_back())
    extents.push_back(range.size);
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : part.inputs) {
    inputs.push_back(input->get());
    AffineMap map = op.getMatchingIndexingMap(input);
    maps.push_back(AffineMap::get(loops, 0, map.getResults(), b.getContext()));
  }
  for (Value result : part.results) {
    inits.push_back(tensor::EmptyOp::create(b, loc, extents, result.getType()));
    maps.push_back(b.getMultiDimIdentityMap(loops));
  }
  SmallVector<utils::IteratorType> kinds(loops, utils::IteratorType::parallel);
  return GenericOp::create(
      b, loc, TypeRange(ValueRange(inits)), inputs, inits, maps, kinds,
      [&](OpBuilder &nested, Location, ValueRange args) {
        IRMapping mapping;
        for (auto [input, arg] : llvm::zip(part.inputs, args))
          mapping.map(op.getMatchingBlockArgument(input), arg);
        for (Operation *each : part.ops) {
          for (Value operand : each->getOperands())
            if (Operation *constant = operand.getDefiningOp();
                constant && constant->getBlock() == op.getBody() &&
                !mapping.contains(operand))
              nested.clone(*constant, mapping);
          nested.clone(*each, mapping);
        }
        SmallVector<Value> results;
        for (Value result : part.results)
          results.push_back(mapping.lookup(result));
        linalg::YieldOp::create(nested, loc, results);
      });
}

/// Replaces the row part of an op by the results of `rows` as inputs.
static void replaceRowPart(IRRewriter &b, GenericOp op, RowPart &part,
                           GenericOp rows) {
  unsigned loops = op.getNumLoops();
  SmallVector<Value> inputs(op.getInputs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (auto [i, result] : llvm::enumerate(rows->getResults())) {
    AffineMap map = b.getMultiDimIdentityMap(loops).getMajorSubMap(loops - 1);
    maps.insert(maps.begin() + inputs.size(), map);
    Block *body = op.getBody();
    BlockArgument arg = body->insertArgument(
        inputs.size(), part.results[i].getType(), op.getLoc());
    b.replaceUsesWithIf(part.results[i], arg, [&](OpOperand &use) {
      return !part.ops.contains(use.getOwner());
    });
    inputs.push_back(result);
  }
  for (Operation *each : llvm::reverse(part.ops))
    if (each->use_empty())
      b.eraseOp(each);
  auto replacement =
      GenericOp::create(b, op.getLoc(), op->getResultTypes(), inputs,
                        op.getOutputs(), maps, op.getIteratorTypesArray());
  b.inlineRegionBefore(op.getRegion(), replacement.getRegion(),
                       replacement.getRegion().begin());
  b.replaceOp(op, replacement.getResults());
}

namespace {
struct NormHoistRowScalars
    : norm::impl::NormHoistRowScalarsBase<NormHoistRowScalars> {
  using NormHoistRowScalarsBase::NormHoistRowScalarsBase;

  void runOnOperation() override {
    SmallVector<GenericOp> ops;
    getOperation().walk([&](GenericOp op) {
      if (hasRows(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (GenericOp op : ops) {
      std::optional<RowPart> part = findRowPart(op);
      if (!part)
        continue;
      rewriter.setInsertionPoint(op);
      GenericOp rows = createRowOp(rewriter, op, *part);
      replaceRowPart(rewriter, op, *part, rows);
    }
  }
};
} // namespace
