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
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/TypeUtilities.h"
#include "norm/IR/Norm.h"

using namespace mlir;
using namespace mlir::norm;

namespace {
/// Builds what the decompositions share, on tensors or on memrefs.
class RowBuilder {
public:
  RowBuilder(OpBuilder &b, RMSNormOpInterface op, const RankSums &ranks)
      : b(op.getLoc(), b), op(op), ranks(ranks),
        compute(op.getEffectiveComputeType()), batch(op.getBatchDims()),
        rank(op.getInputType().getRank()),
        identity(b.getMultiDimIdentityMap(rank)),
        onTensors(isa<RankedTensorType>(op.getInput().getType())) {
    wide = widen(compute);
    sumType = cast<FloatType>(op.getSumType().value_or(compute));
    accumulator = getWiderFloatType(wide, sumType);
  }

  FloatType widen(FloatType type) {
    return type.getWidth() == 16 ? cast<FloatType>(b.getF32Type()) : type;
  }

  bool divides() { return op.getRootForm() == RootForm::Quotient; }

  void freeTemporaries() {
    for (Value buffer : llvm::reverse(temporaries))
      memref::DeallocOp::create(b, buffer);
  }

  AffineMap getMap(ArrayRef<int64_t> dims) {
    return AffineMap::getMultiDimMapWithTargets(
        rank, SmallVector<unsigned>(dims), b.getContext());
  }

  SmallVector<OpFoldResult> getSizes(Value v) {
    return onTensors ? tensor::getMixedSizes(b, b.getLoc(), v)
                     : memref::getMixedSizes(b, b.getLoc(), v);
  }

  /// Creates an uninitialized value with the extents of some of x's dimensions.
  Value createEmpty(ArrayRef<int64_t> dims, FloatType type) {
    SmallVector<OpFoldResult> all = getSizes(op.getInput()), sizes;
    for (int64_t dim : dims)
      sizes.push_back(all[dim]);
    if (onTensors)
      return tensor::EmptyOp::create(b, sizes, type);
    auto [shape, dynamic] = decomposeMixedValues(sizes);
    Value buffer =
        memref::AllocOp::create(b, MemRefType::get(shape, type), dynamic);
    temporaries.push_back(buffer);
    return buffer;
  }

  /// Creates one linalg.generic, which reduces the dimensions that `output`
  /// lacks; returns its result or, on memrefs, its output.
  Value createGeneric(ValueRange inputs, Value output, ArrayRef<AffineMap> maps,
                      function_ref<Value(ValueRange)> body) {
    SmallVector<utils::IteratorType> iterators(maps.back().getNumDims(),
                                               utils::IteratorType::reduction);
    for (unsigned i = 0; i < maps.back().getNumResults(); ++i)
      iterators[maps.back().getDimPosition(i)] = utils::IteratorType::parallel;
    SmallVector<Type> types;
    if (onTensors)
      types.push_back(output.getType());
    auto generic =
        linalg::GenericOp::create(b, types, inputs, output, maps, iterators,
                                  [&](OpBuilder &, Location, ValueRange args) {
                                    Value result = body(args);
                                    linalg::YieldOp::create(b, result);
                                  });
    return onTensors ? generic.getResult(0) : output;
  }

  Value createElementwise(ValueRange inputs, Value output,
                          function_ref<Value(ValueRange)> body) {
    int64_t rank = cast<ShapedType>(output.getType()).getRank();
    SmallVector<AffineMap> maps(inputs.size() + 1,
                                b.getMultiDimIdentityMap(rank));
    return createGeneric(inputs, output, maps, body);
  }

  /// Builds a value of type C per row from others.
  Value buildPerRow(ValueRange inputs, Value init,
                    function_ref<Value(ValueRange)> body) {
    return createElementwise(inputs, init ? init : createEmpty(batch, compute),
                             body);
  }

  /// Creates a value of zeros with the extents of some of x's dimensions.
  Value createZeros(ArrayRef<int64_t> dims, FloatType type) {
    return fillZeros(createEmpty(dims, type));
  }

