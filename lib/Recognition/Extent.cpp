//===- Extent.cpp - integers that a program computes from shapes ----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Recognition/Extent.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace mlir;
using namespace mlir::norm;

std::optional<SymbolicCount>
SymbolicCount::times(const SymbolicCount &other) const {
  SymbolicCount product;
  if (llvm::MulOverflow(factor, other.factor, product.factor))
    return std::nullopt;
  llvm::append_range(product.symbols, symbols);
  llvm::append_range(product.symbols, other.symbols);
  llvm::sort(product.symbols);
  return product;
}

static SymbolicCount makeSymbol(Value value, int64_t dim) {
  SymbolicCount symbol;
  symbol.symbols.push_back({value.getAsOpaquePointer(), dim});
  return symbol;
}

static SymbolicCount makeConstant(int64_t value) {
  SymbolicCount constant;
  constant.factor = value;
  return constant;
}

namespace {
/// From a value to what it is computed from: not further than the stack
/// reaches, and not for ever where an unreachable block has a cycle.
class Walk {
public:
  SymbolicCount getInteger(Value value);
  SymbolicCount getExtent(Value tensor, int64_t dim);

private:
  SymbolicCount getOpFoldResult(OpFoldResult value) {
    if (auto constant = getConstantIntValue(value))
      return makeConstant(*constant);
    return getInteger(cast<Value>(value));
  }
  bool isTooDeep() const { return depth >= kMaxDepth; }

  static constexpr unsigned kMaxDepth = 256;
  unsigned depth = 0;
};
} // namespace

bool norm::isHeldBy(const SymbolicCount &count, Type type) {
  unsigned width = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  if (count.isConstant())
    return llvm::isIntN(width, count.factor);
  return width >= 64 ||
         (width >= 32 && count.symbols.size() == 1 && count.factor == 1);
}

SymbolicCount Walk::getInteger(Value value) {
  if (isTooDeep())
    return makeSymbol(value, -1);
  llvm::SaveAndRestore deeper(depth, depth + 1);
  IntegerAttr constant;
  if (matchPattern(value, m_Constant(&constant)) &&
      constant.getValue().getSignificantBits() <= 64)
    return makeConstant(constant.getInt());
  Operation *op = value.getDefiningOp();
  // Widening and index casts keep the value of an extent, which is not
  // negative.
  if (isa_and_nonnull<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
                      arith::ExtUIOp>(op))
    if (SymbolicCount count = getInteger(op->getOperand(0));
        isHeldBy(count, value.getType()))
      return count;
  if (auto mul = dyn_cast_or_null<arith::MulIOp>(op))
    if (auto product = getInteger(mul.getLhs()).times(getInteger(mul.getRhs()));
        product && isHeldBy(*product, value.getType()))
      return *product;
  if (auto dim = dyn_cast_or_null<tensor::DimOp>(op))
    if (auto index = dim.getConstantIndex())
      if (auto type = dyn_cast<RankedTensorType>(dim.getSource().getType()))
        if (*index >= 0 && *index < type.getRank())
          return getExtent(dim.getSource(), *index);
  return makeSymbol(value, -1);
}

SymbolicCount Walk::getExtent(Value tensor, int64_t dim) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dim))
    return makeConstant(type.getDimSize(dim));
  if (isTooDeep())
    return makeSymbol(tensor, dim);
  llvm::SaveAndRestore deeper(depth, depth + 1);
  Operation *op = tensor.getDefiningOp();
  if (auto empty = dyn_cast_or_null<tensor::EmptyOp>(op))
    return getOpFoldResult(empty.getMixedSizes()[dim]);
  if (auto cast = dyn_cast_or_null<tensor::CastOp>(op))
    if (isa<RankedTensorType>(cast.getSource().getType()))
      return getExtent(cast.getSource(), dim);
  if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op))
    return getOpFoldResult(expand.getMixedOutputShape()[dim]);
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op)) {
    SymbolicCount product;
    ReassociationIndices group = collapse.getReassociationIndices()[dim];
    for (int64_t source : group) {
      auto next = product.times(getExtent(collapse.getSrc(), source));
      if (!next)
        return makeSymbol(tensor, dim);
      product = *next;
    }
    return product;
  }
  if (auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(op))
    if (slice.getSourceType().getRank() == type.getRank())
      return getOpFoldResult(slice.getMixedSizes()[dim]);
  if (auto dps = dyn_cast_or_null<DestinationStyleOpInterface>(op))
    return getExtent(dps.getTiedOpOperand(cast<OpResult>(tensor))->get(), dim);
  return makeSymbol(tensor, dim);
}

SymbolicCount norm::getInteger(Value value) { return Walk().getInteger(value); }

SymbolicCount norm::getExtent(Value tensor, int64_t dim) {
  return Walk().getExtent(tensor, dim);
}
