//===- Extents.cpp - integers that a program computes from shapes ---------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Extents.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/DestinationStyleOpInterface.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::norm::row;

using MaybeCount = std::optional<SymbolicCount>;

//===----------------------------------------------------------------------===//
// Products of extents
//===----------------------------------------------------------------------===//

static unsigned getIntegerWidth(Type type) {
  return type.isIntOrFloat() ? type.getIntOrFloatBitWidth() : 64;
}

MaybeCount SymbolicCount::times(const SymbolicCount &other) const {
  SymbolicCount product;
  if (llvm::MulOverflow(factor, other.factor, product.factor) ||
      symbols.size() + other.symbols.size() > kMaxSymbols)
    return std::nullopt;
  if (product.factor == 0)
    return product;
  llvm::append_range(product.symbols, symbols);
  llvm::append_range(product.symbols, other.symbols);
  llvm::sort(product.symbols);
  return product;
}

/// Returns true if the count divides the number of elements of one tensor over
/// its static and some of its dynamic dimensions.
static bool countsElementsOfOneTensor(const SymbolicCount &count) {
  void *tensor = count.symbols.front().first;
  auto type =
      dyn_cast<RankedTensorType>(Value::getFromOpaquePointer(tensor).getType());
  if (!type)
    return false;
  for (auto [i, symbol] : llvm::enumerate(count.symbols))
    if (symbol.first != tensor || (i > 0 && symbol == count.symbols[i - 1]))
      return false;
  uint64_t statically = 1;
  for (int64_t size : type.getShape())
    if (ShapedType::isStatic(size))
      statically = llvm::SaturatingMultiply<uint64_t>(statically, size);
  return static_cast<uint64_t>(count.factor) <= statically;
}

bool norm::row::isHeldBy(const SymbolicCount &count, Type type) {
  unsigned width = getIntegerWidth(type);
  if (count.isConstant())
    return count.factor >= 0 && llvm::isIntN(width, count.factor);
  // Below 32 bits, signed and unsigned differ for extents that tensors have.
  if (count.factor <= 0 || width < 32)
    return false;
  unsigned bits = llvm::Log2_64_Ceil(count.factor);
  for (auto [value, dim] : count.symbols) {
    Type type = Value::getFromOpaquePointer(value).getType();
    bits += dim >= 0 ? 31 : getIntegerWidth(type) - 1;
  }
  return bits < width || (width >= 64 && countsElementsOfOneTensor(count));
}

MaybeCount norm::row::getSigned(const APInt &bits) {
  if (bits.getSignificantBits() > 64)
    return std::nullopt;
  return SymbolicCount::get(bits.getSExtValue());
}

MaybeCount norm::row::convert(const SymbolicCount &count, Type from, Type to,
                              bool isUnsigned) {
  unsigned width = getIntegerWidth(from), newWidth = getIntegerWidth(to);
  if (count.isConstant()) {
    APInt bits(width, count.factor, /*isSigned=*/true);
    return getSigned(isUnsigned ? bits.zextOrTrunc(newWidth)
                                : bits.sextOrTrunc(newWidth));
  }
  if (newWidth == width || (newWidth > width && !isUnsigned) ||
      isHeldBy(count, newWidth < width ? to : from))
    return count;
  return std::nullopt;
}

static APInt getBits(const SymbolicCount &constant, Type type) {
  return APInt(getIntegerWidth(type), constant.factor, /*isSigned=*/true);
}

static MaybeCount multiply(MaybeCount a, MaybeCount b, Type type) {
  if (a && b && a->isConstant() && b->isConstant())
    return getSigned(getBits(*a, type) * getBits(*b, type));
  MaybeCount product = a && b ? a->times(*b) : std::nullopt;
  return product && isHeldBy(*product, type) ? product : std::nullopt;
}

