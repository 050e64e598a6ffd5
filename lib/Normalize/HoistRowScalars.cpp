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
#include "norm/Normalize/Passes.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

namespace mlir::norm {
#define GEN_PASS_DEF_NORMHOISTROWSCALARS
#include "norm/Normalize/Passes.h.inc"
} // namespace mlir::norm

using namespace mlir;
using linalg::GenericOp;

/// LLVM has no such types, so a conversion is a dozen operations.
static bool isBelow16Bits(Type type) {
  auto element = dyn_cast<FloatType>(type);
  return element && element.getWidth() < 16;
}

/// Returns true if a vector of rows is cheaper than one value at a time.
static bool isSlow(Operation *op) {
  auto extend = dyn_cast<arith::ExtFOp>(op);
  return isa<arith::DivFOp>(op) ||
         (extend && isBelow16Bits(extend.getIn().getType())) ||
         isa_and_nonnull<math::MathDialect>(op->getDialect());
}

namespace {
/// The part of an op's body that is equal for all iterations of a loop.
struct InvariantPart {
  unsigned loop;
  SmallVector<OpOperand *> inputs;
  llvm::SetVector<Operation *> ops;
  SmallVector<Value> results; // results of `ops` that the rest of the body uses
};
} // namespace

/// Returns true for elementwise ops, whose parts may have fewer iterations.
static bool isElementwise(GenericOp op) {
  return op.hasPureTensorSemantics() && op.isAllParallelLoops() &&
         !op.hasIndexSemantics();
}

/// Returns true if the op iterates over `loop` and over another one, whose
/// values of the part become vectors. The innermost loop must be in one over
/// rows, so that the values of all rows are not kept.
static bool repeats(GenericOp op, unsigned loop) {
  if (loop + 1 == op.getNumLoops() &&
      !op->getParentOfType<LoopLikeOpInterface>())
    return false;
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  int64_t extent = extents[loop];
  extents.erase(extents.begin() + loop);
  return extent != 1 &&
         llvm::any_of(extents, [](int64_t other) { return other != 1; });
}

static std::optional<InvariantPart> findInvariantPart(GenericOp op,
                                                      unsigned loop) {
  InvariantPart part;
  part.loop = loop;
  // What no element of a row changes is for the innermost loop to move.
  unsigned innermost = op.getNumLoops() - 1;
  llvm::DenseSet<Value> known;
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    if (!isa<RankedTensorType>(input->get().getType()) ||
        map.isFunctionOfDim(loop) ||
        (loop != innermost && !map.isFunctionOfDim(innermost)))
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

/// Returns `map` without the loop of `part`, which it does not use.
static AffineMap dropLoop(AffineMap map, const InvariantPart &part) {
  llvm::SmallBitVector dropped(map.getNumDims());
  dropped.set(part.loop);
  return projectDims(map, dropped, /*compressDimsFlag=*/true);
}

/// Creates the op over the other loops that computes `part`.
static GenericOp createRowOp(IRRewriter &b, GenericOp op, InvariantPart &part) {
  Location loc = op.getLoc();
  unsigned loops = op.getNumLoops() - 1;
  SmallVector<OpFoldResult> extents;
  auto ranges = cast<linalg::LinalgOp>(*op).createLoopRanges(b, loc);
  for (auto [loop, range] : llvm::enumerate(ranges))
    if (loop != part.loop)
      extents.push_back(range.size);
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : part.inputs) {
    inputs.push_back(input->get());
    maps.push_back(dropLoop(op.getMatchingIndexingMap(input), part));
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
static GenericOp replaceInvariantPart(IRRewriter &b, GenericOp op,
                                      InvariantPart &part, GenericOp rows) {
  AffineMap others =
      b.getMultiDimIdentityMap(op.getNumLoops()).dropResult(part.loop);
  SmallVector<Value> inputs(op.getInputs());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  for (auto [i, result] : llvm::enumerate(rows->getResults())) {
    maps.insert(maps.begin() + inputs.size(), others);
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
  return replacement;
}

namespace {
struct NormHoistRowScalars
    : norm::impl::NormHoistRowScalarsBase<NormHoistRowScalars> {
  void runOnOperation() override {
    SmallVector<GenericOp> ops;
    getOperation().walk([&](GenericOp op) {
      if (isElementwise(op))
        ops.push_back(op);
    });
    IRRewriter rewriter(&getContext());
    for (GenericOp op : ops)
      for (unsigned loop = op.getNumLoops(); loop-- > 0;) {
        if (!repeats(op, loop))
          continue;
        std::optional<InvariantPart> part = findInvariantPart(op, loop);
        if (!part)
          continue;
        LDBG("norm-hoist-row-scalars", 1)
            << "computes once per row, without loop " << loop << ": " << op;
        rewriter.setInsertionPoint(op);
        GenericOp rows = createRowOp(rewriter, op, *part);
        op = replaceInvariantPart(rewriter, op, *part, rows);
      }
  }
};
} // namespace
