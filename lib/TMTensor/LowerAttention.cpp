//===- LowerAttention.cpp - attention as products and a softmax -----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Lower.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include <cmath>

using namespace mlir;
using namespace mlir::norm;
using namespace mlir::norm::tm_tensor;

using Body = function_ref<Value(ImplicitLocOpBuilder &, ValueRange)>;

static Value createFloat(ImplicitLocOpBuilder &b, Type type, double value) {
  return arith::ConstantOp::create(b, b.getFloatAttr(type, value));
}

static Value widen(ImplicitLocOpBuilder &b, Value value, Type type) {
  return value.getType() == type ? value
                                 : arith::ExtFOp::create(b, type, value);
}

namespace {
/// Builds ops over batch, rows and keys (or columns).
struct AttentionBuilder {
  AttentionBuilder(ImplicitLocOpBuilder &b, AttentionOp op)
      : b(b), op(op), rank(getTensorType(op.getInputs()[0]).getRank()),
        element(getTensorType(op.getInputs()[0]).getElementType()),
        wide(element.getIntOrFloatBitWidth() < 32 ? b.getF32Type() : element) {}

  /// Returns the batch's dimensions and then `dims`, of `loops` loops.
  AffineMap getMap(ArrayRef<unsigned> dims, unsigned loops) {
    SmallVector<unsigned> all =
        llvm::to_vector(llvm::seq<unsigned>(0, rank - 2));
    llvm::append_range(all, dims);
    return AffineMap::getMultiDimMapWithTargets(loops, all, b.getContext());
  }

  /// Creates a tensor of the batch and `extents`.
  Value createEmpty(ArrayRef<OpFoldResult> extents) {
    SmallVector<OpFoldResult> sizes =
        tensor::getMixedSizes(b, b.getLoc(), op.getInputs()[0]);
    sizes.truncate(rank - 2);
    llvm::append_range(sizes, extents);
    return tensor::EmptyOp::create(b, sizes, wide);
  }

  /// Builds a linalg.generic that sums over its last loop if `out` has it not.
  Value build(ValueRange ins, ArrayRef<AffineMap> maps, Value out, Body body) {
    SmallVector<utils::IteratorType> loops(maps.back().getNumDims(),
                                           utils::IteratorType::parallel);
    for (unsigned loop = 0; loop < loops.size(); ++loop)
      if (!maps.back().isFunctionOfDim(loop))
        loops[loop] = utils::IteratorType::reduction;
    auto build = [&](OpBuilder &nested, Location loc, ValueRange args) {
      ImplicitLocOpBuilder inner(loc, nested);
      linalg::YieldOp::create(inner, body(inner, args));
    };
    return linalg::GenericOp::create(b, out.getType(), ins, out, maps, loops,
                                     build)
        .getResult(0);
  }

  /// Builds a sum of products over the last of the loops.
  Value buildProduct(Value first, AffineMap firstMap, Value second,
                     AffineMap secondMap, ArrayRef<OpFoldResult> extents) {
    auto body = [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
      Value product = arith::MulFOp::create(b, widen(b, args[0], wide),
                                            widen(b, args[1], wide));
      return arith::AddFOp::create(b, args[2], product);
    };
    return build({first, second},
                 {firstMap, secondMap, getMap({rows(), rows() + 1}, rank + 1)},
                 fill(createEmpty(extents), 0.0), body);
  }

  Value fill(Value tensor, double value) {
    return linalg::FillOp::create(b, createFloat(b, wide, value), tensor)
        .getResult(0);
  }

  Value buildScale();
  /// Scales the products of queries and keys, and masks them.
  Value buildLogits(Value products);
  Value buildSoftmax(Value logits);

  unsigned rows() const { return rank - 2; }

  ImplicitLocOpBuilder &b;
  AttentionOp op;
  unsigned rank;
  Type element, wide;
};
} // namespace

Value AttentionBuilder::buildScale() {
  if (auto scale = op.getScale())
    return createFloat(b, wide, scale->convertToDouble());
  Value query = op.getInputs()[0];
  auto type = getTensorType(query);
  if (!type.isDynamicDim(rank - 1))
    return createFloat(b, wide,
                       1.0 / std::sqrt(double(type.getDimSize(rank - 1))));
  Value extent = arith::IndexCastOp::create(b, b.getI64Type(),
                                            getExtent(b, query, rank - 1));
  Value root =
      math::SqrtOp::create(b, arith::SIToFPOp::create(b, wide, extent));
  return arith::DivFOp::create(b, createFloat(b, wide, 1.0), root);
}

