//===- Rebuild.cpp - nodes on other operands ------------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two spellings of one computation become one node here if they give the same
// bits: x * y and y * x, -(x * y) and (-x) * y, a product of two bf16 values
// and that of their f32 values, rounded to bf16. For +, -, *, / and sqrt the
// latter holds because f32 has more than twice the digits of 16-bit types; for
// subnormals of bf16 it is what norm-widen-narrow-floats makes of a product.
//
//===----------------------------------------------------------------------===//

#include "Node.h"

using namespace mlir;
using namespace mlir::norm::row;

/// Returns true for arithmetic that rounds to its type.
static bool rounds(Kind kind) {
  return llvm::is_contained({Kind::Add, Kind::Mul, Kind::Div, Kind::Sqrt,
                             Kind::Rsqrt, Kind::Fma, Kind::Power, Kind::Sum},
                            kind);
}

const Node *Context::retype(const Node *node, Type type) {
  bool retypes = (rounds(node->getKind()) && !node->is(Kind::Sum)) ||
                 node->is(Kind::Symbol) || node->is(Kind::Neg) ||
                 node->is(Kind::Abs);
  return retypes ? rebuild(node, node->getOperands(), type) : node;
}

static bool isBefore(const Node *a, const Node *b) {
  return a->getNumber() < b->getNumber();
}

/// Moves a cast to the operands of what only selects or changes a sign.
static const Node *moveCast(Context &context, Kind cast, Type type,
                            const Node *node) {
  if (node->getType() == type || isNumberSymbol(node))
    return node;
  auto move = [&](const Node *each) {
    return moveCast(context, cast, type, each);
  };
  if (node->is(Kind::Neg) || node->is(Kind::Abs))
    return context.get(node->getKind(), type, move(node->getOperand(0)));
  // Rounding keeps the order of values.
  if (isa<ExtremumNode>(node))
    return context.rebuildRounded(
        node, {move(node->getOperand(0)), move(node->getOperand(1))});
  return context.get(cast, type, node);
}

/// Returns a node in `type`, which has more than 16 bits.
static const Node *rebuildWide(Context &context, const Node *node, Type type,
                               SmallVector<const Node *> operands) {
  Kind kind = node->getKind();
  auto get = [&](Kind kind, ArrayRef<const Node *> operands) {
    return context.get(kind, type, operands);
  };
  if (auto *power = dyn_cast<PowerNode>(node);
      power && power->getExponent() == Fraction(2) &&
      power->getSpelling() == PowerNode::Spelling::Power)
    return get(Kind::Mul, {operands[0], operands[0]});
  if (kind == Kind::Mul || kind == Kind::Div) {
    bool isNegated = false;
    for (const Node *&operand : operands)
      if (operand->is(Kind::Neg)) {
        isNegated = !isNegated;
        operand = operand->getOperand(0);
      }
    if (kind == Kind::Mul)
      llvm::sort(operands, isBefore);
    const Node *product = get(kind, operands);
    return isNegated ? get(Kind::Neg, product) : product;
  }
  if (kind == Kind::Sqrt && isa<ExtremumNode>(operands[0]) &&
      isNonNegative(operands[0]->getOperand(0)) &&
      isNonNegative(operands[0]->getOperand(1)))
    return context.rebuild(operands[0],
                           {get(kind, operands[0]->getOperand(0)),
                            get(kind, operands[0]->getOperand(1))});
  if (kind == Kind::Add)
    for (unsigned i : {0u, 1u})
      if (isConstant(operands[i], 0.0) &&
          operands[1 - i]->isAboveNegativeZero())
        return operands[1 - i];
  if (kind == Kind::Add)
    llvm::sort(operands, isBefore);
  if (kind == Kind::Fma)
    std::sort(operands.begin(), operands.begin() + 2, isBefore);
  return context.rebuild(node, operands, type);
}

/// Returns true for what is neither NaN nor a zero; spellings of a maximum also
/// differ in which zero they give.
static bool isNumber(const Node *node) {
  auto *constant = dyn_cast<ConstantNode>(node);
  return constant
             ? !constant->getValue().isNaN() && !constant->getValue().isZero()
             : node->is(Kind::Symbol) && isNonNegative(node);
}

