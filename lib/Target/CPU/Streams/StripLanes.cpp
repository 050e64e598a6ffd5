//===- StripLanes.cpp - a strip of a row at another width -----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StripLanes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"
#include "norm/Floats/ValueOrigins.h"
#include "norm/Rows/Vectors.h"

using namespace mlir;

bool norm::isContiguousRow(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  return type && type.getRank() > 0 && type.isLastDimUnitStride();
}

bool norm::isPlainRow(VectorTransferOpInterface op) {
  return getWholeRowAccess(op) && isContiguousRow(op.getBase());
}

/// The op that counts the columns down, if there is one.
static arith::SubIOp getDescent(scf::ForOp strips) {
  Value index = strips.getInductionVar();
  auto descent = index.hasOneUse()
                     ? dyn_cast<arith::SubIOp>(*index.user_begin())
                     : arith::SubIOp();
  return descent && descent.getRhs() == index ? descent : arith::SubIOp();
}

Value norm::getColumn(scf::ForOp strips) {
  arith::SubIOp descent = getDescent(strips);
  return descent ? descent.getResult() : strips.getInductionVar();
}

void norm::goUp(scf::ForOp strips) {
  if (arith::SubIOp descent = getDescent(strips)) {
    descent.replaceAllUsesWith(strips.getInductionVar());
    descent.erase();
  }
}

void norm::setBounds(OpBuilder &b, scf::ForOp strips, Value from, Value to) {
  strips.setLowerBound(from);
  strips.setUpperBound(to);
  if (arith::SubIOp descent = getDescent(strips)) {
    Location loc = strips.getLoc();
    Value last = arith::SubIOp::create(b, loc, to, strips.getStep());
    descent.setOperand(0, arith::AddIOp::create(b, loc, from, last));
  }
}

bool norm::isStripOf(VectorTransferOpInterface op, scf::ForOp strips) {
  auto indices = op.getIndices();
  Value column = getColumn(strips);
  return isPlainRow(op) && indices.back() == column &&
         !llvm::is_contained(indices.drop_back(), column) &&
         getConstantIntValue(strips.getStep()) ==
             op.getVectorType().getNumElements();
}

static bool isUniform(Value v) {
  return !isa<VectorType>(v.getType()) || norm::getUniform(v);
}

static bool isLaneWiseOp(Operation &op, scf::ForOp strips) {
  if (auto transfer = dyn_cast<VectorTransferOpInterface>(op))
    return norm::isStripOf(transfer, strips);
  if (isa<vector::BroadcastOp>(op))
    return isUniform(op.getResult(0));
  if (matchPattern(&op, m_Constant()))
    return op.getNumResults() == 1 && isUniform(op.getResult(0));
  if (!OpTrait::hasElementwiseMappableTraits(&op) || !isMemoryEffectFree(&op))
    return false;
  return llvm::all_of(op.getOperands(), [&](Value operand) {
    return strips->isAncestor(operand.getParentBlock()->getParentOp()) ||
           isUniform(operand);
  });
}

bool norm::isLaneWise(scf::ForOp strips) {
  return strips.getNumResults() == 0 && !strips.getUnsignedCmp() &&
         llvm::all_of(getColumn(strips).getUsers(),
                      llvm::IsaPred<VectorTransferOpInterface>) &&
         llvm::all_of(strips.getBody()->without_terminator(),
                      [&](Operation &op) { return isLaneWiseOp(op, strips); });
}

void norm::cloneStrip(OpBuilder &b, scf::ForOp strips, Value column,
                      int64_t lanes, IRMapping map) {
  map.map(getColumn(strips), column);
  // Uniform values may be from outside, or in `map` for another width.
  auto lookup = [&](Value v) -> Value {
    Value mapped = map.lookupOrDefault(v);
    auto type = dyn_cast<VectorType>(mapped.getType());
    bool fits = !type || (mapped != v && type.getDimSize(0) == lanes);
    return fits ? mapped : createUniform(b, v, lanes, map);
  };
  for (Operation &op : strips.getBody()->without_terminator()) {
    if (isa<memref::PrefetchOp>(op) || getColumn(strips).getDefiningOp() == &op)
      continue;
    Operation *clone = cloneAtWidth(
        b, &op, lanes, llvm::map_to_vector(op.getOperands(), lookup));
    map.map(op.getResults(), clone->getResults());
    if (auto store = dyn_cast<vector::StoreOp>(clone))
      if (llvm::MaybeAlign alignment = store.getMaybeAlign()) {
        VectorType type = store.getVectorType();
        store.setAlignment(llvm::MinAlign(
            alignment->value(), lanes * type.getElementTypeBitWidth() / 8));
      }
  }
}
