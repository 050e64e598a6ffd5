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

unsigned norm::row::getIntegerWidth(Type type) {
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

/// Whether the count divides the number of elements that one tensor has at its
/// static and at some of its dynamic dimensions.
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
  // Below 32 bits, signed and unsigned differ for extents that a tensor has.
  if (count.factor <= 0 || width < 32)
    return false;
  unsigned bits = llvm::Log2_64_Ceil(count.factor);
  for (auto [value, dim] : count.symbols)
    bits +=
        dim >= 0
            ? 31
            : getIntegerWidth(Value::getFromOpaquePointer(value).getType()) - 1;
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

static MaybeCount fold(Arithmetic kind, const APInt &a, const APInt &b) {
  switch (kind) {
  case Arithmetic::Add:
    return getSigned(a + b);
  case Arithmetic::Sub:
    return getSigned(a - b);
  case Arithmetic::Mul:
    return getSigned(a * b);
  case Arithmetic::MaxSigned:
    return getSigned(llvm::APIntOps::smax(a, b));
  case Arithmetic::MaxUnsigned:
    return getSigned(llvm::APIntOps::umax(a, b));
  }
  llvm_unreachable("no other arithmetic");
}

MaybeCount norm::row::combine(Arithmetic kind, const SymbolicCount &a,
                              const SymbolicCount &b, Type type,
                              bool dividesRow) {
  bool isMax = kind == Arithmetic::MaxSigned || kind == Arithmetic::MaxUnsigned;
  if (isMax && a == b)
    return a;
  unsigned width = getIntegerWidth(type);
  if (a.isConstant() && b.isConstant())
    return fold(kind, APInt(width, a.factor, /*isSigned=*/true),
                APInt(width, b.factor, /*isSigned=*/true));
  if (kind == Arithmetic::Mul) {
    MaybeCount product = a.times(b);
    return product && isHeldBy(*product, type) ? product : std::nullopt;
  }
  if (kind == Arithmetic::Add || kind == Arithmetic::Sub || !dividesRow)
    return std::nullopt;
  // max(extents, 1): a row that has elements has extents of at least 1, and
  // what an empty row is divided by is never used.
  const SymbolicCount &extents = a.isConstant() ? b : a;
  const SymbolicCount &least = a.isConstant() ? a : b;
  if (least == SymbolicCount::get(1) && isHeldBy(extents, type) &&
      llvm::all_of(extents.symbols, [](auto s) { return s.second >= 0; }))
    return extents;
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// What a program says
//===----------------------------------------------------------------------===//

SymbolicCount Extents::resolve(Key root) {
  worklist.push_back(root);
  while (!worklist.empty()) {
    Key key = worklist.back();
    size_t size = worklist.size();
    if (!known.contains(key)) {
      inProgress.insert(key);
      MaybeCount count = key.second >= 0 ? readExtent(key.first, key.second)
                                         : readInteger(key.first, key.second);
      if (worklist.size() > size)
        continue; // Read it again when what it needs is known.
      known.try_emplace(key, count.value_or(getOwnSymbol(key)));
      inProgress.erase(key);
    }
    worklist.pop_back();
  }
  return known.find(root)->second;
}

MaybeCount Extents::ask(Key key) {
  if (auto it = known.find(key); it != known.end())
    return it->second;
  // A cycle, in an unreachable block or in a graph region: it starts here.
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
  Operation *op = tensor.getDefiningOp();
  if (auto empty = dyn_cast_or_null<tensor::EmptyOp>(op))
    return ask(empty.getMixedSizes()[dim]);
  if (auto expand = dyn_cast_or_null<tensor::ExpandShapeOp>(op))
    return ask(expand.getMixedOutputShape()[dim]);
  if (auto cast = dyn_cast_or_null<tensor::CastOp>(op))
    return isa<RankedTensorType>(cast.getSource().getType())
               ? ask(Key(cast.getSource(), dim))
               : std::nullopt;
  if (auto collapse = dyn_cast_or_null<tensor::CollapseShapeOp>(op)) {
    ReassociationIndices group = collapse.getReassociationIndices()[dim];
    MaybeCount product = SymbolicCount();
    for (int64_t source : group) {
      MaybeCount next = ask(Key(collapse.getSrc(), source));
      product = product && next ? product->times(*next) : std::nullopt;
    }
    return product;
  }
  if (auto slice = dyn_cast_or_null<tensor::ExtractSliceOp>(op)) {
    SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    for (int64_t kept = 0, i = 0; i < int64_t(sizes.size()); ++i)
      if (!dropped[i] && kept++ == dim)
        return ask(sizes[i]);
  }
  if (auto pad = dyn_cast_or_null<tensor::PadOp>(op))
    return isZeroInteger(pad.getMixedLowPad()[dim]) &&
                   isZeroInteger(pad.getMixedHighPad()[dim])
               ? ask(Key(pad.getSource(), dim))
               : std::nullopt;
  if (auto branch = dyn_cast_or_null<scf::IfOp>(op)) {
    unsigned number = cast<OpResult>(tensor).getResultNumber();
    MaybeCount a = ask(Key(branch.thenYield()->getOperand(number), dim)),
               b = ask(Key(branch.elseYield()->getOperand(number), dim));
    return a && b && *a == *b ? a : std::nullopt;
  }
  if (auto dps = dyn_cast_or_null<DestinationStyleOpInterface>(op))
    if (Value init = dps.getTiedOpOperand(cast<OpResult>(tensor))->get();
        init.getType() == type)
      return ask(Key(init, dim));
  return std::nullopt;
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
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
          arith::ExtUIOp, arith::TruncIOp>(op))
    if (MaybeCount count = ask(Key(op->getOperand(0), kind)))
      return convert(*count, op->getOperand(0).getType(), value.getType(),
                     isa<arith::ExtUIOp, arith::IndexCastUIOp>(op));
  if (isa<affine::AffineApplyOp, affine::AffineMaxOp>(op))
    return readAffine(op, kind);
  auto arithmetic =
      llvm::TypeSwitch<Operation *, std::optional<Arithmetic>>(op)
          .Case([](arith::AddIOp) { return Arithmetic::Add; })
          .Case([](arith::SubIOp) { return Arithmetic::Sub; })
          .Case([](arith::MulIOp) { return Arithmetic::Mul; })
          .Case([](arith::MaxSIOp) { return Arithmetic::MaxSigned; })
          .Case([](arith::MaxUIOp) { return Arithmetic::MaxUnsigned; })
          .Default(std::nullopt);
  if (!arithmetic)
    return std::nullopt;
  MaybeCount a = ask(Key(op->getOperand(0), kind));
  MaybeCount b = ask(Key(op->getOperand(1), kind));
  return a && b ? combine(*arithmetic, *a, *b, value.getType(), kind == kCount)
                : std::nullopt;
}

MaybeCount Extents::readAffine(Operation *op, int64_t kind) {
  AffineMap map = op->getAttrOfType<AffineMapAttr>("map").getValue();
  Type type = op->getResult(0).getType();
  auto combineBoth = [&](Arithmetic arithmetic, MaybeCount a, MaybeCount b) {
    return a && b ? combine(arithmetic, *a, *b, type, kind == kCount)
                  : std::nullopt;
  };
  auto read = [&](auto &read, AffineExpr expr) -> MaybeCount {
    if (auto constant = dyn_cast<AffineConstantExpr>(expr))
      return SymbolicCount::get(constant.getValue());
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      return ask(Key(op->getOperand(dim.getPosition()), kind));
    if (auto symbol = dyn_cast<AffineSymbolExpr>(expr))
      return ask(
          Key(op->getOperand(map.getNumDims() + symbol.getPosition()), kind));
    if (expr.getKind() != AffineExprKind::Mul)
      return std::nullopt;
    auto product = cast<AffineBinaryOpExpr>(expr);
    MaybeCount lhs = read(read, product.getLHS());
    return combineBoth(Arithmetic::Mul, lhs, read(read, product.getRHS()));
  };
  SmallVector<MaybeCount> results;
  for (AffineExpr result : simplifyAffineMap(map).getResults())
    results.push_back(read(read, result));
  if (results.size() == 2) // affine.max
    return combineBoth(Arithmetic::MaxSigned, results[0], results[1]);
  return results.size() == 1 ? results[0] : std::nullopt;
}
