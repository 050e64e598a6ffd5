//===- Anchors.cpp - where the program holds an expression ----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Recognition/RowExpression.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::norm;

ArrayRef<Anchor> ExprReader::getAnchors(const Expr *expr) const {
  auto it = anchors.find(expr);
  return it == anchors.end() ? ArrayRef<Anchor>() : ArrayRef(it->second);
}

/// A program may name an element that its tensor does not have: linalg checks
/// no op of which an extent is dynamic.
static bool isElementOf(AffineExpr index, Value tensor, int64_t dim) {
  auto constant = dyn_cast<AffineConstantExpr>(index);
  if (!constant || constant.getValue() < 0)
    return false;
  int64_t extent = cast<RankedTensorType>(tensor.getType()).getDimSize(dim);
  return ShapedType::isDynamic(extent) || constant.getValue() < extent;
}

const Anchor *ExprReader::findReadable(const Expr *element,
                                       ArrayRef<int64_t> dims) const {
  ArrayRef<Anchor> held = getAnchors(element);
  const Anchor *found = llvm::find_if(held, [&](const Anchor &anchor) {
    return llvm::all_of(llvm::enumerate(anchor.indices), [&](auto each) {
      auto dim = dyn_cast<AffineDimExpr>(each.value());
      if (!dim)
        return isElementOf(each.value(), anchor.tensor, each.index());
      return llvm::is_contained(dims, dim.getPosition()) &&
             isExtentOf(dim.getPosition(), anchor.tensor, each.index());
    });
  });
  return found == held.end() ? nullptr : found;
}

SmallVector<BodyAnchor> ExprReader::getBodyAnchors(const Expr *expr) const {
  auto it = bodyAnchors.find(expr);
  if (it == bodyAnchors.end())
    return {};
  SmallVector<BodyAnchor> found;
  for (bool wantsRoot : {true, false})
    llvm::copy_if(it->second, std::back_inserter(found),
                  [&](const BodyAnchor &anchor) {
                    return (anchor.op == root) == wantsRoot;
                  });
  return found;
}

std::optional<AffineMap>
ExprReader::getSpaceMap(const BodyAnchor &anchor) const {
  if (anchor.op == root)
    return spaceMap;
  linalg::LinalgOp op = anchor.op;
  SmallVector<int64_t> ranges = op.getStaticLoopRanges();
  SmallVector<AffineExpr> results(rank, getAffineConstantExpr(0, context));
  llvm::SmallBitVector found(rank);
  auto walksAll = [&](unsigned loop, unsigned dim) {
    for (OpOperand &operand : op->getOpOperands())
      for (auto [i, expr] :
           llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
        if (expr == getAffineDimExpr(loop, context) &&
            isExtentOf(dim, operand.get(), i))
          return true;
    return false;
  };
  for (auto [loop, index] : llvm::enumerate(anchor.loops)) {
    if (ranges[loop] == 1)
      continue;
    auto dim = dyn_cast<AffineDimExpr>(index);
    if (!dim || dim.getPosition() >= rank || found.test(dim.getPosition()) ||
        !walksAll(loop, dim.getPosition()))
      return std::nullopt;
    found.set(dim.getPosition());
    results[dim.getPosition()] = getAffineDimExpr(loop, context);
  }
  for (unsigned dim = 0; dim < rank; ++dim)
    if (!found.test(dim) && extents[dim] != 1)
      return std::nullopt;
  return AffineMap::get(op.getNumLoops(), 0, results, context);
}

Value ExprReader::findTensor(const Expr *expr, const BodyAnchor &anchor) {
  constexpr unsigned kMaxUsers = 16; // of one tensor
  llvm::SaveAndRestore keep(overBound, overBound);
  SmallVector<AffineExpr> indices;
  for (unsigned dim = 0; dim < rank; ++dim)
    indices.push_back(getAffineDimExpr(dim, context));
  auto holds = [&](OpResult result) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type || type.getRank() != rank || type.getElementType() != expr->type)
      return false;
    for (unsigned dim = 0; dim < rank; ++dim)
      if (!isExtentOf(dim, result, dim))
        return false;
    distances[false].try_emplace(result, 0);
    return read(result, indices) == expr;
  };
  for (Value operand : anchor.op->getOperands())
    for (auto [i, user] : llvm::enumerate(operand.getUsers())) {
      if (i == kMaxUsers)
        break;
      auto other = dyn_cast<linalg::LinalgOp>(user);
      if (!other || other->getBlock() != root->getBlock() ||
          !other->isBeforeInBlock(root) || other.getNumReductionLoops() > 0 ||
          !isReadable(other))
        continue;
      for (OpResult result : other->getResults())
        if (holds(result))
          return result;
    }
  return {};
}
