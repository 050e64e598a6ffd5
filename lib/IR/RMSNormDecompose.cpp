//===- RMSNormDecompose.cpp - AggregatedOpInterface of the ops ------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// norm.rmsnorm decomposes into three linalg.generic ops: the row reduction, the
// reciprocal root, and the scaling per element. norm.rmsnorm_backward has the
// first two unless it is given r, the row reduction of z * g, the mean of that,
// dx per element, and the sum over rows that is dw. Row tiling fuses them
// again.
//
//===----------------------------------------------------------------------===//

#include "Decompose.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/TypeUtilities.h"
#include "norm/IR/Norm.h"

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
/// Builds what the decompositions share, on tensors or on memrefs.
class RowBuilder {
public:
  RowBuilder(OpBuilder &b, RMSNormOpInterface op, const RankSums &ranks)
      : b(b), loc(op.getLoc()), op(op), ranks(ranks),
        compute(op.getEffectiveComputeType()), batch(op.getBatchDims()),
        rank(op.getInputType().getRank()),
        onTensors(isa<RankedTensorType>(op.getInput().getType())) {
    wide = compute.getWidth() == 16 ? cast<FloatType>(b.getF32Type()) : compute;
    sumType = cast<FloatType>(op.getSumType().value_or(compute));
    accumulator = getWiderFloatType(wide, sumType);
  }

  bool divides() { return op.getRootForm() == RootForm::Quotient; }

  void freeTemporaries() {
    for (Value buffer : llvm::reverse(temporaries))
      memref::DeallocOp::create(b, loc, buffer);
  }

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

