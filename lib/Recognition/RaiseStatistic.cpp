//===- RaiseStatistic.cpp - what rounding=relaxed reads through -----------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A statistic that is rounded where S2 and S3 do not round is computed in a
// wider type as a whole. Only roundings go: what rounds r, z and the result
// stays as scale_type, normalized_type and the result's type.
//
//===----------------------------------------------------------------------===//

#include "Matcher.h"

using namespace mlir;
using namespace mlir::norm;
using Kind = Expr::Kind;

/// Below 16 bits a rounding is a quantisation, which stays.
const Expr *Matcher::peel(const Expr *expr) const {
  while (raises && (expr->kind == Kind::Round || expr->kind == Kind::Extend) &&
         isArithmeticType(expr->type) &&
         isArithmeticType(expr->operands[0]->type))
    expr = expr->operands[0];
  return expr;
}

/// The nodes from r to the squares, x in them excluded; they are few, for what
/// does not lead to the sum are constants.
static SmallVector<const Expr *> collectStatistic(const Expr *root) {
  constexpr size_t kMaxNodes = 64;
  SmallVector<const Expr *> nodes{root};
  for (size_t i = 0; i < nodes.size() && nodes.size() < kMaxNodes; ++i)
    if (nodes[i]->hasReduction || nodes[i]->kind == Kind::Mul ||
        nodes[i]->kind == Kind::Round || nodes[i]->kind == Kind::Extend)
      for (const Expr *operand : nodes[i]->operands)
        if (!llvm::is_contained(nodes, operand))
          nodes.push_back(operand);
  return nodes;
}

bool Matcher::hasNarrowStatistic() const {
  return rootFactor &&
         llvm::any_of(collectStatistic(rootFactor), [](const Expr *expr) {
           // Also x itself, rounded for the statistic alone.
           bool rounds = llvm::any_of(expr->operands, [](const Expr *operand) {
             return stripExtend(operand)->kind == Kind::Round;
           });
           return rounds || expr->kind == Kind::Extend || expr->type.isF16() ||
                  expr->type.isBF16();
         });
}

/// C, and the roundings of r and z that C = `product` would have made.
void Matcher::raiseTypes(FloatType product, bool hasWeight) {
  compute = Float32Type::get(product.getContext());
  auto widen = [&](Type type) {
    if (isArithmeticType(type))
      compute = getWiderFloatType(compute, cast<FloatType>(type));
  };
  widen(product);
  for (const Expr *expr : collectStatistic(rootFactor))
    widen(expr->type);
  // x / root rounds the quotient alone, the others r as well.
  const Expr *r = stripExtend(rootFactor);
  bool isRounded = r->kind == Kind::Round || r != rootFactor || r->viaRsqrt;
  if (isRounded && r->type != compute)
    scaleType = cast<FloatType>(r->type);
  // The product of two 16-bit values is exact in f32: rounding it is all that
  // 16-bit arithmetic does. (x * w) * r has no such z.
  if (!normalizedType && product != compute && (weight || hasWeight) &&
      !reorders)
    normalizedType = product;
}

/// A count that the program has lost is not put right.
Check Matcher::checkRaised() {
  if (!raises)
    return std::nullopt;
  for (ArrayRef<Scale> scales :
       {ArrayRef<Scale>(inverse.inside), ArrayRef<Scale>(inverse.outside),
        ArrayRef<Scale>(inverse.numerator)})
    for (const Scale &scale : scales)
      if (scale.value->kind == Kind::Constant &&
          !scale.value->value->isFiniteNonZero())
        return refuse(Refusal::RoundingNotRepresentable,
                      "the number of terms is not finite in " +
                          text(scale.value->type));
  return std::nullopt;
}
