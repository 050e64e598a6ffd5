//===- ValueOrigins.cpp - what values and types of lanes are --------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Floats/ValueOrigins.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

bool norm::isVectorFunction(Operation &op) {
  return isa<math::ExpOp, math::Exp2Op, math::ExpM1Op, math::LogOp,
             math::Log1pOp, math::TanhOp, math::ErfOp>(op);
}

Type norm::withElement(Type type, Type element) {
  if (auto shaped = dyn_cast<ShapedType>(type))
    return shaped.clone(element);
  return element;
}

Operation *norm::cloneAtWidth(OpBuilder &b, Operation *op, int64_t lanes,
                              ValueRange operands) {
  bool onVectors = llvm::any_of(operands.getTypes(), llvm::IsaPred<VectorType>);
  SmallVector<Type> types;
  for (Type type : op->getResultTypes())
    types.push_back(onVectors || isa<VectorType>(type)
                        ? VectorType::get(lanes, getElementTypeOrSelf(type))
                        : type);
  DenseElementsAttr splat;
  if (matchPattern(op, m_Constant(&splat)))
    return arith::ConstantOp::create(
        b, op->getLoc(), splat.resizeSplat(cast<ShapedType>(types.front())));
  return clone(b, op, types, operands);
}
