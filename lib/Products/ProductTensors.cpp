//===- ProductTensors.cpp - tensors around products -----------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProductTensors.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "mlir/Dialect/Bufferization/Transforms/OneShotAnalysis.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "norm/Floats/ValueOrigins.h"

using namespace mlir;
using linalg::GenericOp;
using utils::IteratorType;

GenericOp
norm::createElementwise(OpBuilder &b, Location loc, ValueRange inputs,
                        Value dest,
                        function_ref<Value(OpBuilder &, ValueRange)> body) {
  auto map =
      b.getMultiDimIdentityMap(cast<ShapedType>(dest.getType()).getRank());
  SmallVector<AffineMap> maps(inputs.size() + 1, map);
  SmallVector<IteratorType> kinds(map.getNumDims(), IteratorType::parallel);
  return GenericOp::create(b, loc, dest.getType(), inputs, dest, maps, kinds,
                           [&](OpBuilder &b, Location loc, ValueRange args) {
                             linalg::YieldOp::create(b, loc, body(b, args));
                           });
}

Value norm::createZeros(OpBuilder &b, Location loc, Value dest) {
  Type type = getElementTypeOrSelf(dest.getType());
  Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(type));
  return createElementwise(b, loc, ValueRange(), dest,
                           [&](OpBuilder &, ValueRange) { return zero; })
      .getResult(0);
}

Value norm::createWidened(OpBuilder &b, Operation *widen, Value v,
                          Type element) {
  Type type = withElement(v.getType(), element);
  if (v.getType() == type)
    return v;
  if (!widen)
    return arith::ExtFOp::create(b, v.getLoc(), type, v);
  return b.create(v.getLoc(), widen->getName().getIdentifier(), v, type)
      ->getResult(0);
}

GenericOp norm::createProduct(OpBuilder &b, const MatrixProduct &like,
                              ValueRange inputs, Value dest,
                              ArrayRef<AffineMap> maps,
                              ArrayRef<IteratorType> kinds) {
  return GenericOp::create(
      b, dest.getLoc(), dest.getType(), inputs, dest, maps, kinds,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value x = createWidened(b, like.widenLhs, args[like.lhs], like.sum);
        Value y = createWidened(b, like.widenRhs, args[like.rhs], like.sum);
        ArithBuilder numbers(b, loc);
        linalg::YieldOp::create(b, loc,
                                numbers.add(args[2], numbers.mul(x, y)));
      });
}

Value norm::splitDim(OpBuilder &b, Value v, unsigned split, int64_t group) {
  auto type = cast<RankedTensorType>(v.getType());
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<ReassociationIndices> groups;
  for (int64_t dim = 0, next = 0; dim < type.getRank(); ++dim) {
    groups.push_back({next++});
    if (dim == split)
      groups.back().push_back(next++);
  }
  shape[split] /= group;
  shape.insert(shape.begin() + split + 1, group);
  return tensor::ExpandShapeOp::create(b, v.getLoc(), type.clone(shape), v,
                                       groups);
}

bool norm::hasNeighbors(Value v) {
  bufferization::OneShotBufferizationOptions options;
  options.bufferizeFunctionBoundaries = true;
  options.setFunctionBoundaryTypeConversion(
      bufferization::LayoutMapOption::IdentityLayoutMap);
  options.unknownTypeConverterFn = [](TensorType type, Attribute space,
                                      const auto &) {
    return bufferization::getMemRefTypeWithStaticIdentityLayout(type, space);
  };
  bufferization::BufferizationState state;
  auto buffer = bufferization::getBufferType(v, options, state);
  auto ranked = succeeded(buffer) ? dyn_cast<MemRefType>(*buffer) : nullptr;
  return ranked && ranked.isLastDimUnitStride();
}

Value norm::sliceFirst(OpBuilder &b, Value v, ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> zero(sizes.size(), b.getIndexAttr(0)),
      one(sizes.size(), b.getIndexAttr(1));
  return tensor::ExtractSliceOp::create(b, v.getLoc(), v, zero, sizes, one);
}

Value norm::insertFirst(OpBuilder &b, Value slice, Value v) {
  SmallVector<OpFoldResult> sizes =
                                tensor::getMixedSizes(b, slice.getLoc(), slice),
                            zero(sizes.size(), b.getIndexAttr(0)),
                            one(sizes.size(), b.getIndexAttr(1));
  return tensor::InsertSliceOp::create(b, slice.getLoc(), slice, v, zero, sizes,
                                       one);
}

Value norm::sliceFirstDim(OpBuilder &b, Value v, OpFoldResult at,
                          ArrayRef<OpFoldResult> sizes) {
  SmallVector<OpFoldResult> offsets(sizes.size() + 1, b.getIndexAttr(0)),
      all(sizes), one(sizes.size() + 1, b.getIndexAttr(1));
  offsets[0] = at;
  all.insert(all.begin(), b.getIndexAttr(1));
  auto type = tensor::ExtractSliceOp::inferCanonicalRankReducedResultType(
      sizes.size(), cast<RankedTensorType>(v.getType()), all);
  return tensor::ExtractSliceOp::create(b, v.getLoc(), type, v, offsets, all,
                                        one);
}
