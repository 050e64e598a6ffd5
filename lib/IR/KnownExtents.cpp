//===- KnownExtents.cpp - extents that some operands have -----------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/IR/KnownExtents.h"

using namespace mlir;

SmallVector<int64_t> norm::getKnownExtents(linalg::LinalgOp op) {
  SmallVector<int64_t> extents(op.getNumLoops(), ShapedType::kDynamic);
  for (OpOperand &operand : op->getOpOperands())
    for (auto [expr, extent] :
         llvm::zip(op.getMatchingIndexingMap(&operand).getResults(),
                   op.getShape(&operand)))
      if (auto dim = dyn_cast<AffineDimExpr>(expr);
          dim && !ShapedType::isDynamic(extent))
        extents[dim.getPosition()] = extent;
  return extents;
}

Type norm::getRefinedType(linalg::LinalgOp op, OpOperand &operand,
                          ArrayRef<int64_t> extents) {
  auto type = dyn_cast<ShapedType>(operand.get().getType());
  if (!type)
    return operand.get().getType();
  SmallVector<int64_t> shape(type.getShape());
  for (auto [expr, extent] :
       llvm::zip(op.getMatchingIndexingMap(&operand).getResults(), shape))
    if (auto dim = dyn_cast<AffineDimExpr>(expr);
        dim && ShapedType::isDynamic(extent))
      extent = extents[dim.getPosition()];
  return type.clone(shape);
}

uint64_t norm::multiplyExtents(ArrayRef<int64_t> extents, uint64_t open) {
  uint64_t product = 1;
  for (int64_t extent : extents)
    product = llvm::SaturatingMultiply<uint64_t>(
        product, ShapedType::isDynamic(extent) ? open : extent);
  return product;
}

bool norm::areKnownEqual(const ValueBoundsConstraintSet::Variable &x,
                         const ValueBoundsConstraintSet::Variable &y) {
  FailureOr<bool> equal = ValueBoundsConstraintSet::areEqual(x, y);
  return succeeded(equal) && *equal;
}
