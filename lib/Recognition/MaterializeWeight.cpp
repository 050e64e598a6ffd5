//===- MaterializeWeight.cpp - a weight that no tensor holds --------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Plan.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::norm;
using row::Kind;

using Values = llvm::DenseMap<const row::Node *, Value>;

/// Operands come first. The planner bounds the number of nodes, and so the
/// depth of the recursion.
static Value emit(OpBuilder &b, Location loc, const row::Node *node,
                  Values &known) {
  if (Value value = known.lookup(node))
    return value;
  SmallVector<Value> args;
  for (const row::Node *operand : node->getOperands())
    args.push_back(emit(b, loc, operand, known));
  auto create = [&]() -> Value {
    switch (node->getKind()) {
    case Kind::Constant:
      return arith::ConstantOp::create(
          b, loc, cast<row::ConstantNode>(node)->getAttr());
    case Kind::Add:
      return arith::AddFOp::create(b, loc, args[0], args[1]);
    case Kind::Mul:
      return arith::MulFOp::create(b, loc, args[0], args[1]);
    case Kind::Div:
      return arith::DivFOp::create(b, loc, args[0], args[1]);
    case Kind::Neg:
      return arith::NegFOp::create(b, loc, args[0]);
    case Kind::Round:
      return arith::TruncFOp::create(b, loc, node->getType(), args[0]);
    case Kind::Extend:
      return arith::ExtFOp::create(b, loc, node->getType(), args[0]);
    default:
      llvm_unreachable("the planner plans no other node as a weight");
    }
  };
  return known[node] = create();
}

Value norm::materialize(OpBuilder &b, Location loc, const PlannedWeight &weight,
                        ArrayRef<OpFoldResult> sizes) {
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (const WeightElement &element : weight.elements) {
    inputs.push_back(element.tensor);
    maps.push_back(element.map);
  }
  maps.push_back(b.getMultiDimIdentityMap(sizes.size()));
  Value init =
      tensor::EmptyOp::create(b, loc, sizes, weight.expression->getType());
  SmallVector<utils::IteratorType> iterators(sizes.size(),
                                             utils::IteratorType::parallel);
  auto generic = linalg::GenericOp::create(
      b, loc, TypeRange(init.getType()), inputs, init, maps, iterators,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Values known;
        for (auto [element, arg] : llvm::zip(weight.elements, args))
          known[element.node] = arg;
        linalg::YieldOp::create(b, loc, emit(b, loc, weight.expression, known));
      });
  return generic.getResult(0);
}