  Value fillZeros(Value init) {
    Value zero = constant(APFloat(0.0), getElementTypeOrSelf(init));
    auto fill = linalg::FillOp::create(b, zero, init);
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
      return tensor::ExtractSliceOp::create(b, op.getInput(), offsets, sizes,
                                            strides);
    return memref::SubViewOp::create(b, op.getInput(), offsets, sizes, strides);
  }

  /// Adds what the other ranks have summed.
  static Value addRanks(const RankSums::Sum &sum, Value value) {
    return sum ? sum(value) : value;
  }

  //===--------------------------------------------------------------------===//
  // Per element
  //===--------------------------------------------------------------------===//

  /// Converts v to the type `to`, exactly if that is wider and else with one
  /// rounding. f16 and bf16 convert through f32, which holds both.
  Value convert(Value v, Type to) {
    if (v.getType() == to)
      return v;
    unsigned from = v.getType().getIntOrFloatBitWidth();
    if (from < to.getIntOrFloatBitWidth())
      return arith::ExtFOp::create(b, to, v);
    if (from == to.getIntOrFloatBitWidth())
      v = arith::ExtFOp::create(b, b.getF32Type(), v);
    return arith::TruncFOp::create(b, to, v);
  }

  Value constant(APFloat value, Type type) {
    auto &semantics = cast<FloatType>(type).getFloatSemantics();
    return arith::ConstantOp::create(
        b, FloatAttr::get(type, roundTo(value, semantics)));
  }

  /// Adds to a sum, in its type.
  Value accumulate(Value sum, Value term) {
    return arith::AddFOp::create(b, sum, convert(term, sum.getType()));
  }

  /// Builds the mean of a sum in C, whose division by n is in the sum's type.
  Value buildMean(Value sum, Value n) {
    sum = convert(sum, sumType);
    return convert(arith::DivFOp::create(b, sum, n), compute);
  }

  /// Builds the root in the root's type; the mean plus epsilon is rounded to C.
  Value buildRoot(Value mean, Value epsilon) {
    if (op.getEpsilonMode() != EpsilonMode::Inside)
      return addEpsilon(buildBareRoot(mean), epsilon);
    return buildBareRoot(arith::AddFOp::create(b, mean, epsilon));
  }

  Value buildBareRoot(Value mean) {
    return math::SqrtOp::create(b, convert(mean, getRootType()));
  }

  /// Returns the type of the root: `rsqrt` does not round to 16 bits between
  /// the root and its reciprocal (S3).
  FloatType getRootType() {
    return op.getRootForm() == RootForm::Rsqrt ? wide : compute;
  }

  /// Builds s+e or max(s, e) of the modes with epsilon outside of the root.
  Value addEpsilon(Value root, Value epsilon) {
    epsilon = convert(epsilon, root.getType());
    if (op.getEpsilonMode() == EpsilonMode::Outside)
      return arith::AddFOp::create(b, root, epsilon);
    // A NaN statistic stays NaN (S9), so this is maximumf and not maxnumf.
    return arith::MaximumFOp::create(b, root, epsilon);
  }

  Value invert(Value root) {
    Value one = constant(APFloat(1.0), root.getType());
    return convert(arith::DivFOp::create(b, one, root), compute);
  }

  /// Builds v * r, or v divided by the root, as r is rounded there (S3).
  Value scaleBy(Value value, Value scale) {
    if (auto type = op.getScaleType())
      scale = convert(scale, *type);
    scale = convert(scale, compute);
    if (divides())
      return arith::DivFOp::create(b, value, scale);
    return arith::MulFOp::create(b, value, scale);
  }

  /// Builds z of S4 before it is rounded to T.
  Value buildZ(Value x, Value scale) {
    return scaleBy(convert(x, compute), scale);
  }

  //===--------------------------------------------------------------------===//
  // Per row
  //===--------------------------------------------------------------------===//

  /// Builds s of S2 in the accumulator's type.
  Value buildSumOfSquares() {
    Value sum = createGeneric(
        getStatisticsInput(), createZeros(batch, accumulator),
        {identity, getMap(batch)}, [&](ValueRange args) {
          Value x = convert(args[0], compute);
          return accumulate(args[1], arith::MulFOp::create(b, x, x));
        });
    return addRanks(ranks.overRow, sum);
  }

