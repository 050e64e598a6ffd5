//===- RowScalars.cpp - one value per row, as an op of its own ------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/DebugLog.h"

using namespace mlir;
using linalg::GenericOp;

/// A set of loops of an op.
using Loops = llvm::SmallBitVector;

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

static Loops getLoops(AffineMap map) {
  Loops loops(map.getNumDims());
  for (unsigned loop = 0; loop < map.getNumDims(); ++loop)
    loops[loop] = map.isFunctionOfDim(loop);
  return loops;
}

/// Returns the loops on whose indices the values of the body depend; of the
/// body's results, only of those that may be computed elsewhere.
static llvm::DenseMap<Value, Loops> findLoops(GenericOp op) {
  llvm::DenseMap<Value, Loops> loops;
  for (OpOperand *input : op.getDpsInputOperands())
    loops[op.getMatchingBlockArgument(input)] =
        getLoops(op.getMatchingIndexingMap(input));
  for (Operation &each : op.getBody()->without_terminator()) {
    if (each.getNumResults() != 1 || each.getNumRegions() != 0 ||
        !isMemoryEffectFree(&each))
      continue;
    Loops all(op.getNumLoops());
    bool isKnown = llvm::all_of(each.getOperands(), [&](Value operand) {
      all |= loops.lookup(operand);
      return loops.contains(operand) ||
             operand.getParentBlock() != op.getBody();
    });
    if (isKnown)
      loops[each.getResult(0)] = all;
  }
  return loops;
}

namespace {
/// The part of an op's body that depends on some of its loops alone.
struct RowPart {
  Loops loops;
  llvm::SetVector<Operation *> ops;
  SmallVector<Value> results; // results of `ops` that the rest of the body uses
};
} // namespace

/// Returns true if the op repeats what depends on `loops`, and these iterate,
/// so that the values become vectors.
static bool isRepeated(GenericOp op, const Loops &loops) {
  bool iterates = false, repeats = false;
  for (auto [loop, extent] : llvm::enumerate(op.getStaticLoopRanges()))
    (loops[loop] ? iterates : repeats) |= extent != 1;
  return iterates && repeats;
}

/// Returns the part of `op` that depends on the loops of its first slow
/// operation that is repeated, if there is one.
static std::optional<RowPart> findRowPart(GenericOp op) {
  llvm::DenseMap<Value, Loops> loops = findLoops(op);
  auto body = op.getBody()->without_terminator();
  auto slow = llvm::find_if(body, [&](Operation &each) {
    return isSlow(&each) && loops.contains(each.getResult(0)) &&
           isRepeated(op, loops[each.getResult(0)]);
  });
  if (slow == body.end())
    return std::nullopt;
  RowPart part;
  part.loops = loops[slow->getResult(0)];
  for (Operation &each : body)
    // What depends on more loops is a part of `op` that stays.
    if (each.getNumResults() == 1 && loops.contains(each.getResult(0)) &&
        !loops[each.getResult(0)].test(part.loops))
      part.ops.insert(&each);
  for (Operation *each : part.ops)
    if (!matchPattern(each, m_Constant()) &&
        llvm::any_of(each->getUsers(),
                     [&](Operation *user) { return !part.ops.contains(user); }))
      part.results.push_back(each->getResult(0));
  return part.results.empty() ? std::nullopt : std::optional(part);
}

/// Returns the inputs of `op` of which some ops of its body use an element.
static SmallVector<OpOperand *>
findInputs(GenericOp op, llvm::function_ref<bool(Operation *)> isUser) {
  return llvm::filter_to_vector(
      op.getDpsInputOperands(), [&](OpOperand *input) {
        return llvm::any_of(op.getMatchingBlockArgument(input).getUsers(),
                            isUser);
      });
}

/// Builds the body that computes `part` of the elements that it reads.
static void buildRowBody(OpBuilder &b, GenericOp op, const RowPart &part,
                         ArrayRef<OpOperand *> read, ValueRange args) {
  IRMapping mapping;
  for (auto [input, arg] : llvm::zip(read, args))
    mapping.map(op.getMatchingBlockArgument(input), arg);
  for (Operation *each : part.ops)
    b.clone(*each, mapping);
  SmallVector<Value> results;
  for (Value result : part.results)
    results.push_back(mapping.lookup(result));
  linalg::YieldOp::create(b, op.getLoc(), results);
}

/// Returns the results of a new op over the loops of `part` that computes it.
static ValueRange createRowOp(IRRewriter &b, GenericOp op,
                              const RowPart &part) {
  Location loc = op.getLoc();
  Loops dropped = ~Loops(part.loops);
  SmallVector<OpFoldResult> extents;
  for (auto [loop, range] :
       llvm::enumerate(cast<linalg::LinalgOp>(*op).createLoopRanges(b, loc)))
    if (part.loops[loop])
      extents.push_back(range.size);
  SmallVector<OpOperand *> read =
      findInputs(op, [&](Operation *user) { return part.ops.contains(user); });
  SmallVector<Value> inputs, inits;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : read) {
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
  auto rows = GenericOp::create(
      b, loc, TypeRange(ValueRange(inits)), inputs, inits, maps, kinds,
      [&](OpBuilder &nested, Location, ValueRange args) {
        buildRowBody(nested, op, part, read, args);
      });
  return rows->getResults();
}

/// Replaces `part` of an op by `rows` as inputs.
static GenericOp replaceRowPart(IRRewriter &b, GenericOp op,
                                const RowPart &part, ValueRange rows) {
  SmallVector<OpOperand *> read =
      findInputs(op, [&](Operation *user) { return !part.ops.contains(user); });
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand *input : read) {
    inputs.push_back(input->get());
    maps.push_back(op.getMatchingIndexingMap(input));
  }
  llvm::append_range(inputs, rows);
  maps.append(rows.size(), b.getMultiDimIdentityMap(op.getNumLoops())
                               .dropResults(~Loops(part.loops)));
  for (OpOperand &init : op.getDpsInitsMutable())
    maps.push_back(op.getMatchingIndexingMap(&init));
  auto rest = GenericOp::create(
      b, op.getLoc(), op->getResultTypes(), inputs, op.getOutputs(), maps,
      op.getIteratorTypesArray(),
      [&](OpBuilder &nested, Location, ValueRange args) {
        IRMapping mapping;
        for (auto [input, arg] : llvm::zip(read, args))
          mapping.map(op.getMatchingBlockArgument(input), arg);
        mapping.map(part.results, args.slice(read.size(), rows.size()));
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
  while (std::optional<RowPart> part = findRowPart(op)) {
    LDBG("norm-form-rows", 1) << "computes once per row: " << op;
    b.setInsertionPoint(op);
    ValueRange rows = createRowOp(b, op, *part);
    op = replaceRowPart(b, op, *part, rows);
  }
}