  /// Creates an uninitialized value with the extents of some of x's dimensions.
  Value createEmpty(ArrayRef<int64_t> dims, FloatType type) {
    SmallVector<OpFoldResult> all = getSizes(op.getInput()), sizes;
    for (int64_t dim : dims)
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

  /// Creates a generic over x's dimensions, of which it reduces `reduced`.
  Value createOverX(ValueRange inputs, Value output, ArrayRef<AffineMap> maps,
                    ArrayRef<int64_t> reduced,
                    function_ref<Value(Location, ValueRange)> body) {
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    for (int64_t dim : reduced)
      iterators[dim] = utils::IteratorType::reduction;
    return createGeneric(inputs, output, maps, iterators, body);
  }

  /// Creates a value of zeros with the extents of some of x's dimensions.
  Value createZeros(ArrayRef<int64_t> dims, FloatType type) {
    return fillZeros(createEmpty(dims, type));
  }

  Value fillZeros(Value init) {
    auto type = cast<FloatType>(getElementTypeOrSelf(init));
    Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(type, 0.0));
    auto fill = linalg::FillOp::create(b, loc, zero, init);
    return onTensors ? fill.getResult(0) : init;
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

  /// Adds what the other ranks have summed.
  static Value addRanks(const RankSums::Sum &sum, Value value) {
    return sum ? sum(value) : value;
  }

  /// Builds s of S2 in the accumulator's type.
  Value buildSumOfSquares() {
    Value sum = createOverX(
        getStatisticsInput(), createZeros(batch, accumulator),
        {b.getMultiDimIdentityMap(rank), getMap(batch)}, op.getDims(),
        [&](Location loc, ValueRange args) -> Value {
          Value x = convertFloat(b, loc, args[0], compute);
          Value square = arith::MulFOp::create(b, loc, x, x);
          return arith::AddFOp::create(
              b, loc, args[1], convertFloat(b, loc, square, accumulator));
        });
    return addRanks(ranks.overRow, sum);
  }

  /// Builds n of S1 and S7 in C, from a constant or the run-time extents.
  Value buildCount() {
    if (ranks.count)
      return constant(APFloat(static_cast<double>(*ranks.count)), sumType);
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

  /// Builds a value of type C per row from others.
  Value buildPerRow(ValueRange inputs, Value init,
                    function_ref<Value(Location, ValueRange)> body) {
    if (!init)
      init = createEmpty(batch, compute);
    SmallVector<AffineMap> maps(inputs.size() + 1,
                                b.getMultiDimIdentityMap(batch.size()));
    SmallVector<utils::IteratorType> iterators(batch.size(),
                                               utils::IteratorType::parallel);
    return createGeneric(inputs, init, maps, iterators, body);
  }

  /// Builds the mean of a sum in C, whose division by n is in the sum's type.
  Value buildMean(Location loc, Value sum, Value n) {
    sum = convertFloat(b, loc, sum, sumType);
    Value mean = arith::DivFOp::create(b, loc, sum, n);
    return convertFloat(b, loc, mean, compute);
  }

  /// Returns epsilon of S3, and the type of the root: `rsqrt` does not round to
  /// 16 bits between the root and its reciprocal.
  Value buildEpsilon() {
    return constant(op.getEpsilonInComputeType(), compute);
  }
  FloatType getRootType() {
    return op.getRootForm() == RootForm::Rsqrt ? wide : compute;
  }

  /// Builds the root in the root's type; the mean plus epsilon is rounded to C.
  Value buildRoot(Location loc, Value mean, Value epsilon) {
    FloatType type = getRootType();
    if (op.getEpsilonMode() != EpsilonMode::Inside) {
      mean = convertFloat(b, loc, mean, type);
      return addEpsilon(loc, math::SqrtOp::create(b, loc, mean), epsilon);
    }
    Value sum = arith::AddFOp::create(b, loc, mean, epsilon);
    return math::SqrtOp::create(b, loc, convertFloat(b, loc, sum, type));
  }

  /// Builds s+e or max(s, e) of the modes with epsilon outside of the root.
  Value addEpsilon(Location loc, Value root, Value epsilon) {
    epsilon = convertFloat(b, loc, epsilon, cast<FloatType>(root.getType()));
    if (op.getEpsilonMode() == EpsilonMode::Outside)
      return arith::AddFOp::create(b, loc, root, epsilon);
    // A NaN statistic stays NaN (S9), so this is maximumf and not maxnumf.
    return arith::MaximumFOp::create(b, loc, root, epsilon);
  }

  Value invert(Location loc, Value root) {
    Value one =
        arith::ConstantOp::create(b, loc, b.getFloatAttr(root.getType(), 1.0));
    Value r = arith::DivFOp::create(b, loc, one, root);
    return convertFloat(b, loc, r, compute);
  }

  /// Rounds r as it is where it multiplies (S3).
  Value roundScale(Location loc, Value scale) {
    if (auto type = op.getScaleType())
      scale = convertFloat(b, loc, scale, cast<FloatType>(*type));
    return convertFloat(b, loc, scale, compute);
  }

  /// Builds v * r, or v divided by the root.
  Value scaleBy(Location loc, Value value, Value scale) {
    if (divides())
      return arith::DivFOp::create(b, loc, value, scale);
    return arith::MulFOp::create(b, loc, value, scale);
  }

  OpBuilder &b;
  Location loc;
  RMSNormOpInterface op;
  const RankSums &ranks;
  FloatType compute;
  FloatType wide, sumType, accumulator;
  SmallVector<int64_t> batch;
  int64_t rank;
  bool onTensors;

private:
  SmallVector<Value> temporaries;
};

//===----------------------------------------------------------------------===//
// norm.rmsnorm
//===----------------------------------------------------------------------===//

class ForwardBuilder : RowBuilder {
public:
  ForwardBuilder(OpBuilder &b, RMSNormOp op, const RankSums &ranks)
      : RowBuilder(b, op, ranks), op(op) {}

  SmallVector<Value> run() {
    Value sum = buildSumOfSquares();
    Value invRms, scale;
    if (!divides() || op.getInvRmsInit())
      invRms = buildFromSum(sum, op.getInvRmsInit(), /*inverse=*/true);
    scale = divides() ? buildFromSum(sum, Value(), /*inverse=*/false) : invRms;
    Value result = buildScale(scale);
    freeTemporaries();
    if (!onTensors)
      return {};
    SmallVector<Value> results{result};
    if (op.getInvRmsInit())
      results.push_back(invRms);
    return results;
  }

private:
  /// Builds r of S3 in C, or its root; writes it into `init` if not null (S8).
  Value buildFromSum(Value sum, Value init, bool inverse) {
    Value n = buildCount(), epsilon = buildEpsilon();
    return buildPerRow(sum, init, [&](Location loc, ValueRange args) -> Value {
      Value root = buildRoot(loc, buildMean(loc, args[0], n), epsilon);
      return inverse ? invert(loc, root) : root;
    });
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
    return createOverX(inputs, op.getInit(), maps, {},
                       [&](Location loc, ValueRange args) -> Value {
                         return scaleElement(loc, args[0], args[1],
                                             op.getWeight() ? args[2]
                                                            : Value());
                       });
  }

  Value scaleElement(Location loc, Value x, Value scale, Value weight) {
    x = convertFloat(b, loc, x, compute);
    Value z = scaleBy(loc, x, roundScale(loc, scale));
    z = convertFloat(b, loc, z, op.getEffectiveNormalizedType());
    if (weight) {
      FloatType wide = getWiderFloatType(cast<FloatType>(z.getType()),
                                         cast<FloatType>(weight.getType()));
      z = convertFloat(b, loc, z, wide);
      weight = convertFloat(b, loc, weight, wide);
      z = arith::MulFOp::create(b, loc, z, weight);
    }
    return convertFloat(b, loc, z,
                        cast<FloatType>(getElementTypeOrSelf(op.getInit())));
  }

  RMSNormOp op;
};

//===----------------------------------------------------------------------===//
// norm.rmsnorm_backward
//===----------------------------------------------------------------------===//

class BackwardBuilder : RowBuilder {
public:
  BackwardBuilder(OpBuilder &b, RMSNormBackwardOp op, const RankSums &ranks)
      : RowBuilder(b, op, ranks), op(op), product(op.getProductType()),
        identity(b.getMultiDimIdentityMap(rank)) {}

  SmallVector<Value> run() {
    buildRoots();
    Value projection = op.getDxInit() ? buildProjection() : Value();
    // Nothing reads x and dy behind dx, so that dx may be in their place.
    Value dw = op.getDwInit() ? buildDw() : Value();
    SmallVector<Value> results;
    if (op.getDxInit())
      results.push_back(buildDx(projection));
    if (op.getDwInit())
      results.push_back(dw);
    freeTemporaries();
    return onTensors ? results : SmallVector<Value>();
  }

private:
  /// Finds `scale`, which is r or the root, and s where epsilon is outside.
  void buildRoots() {
    if (op.getInvRms()) {
      scale = op.getInvRms();
      if (divides())
        scale = buildPerRow(scale, Value(), [&](Location loc, ValueRange args) {
          return invert(loc, args[0]);
        });
      return;
    }
    Value epsilon = buildEpsilon();
    if (op.getEpsilonMode() != EpsilonMode::Inside) {
      root = op.getRms() ? op.getRms() : buildRms();
      scale = buildPerRow(root, Value(), [&](Location loc, ValueRange args) {
        return finish(
            loc, addEpsilon(loc, convertFloat(b, loc, args[0], getRootType()),
                            epsilon));
      });
      return;
    }
    Value sum = buildSumOfSquares(), n = buildCount();
    scale = buildPerRow(sum, Value(), [&](Location loc, ValueRange args) {
      return finish(loc, buildRoot(loc, buildMean(loc, args[0], n), epsilon));
    });
  }

  /// Builds the root of the mean before epsilon, which is `rms` of B8.
  Value buildRms() {
    Value sum = buildSumOfSquares(), n = buildCount();
    return buildPerRow(sum, Value(), [&](Location loc, ValueRange args) {
      Value mean = buildMean(loc, args[0], n);
      mean = convertFloat(b, loc, mean, getRootType());
      return convertFloat(b, loc, math::SqrtOp::create(b, loc, mean), compute);
    });
  }

  Value finish(Location loc, Value full) {
    return divides() ? convertFloat(b, loc, full, compute) : invert(loc, full);
  }

  Value buildZ(Location loc, Value x, Value scale) {
    x = convertFloat(b, loc, x, compute);
    return scaleBy(loc, x, roundScale(loc, scale));
  }

  /// Builds g of B4.
  Value buildG(Location loc, Value dy, Value weight) {
    FloatType normalized = op.getEffectiveNormalizedType();
    if (weight) {
      dy = convertFloat(b, loc, dy, product);
      weight = convertFloat(b, loc, weight, product);
      dy = arith::MulFOp::create(b, loc, dy, weight);
    }
    return convertFloat(b, loc, convertFloat(b, loc, dy, normalized), compute);
  }

  /// Returns x, dy, the scale and the weight, of which the last may be absent.
  SmallVector<Value> getInputs(SmallVectorImpl<AffineMap> &maps) {
    SmallVector<Value> inputs{op.getInput(), op.getDy(), scale};
    maps.append({identity, identity, getMap(batch)});
    if (op.getWeight()) {
      inputs.push_back(op.getWeight());
      maps.push_back(getMap(op.getEffectiveWeightDims()));
    }
    return inputs;
  }
  Value getWeight(ValueRange args) {
    return op.getWeight() ? args[3] : Value();
  }

  /// Builds the mean of z * g, times what the mode of epsilon asks for (B3).
  Value buildProjection() {
    SmallVector<AffineMap> maps;
    SmallVector<Value> inputs = getInputs(maps);
    maps.push_back(getMap(batch));
    Value sum = createOverX(
        inputs, createZeros(batch, accumulator), maps, op.getDims(),
        [&](Location loc, ValueRange args) -> Value {
          Value z = buildZ(loc, args[0], args[2]);
          Value g = buildG(loc, args[1], getWeight(args));
          Value term = arith::MulFOp::create(b, loc, z, g);
          return arith::AddFOp::create(b, loc, args.back(),
                                       convertFloat(b, loc, term, accumulator));
        });
    sum = addRanks(ranks.overRow, sum);
    Value n = buildCount();
    if (!root)
      return buildPerRow(sum, Value(), [&](Location loc, ValueRange args) {
        return buildMean(loc, args[0], n);
      });
    Value epsilon = buildEpsilon();
    return buildPerRow({sum, root}, Value(),
                       [&](Location loc, ValueRange args) {
                         Value mean = buildMean(loc, args[0], n);
                         return correctMean(loc, mean, args[1], epsilon);
                       });
  }

  /// Builds mean * (s+e)/s for `outside`, and for `clamp` mean, or 0 if s < e.
  Value correctMean(Location loc, Value mean, Value s, Value epsilon) {
    if (op.getEpsilonMode() == EpsilonMode::Outside) {
      Value full = arith::AddFOp::create(b, loc, s, epsilon);
      Value ratio = arith::DivFOp::create(b, loc, full, s);
      return arith::MulFOp::create(b, loc, mean, ratio);
    }
    Value zero = arith::ConstantOp::create(b, loc, b.getFloatAttr(compute, 0));
    Value isBelow =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, s, epsilon);
    return arith::SelectOp::create(b, loc, isBelow, zero, mean);
  }

  Value buildDx(Value projection) {
    SmallVector<AffineMap> maps;
    SmallVector<Value> inputs = getInputs(maps);
    inputs.push_back(projection);
    maps.append({getMap(batch), identity});
    auto type = cast<FloatType>(getElementTypeOrSelf(op.getDxInit()));
    return createOverX(inputs, op.getDxInit(), maps, {},
                       [&](Location loc, ValueRange args) -> Value {
                         Value z = buildZ(loc, args[0], args[2]);
                         Value g = buildG(loc, args[1], getWeight(args));
                         Value term = arith::MulFOp::create(
                             b, loc, z, args[inputs.size() - 1]);
                         Value rest = arith::SubFOp::create(b, loc, g, term);
                         if (op.getCount())
                           rest = selectCounted(loc, rest, g);
                         Value dx =
                             scaleBy(loc, rest, roundScale(loc, args[2]));
                         return convertFloat(b, loc, dx, type);
                       });
  }

  /// Returns `counted` for the first p elements of a row, and else `other`
  /// (B7).
  Value selectCounted(Location loc, Value counted, Value other) {
    Value index = linalg::IndexOp::create(b, loc, op.getDims().front());
    Value count = arith::ConstantIndexOp::create(b, loc, *op.getCount());
    Value isCounted =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ult, index, count);
    return arith::SelectOp::create(b, loc, isCounted, counted, other);
  }

