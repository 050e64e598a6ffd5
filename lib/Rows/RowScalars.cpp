//===- RowScalars.cpp - one value per row, as an op of its own ------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RowLoops.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/Matchers.h"
#include "norm/IR/SplitBody.h"
#include "norm/Normalize/Recompute.h"
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
  llvm::DenseMap<Value, Loops> loops =
      norm::findLoopsOfValues(cast<linalg::LinalgOp>(*op));
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

/// Replaces `part` of an op by `rows` as inputs, and drops those that only it
/// read.
static void replaceRowPart(IRRewriter &b, GenericOp op, const RowPart &part,
                           AffineMap map, ValueRange rows) {
  Block *body = op.getBody();
  unsigned inputs = op.getNumDpsInputs();
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  maps.insert(maps.begin() + inputs, rows.size(), map);
  b.startOpModification(op);
  op.getInputsMutable().append(rows);
  for (auto [i, result] : llvm::enumerate(part.results))
    b.replaceAllUsesWith(
        result,
        body->insertArgument(inputs + i, result.getType(), op.getLoc()));
  for (Operation *each : llvm::reverse(part.ops))
    if (isOpTriviallyDead(each))
      b.eraseOp(each);
  for (unsigned i = inputs; i-- > 0;) {
    if (!body->getArgument(i).use_empty())
      continue;
    body->eraseArgument(i);
    op.getInputsMutable().erase(i);
    maps.erase(maps.begin() + i);
  }
  op.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
  b.finalizeOpModification(op);
}

void norm::splitRowScalars(IRRewriter &b, GenericOp op) {
  while (std::optional<RowPart> part = findRowPart(op)) {
    LDBG("norm-form-rows", 1) << "computes once per row: " << op;
    AffineMap map = b.getMultiDimIdentityMap(op.getNumLoops())
                        .dropResults(~Loops(part->loops));
    replaceRowPart(b, op, *part, map,
                   norm::outline(b, cast<linalg::LinalgOp>(*op), part->results,
                                 map, /*held=*/{}));
  }
}
