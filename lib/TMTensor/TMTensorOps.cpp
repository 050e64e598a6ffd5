//===- TMTensorOps.cpp - verifiers of tm_tensor ---------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"
#include "norm/TMTensor/TMTensor.h"

using namespace mlir;
using namespace mlir::norm::tm_tensor;

#include "norm/TMTensor/TMTensorDialect.cpp.inc"

#define GET_OP_CLASSES
#include "norm/TMTensor/TMTensorOps.cpp.inc"

void TMTensorDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "norm/TMTensor/TMTensorOps.cpp.inc"
      >();
}

static RankedTensorType getTensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

/// Verifies the numbers of operands, and the types of results.
template <typename OpTy>
static LogicalResult verifyOperands(OpTy op, ArrayRef<size_t> inputs,
                                    size_t outputs) {
  if (!llvm::is_contained(inputs, op.getInputs().size()) ||
      op.getOutputs().size() != outputs)
    return op.emitOpError("expects ")
           << inputs.front()
           << (inputs.size() > 1 ? " or " + std::to_string(inputs.back()) : "")
           << " ins and " << outputs << " outs, got " << op.getInputs().size()
           << " and " << op.getOutputs().size();
  if (op.getResultTypes() != op.getOutputs().getTypes())
    return op.emitOpError("expects the types of its outs as results");
  return success();
}

template <typename OpTy>
static LogicalResult verifyRegion(OpTy op, ArrayRef<Type> arguments,
                                  Type yielded) {
  Block &body = op.getRegion().front();
  if (!llvm::equal(body.getArgumentTypes(), arguments))
    return op.emitOpError("expects a region with arguments (")
           << arguments << "), got (" << body.getArgumentTypes() << ")";
  TypeRange got = body.getTerminator()->getOperandTypes();
  if (got.size() != 1 || got.front() != yielded)
    return op.emitOpError("expects a region that yields ")
           << yielded << ", got (" << got << ")";
  return success();
}

template <typename OpTy>
static LogicalResult verifyDimension(OpTy op, RankedTensorType type) {
  int64_t dimension = op.getDimension();
  if (dimension >= 0 && dimension < type.getRank())
    return success();
  return op.emitOpError("expects a dimension of ")
         << type << ", got " << dimension;
}

/// Verifies that `value` is a tensor of `shape` and `element`.
static LogicalResult verifyTensor(Operation *op, StringRef name, Value value,
                                  ArrayRef<int64_t> shape, Type element) {
  auto type = getTensorType(value);
  if (type.getElementType() == element &&
      succeeded(verifyCompatibleShape(type.getShape(), shape)))
    return success();
  return op->emitOpError("expects ")
         << name << " of type " << RankedTensorType::get(shape, element)
         << ", got " << type;
}

LogicalResult ScanOp::verify() {
  if (failed(verifyOperands(*this, {1}, 2)))
    return failure();
  auto type = getTensorType(getInputs()[0]);
  if (failed(verifyDimension(*this, type)))
    return failure();
  SmallVector<int64_t> shape(type.getShape());
  Type element = type.getElementType();
  if (failed(verifyTensor(*this, "a result", getOutputs()[0], shape, element)))
    return failure();
  shape.erase(shape.begin() + getDimension());
  return verifyTensor(*this, "an accumulator", getOutputs()[1], shape, element);
}

LogicalResult ScanOp::verifyRegions() {
  Type element = getElementTypeOrSelf(getInputs()[0]);
  return verifyRegion(*this, {element, element}, element);
}

/// Verifies that the indices name dimensions, once each, and all that the
/// window of updates has not.
static LogicalResult verifyDimensionMap(ScatterOp op, int64_t rank,
                                        int64_t windowRank) {
  ArrayRef<int64_t> map = op.getDimensionMap();
  SmallVector<bool> indexed(rank, false);
  for (int64_t dim : map) {
    if (dim < 0 || dim >= rank || indexed[dim])
      return op.emitOpError("expects dimension_map to name dimensions of ")
             << op.getOutputs()[0].getType() << " once, got [" << map << "]";
    indexed[dim] = true;
  }
  for (int64_t dim = 0; dim < rank - windowRank; ++dim)
    if (!indexed[dim])
      return op.emitOpError("expects dimension_map to have dimension ")
             << dim << ", which the window of an update has not";
  return success();
}

