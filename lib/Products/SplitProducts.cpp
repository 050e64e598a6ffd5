//===- SplitProducts.cpp - sums that are wide -----------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductTensors.h"
#include "TileProducts.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "norm/Rows/Rows.h"

using namespace mlir;
using linalg::GenericOp;
using norm::MatrixProduct;
using norm::ProductSplitter;
using utils::IteratorType;

static bool isZero(Value v) {
  return v && (matchPattern(v, m_AnyZeroFloat()) || matchPattern(v, m_Zero()));
}

/// Returns a copy that no pattern folds.
static Value createCopy(OpBuilder &b, Value v) {
  return bufferization::AllocTensorOp::create(
      b, v.getLoc(), cast<RankedTensorType>(v.getType()), ValueRange(), v);
}

GenericOp ProductSplitter::split(const MatrixProduct &product) {
  GenericOp op = product.op;
  b.setInsertionPoint(op);
  for (OpOperand *input : op.getDpsInputOperands())
    if (!hasNeighbors(input->get()))
      input->set(createCopy(b, input->get()));
  Value zeros = createZeros(b, op.getLoc(),
                            createEmptyLike(op.getDpsInits()[0], product.sum));
  GenericOp wide;
  if (plan.hasBlocks(product)) {
    wide = createBlocks(product, zeros);
    if (plan.mayHaveFewRows(product))
      forFewRows.map(
          wide.getResult(0),
          createThin(product, zeros, plan.getThinKind(product)).getResult(0));
  } else {
    wide = createThin(product, zeros,
                      plan.isThin(product)
                          ? std::optional(plan.getThinKind(product))
                          : std::nullopt);
  }
  GenericOp behind = createBehind(product, wide.getResult(0));
  b.replaceOp(op, behind);
  return behind;
}

GenericOp ProductSplitter::createBlocks(const MatrixProduct &product,
                                        Value zeros) {
  int64_t group = plan.getGroup(product);
  GenericOp wide = group > 1 ? createGrouped(product, zeros, group)
                             : createWide(product, zeros);
  wide->setAttr(tileAttrName, b.getUnitAttr());
  if (plan.usesTiles(product))
    wide->setAttr(amxAttrName, b.getUnitAttr());
  return wide;
}

/// Returns a tensor of the extents of `like`, of elements of `type`.
Value ProductSplitter::createEmptyLike(Value like, Type type) {
  Location loc = like.getLoc();
  return tensor::EmptyOp::create(b, loc, tensor::getMixedSizes(b, loc, like),
                                 type);
}

GenericOp ProductSplitter::createThin(const MatrixProduct &product, Value zeros,
                                      std::optional<ProductKinds> kind) {
  GenericOp op = product.op;
  SmallVector<Value> inputs(op.getDpsInputs());
  if (kind == ProductKinds::Pairs)
    inputs[product.lhs] = widenToHalves(product);
  GenericOp thin =
      createProduct(b, product, inputs, zeros, op.getIndexingMapsArray(),
                    op.getIteratorTypesArray());
  if (kind)
    thin->setAttr(thinAttrName,
                  b.getI64IntegerAttr(static_cast<int64_t>(*kind)));
  return thin;
}

/// Returns A, in which pairs of i8 have become halves of words.
Value ProductSplitter::widenToHalves(const MatrixProduct &product) {
  Value lhs = GenericOp(product.op).getDpsInputs()[product.lhs];
  return getElementTypeOrSelf(lhs.getType()).isInteger(8)
             ? widen(lhs, product.widenLhs, b.getI16Type())
             : lhs;
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

GenericOp ProductSplitter::createWide(const MatrixProduct &product,
                                      Value zeros) {
  GenericOp op = product.op;
  SmallVector<Value> inputs(op.getDpsInputs());
  inputs[product.lhs] =
      widen(inputs[product.lhs], product.widenLhs, product.sum);
  return createProduct(b, product, inputs, zeros, op.getIndexingMapsArray(),
                       op.getIteratorTypesArray());
}

/// Divides the loop over depths by one more loop, over `group` of them.
GenericOp ProductSplitter::createGrouped(const MatrixProduct &product,
                                         Value zeros, int64_t group) {
  GenericOp op = product.op;
  unsigned loops = op.getNumLoops(), depth = product.loops.depth;
  SmallVector<Value> inputs;
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    SmallVector<AffineExpr> dims;
    std::optional<unsigned> split;
    for (auto [position, expr] : llvm::enumerate(map.getResults())) {
      dims.push_back(expr);
      if (cast<AffineDimExpr>(expr).getPosition() == depth) {
        split = position;
        dims.push_back(b.getAffineDimExpr(loops));
      }
    }
    maps.push_back(AffineMap::get(loops + 1, 0, dims, b.getContext()));
    if (!split)
      continue;
    bool hasHalves = group == 2 && operand.getOperandNumber() == product.lhs;
    Value v = hasHalves ? widenToHalves(product) : operand.get();
    inputs.push_back(splitDim(b, v, *split, group));
  }
  SmallVector<IteratorType> iterators(op.getIteratorTypesArray());
  iterators.push_back(IteratorType::reduction);
  return createProduct(b, product, inputs, zeros, maps, iterators);
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
        if (!addsToZeros) {
          Value old = createWidened(b, nullptr, args[1], v.getType());
          v = isa<FloatType>(v.getType())
                  ? arith::AddFOp::create(b, loc, old, v).getResult()
                  : arith::AddIOp::create(b, loc, old, v).getResult();
        }
        if (v.getType() != args[1].getType())
          v = arith::TruncFOp::create(b, loc, args[1].getType(), v);
        return v;
      });
}
