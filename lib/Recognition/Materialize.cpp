//===- Materialize.cpp - row expressions back to linalg -------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "norm/Recognition/RowExpression.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace mlir::norm;
using Kind = Expr::Kind;

static void collectElements(const Expr *expr,
                            llvm::DenseSet<const Expr *> &seen,
                            llvm::SetVector<const Expr *> &elements) {
  if (!seen.insert(expr).second)
    return;
  if (expr->kind == Kind::Element)
    elements.insert(expr);
  for (const Expr *operand : expr->operands)
    collectElements(operand, seen, elements);
}

static Value emit(OpBuilder &b, Location loc, const Expr *expr,
                  llvm::DenseMap<const Expr *, Value> &known) {
  if (Value value = known.lookup(expr))
    return value;
  SmallVector<Value> operands;
  for (const Expr *operand : expr->operands)
    operands.push_back(emit(b, loc, operand, known));
  Value value;
  switch (expr->kind) {
  case Kind::Constant:
    value = arith::ConstantOp::create(
        b, loc, FloatAttr::get(cast<FloatType>(expr->type), *expr->value));
    break;
  case Kind::Mul:
    value = arith::MulFOp::create(b, loc, operands[0], operands[1]);
    break;
  case Kind::Add:
    value = arith::AddFOp::create(b, loc, operands[0], operands[1]);
    break;
  case Kind::Neg:
    value = arith::NegFOp::create(b, loc, operands[0]);
    break;
  case Kind::Round:
    value = arith::TruncFOp::create(b, loc, expr->type, operands[0]);
    break;
  case Kind::Extend:
    value = arith::ExtFOp::create(b, loc, expr->type, operands[0]);
    break;
  default:
    llvm_unreachable("not an expression that can be materialised");
  }
  return known[expr] = value;
}

Value norm::materialize(OpBuilder &b, Location loc, const Expr *expr,
                        const ExprReader &reader, ArrayRef<int64_t> dims,
                        ArrayRef<OpFoldResult> sizes) {
  llvm::DenseSet<const Expr *> seen;
  llvm::SetVector<const Expr *> elements;
  collectElements(expr, seen, elements);
  SmallVector<AffineMap> maps;
  SmallVector<Value> inputs;
  for (const Expr *element : elements) {
    const Anchor &anchor = *reader.findReadable(element, dims);
    SmallVector<AffineExpr> results;
    for (AffineExpr index : anchor.indices) {
      if (auto dim = dyn_cast<AffineDimExpr>(index)) {
        const auto *it =
            llvm::find(dims, static_cast<int64_t>(dim.getPosition()));
        index = b.getAffineDimExpr(it - dims.begin());
      }
      results.push_back(index);
    }
    maps.push_back(AffineMap::get(dims.size(), 0, results, b.getContext()));
    inputs.push_back(anchor.tensor);
  }
  maps.push_back(b.getMultiDimIdentityMap(dims.size()));
  Value init = tensor::EmptyOp::create(b, loc, sizes, expr->type);
  SmallVector<utils::IteratorType> iterators(dims.size(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, loc, TypeRange(init.getType()), inputs, init, maps, iterators,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        llvm::DenseMap<const Expr *, Value> known;
        for (auto [element, arg] : llvm::zip(elements, args))
          known[element] = arg;
        linalg::YieldOp::create(b, loc, emit(b, loc, expr, known));
      });
  return generic.getResult(0);
}
