//===- Decomposition.cpp - norm.rmsnorm in StableHLO ops ------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The op's own decomposition (AggregatedOpInterface) is translated op by op, so
// that the roundings are stated once, in RMSNormDecompose.cpp.
//
//===----------------------------------------------------------------------===//

#include "Decomposition.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::norm;

namespace {
/// A StableHLO value over some of the loops of a linalg op, in `dims`' order.
struct LoopValue {
  Value value;
  SmallVector<int64_t> dims;
};

class Translator {
public:
  Translator(OpBuilder &b, Location loc) : b(b), loc(loc) {}

  void translate(Operation *op) {
    TypeSwitch<Operation *>(op)
        .Case([&](arith::ConstantOp constant) {
          tensors.map(constant, createConstant(constant));
        })
        // Only sums start from a fill, and StableHLO's from a scalar.
        .Case([&](linalg::FillOp fill) {
          tensors.map(fill.getResult(0), lookup(fill.getInputs().front()));
        })
        .Case([&](tensor::ExtractSliceOp slice) {
          tensors.map(slice, createSlice(slice));
        })
        .Case([&](linalg::GenericOp generic) { translateGeneric(generic); })
        .Case([](tensor::EmptyOp) {})
        .DefaultUnreachable("norm.rmsnorm decomposes into no other op");
  }

  Value lookup(Value v) { return tensors.lookupOrDefault(v); }

private:
  void translateGeneric(linalg::GenericOp op) {
    loops = op.getStaticLoopRanges();
    llvm::DenseMap<Value, LoopValue> elements;
    for (OpOperand *input : op.getDpsInputOperands())
      elements[op.getMatchingBlockArgument(input)] = {
          lookup(input->get()), getDims(op.getMatchingIndexingMap(input))};
    OpOperand *init = op.getDpsInitOperand(0);
    Value accumulator = op.getMatchingBlockArgument(init);
    for (Operation &nested : op.getBody()->without_terminator()) {
      auto sum = dyn_cast<arith::AddFOp>(nested);
      if (sum && sum.getLhs() == accumulator)
        elements[sum] = reduce(op, broadcast(elements.lookup(sum.getRhs())),
                               lookup(init->get()));
      else
        elements[nested.getResult(0)] = compute(&nested, elements);
    }
    LoopValue result =
        elements.lookup(op.getBody()->getTerminator()->getOperand(0));
    if (op.getNumReductionLoops() == 0)
      result = broadcast(result);
    tensors.map(op.getResult(0), result.value);
  }

  static SmallVector<int64_t> getDims(AffineMap map) {
    SmallVector<int64_t> dims;
    for (AffineExpr expr : map.getResults())
      dims.push_back(cast<AffineDimExpr>(expr).getPosition());
    return dims;
  }

  static StringRef getName(Operation *op) {
    return TypeSwitch<Operation *, StringRef>(op)
        .Case<arith::ExtFOp, arith::TruncFOp>([](auto) { return "convert"; })
        .Case([](arith::AddFOp) { return "add"; })
        .Case([](arith::MulFOp) { return "multiply"; })
        .Case([](arith::DivFOp) { return "divide"; })
        .Case([](arith::MaximumFOp) { return "maximum"; })
        .Case([](math::SqrtOp) { return "sqrt"; })
        .DefaultUnreachable("norm.rmsnorm decomposes into no other op");
  }

  /// A value of one row is broadcast no earlier than it meets one of elements.
  LoopValue compute(Operation *op,
                    const llvm::DenseMap<Value, LoopValue> &elements) {
    if (auto constant = dyn_cast<arith::ConstantOp>(op))
      return {createConstant(constant), {}};
    SmallVector<LoopValue> operands;
    for (Value operand : op->getOperands()) {
      auto it = elements.find(operand);
      operands.push_back(it != elements.end() ? it->second
                                              : LoopValue{lookup(operand), {}});
    }
    bool isUniform = llvm::all_of(operands, [&](const LoopValue &operand) {
      return operand.dims == operands.front().dims;
    });
    SmallVector<Value> values;
    for (LoopValue &operand : operands) {
      if (!isUniform)
        operand = broadcast(operand);
      values.push_back(operand.value);
    }
    auto type = cast<ShapedType>(values.front().getType());
    return {create(getName(op), values, type.clone(op->getResult(0).getType())),
            operands.front().dims};
  }