static MaybeCount maximize(MaybeCount a, MaybeCount b, Type type,
                           bool isUnsigned, bool dividesRow) {
  if (!a || !b || *a == *b)
    return a == b ? a : std::nullopt;
  if (b->isConstant())
    std::swap(a, b);
  if (a->isConstant() && b->isConstant()) {
    APInt x = getBits(*a, type), y = getBits(*b, type);
    return (isUnsigned ? x.ugt(y) : x.sgt(y)) ? a : b;
  }
  // This is max(extents, 1). A row with elements has extents of at least 1, and
  // the divisor of an empty row is never used.
  bool isRow = dividesRow && *a == SymbolicCount::get(1) && isHeldBy(*b, type);
  return isRow && llvm::all_of(b->symbols, [](auto s) { return s.second >= 0; })
             ? b
             : std::nullopt;
}

MaybeCount norm::row::compute(Operation *op, ArrayRef<SymbolicCount> operands,
                              bool dividesRow) {
  Type type = op->getResult(0).getType();
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
          arith::ExtUIOp, arith::TruncIOp>(op))
    return convert(operands[0], op->getOperand(0).getType(), type,
                   isa<arith::ExtUIOp, arith::IndexCastUIOp>(op));
  if (isa<arith::MulIOp>(op))
    return multiply(operands[0], operands[1], type);
  if (isa<arith::MaxSIOp, arith::MaxUIOp>(op))
    return maximize(operands[0], operands[1], type, isa<arith::MaxUIOp>(op),
                    dividesRow);
  if (!isa<arith::AddIOp, arith::SubIOp>(op) || !operands[0].isConstant() ||
      !operands[1].isConstant())
    return std::nullopt;
  APInt a = getBits(operands[0], type), b = getBits(operands[1], type);
  return getSigned(isa<arith::AddIOp>(op) ? a + b : a - b);
}

//===----------------------------------------------------------------------===//
// Extents of a program
//===----------------------------------------------------------------------===//

static SymbolicCount getOwnSymbol(std::pair<Value, int64_t> key) {
  return SymbolicCount::getSymbol(key.first, std::max<int64_t>(key.second, -1));
}

SymbolicCount Extents::resolve(Key root) {
  MaybeCount found = ask(root);
  while (!found) {
    Key key = worklist.back();
    size_t size = worklist.size();
    if (!known.contains(key)) {
      inProgress.insert(key);
      MaybeCount count = key.second >= 0 ? readExtent(key.first, key.second)
                                         : readInteger(key.first, key.second);
      if (worklist.size() > size)
        continue; // The key is read again when what it needs is known.
      known.try_emplace(key, count.value_or(getOwnSymbol(key)));
      inProgress.erase(key);
    }
    worklist.pop_back();
    if (worklist.empty())
      found = known.lookup(root);
  }
  return *found;
}

MaybeCount Extents::ask(Key key) {
  if (auto it = known.find(key); it != known.end())
    return it->second;
  // A cycle, in an unreachable block or in a graph region, starts here.
  if (inProgress.contains(key))
    return known.try_emplace(key, getOwnSymbol(key)).first->second;
  worklist.push_back(key);
  return std::nullopt;
}

MaybeCount Extents::ask(OpFoldResult size) {
  if (auto constant = dyn_cast<Attribute>(size))
    return SymbolicCount::get(cast<IntegerAttr>(constant).getInt());
  return ask(Key(cast<Value>(size), kInteger));
}

