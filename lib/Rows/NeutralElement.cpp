//===- NeutralElement.cpp - what changes no result of a reduction ---------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "norm/Rows/Rows.h"

using namespace mlir;
using llvm::APFloat;
using vector::CombiningKind;

/// Returns the lowest value; not every format has an infinity.
static APFloat getLowest(const llvm::fltSemantics &semantics, bool negative) {
  return APFloat::semanticsHasInf(semantics)
             ? APFloat::getInf(semantics, negative)
             : APFloat::getLargest(semantics, negative);
}

static TypedAttr getNeutralFloat(CombiningKind kind, FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  if (!APFloat::semanticsHasSignedRepr(semantics) ||
      !APFloat::semanticsHasZero(semantics))
    return {};
  switch (kind) {
  case CombiningKind::ADD:
    // With +0, a sum of -0 alone would be +0.
    return FloatAttr::get(type, APFloat::getZero(semantics, /*Negative=*/true));
  case CombiningKind::MUL:
    return FloatAttr::get(type, 1.0);
  case CombiningKind::MAXIMUMF:
  case CombiningKind::MINIMUMF:
    return FloatAttr::get(
        type, getLowest(semantics, kind == CombiningKind::MAXIMUMF));
  case CombiningKind::MAXNUMF:
  case CombiningKind::MINNUMF:
    // Given a number and a NaN, these choose the number.
    return FloatAttr::get(
        type, APFloat::semanticsHasNaN(semantics)
                  ? APFloat::getQNaN(semantics)
                  : getLowest(semantics, kind == CombiningKind::MAXNUMF));
  default:
    return {};
  }
}

static TypedAttr getNeutralInteger(CombiningKind kind, Type type) {
  unsigned width = type.isIndex() ? IndexType::kInternalStorageBitWidth
                                  : type.getIntOrFloatBitWidth();
  auto get = [&](const llvm::APInt &value) {
    return IntegerAttr::get(type, value);
  };
  switch (kind) {
  case CombiningKind::ADD:
  case CombiningKind::OR:
  case CombiningKind::XOR:
  case CombiningKind::MAXUI:
    return get(llvm::APInt::getZero(width));
  case CombiningKind::MUL:
    return get(llvm::APInt(width, 1));
  case CombiningKind::AND:
  case CombiningKind::MINUI:
    return get(llvm::APInt::getAllOnes(width));
  case CombiningKind::MAXSI:
    return get(llvm::APInt::getSignedMinValue(width));
  case CombiningKind::MINSI:
    return get(llvm::APInt::getSignedMaxValue(width));
  default:
    return {};
  }
}

TypedAttr norm::getNeutralElement(CombiningKind kind, Type type) {
  if (auto floatType = dyn_cast<FloatType>(type))
    return getNeutralFloat(kind, floatType);
  return type.isIntOrIndex() ? getNeutralInteger(kind, type) : TypedAttr();
}