  /// Builds n of S1 and S7 in C, from a constant or the run-time extents.
  Value buildCount() {
    if (auto count = ranks.count ? ranks.count : op.getCount())
      return constant(APFloat(static_cast<double>(*count)), sumType);
    SmallVector<OpFoldResult> sizes = getSizes(op.getInput());
    uint64_t known = 1; // wraps where no memory could hold the elements
    Value dynamic;
    for (int64_t dim : op.getDims()) {
      if (auto size = getConstantIntValue(sizes[dim])) {
        known *= *size;
        continue;
      }
      Value size = cast<Value>(sizes[dim]);
      dynamic = dynamic ? arith::MulIOp::create(b, dynamic, size) : size;
    }
    if (!dynamic)
      return constant(APFloat(static_cast<double>(known)), sumType);
    if (known != 1)
      dynamic = arith::MulIOp::create(b, dynamic,
                                      arith::ConstantIndexOp::create(b, known));
    Value integer = arith::IndexCastOp::create(b, b.getI64Type(), dynamic);
    return arith::SIToFPOp::create(b, sumType, integer);
  }

  Value buildEpsilon() {
    return constant(op.getEpsilonInComputeType(), compute);
  }

  ImplicitLocOpBuilder b;
  RMSNormOpInterface op;
  const RankSums &ranks;
  FloatType compute;
  FloatType wide, sumType, accumulator;
  SmallVector<int64_t> batch;
  int64_t rank;
  AffineMap identity;
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
    return buildPerRow(sum, init, [&](ValueRange args) {
      Value root = buildRoot(buildMean(args[0], n), epsilon);
      return inverse ? invert(root) : root;
    });
  }

  /// Builds S4 to S6: each element of x times r, or divided by the root, then
  /// the weight and the final rounding.
  Value buildScale(Value scale) {
    SmallVector<Value> inputs{op.getInput(), scale};
    SmallVector<AffineMap> maps{identity, getMap(batch)};
    if (op.getWeight()) {
      inputs.push_back(op.getWeight());
      maps.push_back(getMap(op.getEffectiveWeightDims()));
    }
    maps.push_back(identity);
    return createGeneric(inputs, op.getInit(), maps, [&](ValueRange args) {
      Value z = buildZ(args[0], args[1]);
      z = convert(z, op.getEffectiveNormalizedType());
      if (op.getWeight())
        z = multiplyByWeight(z, args[2]);
      return convert(z, getElementTypeOrSelf(op.getInit()));
    });
  }

  Value multiplyByWeight(Value z, Value weight) {
    Type wide = getWiderFloatType(cast<FloatType>(z.getType()),
                                  cast<FloatType>(weight.getType()));
    z = convert(z, wide);
    return arith::MulFOp::create(b, z, convert(weight, wide));
  }

  RMSNormOp op;
};

//===----------------------------------------------------------------------===//
// norm.rmsnorm_backward
//===----------------------------------------------------------------------===//