  /// Builds the sum of B5, and its rounding where the sum is wider than dw.
  Value buildDw() {
    ArrayRef<int64_t> dims = op.getEffectiveWeightDims();
    SmallVector<int64_t> reduced;
    for (int64_t dim = 0; dim < rank; ++dim)
      if (!llvm::is_contained(dims, dim))
        reduced.push_back(dim);
    FloatType sumType =
        product.getWidth() == 16 ? cast<FloatType>(b.getF32Type()) : product;
    auto type = cast<FloatType>(getElementTypeOrSelf(op.getDwInit()));
    Value init = type == sumType ? fillZeros(op.getDwInit())
                                 : createZeros(dims, sumType);
    Value sum = createOverX(
        {op.getInput(), op.getDy(), scale}, init,
        {identity, identity, getMap(batch), getMap(dims)}, reduced,
        [&](Location loc, ValueRange args) -> Value {
          Value z = buildZ(loc, args[0], args[2]);
          z = convertFloat(b, loc, z, op.getEffectiveNormalizedType());
          z = convertFloat(b, loc, z, product);
          Value dy = convertFloat(b, loc, args[1], product);
          Value term = arith::MulFOp::create(b, loc, dy, z);
          return arith::AddFOp::create(b, loc, args[3],
                                       convertFloat(b, loc, term, sumType));
        });
    sum = addRanks(ranks.overRows, sum);
    return type == sumType ? sum : roundDw(sum, type, dims.size());
  }

  Value roundDw(Value sum, FloatType type, unsigned rank) {
    AffineMap map = b.getMultiDimIdentityMap(rank);
    SmallVector<utils::IteratorType> iterators(rank,
                                               utils::IteratorType::parallel);
    return createGeneric(sum, op.getDwInit(), {map, map}, iterators,
                         [&](Location loc, ValueRange args) {
                           return convertFloat(b, loc, args[0], type);
                         });
  }

  RMSNormBackwardOp op;
  FloatType product; // P
  AffineMap identity;
  Value scale, root;
};
} // namespace

SmallVector<Value> norm::decompose(OpBuilder &b, RMSNormOpInterface op,
                                   const RankSums &ranks) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(op);
  if (auto forward = dyn_cast<RMSNormOp>(op.getOperation()))
    return ForwardBuilder(b, forward, ranks).run();
  return BackwardBuilder(b, cast<RMSNormBackwardOp>(op.getOperation()), ranks)
      .run();
}

FailureOr<SmallVector<Value>> RMSNormOp::decomposeOperation(OpBuilder &b) {
  return decompose(b, *this, {});
}

FailureOr<SmallVector<Value>>
RMSNormBackwardOp::decomposeOperation(OpBuilder &b) {
  return decompose(b, *this, {});
}
