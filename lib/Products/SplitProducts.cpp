//===- SplitProducts.cpp - sums that are wide -----------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductTensors.h"
#include "TileProducts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "norm/IR/Norm.h"
#include "norm/Rows/Rows.h"

using namespace mlir;
using linalg::GenericOp;
using norm::MatrixProduct;
using norm::ProductSplitter;

static bool isZero(Value v) {
  return v && (matchPattern(v, m_AnyZeroFloat()) || matchPattern(v, m_Zero()));
}

GenericOp ProductSplitter::split(const MatrixProduct &product) {
  GenericOp op = product.op;
  b.setInsertionPoint(op);
  for (OpOperand *input : op.getDpsInputOperands())
    if (!hasNeighbors(input->get()))
      input->set(norm::createCopy(b, op.getLoc(), input->get()));
  Value zeros = createZeros(b, op.getLoc(),
                            createEmptyLike(op.getDpsInits()[0], product.sum));
  Type element = getElementTypeOrSelf(op.getDpsInputs()[product.lhs]),
       half = element.isInteger(8) ? b.getI16Type() : element;
  auto createWith = [&](Type lhs) {
    SmallVector<Value> inputs(op.getDpsInputs());
    inputs[product.lhs] = widen(inputs[product.lhs], product.widenLhs, lhs);
    return createProduct(b, product, inputs, zeros, op.getIndexingMapsArray(),
                         op.getIteratorTypesArray());
  };
  auto createThin = [&] {
    ProductKinds kind = plan.getThinKind(product);
    GenericOp thin = createWith(kind == ProductKinds::Pairs ? half : element);
    thin->setAttr(thinAttrName,
                  b.getI64IntegerAttr(static_cast<int64_t>(kind)));
    return thin;
  };
  GenericOp wide;
  if (plan.hasBlocks(product)) {
    int64_t group = plan.getGroup(product);
    wide = createWith(group == 1 ? product.sum : group == 2 ? half : element);
    wide->setAttr(tileAttrName, b.getI64IntegerAttr(group));
    if (plan.usesTiles(product))
      wide->setAttr(amxAttrName, b.getUnitAttr());
    if (plan.mayHaveFewRows(product))
      forFewRows.map(wide.getResult(0), createThin().getResult(0));
  } else {
    wide = plan.isThin(product) ? createThin() : createWith(element);
  }
  GenericOp behind = createBehind(product, wide.getResult(0));
  b.replaceOp(op, behind);
  return behind;
}

/// Returns a tensor of the extents of `like`, of elements of `type`.
Value ProductSplitter::createEmptyLike(Value like, Type type) {
  Location loc = like.getLoc();
  return tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, like),
                                 type);
}

/// Widens all of A once: each of its elements is read for every column.
Value ProductSplitter::widen(Value lhs, Operation *extension, Type type) {
  if (getElementTypeOrSelf(lhs.getType()) == type)
    return lhs;
  Value &wide = widened[{lhs, type,
                         extension ? extension->getName().getTypeID()
                                   : TypeID::get<arith::ExtFOp>()}];
  if (wide)
    return wide;
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointAfterValue(lhs);
  wide = createElementwise(b, lhs.getLoc(), lhs, createEmptyLike(lhs, type),
                           [&](OpBuilder &b, ValueRange args) {
                             return createWidened(b, extension, args[0], type);
                           })
             .getResult(0);
  return wide;
}

GenericOp ProductSplitter::createBehind(const MatrixProduct &product,
                                        Value sums) {
  GenericOp op = product.op;
  Value dest = op.getDpsInits()[0];
  auto fill = dest.getDefiningOp<linalg::LinalgOp>();
  bool addsToZeros = fill && isZero(getFilled(fill));
  Value out = addsToZeros ? fill.getDpsInits()[0] : dest;
  Location loc = op.getLoc();
  return createElementwise(
      b, loc, sums, out, [&](OpBuilder &b, ValueRange args) {
        Value v = args[0];
        if (!addsToZeros)
          v = ArithBuilder(b, loc).add(
              createWidened(b, nullptr, args[1], v.getType()), v);
        if (v.getType() != args[1].getType())
          v = arith::TruncFOp::create(b, loc, args[1].getType(), v);
        return v;
      });
}
