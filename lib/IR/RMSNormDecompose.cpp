//===- RMSNormDecompose.cpp - AggregatedOpInterface of norm.rmsnorm -------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// norm.rmsnorm decomposes into three linalg.generic ops: the row reduction, the
// reciprocal root, and the scaling per element. Row tiling fuses them again.
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "norm/IR/Norm.h"
#include "norm/IR/RoundFloat.h"

using namespace mlir;
using namespace mlir::norm;

/// Converts v to the type `to`, exactly if that is wider and else with one
/// rounding. f16 and bf16 convert through f32, which holds both.
static Value convertFloat(OpBuilder &b, Location loc, Value v, FloatType to) {
  auto from = cast<FloatType>(v.getType());
  if (from == to)
    return v;
  if (from.getWidth() < to.getWidth())
    return arith::ExtFOp::create(b, loc, to, v);
  if (from.getWidth() > to.getWidth())
    return arith::TruncFOp::create(b, loc, to, v);
  Value wide = arith::ExtFOp::create(b, loc, b.getF32Type(), v);
  return arith::TruncFOp::create(b, loc, to, wide);
}

namespace {
/// Builds the decomposition of one op on tensors or on memrefs.
class Decomposer {
public:
  Decomposer(OpBuilder &b, RMSNormOp op)
      : b(b), loc(op.getLoc()), op(op), compute(op.getEffectiveComputeType()),
        batch(op.getBatchDims()), rank(op.getInputType().getRank()),
        onTensors(op.hasPureTensorSemantics()) {
    wide = compute.getWidth() == 16 ? cast<FloatType>(b.getF32Type()) : compute;
    sumType = cast<FloatType>(op.getSumType().value_or(compute));
    accumulator = getWiderFloatType(wide, sumType);
  }

  SmallVector<Value> run() {
    Value sum = buildSumOfSquares();
    bool divides = op.getRootForm() == RootForm::Quotient;
    Value invRms, scale;
    if (!divides || op.getInvRmsInit())
      invRms = buildPerRow(sum, op.getInvRmsInit(), /*inverse=*/true);
    scale = divides ? buildPerRow(sum, Value(), /*inverse=*/false) : invRms;
    Value result = buildScale(scale);
    for (Value buffer : llvm::reverse(temporaries))
      memref::DeallocOp::create(b, loc, buffer);
    if (!onTensors)
      return {};
    SmallVector<Value> results{result};
    if (op.getInvRmsInit())
      results.push_back(invRms);
    return results;
  }

private:
  AffineMap getMap(ArrayRef<int64_t> dims) {
    SmallVector<AffineExpr> exprs;
    for (int64_t dim : dims)
      exprs.push_back(b.getAffineDimExpr(dim));
    return AffineMap::get(rank, 0, exprs, b.getContext());
  }

  SmallVector<OpFoldResult> getSizes(Value v) {
    return onTensors ? tensor::getMixedSizes(b, loc, v)
                     : memref::getMixedSizes(b, loc, v);
  }

  /// Creates an uninitialized value with x's batch extents.
  Value createPerRow(FloatType type) {
    SmallVector<OpFoldResult> all = getSizes(op.getInput()), sizes;
    for (int64_t dim : batch)
      sizes.push_back(all[dim]);
    if (onTensors)
      return tensor::EmptyOp::create(b, loc, sizes, type);
    auto [shape, dynamic] = decomposeMixedValues(sizes);
    Value buffer =
        memref::AllocOp::create(b, loc, MemRefType::get(shape, type), dynamic);
    temporaries.push_back(buffer);
    return buffer;
  }

