//===- RowScalars.cpp - one value per row, as an op of its own ------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

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

/// Returns true if the op iterates over `loop` and over another one, whose
/// values of the part become vectors.
static bool repeats(GenericOp op, unsigned loop) {
  SmallVector<int64_t> extents = op.getStaticLoopRanges();
  int64_t extent = extents[loop];
  extents.erase(extents.begin() + loop);
  return extent != 1 &&
         llvm::any_of(extents, [](int64_t other) { return other != 1; });
}

/// Returns the inputs that `loop` does not change. What no element of a row
/// changes is for the innermost loop to move.
static SmallVector<OpOperand *> findInvariantInputs(GenericOp op,
                                                    unsigned loop) {
  unsigned innermost = op.getNumLoops() - 1;
  return llvm::filter_to_vector(
      op.getDpsInputOperands(), [&](OpOperand *input) {
        AffineMap map = op.getMatchingIndexingMap(input);
        return isa<RankedTensorType>(input->get().getType()) &&
               !map.isFunctionOfDim(loop) &&
               (loop == innermost || map.isFunctionOfDim(innermost));
      });
}

/// Returns what `loop` repeats of `op`, or nullopt if nothing of it is slow.
static std::optional<InvariantPart> findInvariantPart(GenericOp op,
                                                      unsigned loop) {
  InvariantPart part{loop, findInvariantInputs(op, loop), {}, {}};
  llvm::DenseSet<Value> known;
  for (OpOperand *input : part.inputs)
    known.insert(op.getMatchingBlockArgument(input));
  auto isKnown = [&](Value v) {
    return known.contains(v) || v.getParentBlock() != op.getBody();
  };
  for (Operation &each : op.getBody()->without_terminator()) {
    if (each.getNumResults() != 1 || each.getNumRegions() != 0 ||
        !isMemoryEffectFree(&each) ||
        !llvm::all_of(each.getOperands(), isKnown))
      continue;
    part.ops.insert(&each);
    known.insert(each.getResult(0));
  }
  for (Operation *each : part.ops)
    if (!matchPattern(each, m_Constant()) &&
        llvm::any_of(each->getUsers(),
                     [&](Operation *user) { return !part.ops.contains(user); }))
      part.results.push_back(each->getResult(0));
  return llvm::any_of(part.ops, isSlow) ? std::optional(part) : std::nullopt;
}

/// Creates the op over the other loops that computes `part`.
static GenericOp createRowOp(IRRewriter &b, GenericOp op,
                             const InvariantPart &part) {
  Location loc = op.getLoc();
  llvm::SmallBitVector dropped(op.getNumLoops());
  dropped.set(part.loop);
  SmallVector<OpFoldResult> extents;
  for (auto [loop, range] :
       llvm::enumerate(cast<linalg::LinalgOp>(*op).createLoopRanges(b, loc)))
    if (loop != part.loop)
      extents.push_back(range.size);
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : part.inputs) {
    inputs.push_back(input->get());
    maps.push_back(projectDims(op.getMatchingIndexingMap(input), dropped,
                               /*compressDimsFlag=*/true));
  }
  for (Value result : part.results) {
    inits.push_back(tensor::EmptyOp::create(b, loc, extents, result.getType()));
    maps.push_back(b.getMultiDimIdentityMap(extents.size()));
  }
  SmallVector<utils::IteratorType> kinds(extents.size(),
                                         utils::IteratorType::parallel);
  return GenericOp::create(
      b, loc, TypeRange(ValueRange(inits)), inputs, inits, maps, kinds,
      [&](OpBuilder &nested, Location, ValueRange args) {
        IRMapping mapping;
        for (auto [input, arg] : llvm::zip(part.inputs, args))
          mapping.map(op.getMatchingBlockArgument(input), arg);
        for (Operation *each : part.ops)
          nested.clone(*each, mapping);
        linalg::YieldOp::create(
            nested, loc, llvm::map_to_vector(part.results, [&](Value result) {
              return mapping.lookup(result);
            }));
      });
}

/// Replaces `part` of an op by the results of `rows` as inputs.
static GenericOp replaceInvariantPart(IRRewriter &b, GenericOp op,
                                      const InvariantPart &part,
                                      GenericOp rows) {
  unsigned numInputs = op.getNumDpsInputs();
  SmallVector<Value> inputs(op.getInputs());
  llvm::append_range(inputs, rows->getResults());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.insert(maps.begin() + numInputs, rows->getNumResults(),
              b.getMultiDimIdentityMap(op.getNumLoops()).dropResult(part.loop));
  auto rest = GenericOp::create(
      b, op.getLoc(), op->getResultTypes(), inputs, op.getOutputs(), maps,
      op.getIteratorTypesArray(),
      [&](OpBuilder &nested, Location, ValueRange args) {
        IRMapping mapping;
        mapping.map(op.getRegionInputArgs(), args.take_front(numInputs));
        mapping.map(part.results, args.slice(numInputs, part.results.size()));
        mapping.map(op.getRegionOutputArgs(),
                    args.take_back(op.getNumDpsInits()));
        for (Operation &each : *op.getBody())
          if (!part.ops.contains(&each) || matchPattern(&each, m_Constant()))
            nested.clone(each, mapping);
      });
  b.replaceOp(op, rest.getResults());
  return rest;
}

void norm::splitRowScalars(IRRewriter &b, GenericOp op) {
  for (unsigned loop = op.getNumLoops(); loop-- > 0;) {
    std::optional<InvariantPart> part;
    if (!repeats(op, loop) || !(part = findInvariantPart(op, loop)))
      continue;
    LDBG("norm-form-rows", 1)
        << "computes once per row, without loop " << loop << ": " << op;
    b.setInsertionPoint(op);
    GenericOp rows = createRowOp(b, op, *part);
    op = replaceInvariantPart(b, op, *part, rows);
  }
}
