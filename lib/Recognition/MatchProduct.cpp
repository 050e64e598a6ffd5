//===- MatchProduct.cpp - which factors are x, r and w
//----------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Matcher.h"

using namespace mlir;
using namespace mlir::norm;
using Kind = Expr::Kind;

bool norm::isRootCandidate(const Expr *factor) {
  while (factor->kind == Kind::Round || factor->kind == Kind::Extend)
    factor = factor->operands[0];
  // A softmax divides by a sum too, but by neither a root nor a sum of squares.
  return factor->kind == Kind::Pow && factor->numerator < 0 &&
         factor->operands[0]->hasReduction && factor->hasRootOrSquares;
}

static void flattenInto(const Expr *expr,
                        SmallVectorImpl<const Expr *> &factors,
                        llvm::function_ref<bool(const Expr *)> isLeaf,
                        unsigned depth) {
  if (expr->kind != Kind::Mul || depth > 16 || (isLeaf && isLeaf(expr))) {
    factors.push_back(expr);
    return;
  }
  for (const Expr *operand : expr->operands)
    flattenInto(operand, factors, isLeaf, depth + 1);
}

void norm::flatten(const Expr *expr, SmallVectorImpl<const Expr *> &factors,
                   llvm::function_ref<bool(const Expr *)> isLeaf) {
  flattenInto(expr, factors, isLeaf, 0);
}

//===----------------------------------------------------------------------===//
// S4 to S6
//===----------------------------------------------------------------------===//

/// y = w * z with z rounded before (Llama), or one product (Gemma, T5, none).
Check Matcher::findFactors() {
  const Expr *product = root->kind == Kind::Round ? root->operands[0] : root;
  SmallVector<const Expr *> factors;
  flatten(product, factors);
  if (llvm::any_of(factors, isRootCandidate))
    return product->kind == Kind::Mul ? classify(product)
                                      : refuse(Refusal::NotACandidate, "");

  // No root among them: one factor must be the rounded z, the other w.
  if (factors.size() != 2)
    return refuse(Refusal::NotACandidate, "");
  for (unsigned i : {0u, 1u}) {
    const Expr *z = stripExtend(factors[i]);
    // Rounded, or extended from a product in the narrow type.
    const Expr *inner = z->kind == Kind::Round ? z->operands[0] : z;
    if (inner == factors[i])
      continue;
    SmallVector<const Expr *> innerFactors;
    flatten(inner, innerFactors);
    if (inner->kind != Kind::Mul ||
        !llvm::any_of(innerFactors, isRootCandidate))
      continue;
    normalizedType = cast<FloatType>(z->type);
    takeWeight(factors[1 - i], cast<FloatType>(product->type));
    return classify(inner);
  }
  return refuse(Refusal::NotACandidate, "");
}

/// The significand of a product of two values of `type` fits into `wide`, so
/// that rounding it to `type` is the one rounding of a product in `type`.
static bool holdsProduct(FloatType wide, FloatType type) {
  return wide.getFPMantissaWidth() >= 2 * type.getFPMantissaWidth();
}

/// The weight of the rounded z: as it is stored where S5 multiplies so, or is
/// the same by an exact product that is rounded; else as it is multiplied.
void Matcher::takeWeight(const Expr *factor, FloatType product) {
  weight = stripExtend(factor);
  weightProduct = product;
  FloatType wider =
      getWiderFloatType(normalizedType, cast<FloatType>(weight->type));
  if (product == wider)
    return;
  if (root->kind == Kind::Round && root->type == wider &&
      holdsProduct(product, wider))
    weightProduct = wider;
  else
    weight = factor;
}

/// Whether a * b is a factor of its own in `product`.
static bool multipliesFirst(const Expr *product, const Expr *a, const Expr *b) {
  if (product->kind != Kind::Mul)
    return false;
  const Expr *lhs = product->operands[0], *rhs = product->operands[1];
  return (lhs == a && rhs == b) || (lhs == b && rhs == a) ||
         multipliesFirst(lhs, a, b) || multipliesFirst(rhs, a, b);
}

/// Names x, r and w among the factors of one product.
Check Matcher::classify(const Expr *product) {
  compute = cast<FloatType>(product->type);
  FloatType productType = compute;
  SmallVector<const Expr *> factors;
  flatten(product, factors);
  rootFactor = *llvm::find_if(factors, isRootCandidate);
  if (Check reason = takeApart(rootFactor))
    return reason;
  if (Check reason = takeTerms())
    return reason;
  SmallVector<const Expr *> others;
  if (Check reason = findX(product, others))
    return reason;
  // r rounded to a narrow type: either the product is in that type (then it is
  // the rounding of z, for the product of two narrow values is exact in f32),
  // or it is widened again.
  const Expr *r = stripExtend(rootFactor);
  if (raises) {
    raiseTypes(productType, !others.empty());
  } else if (r->kind == Kind::Round) {
    scaleType = cast<FloatType>(r->type);
    if (r == rootFactor) {
      compute = cast<FloatType>(r->operands[0]->type);
      // (x * r) * w rounds each product to the narrow type.
      bool weighsLast =
          others.size() == 1 && x && multipliesFirst(product, x, rootFactor);
      if (!weight && !others.empty() && !weighsLast)
        return refuse(Refusal::RoundingNotRepresentable,
                      "a weight in the product of the rounded root");
      if (!normalizedType && (weight || weighsLast))
        normalizedType = productType;
    }
  }
  if (!x)
    return std::nullopt; // checkSquare says why
  if (Check reason = findNumerator(others))
    return reason;
  if (Check reason = joinWeight(others, productType))
    return reason;
  if (raises && weight && !normalizedType)
    weightProduct = compute; // z is not rounded before it
  return std::nullopt;
}