  /// Returns the value over all loops.
  LoopValue broadcast(const LoopValue &v) {
    auto dims = llvm::to_vector(llvm::seq<int64_t>(0, loops.size()));
    if (v.dims == dims)
      return v;
    auto type = cast<RankedTensorType>(v.value.getType()).clone(loops);
    return {create("broadcast_in_dim", v.value, type,
                   b.getNamedAttr("broadcast_dimensions",
                                  b.getDenseI64ArrayAttr(v.dims))),
            dims};
  }

  Value create(StringRef name, ValueRange operands, Type type,
               ArrayRef<NamedAttribute> attributes = {}) {
    OperationState state(loc, "stablehlo." + name.str(), operands, type,
                         attributes);
    return b.create(state)->getResult(0);
  }

  Value createConstant(arith::ConstantOp op) {
    auto type = RankedTensorType::get({}, op.getType());
    return create(
        "constant", {}, type,
        b.getNamedAttr("value", DenseElementsAttr::get(type, op.getValue())));
  }

  Value createSlice(tensor::ExtractSliceOp op) {
    SmallVector<int64_t> limits;
    for (auto [offset, size] :
         llvm::zip_equal(op.getStaticOffsets(), op.getStaticSizes()))
      limits.push_back(offset + size);
    auto array = [&](StringRef name, ArrayRef<int64_t> values) {
      return b.getNamedAttr(name, b.getDenseI64ArrayAttr(values));
    };
    return create("slice", lookup(op.getSource()), op.getType(),
                  {array("start_indices", op.getStaticOffsets()),
                   array("limit_indices", limits),
                   array("strides", op.getStaticStrides())});
  }

  LoopValue reduce(linalg::GenericOp op, const LoopValue &v, Value start) {
    SmallVector<unsigned> dims;
    op.getReductionDims(dims);
    OperationState state(
        loc, "stablehlo.reduce", {v.value, start}, op.getResult(0).getType(),
        b.getNamedAttr("dimensions", b.getDenseI64ArrayAttr(
                                         llvm::to_vector_of<int64_t>(dims))));
    fillSum(*state.addRegion(), start.getType());
    return {b.create(state)->getResult(0),
            getDims(op.getIndexingMapsArray().back())};
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
  IRMapping tensors;          // of the decomposition to those of StableHLO
  SmallVector<int64_t> loops; // extents of the generic that is translated
};
} // namespace

SmallVector<Value> norm::buildStableHLO(OpBuilder &b, RMSNormOp op,
                                        ValueRange inputs) {
  IRMapping operands;
  operands.map(op.getInput(), inputs[0]);
  if (op.getWeight())
    operands.map(op.getWeight(), inputs[1]);
  Block *block = b.getInsertionBlock();
  for (Value init : op.getDpsInits())
    operands.map(init, tensor::EmptyOp::create(b, op.getLoc(), init.getType(),
                                               ValueRange()));
  auto copy = cast<RMSNormOp>(b.clone(*op, operands));
  SmallVector<Value> results = *copy.decomposeOperation(b);
  copy.erase();
  SmallVector<Operation *> steps;
  for (Operation &step : *block)
    steps.push_back(&step);
  Translator translator(b, op.getLoc());
  for (Operation *step : steps)
    translator.translate(step);
  for (Value &result : results)
    result = translator.lookup(result);
  for (Operation *step : llvm::reverse(steps))
    step->erase();
  return results;
}