MaybeCount Extents::readExtent(Value tensor, int64_t dim) {
  auto type = dyn_cast<RankedTensorType>(tensor.getType());
  if (!type)
    return std::nullopt;
  if (!type.isDynamicDim(dim))
    return SymbolicCount::get(type.getDimSize(dim));
  if (!tensor.getDefiningOp())
    return std::nullopt;
  return llvm::TypeSwitch<Operation *, MaybeCount>(tensor.getDefiningOp())
      .Case([&](tensor::EmptyOp op) { return ask(op.getMixedSizes()[dim]); })
      .Case([&](tensor::ExpandShapeOp op) {
        return ask(op.getMixedOutputShape()[dim]);
      })
      .Case([&](tensor::CastOp op) {
        return isa<RankedTensorType>(op.getSource().getType())
                   ? ask(Key(op.getSource(), dim))
                   : std::nullopt;
      })
      .Case([&](tensor::CollapseShapeOp op) {
        MaybeCount product = SymbolicCount();
        ReassociationExprs group = op.getReassociationExprs()[dim];
        for (AffineExpr source : group) {
          unsigned position = cast<AffineDimExpr>(source).getPosition();
          MaybeCount next = ask(Key(op.getSrc(), position));
          product = product && next ? product->times(*next) : std::nullopt;
        }
        return product;
      })
      .Case([&](tensor::ExtractSliceOp op) {
        llvm::SmallBitVector kept = op.getDroppedDims().flip();
        return ask(op.getMixedSizes()[*std::next(kept.set_bits_begin(), dim)]);
      })
      .Case([&](tensor::PadOp op) {
        return isZeroInteger(op.getMixedLowPad()[dim]) &&
                       isZeroInteger(op.getMixedHighPad()[dim])
                   ? ask(Key(op.getSource(), dim))
                   : std::nullopt;
      })
      .Case([&](scf::IfOp op) {
        unsigned number = cast<OpResult>(tensor).getResultNumber();
        MaybeCount a = ask(Key(op.thenYield()->getOperand(number), dim)),
                   b = ask(Key(op.elseYield()->getOperand(number), dim));
        return a == b ? a : std::nullopt;
      })
      .Case([&](DestinationStyleOpInterface op) {
        Value init = op.getTiedOpOperand(cast<OpResult>(tensor))->get();
        return init.getType() == type ? ask(Key(init, dim)) : std::nullopt;
      })
      .Default(std::nullopt);
}

MaybeCount Extents::readInteger(Value value, int64_t kind) {
  IntegerAttr constant;
  if (matchPattern(value, m_Constant(&constant)))
    return getSigned(constant.getValue());
  Operation *op = value.getDefiningOp();
  if (!op || !value.getType().isIntOrIndex())
    return std::nullopt;
  if (auto dim = dyn_cast<tensor::DimOp>(op)) {
    auto type = dyn_cast<RankedTensorType>(dim.getSource().getType());
    std::optional<int64_t> index = dim.getConstantIndex();
    if (type && index && *index >= 0 && *index < type.getRank())
      return ask(Key(dim.getSource(), *index));
  }
  if (isa<affine::AffineApplyOp, affine::AffineMaxOp>(op)) {
    auto map = op->getAttrOfType<AffineMapAttr>("map").getValue();
    ArrayRef<AffineExpr> results = simplifyAffineMap(map).getResults();
    MaybeCount first = readAffine(op, results[0], kind);
    if (results.size() != 2) // affine.max
      return results.size() == 1 ? first : std::nullopt;
    return maximize(first, readAffine(op, results[1], kind), value.getType(),
                    /*isUnsigned=*/false, kind == kCount);
  }
  if (!isa<arith::ArithDialect>(op->getDialect()))
    return std::nullopt;
  SmallVector<SymbolicCount> operands;
  for (Value operand : op->getOperands())
    if (MaybeCount count = ask(Key(operand, kind)))
      operands.push_back(*count);
  return operands.size() == op->getNumOperands()
             ? compute(op, operands, kind == kCount)
             : std::nullopt;
}

MaybeCount Extents::readAffine(Operation *op, AffineExpr expr, int64_t kind) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return SymbolicCount::get(constant.getValue());
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return ask(Key(op->getOperand(dim.getPosition()), kind));
  if (auto symbol = dyn_cast<AffineSymbolExpr>(expr)) {
    auto map = op->getAttrOfType<AffineMapAttr>("map").getValue();
    return ask(
        Key(op->getOperand(map.getNumDims() + symbol.getPosition()), kind));
  }
  if (expr.getKind() != AffineExprKind::Mul)
    return std::nullopt;
  auto product = cast<AffineBinaryOpExpr>(expr);
  MaybeCount lhs = readAffine(op, product.getLHS(), kind);
  return multiply(lhs, readAffine(op, product.getRHS(), kind),
                  op->getResult(0).getType());
}