/// x is what the statistic squares; `others` are the factors that are left.
Check Matcher::findX(const Expr *product,
                     SmallVectorImpl<const Expr *> &others) {
  const Expr *base = square ? stripExtend(square->operands[0]) : nullptr;
  auto matches = [&](const Expr *atRoot, const Expr *inSum) {
    reducedOf.clear();
    compared.clear();
    return isSame(atRoot, inSum);
  };
  auto isX = [&](const Expr *expr) {
    if (x || !base || expr == rootFactor)
      return false;
    // Where reading ended at one of them, only the widened values are the same.
    if (!matches(stripExtend(expr), base) &&
        !matches(expr, square->operands[0]) &&
        !matches(stripExtend(expr), peel(base)))
      return false;
    x = expr;
    return true;
  };
  SmallVector<const Expr *> factors;
  flatten(product, factors, isX);
  bool sawX = false, sawRoot = false;
  for (const Expr *factor : factors) {
    if (factor == rootFactor && !sawRoot) {
      sawRoot = true;
      continue;
    }
    if (!sawX && (x ? factor == x : isX(factor))) {
      sawX = true;
      continue;
    }
    others.push_back(factor);
  }
  if (!sawRoot)
    return refuse(Refusal::NotACandidate, "");
  if (others.empty() && !x)
    return refuse(Refusal::NotACandidate, "");
  reorders |= x && !others.empty() && !multipliesFirst(product, x, rootFactor);
  return std::nullopt;
}

/// x / norm * sqrt(n): a constant where the statistic itself has none.
Check Matcher::findNumerator(SmallVectorImpl<const Expr *> &others) {
  if (!inverse.inside.empty() || !inverse.outside.empty())
    return std::nullopt;
  for (auto [i, factor] : llvm::enumerate(others)) {
    std::optional<Scale> scale = getScale(factor);
    if (!scale)
      continue;
    inverse.numerator.push_back(*scale);
    others.erase(others.begin() + i);
    break;
  }
  return std::nullopt;
}

Check Matcher::joinWeight(ArrayRef<const Expr *> factors, FloatType product) {
  if (factors.empty())
    return std::nullopt;
  if (weight)
    return refuse(Refusal::WeightNotRepresentable,
                  "expected one weight, found one more before the rounding");
  weightProduct = product;
  weight = stripExtend(factors.front());
  if (factors.size() == 1)
    return std::nullopt;
  if (!joinsWeights)
    return refuse(Refusal::WeightNotRepresentable,
                  "expected one weight, found a product of " +
                      Twine(factors.size()) + " factors");
  reorders = true;
  weight = factors.front();
  for (const Expr *factor : factors.drop_front())
    weight = reader.makeProduct(weight, factor, product);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The same value, once at the root and once inside the sum
//===----------------------------------------------------------------------===//

/// Both are elements of one tensor of the program: only the indices matter.
bool Matcher::isSameAnchor(const Expr *atRoot, const Expr *inSum) {
  for (const Anchor &a : reader.getAnchors(atRoot))
    for (const Anchor &b : reader.getAnchors(inSum)) {
      if (a.tensor != b.tensor)
        continue;
      DimCorrespondence saved = reducedOf;
      if (llvm::all_of_zip(a.indices, b.indices,
                           [&](AffineExpr x, AffineExpr y) {
                             return reducedOf.agree(x, y, reader);
                           }))
        return true;
      reducedOf = std::move(saved);
    }
  return false;
}

/// Whether `inSum` is `atRoot` with root dimensions replaced by reduced ones.
bool Matcher::isSame(const Expr *atRoot, const Expr *inSum) {
  // What was equal stays so: the dimensions that it fixed are kept.
  if (compared.contains({atRoot, inSum}) || isSameAnchor(atRoot, inSum))
    return true;
  if (atRoot->kind != inSum->kind || atRoot->type != inSum->type ||
      atRoot->tensor != inSum->tensor || atRoot->name != inSum->name ||
      atRoot->numerator != inSum->numerator ||
      atRoot->denominator != inSum->denominator ||
      atRoot->dropsNaN != inSum->dropsNaN ||
      atRoot->operands.size() != inSum->operands.size() ||
      atRoot->indices.size() != inSum->indices.size())
    return false;
  if (atRoot->kind == Kind::Sum || atRoot->kind == Kind::Constant ||
      atRoot->kind == Kind::Count)
    return atRoot == inSum;
  for (auto [a, b] : llvm::zip(atRoot->indices, inSum->indices))
    if (!reducedOf.agree(a, b, reader))
      return false;
  for (auto [a, b] : llvm::zip(atRoot->operands, inSum->operands))
    if (!isSame(a, b))
      return false;
  compared.insert({atRoot, inSum});
  return true;
}
