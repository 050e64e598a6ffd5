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
#include "norm/Transforms/Transforms.h"

using namespace mlir;

bool norm::isContiguousRow(Value buffer) {
  auto type = dyn_cast<MemRefType>(buffer.getType());
  return type && type.getRank() > 0 && type.isLastDimUnitStride();
}

bool norm::isPlainRow(VectorTransferOpInterface op) {
  return !op.getMask() && op.getVectorType().getRank() == 1 &&
         !op.hasOutOfBoundsDim() && op.getPermutationMap().isMinorIdentity() &&
         isContiguousRow(op.getBase());
}

bool norm::isStripOf(VectorTransferOpInterface op, scf::ForOp strips) {
  auto indices = op.getIndices();
  return isPlainRow(op) && indices.back() == strips.getInductionVar() &&
         !llvm::is_contained(indices.drop_back(), strips.getInductionVar());
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
  return llvm::all_of(strips.getBody()->without_terminator(),
                      [&](Operation &op) { return isLaneWiseOp(op, strips); });
}

namespace {
class StripCloner {
public:
  StripCloner(OpBuilder &b, int64_t lanes, IRMapping &map)
      : b(b), lanes(lanes), map(map) {}

  void clone(Operation &op) {
    loc = op.getLoc();
    if (isa<memref::PrefetchOp>(op))
      return;
    if (auto read = dyn_cast<vector::TransferReadOp>(op)) {
      map.map(read.getResult(),
              vector::TransferReadOp::create(
                  b, loc, resize(read.getVectorType()), lookup(read.getBase()),
                  lookup(read.getIndices()), lookup(read.getPadding()),
                  ArrayRef<bool>{true}));
      return;
    }
    if (auto write = dyn_cast<vector::TransferWriteOp>(op)) {
      vector::TransferWriteOp::create(
          b, loc, lookup(write.getValueToStore()), lookup(write.getBase()),
          lookup(write.getIndices()), ArrayRef<bool>{true});
      return;
    }
    if (auto store = dyn_cast<vector::StoreOp>(op)) {
      int64_t bytes =
          lanes * store.getVectorType().getElementTypeBitWidth() / 8;
      auto alignment = store.getAlignment();
      vector::StoreOp::create(
          b, loc, lookup(store.getValueToStore()), lookup(store.getBase()),
          lookup(store.getIndices()), store.getNontemporal(),
          llvm::MaybeAlign(alignment ? std::min<int64_t>(*alignment, bytes)
                                     : 0));
      return;
    }
    bool isUniform =
        isa<vector::BroadcastOp>(op) || matchPattern(&op, m_Constant());
    if (isUniform && isa<VectorType>(op.getResult(0).getType())) {
      map.map(op.getResult(0), narrow(op.getResult(0)));
      return;
    }
    cloneElementwise(op);
  }

private:
  VectorType resize(VectorType type) {
    return VectorType::get(lanes, type.getElementType());
  }

  /// A uniform value; others are in the map.
  Value narrow(Value v) {
    auto type = dyn_cast<VectorType>(v.getType());
    if (!type)
      return map.lookupOrDefault(v);
    OpFoldResult uniform = norm::getUniform(v);
    if (auto scalar = dyn_cast<Value>(uniform))
      return vector::BroadcastOp::create(b, loc, resize(type),
                                         map.lookupOrDefault(scalar));
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(resize(type), cast<Attribute>(uniform)));
  }

  Value lookup(Value v) {
    Value mapped = map.lookupOrNull(v);
    bool fits =
        mapped && (!isa<VectorType>(mapped.getType()) ||
                   cast<VectorType>(mapped.getType()).getDimSize(0) == lanes);
    return fits ? mapped : narrow(v);
  }
  SmallVector<Value> lookup(ValueRange values) {
    return llvm::map_to_vector(values, [&](Value v) { return lookup(v); });
  }

  void cloneElementwise(Operation &op) {
    SmallVector<Type> types;
    for (Type type : op.getResultTypes()) {
      auto vector = dyn_cast<VectorType>(type);
      types.push_back(vector ? Type(resize(vector)) : type);
    }
    Operation *clone = b.create(loc, op.getName().getIdentifier(),
                                lookup(op.getOperands()), types, op.getAttrs());
    map.map(op.getResults(), clone->getResults());
  }

  OpBuilder &b;
  Location loc = b.getUnknownLoc();
  int64_t lanes;
  IRMapping &map;
};
} // namespace

void norm::cloneStrip(OpBuilder &b, scf::ForOp strips, Value column,
                      int64_t lanes, IRMapping map) {
  map.map(strips.getInductionVar(), column);
  StripCloner cloner(b, lanes, map);
  for (Operation &op : strips.getBody()->without_terminator())
    cloner.clone(op);
}