LogicalResult ScatterOp::verify() {
  if (failed(verifyOperands(*this, {2}, 1)))
    return failure();
  auto updates = getTensorType(getInputs()[0]);
  auto indices = getTensorType(getInputs()[1]);
  auto type = getTensorType(getOutputs()[0]);
  if (!isa<IntegerType, IndexType>(indices.getElementType()) ||
      indices.getRank() != 2 ||
      indices.getDimSize(1) != int64_t(getDimensionMap().size()))
    return emitOpError("expects integer indices of shape n x ")
           << getDimensionMap().size() << ", got " << indices;
  int64_t windowRank = updates.getRank() - 1;
  if (windowRank < 0 || windowRank > type.getRank())
    return emitOpError("expects updates of rank 1 to ")
           << type.getRank() + 1 << ", got " << updates;
  if (failed(verifyDimensionMap(*this, type.getRank(), windowRank)))
    return failure();
  SmallVector<int64_t> shape(updates.getShape());
  shape[0] = indices.getDimSize(0);
  auto fits = [](auto pair) {
    auto [window, extent] = pair;
    return ShapedType::isDynamic(window) || ShapedType::isDynamic(extent) ||
           window <= extent;
  };
  if (!llvm::all_of(llvm::zip(updates.getShape().drop_front(),
                              type.getShape().take_back(windowRank)),
                    fits))
    return emitOpError("expects windows within ")
           << type << ", got " << updates;
  return verifyTensor(*this, "updates", getInputs()[0], shape,
                      type.getElementType());
}

LogicalResult ScatterOp::verifyRegions() {
  Type element = getElementTypeOrSelf(getOutputs()[0]);
  return verifyRegion(*this, {element, element}, element);
}

LogicalResult SortOp::verify() {
  if (getOutputs().empty())
    return emitOpError("expects at least one tensor to sort");
  if (failed(verifyOperands(*this, {0}, getOutputs().size())))
    return failure();
  auto type = getTensorType(getOutputs()[0]);
  if (failed(verifyDimension(*this, type)))
    return failure();
  for (Value output : getOutputs())
    if (failed(verifyTensor(*this, "an out", output, type.getShape(),
                            getElementTypeOrSelf(output))))
      return failure();
  return success();
}

LogicalResult SortOp::verifyRegions() {
  SmallVector<Type> arguments;
  for (Value output : getOutputs())
    arguments.append(2, getElementTypeOrSelf(output));
  return verifyRegion(*this, arguments, IntegerType::get(getContext(), 1));
}

LogicalResult TopkOp::verify() {
  if (failed(verifyOperands(*this, {1, 2}, 2)))
    return failure();
  auto type = getTensorType(getInputs()[0]);
  auto values = getTensorType(getOutputs()[0]);
  if (failed(verifyDimension(*this, type)))
    return failure();
  Type element = type.getElementType();
  Type index = getElementTypeOrSelf(getOutputs()[1]);
  if (!isa<IntegerType, IndexType>(index))
    return emitOpError("expects indices of an integer type, got ") << index;
  if (getInputs().size() == 2 &&
      failed(verifyTensor(*this, "indices", getInputs()[1], type.getShape(),
                          index)))
    return failure();
  SmallVector<int64_t> shape(type.getShape());
  if (values.getRank() == type.getRank())
    shape[getDimension()] = values.getDimSize(getDimension());
  if (failed(verifyTensor(*this, "values", getOutputs()[0], shape, element)))
    return failure();
  return verifyTensor(*this, "indices", getOutputs()[1], shape, index);
}

LogicalResult TopkOp::verifyRegions() {
  Type element = getElementTypeOrSelf(getInputs()[0]);
  return verifyRegion(*this, {element, element},
                      IntegerType::get(getContext(), 1));
}

LogicalResult AttentionOp::verify() {
  if (failed(verifyOperands(*this, {3, 4}, 1)))
    return failure();
  auto query = getTensorType(getInputs()[0]);
  auto value = getTensorType(getInputs()[2]);
  Type element = query.getElementType();
  int64_t rank = query.getRank();
  if (rank < 2 || value.getRank() != rank || !isa<FloatType>(element))
    return emitOpError("expects float queries of at least two dimensions, and "
                       "values of as many, got ")
           << query << " and " << value;
  SmallVector<int64_t> batch(query.getShape().drop_back(2));
  int64_t rows = query.getDimSize(rank - 2), keys = value.getDimSize(rank - 2);
  int64_t columns = value.getDimSize(rank - 1);
  auto verifyOperand = [&](StringRef name, Value operand, int64_t first,
                           int64_t second, Type type) {
    SmallVector<int64_t> shape(batch);
    shape.append({first, second});
    return verifyTensor(*this, name, operand, shape, type);
  };
  if (failed(verifyOperand("keys", getInputs()[1], keys,
                           query.getDimSize(rank - 1), element)) ||
      failed(verifyOperand("values", getInputs()[2], keys, columns, element)) ||
      failed(verifyOperand("an out", getOutputs()[0], rows, columns, element)))
    return failure();
  if (getInputs().size() < 4)
    return success();
  Type mask = getElementTypeOrSelf(getInputs()[3]);
  if (!mask.isInteger(1) && mask != element)
    return emitOpError("expects a mask of i1 or ")
           << element << ", got " << mask;
  return verifyOperand("a mask", getInputs()[3], rows, keys, mask);
}
