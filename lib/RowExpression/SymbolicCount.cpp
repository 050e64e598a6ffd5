//===- SymbolicCount.cpp - products of extents ----------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SymbolicCount.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::norm::row;

using MaybeCount = std::optional<SymbolicCount>;

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