class BackwardBuilder : RowBuilder {
public:
  BackwardBuilder(OpBuilder &b, RMSNormBackwardOp op, const RankSums &ranks)
      : RowBuilder(b, op, ranks), op(op), product(op.getProductType()) {}

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
        scale = buildPerRow(scale, Value(),
                            [&](ValueRange args) { return invert(args[0]); });
      return;
    }
    Value epsilon = buildEpsilon();
    if (op.getEpsilonMode() != EpsilonMode::Inside) {
      root = op.getRms() ? op.getRms() : buildRms();
      scale = buildPerRow(root, Value(), [&](ValueRange args) {
        return finish(addEpsilon(convert(args[0], getRootType()), epsilon));
      });
      return;
    }
    Value sum = buildSumOfSquares(), n = buildCount();
    scale = buildPerRow(sum, Value(), [&](ValueRange args) {
      return finish(buildRoot(buildMean(args[0], n), epsilon));
    });
  }

  /// Builds the root of the mean before epsilon, which is `rms` of B8.
  Value buildRms() {
    Value sum = buildSumOfSquares(), n = buildCount();
    return buildPerRow(sum, Value(), [&](ValueRange args) {
      return convert(buildBareRoot(buildMean(args[0], n)), compute);
    });
  }

  Value finish(Value full) {
    return divides() ? convert(full, compute) : invert(full);
  }

  /// Builds g of B4.
  Value buildG(Value dy, Value weight) {
    if (weight) {
      dy = convert(dy, product);
      dy = arith::MulFOp::create(b, dy, convert(weight, product));
    }
    return convert(convert(dy, op.getEffectiveNormalizedType()), compute);
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
    Value sum = createGeneric(
        inputs, createZeros(batch, accumulator), maps, [&](ValueRange args) {
          Value z = buildZ(args[0], args[2]);
          Value g = buildG(args[1], getWeight(args));
          return accumulate(args.back(), arith::MulFOp::create(b, z, g));
        });
    sum = addRanks(ranks.overRow, sum);
    Value n = buildCount();
    if (!root)
      return buildPerRow(
          sum, Value(), [&](ValueRange args) { return buildMean(args[0], n); });
    Value epsilon = buildEpsilon();
    return buildPerRow({sum, root}, Value(), [&](ValueRange args) {
      return correctMean(buildMean(args[0], n), args[1], epsilon);
    });
  }

  /// Builds mean * (s+e)/s for `outside`, with a finite s where it overflows,
  /// and for `clamp` mean, or 0 if s < e.
  Value correctMean(Value mean, Value s, Value epsilon) {
    if (op.getEpsilonMode() == EpsilonMode::Outside) {
      Value largest =
          constant(APFloat::getLargest(compute.getFloatSemantics()), compute);
      Value finite = arith::MinimumFOp::create(b, s, largest);
      Value full = arith::AddFOp::create(b, finite, epsilon);
      Value ratio = arith::DivFOp::create(b, full, finite);
      return arith::MulFOp::create(b, mean, ratio);
    }
    Value zero = constant(APFloat(0.0), compute);
    Value isBelow =
        arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, s, epsilon);
    return arith::SelectOp::create(b, isBelow, zero, mean);
  }

  Value buildDx(Value projection) {
    SmallVector<AffineMap> maps;
    SmallVector<Value> inputs = getInputs(maps);
    inputs.push_back(projection);
    maps.append({getMap(batch), identity});
    return createGeneric(inputs, op.getDxInit(), maps, [&](ValueRange args) {
      Value z = buildZ(args[0], args[2]);
      Value g = buildG(args[1], getWeight(args));
      Value term = arith::MulFOp::create(b, z, args[inputs.size() - 1]);
      Value rest = arith::SubFOp::create(b, g, term);
      if (op.getCount())
        rest = selectCounted(rest, g);
      return convert(scaleBy(rest, args[2]),
                     getElementTypeOrSelf(op.getDxInit()));
    });
  }

  /// Returns `counted` for the first p elements of a row, and else `other`
  /// (B7).
  Value selectCounted(Value counted, Value other) {
    Value index = linalg::IndexOp::create(b, op.getDims().front());
    Value count = arith::ConstantIndexOp::create(b, *op.getCount());
    Value isCounted =
        arith::CmpIOp::create(b, arith::CmpIPredicate::ult, index, count);
    return arith::SelectOp::create(b, isCounted, counted, other);
  }

  /// Builds the sum of B5, and its rounding where the sum is wider than dw.
  Value buildDw() {
    ArrayRef<int64_t> dims = op.getEffectiveWeightDims();
    FloatType sumType = widen(product);
    Type type = getElementTypeOrSelf(op.getDwInit());
    Value init = type == sumType ? fillZeros(op.getDwInit())
                                 : createZeros(dims, sumType);
    Value sum = createGeneric({op.getInput(), op.getDy(), scale}, init,
                              {identity, identity, getMap(batch), getMap(dims)},
                              [&](ValueRange args) {
                                Value z = buildZ(args[0], args[2]);
                                z = convert(z, op.getEffectiveNormalizedType());
                                z = convert(z, product);
                                Value dy = convert(args[1], product);
                                return accumulate(
                                    args[3], arith::MulFOp::create(b, dy, z));
                              });
    sum = addRanks(ranks.overRows, sum);
    if (type == sumType)
      return sum;
    return createElementwise(sum, op.getDwInit(), [&](ValueRange args) {
      return convert(args[0], type);
    });
  }

  RMSNormBackwardOp op;
  FloatType product; // P
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
