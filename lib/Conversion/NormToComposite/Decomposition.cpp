//===- Decomposition.cpp - norm.rmsnorm in StableHLO ops ------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Decomposition.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "norm/IR/RoundFloat.h"

using namespace mlir;
using namespace mlir::norm;

namespace {
/// Builds the steps of RMSNormDecompose.cpp with the same roundings, on tensors
/// that hold one statistic per row.
class StableHLOBuilder {
public:
  StableHLOBuilder(OpBuilder &b, RMSNormOp op)
      : b(b), loc(op.getLoc()), op(op), compute(op.getEffectiveComputeType()),
        shape(op.getInputType().getShape()), batch(op.getBatchDims()) {
    wide = compute.getWidth() == 16 ? cast<FloatType>(b.getF32Type()) : compute;
    sumType = cast<FloatType>(op.getSumType().value_or(compute));
  }

  SmallVector<Value> run(Value x, Value weight) {
    Value root = buildRoot(buildMean(x));
    Value inverse = convert(
        create("divide", {splat(1.0, root.getType()), root}, root.getType()),
        compute);
    SmallVector<Value> results{
        scale(x, convert(root, compute), inverse, weight)};
    if (op.getInvRmsInit())
      results.push_back(inverse);
    return results;
  }

private:
  /// Builds m of S1, S2 and S7 in C.
  Value buildMean(Value x) {
    FloatType accumulator = getWiderFloatType(wide, sumType);
    Value statistics = convert(op.getCount() ? slice(x) : x, compute);
    // A product of two values in C is rounded to C, whatever the sum's type.
    Value squares =
        create("multiply", {statistics, statistics}, statistics.getType());
    Value sum = reduce(convert(squares, accumulator));
    sum = convert(sum, sumType);
    Value mean = create("divide", {sum, splat(getCount(), sum.getType())},
                        sum.getType());
    return convert(mean, compute);
  }

  /// Builds the root of S3 in C, or in a wider type for `rsqrt`.
  Value buildRoot(Value mean) {
    FloatType type = op.getRootForm() == RootForm::Rsqrt ? wide : compute;
    Value epsilon = splat(op.getEpsilonInComputeType(), mean.getType());
    if (op.getEpsilonMode() == EpsilonMode::Inside) {
      Value sum = convert(create("add", {mean, epsilon}, mean.getType()), type);
      return create("sqrt", sum, sum.getType());
    }
    mean = convert(mean, type);
    epsilon = convert(epsilon, type);
    Value root = create("sqrt", mean, mean.getType());
    bool isOutside = op.getEpsilonMode() == EpsilonMode::Outside;
    return create(isOutside ? "add" : "maximum", {root, epsilon},
                  root.getType());
  }

  /// Builds S4 to S6.
  Value scale(Value x, Value root, Value inverse, Value weight) {
    bool divides = op.getRootForm() == RootForm::Quotient;
    Value factor = divides ? root : inverse;
    if (auto type = op.getScaleType())
      factor = convert(convert(factor, cast<FloatType>(*type)), compute);
    x = convert(x, compute);
    Value z = create(divides ? "divide" : "multiply",
                     {x, broadcast(factor, batch)}, x.getType());
    z = convert(z, op.getEffectiveNormalizedType());
    if (weight) {
      FloatType type =
          getWiderFloatType(getElementType(z), getElementType(weight));
      weight = broadcast(convert(weight, type), op.getEffectiveWeightDims());
      z = create("multiply", {convert(z, type), weight}, weight.getType());
    }
    return convert(z, cast<FloatType>(getElementTypeOrSelf(op.getInit())));
  }

  static FloatType getElementType(Value v) {
    return cast<FloatType>(cast<ShapedType>(v.getType()).getElementType());
  }

  double getCount() {
    if (op.getCount())
      return *op.getCount();
    double count = 1;
    for (int64_t dim : op.getDims())
      count *= shape[dim];
    return count;
  }

  Value create(StringRef name, ValueRange operands, Type type,
               ArrayRef<NamedAttribute> attributes = {}) {
    OperationState state(loc, "stablehlo." + name.str(), operands, type,
                         attributes);
    return b.create(state)->getResult(0);
  }

  Value convert(Value v, FloatType to) {
    auto type = cast<ShapedType>(v.getType());
    if (type.getElementType() == to)
      return v;
    // f16 and bf16 convert through f32, which holds both.
    if (to.getWidth() == 16 && type.getElementTypeBitWidth() == 16)
      v = create("convert", v, type.clone(b.getF32Type()));
    return create("convert", v, type.clone(to));
  }

  Value splat(APFloat value, Type type) {
    auto shaped = cast<ShapedType>(type);
    value = roundTo(
        value, cast<FloatType>(shaped.getElementType()).getFloatSemantics());
    return create(
        "constant", {}, type,
        b.getNamedAttr("value", DenseElementsAttr::get(shaped, value)));
  }
  Value splat(double value, Type type) { return splat(APFloat(value), type); }

  Value slice(Value x) {
    SmallVector<int64_t> starts(shape.size(), 0), ones(shape.size(), 1);
    SmallVector<int64_t> limits(shape);
    limits[op.getDims().front()] = *op.getCount();
    return create(
        "slice", x, op.getInputType().clone(limits),
        {b.getNamedAttr("start_indices", b.getDenseI64ArrayAttr(starts)),
         b.getNamedAttr("limit_indices", b.getDenseI64ArrayAttr(limits)),
         b.getNamedAttr("strides", b.getDenseI64ArrayAttr(ones))});
  }

  Value broadcast(Value v, ArrayRef<int64_t> dims) {
    return create(
        "broadcast_in_dim", v, RankedTensorType::get(shape, getElementType(v)),
        b.getNamedAttr("broadcast_dimensions", b.getDenseI64ArrayAttr(dims)));
  }

  Value reduce(Value v) {
    SmallVector<int64_t> rows;
    for (int64_t dim : batch)
      rows.push_back(shape[dim]);
    Type scalar = RankedTensorType::get({}, getElementType(v));
    Value zero = splat(0.0, scalar);
    OperationState state(
        loc, "stablehlo.reduce", {v, zero},
        RankedTensorType::get(rows, getElementType(v)),
        b.getNamedAttr("dimensions", b.getDenseI64ArrayAttr(op.getDims())));
    fillSum(*state.addRegion(), scalar);
    return b.create(state)->getResult(0);
  }

  void fillSum(Region &body, Type scalar) {
    OpBuilder::InsertionGuard guard(b);
    Block *block = b.createBlock(&body, {}, {scalar, scalar}, {loc, loc});
    Value sum = create("add", block->getArguments(), scalar);
    OperationState end(loc, "stablehlo.return", sum, TypeRange());
    b.create(end);
  }

  OpBuilder &b;
  Location loc;
  RMSNormOp op;
  FloatType compute;
  FloatType wide, sumType;
  ArrayRef<int64_t> shape;
  SmallVector<int64_t> batch;
};
} // namespace

SmallVector<Value> norm::buildStableHLO(OpBuilder &b, RMSNormOp op,
                                        ValueRange inputs) {
  return StableHLOBuilder(b, op).run(inputs[0],
                                     inputs.size() > 1 ? inputs[1] : Value());
}