  /// Creates one linalg.generic; returns its result or, on memrefs, its output.
  Value createGeneric(ValueRange inputs, Value output, ArrayRef<AffineMap> maps,
                      ArrayRef<utils::IteratorType> iterators,
                      function_ref<Value(Location, ValueRange)> body) {
    SmallVector<Type> types;
    if (onTensors)
      types.push_back(output.getType());
    auto generic = linalg::GenericOp::create(
        b, loc, types, inputs, output, maps, iterators,
        [&](OpBuilder &, Location bodyLoc, ValueRange args) {
          Value result = body(bodyLoc, args);
          linalg::YieldOp::create(b, bodyLoc, result);
        });
    return onTensors ? generic.getResult(0) : output;
  }

  /// Returns the part of x that the statistics use (S7).
  Value getStatisticsInput() {
    // A slice of a tensor with a zero extent would not verify.
    if (!op.getCount() || llvm::is_contained(op.getInputType().getShape(), 0))
      return op.getInput();
    SmallVector<OpFoldResult> sizes = getSizes(op.getInput());
    SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0));
    SmallVector<OpFoldResult> strides(rank, b.getIndexAttr(1));
    sizes[op.getDims().front()] = b.getIndexAttr(*op.getCount());
    if (onTensors)
      return tensor::ExtractSliceOp::create(b, loc, op.getInput(), offsets,
                                            sizes, strides);
    return memref::SubViewOp::create(b, loc, op.getInput(), offsets, sizes,
                                     strides);
  }

  /// Builds s of S2 in the accumulator's type.
  Value buildSumOfSquares() {
    Value zero =
        arith::ConstantOp::create(b, loc, b.getFloatAttr(accumulator, 0.0));
    Value empty = createPerRow(accumulator);
    auto fill = linalg::FillOp::create(b, loc, zero, empty);
    Value init = onTensors ? fill.getResult(0) : empty;
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    for (int64_t dim : op.getDims())
      iterators[dim] = utils::IteratorType::reduction;
    return createGeneric(
        getStatisticsInput(), init,
        {b.getMultiDimIdentityMap(rank), getMap(batch)}, iterators,
        [&](Location loc, ValueRange args) -> Value {
          Value x = convertFloat(b, loc, args[0], compute);
          Value square = arith::MulFOp::create(b, loc, x, x);
          return arith::AddFOp::create(
              b, loc, args[1], convertFloat(b, loc, square, accumulator));
        });
  }

  /// Builds n of S1 and S7 in C, from a constant or the run-time extents.
  Value buildCount() {
    if (op.getCount())
      return constant(APFloat(static_cast<double>(*op.getCount())), sumType);
    SmallVector<OpFoldResult> sizes = getSizes(op.getInput());
    uint64_t known = 1; // wraps where no memory could hold the elements
    Value dynamic;
    for (int64_t dim : op.getDims()) {
      if (auto size = getConstantIntValue(sizes[dim])) {
        known *= *size;
        continue;
      }
      Value size = cast<Value>(sizes[dim]);
      dynamic = dynamic ? arith::MulIOp::create(b, loc, dynamic, size) : size;
    }
    if (!dynamic)
      return constant(APFloat(static_cast<double>(known)), sumType);
    if (known != 1)
      dynamic = arith::MulIOp::create(
          b, loc, dynamic, arith::ConstantIndexOp::create(b, loc, known));
    Value integer = arith::IndexCastOp::create(b, loc, b.getI64Type(), dynamic);
    return arith::SIToFPOp::create(b, loc, sumType, integer);
  }

  Value constant(APFloat value, FloatType type) {
    return arith::ConstantOp::create(
        b, loc, FloatAttr::get(type, roundTo(value, type.getFloatSemantics())));
  }

  /// Builds r of S3 in C, or its root; writes it into `init` if not null (S8).
  Value buildPerRow(Value sum, Value init, bool inverse) {
    if (!init)
      init = createPerRow(compute);
    Value n = buildCount();
    Value epsilon = constant(op.getEpsilonInComputeType(), compute);
    // `rsqrt` does not round to 16 bits between the root and its reciprocal.
    FloatType type = op.getRootForm() == RootForm::Rsqrt ? wide : compute;
    Value one = arith::ConstantOp::create(b, loc, b.getFloatAttr(type, 1.0));
    AffineMap identity = b.getMultiDimIdentityMap(batch.size());
    SmallVector<utils::IteratorType> iterators(batch.size(),
                                               utils::IteratorType::parallel);
    return createGeneric(sum, init, {identity, identity}, iterators,
                         [&](Location loc, ValueRange args) -> Value {
                           Value s = convertFloat(b, loc, args[0], sumType);
                           Value mean = arith::DivFOp::create(b, loc, s, n);
                           mean = convertFloat(b, loc, mean, compute);
                           Value root = buildRoot(loc, mean, epsilon, type);
                           if (!inverse)
                             return root;
                           Value r = arith::DivFOp::create(b, loc, one, root);
                           return convertFloat(b, loc, r, compute);
                         });
  }

  /// Builds the root in `type`; the mean plus epsilon is rounded to C.
  Value buildRoot(Location loc, Value mean, Value epsilon, FloatType type) {
    if (op.getEpsilonMode() == EpsilonMode::Inside) {
      Value sum = arith::AddFOp::create(b, loc, mean, epsilon);
      return math::SqrtOp::create(b, loc, convertFloat(b, loc, sum, type));
    }
    mean = convertFloat(b, loc, mean, type);
    epsilon = convertFloat(b, loc, epsilon, type);
    Value root = math::SqrtOp::create(b, loc, mean);
    if (op.getEpsilonMode() == EpsilonMode::Outside)
      return arith::AddFOp::create(b, loc, root, epsilon);
    // A NaN statistic stays NaN (S9), so this is maximumf and not maxnumf.
    return arith::MaximumFOp::create(b, loc, root, epsilon);
  }

  /// Builds S4 to S6: each element of x times r, or divided by the root, then
  /// the weight and the final rounding.
  Value buildScale(Value scale) {
    SmallVector<Value> inputs{op.getInput(), scale};
    SmallVector<AffineMap> maps{b.getMultiDimIdentityMap(rank), getMap(batch)};
    if (op.getWeight()) {
      inputs.push_back(op.getWeight());
      maps.push_back(getMap(op.getEffectiveWeightDims()));
    }
    maps.push_back(b.getMultiDimIdentityMap(rank));
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    return createGeneric(inputs, op.getInit(), maps, iterators,
                         [&](Location loc, ValueRange args) -> Value {
                           return scaleElement(loc, args[0], args[1],
                                               op.getWeight() ? args[2]
                                                              : Value());
                         });
  }

  Value scaleElement(Location loc, Value x, Value scale, Value weight) {
    if (auto type = op.getScaleType())
      scale = convertFloat(
          b, loc, convertFloat(b, loc, scale, cast<FloatType>(*type)), compute);
    x = convertFloat(b, loc, x, compute);
    bool divides = op.getRootForm() == RootForm::Quotient;
    Value z = divides ? arith::DivFOp::create(b, loc, x, scale).getResult()
                      : arith::MulFOp::create(b, loc, x, scale).getResult();
    z = convertFloat(b, loc, z, op.getEffectiveNormalizedType());
    if (weight) {
      FloatType wide = getWiderFloatType(cast<FloatType>(z.getType()),
                                         cast<FloatType>(weight.getType()));
      z = convertFloat(b, loc, z, wide);
      weight = convertFloat(b, loc, weight, wide);
      z = arith::MulFOp::create(b, loc, z, weight);
    }
    return convertFloat(b, loc, z,
                        cast<FloatType>(op.getInitType().getElementType()));
  }

  OpBuilder &b;
  Location loc;
  RMSNormOp op;
  FloatType compute;
  FloatType wide, sumType, accumulator;
  SmallVector<int64_t> batch;
  int64_t rank;
  bool onTensors;
  SmallVector<Value> temporaries;
};
} // namespace

FailureOr<SmallVector<Value>> RMSNormOp::decomposeOperation(OpBuilder &b) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(*this);
  return Decomposer(b, *this).run();
}