Value AttentionBuilder::buildLogits(Value products) {
  Value scale = buildScale();
  Value minusInfinity = createFloat(b, wide, -INFINITY);
  Value zero = createFloat(b, wide, 0.0);
  SmallVector<Value> ins{products};
  llvm::append_range(ins, op.getInputs().drop_front(3));
  SmallVector<AffineMap> maps(ins.size() + 1, b.getMultiDimIdentityMap(rank));
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
    Value scaled = arith::MulFOp::create(b, args[0], scale);
    if (ins.size() == 1)
      return scaled;
    Value mask = args[1];
    mask = mask.getType().isInteger(1)
               ? arith::SelectOp::create(b, mask, zero, minusInfinity)
               : widen(b, mask, wide);
    return arith::AddFOp::create(b, scaled, mask);
  };
  return build(ins, maps,
               tensor::EmptyOp::create(
                   b, tensor::getMixedSizes(b, b.getLoc(), products), wide),
               body);
}

Value AttentionBuilder::buildSoftmax(Value logits) {
  AffineMap all = b.getMultiDimIdentityMap(rank);
  AffineMap row = getMap({rows()}, rank);
  OpFoldResult extent = tensor::getMixedSize(b, b.getLoc(), logits, rows());
  Value largest =
      build(logits, {all, row}, fill(createEmpty(extent), -INFINITY),
            [](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
              return arith::MaximumFOp::create(b, args[0], args[1]);
            });
  Value minusInfinity = createFloat(b, wide, -INFINITY);
  Value zero = createFloat(b, wide, 0.0);
  Value empty = tensor::EmptyOp::create(
      b, tensor::getMixedSizes(b, b.getLoc(), logits), wide);
  auto equals = [](ImplicitLocOpBuilder &b, Value x, Value y) -> Value {
    return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, x, y);
  };
  Value powers = build(
      {logits, largest}, {all, row, all}, empty,
      [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
        // All of a row is masked: each power is 0 rather than NaN.
        Value base = arith::SelectOp::create(
            b, equals(b, args[1], minusInfinity), zero, args[1]);
        return math::ExpOp::create(b, arith::SubFOp::create(b, args[0], base));
      });
  Value sums = build(powers, {all, row}, fill(createEmpty(extent), 0.0),
                     [](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                       return arith::AddFOp::create(b, args[1], args[0]);
                     });
  return build({powers, sums}, {all, row, all}, empty,
               [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                 Value part = arith::DivFOp::create(b, args[0], args[1]);
                 return arith::SelectOp::create(b, equals(b, args[1], zero),
                                                zero, part);
               });
}

SmallVector<Value> tm_tensor::lowerAttention(ImplicitLocOpBuilder &b,
                                             AttentionOp op) {
  AttentionBuilder builder(b, op);
  Value query = op.getInputs()[0], key = op.getInputs()[1];
  Value value = op.getInputs()[2], out = op.getOutputs()[0];
  unsigned rank = builder.rank, rows = rank - 2, last = rank - 1;
  SmallVector<int64_t> batch = llvm::to_vector(llvm::seq<int64_t>(0, rows));
  auto require = [&](Value tensor, ArrayRef<int64_t> dims, Value other,
                     ArrayRef<int64_t> others) {
    SmallVector<int64_t> first(batch), second(batch);
    llvm::append_range(first, dims);
    llvm::append_range(second, others);
    requireExtents(b, op, tensor, first, other, second);
  };
  require(query, last, key, last);
  require(value, rows, key, rows);
  require(query, rows, out, rows);
  require(value, last, out, last);
  if (op.getInputs().size() > 3) {
    require(query, rows, op.getInputs()[3], rows);
    requireExtents(b, op, key, rows, op.getInputs()[3], last);
  }
  auto getSize = [&](Value tensor, int64_t dim) {
    return tensor::getMixedSize(b, b.getLoc(), tensor, dim);
  };
  unsigned loops = rank + 1;
  Value products =
      builder.buildProduct(query, builder.getMap({rows, rank}, loops), key,
                           builder.getMap({last, rank}, loops),
                           {getSize(query, rows), getSize(key, rows)});
  Value weights = builder.buildSoftmax(builder.buildLogits(products));
  Value result =
      builder.buildProduct(weights, builder.getMap({rows, rank}, loops), value,
                           builder.getMap({rank, last}, loops),
                           {getSize(query, rows), getSize(value, last)});
  if (builder.wide == builder.element)
    return {tensor::CastOp::create(b, out.getType(), result)};
  AffineMap all = b.getMultiDimIdentityMap(rank);
  return {builder.build(result, {all, all}, out,
                        [&](ImplicitLocOpBuilder &b, ValueRange args) -> Value {
                          return arith::TruncFOp::create(b, builder.element,
                                                         args[0]);
                        })};
}