/// Returns max(a, b) in the canonical order, and a if b is at most 0 and a is
/// not negative, also where it is NaN.
static const Node *rebuildExtremum(Context &context, const ExtremumNode *node,
                                   SmallVector<const Node *> operands) {
  for (unsigned i : {0u, 1u}) {
    auto *bound = dyn_cast<ConstantNode>(operands[1 - i]);
    bool isBelow =
        bound && !bound->getValue().isNaN() &&
        (bound->getValue().isZero() || bound->getValue().isNegative());
    if (node->is(Kind::Max) && isBelow && node->keepsNaN(i) &&
        operands[i]->isAboveNegativeZero())
      return operands[i];
  }
  // Where one of them is no NaN, a spelling that keeps that of the other is the
  // maximum that gives every NaN.
  for (unsigned i : {0u, 1u})
    if (!node->getSpelling() ||
        (node->keepsNaN(i) && isNumber(operands[1 - i]))) {
      llvm::sort(operands, isBefore);
      return context.getExtremum(node->getKind(), operands[0], operands[1],
                                 Attribute());
    }
  return context.rebuild(node, operands);
}

/// Returns the value in f32 that `node` widens to f64, or null.
static const Node *narrowOperand(Context &context, const Node *node,
                                 Type type) {
  if (node->is(Kind::Neg) || node->is(Kind::Abs)) {
    const Node *narrow = narrowOperand(context, node->getOperand(0), type);
    return narrow ? context.get(node->getKind(), type, narrow) : nullptr;
  }
  if (node->is(Kind::Constant)) {
    const Node *narrow = context.get(Kind::Round, type, node);
    bool isExact = context.get(Kind::Extend, node->getType(), narrow) == node;
    return isExact ? narrow : nullptr;
  }
  if (!node->is(Kind::Extend))
    return nullptr;
  const Node *narrow = node->getOperand(0);
  return narrow->getWidth() <= 16    ? context.get(Kind::Extend, type, narrow)
         : narrow->getType() == type ? narrow
                                     : nullptr;
}

/// Returns the arithmetic in f32 that gives what one operation on f32 values in
/// f64 does, once it is rounded: f64 has more than twice the digits. Null for
/// anything else.
static const Node *narrowArithmetic(Context &context, const Node *node,
                                    Type type) {
  if (!type.isF32() || !node->getType().isF64() ||
      !llvm::is_contained({Kind::Add, Kind::Mul, Kind::Div, Kind::Sqrt},
                          node->getKind()))
    return nullptr;
  SmallVector<const Node *> operands;
  for (const Node *operand : node->getOperands()) {
    operands.push_back(narrowOperand(context, operand, type));
    if (!operands.back())
      return nullptr;
  }
  return rebuildWide(context, node, type, operands);
}

const Node *Context::rebuildRounded(const Node *node,
                                    ArrayRef<const Node *> given) {
  SmallVector<const Node *> operands(given);
  Type type = node->getType();
  switch (node->getKind()) {
  case Kind::Round:
    if (const Node *narrow = narrowArithmetic(*this, operands[0], type))
      return narrow;
    [[fallthrough]];
  case Kind::Extend:
    return moveCast(*this, node->getKind(), type, operands[0]);
  case Kind::Abs:
    if (operands[0]->isAboveNegativeZero())
      return operands[0];
    break;
  case Kind::Max:
  case Kind::Min:
    return rebuildExtremum(*this, cast<ExtremumNode>(node), operands);
  default:
    break;
  }
  if (!rounds(node->getKind()))
    return rebuild(node, operands);
  if (node->getWidth() > 16)
    return rebuildWide(*this, node, type, operands);
  Type wide = Float32Type::get(context);
  for (const Node *&operand : operands)
    operand = moveCast(*this, Kind::Extend, wide, operand);
  return moveCast(*this, Kind::Round, type,
                  rebuildWide(*this, node, wide, operands));
}
