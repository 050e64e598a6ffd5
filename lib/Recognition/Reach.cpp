//===- Reach.cpp - how far a reader reads ---------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tensors beyond a distance from the root are leaves. The distance is that of
// the shortest way, known before anything is read: what is read does not depend
// on the order of visits, and each tensor is read once at its indices.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "norm/Recognition/RowExpression.h"

using namespace mlir;
using namespace mlir::norm;

/// The tensor behind reshapes: the same elements in another shape.
static Value skipReshapes(Value tensor) {
  while (Operation *op = tensor.getDefiningOp()) {
    if (!isa<tensor::ExpandShapeOp, tensor::CollapseShapeOp, tensor::CastOp>(
            op))
      break;
    tensor = op->getOperand(0);
  }
  return tensor;
}

/// A matrix product of two different tensors: no sum of squares, and what lies
/// behind it does not matter to a norm after it. A row times itself as a column
/// is one: an einsum or a matmul of reshaped tensors.
static bool isProductOfTwo(linalg::LinalgOp op) {
  if (!linalg::isaContractionOpInterface(op) ||
      skipReshapes(op.getDpsInputOperand(0)->get()) ==
          skipReshapes(op.getDpsInputOperand(1)->get()))
    return false;
  // A product row by row is not: it reads both tensors alike.
  return op.getIndexingMapsArray()[0] != op.getIndexingMapsArray()[1];
}

bool norm::isReadable(linalg::LinalgOp op) {
  return op.hasPureTensorSemantics() && !isProductOfTwo(op);
}

/// A fill is no step further, and one at a sum of any depth may be shared.
static bool readsTensors(linalg::LinalgOp op) {
  return llvm::any_of(op.getDpsInputs(), [](Value input) {
    return isa<RankedTensorType>(input.getType());
  });
}

/// Tensors of which an element goes into `scalar`, a value outside bodies.
static void collectExtracted(Value scalar, llvm::DenseSet<Operation *> &seen,
                             SmallVectorImpl<Value> &tensors) {
  SmallVector<Value> worklist{scalar};
  while (!worklist.empty()) {
    Value next = worklist.pop_back_val();
    Operation *op = next.getDefiningOp();
    if (isa<TensorType>(next.getType())) {
      if (isa<RankedTensorType>(next.getType()))
        tensors.push_back(next);
    } else if (op && op->getNumRegions() == 0 && !isa<tensor::DimOp>(op) &&
               seen.insert(op).second) {
      llvm::append_range(worklist, op->getOperands());
    }
  }
}

/// Tensors that reading what `op` computes may read.
static SmallVector<Value> getSources(Operation *op) {
  SmallVector<Value> tensors;
  llvm::DenseSet<Operation *> seen;
  if (isa<linalg::LinalgOp>(op)) {
    for (Value operand : op->getOperands())
      collectExtracted(operand, seen, tensors);
    op->getRegion(0).walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (!op->getRegion(0).isAncestor(operand.getParentRegion()))
          collectExtracted(operand, seen, tensors);
    });
  } else if (isa<tensor::FromElementsOp, tensor::SplatOp>(op)) {
    collectExtracted(op->getOperand(0), seen, tensors);
  } else if (isa<tensor::CastOp, tensor::ExtractSliceOp,
                 tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op) &&
             isa<RankedTensorType>(op->getOperand(0).getType())) {
    tensors.push_back(op->getOperand(0));
  }
  return tensors;
}

bool ExprReader::isWithinReach(OpResult tensor) const {
  auto op = cast<linalg::LinalgOp>(tensor.getOwner());
  if (!readsTensors(op))
    return true;
  auto it = distances[isBehindReduction].find(tensor);
  return it != distances[isBehindReduction].end() && it->second < reach;
}

void ExprReader::measureDistances() {
  using Visit = std::pair<Value, bool>; // behind a reduction
  SmallVector<SmallVector<Visit>> visits(reach);
  auto visit = [&](Value tensor, bool behind, unsigned distance) {
    if (distance >= reach)
      return;
    auto [it, inserted] = distances[behind].try_emplace(tensor, distance);
    if (!inserted && it->second <= distance)
      return;
    it->second = distance;
    visits[distance].push_back({tensor, behind});
  };
  for (auto &known : distances)
    known.clear();
  for (Value source : getSources(root))
    visit(source, false, 0);
  for (unsigned distance = 0; distance < reach; ++distance)
    while (!visits[distance].empty()) {
      auto [tensor, behind] = visits[distance].pop_back_val();
      Operation *op = tensor.getDefiningOp();
      if (!op || distances[behind].lookup(tensor) != distance)
        continue;
      unsigned step = 0;
      bool reduces = false;
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
        if (!isReadable(linalgOp) || (behind && leaves.contains(tensor)))
          continue;
        reduces = linalgOp.getNumReductionLoops() > 0;
        // A sum behind a sum is seldom a part of the same norm.
        step = reduces ? 5 : 1;
      }
      for (Value source : getSources(op))
        visit(source, behind || reduces, distance + step);
    }
}
