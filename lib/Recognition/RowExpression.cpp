//===- RowExpression.cpp - unique expression nodes ------------------------
//===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "norm/Recognition/RowExpression.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/SmallBitVector.h"
#include <cmath>
#include <numeric>

using namespace mlir;
using namespace mlir::norm;
using Kind = Expr::Kind;

llvm::SmallBitVector norm::getDependentDims(const Expr *expr,
                                            unsigned numDims) {
  llvm::SmallBitVector dims(numDims);
  llvm::DenseSet<const Expr *> seen;
  SmallVector<const Expr *> worklist{expr};
  while (!worklist.empty()) {
    const Expr *next = worklist.pop_back_val();
    if (!seen.insert(next).second)
      continue;
    for (AffineExpr index : next->indices)
      index.walk([&](AffineExpr e) {
        if (auto dim = dyn_cast<AffineDimExpr>(e))
          if (dim.getPosition() < numDims)
            dims.set(dim.getPosition());
      });
    // A sum does not depend on what it runs over; those are fresh dimensions,
    // which no root dimension is.
    llvm::append_range(worklist, next->operands);
  }
  return dims;
}

//===----------------------------------------------------------------------===//
// Unique nodes
//===----------------------------------------------------------------------===//

Expr norm::makeNode(Kind kind, Type type, ArrayRef<const Expr *> operands) {
  Expr expr;
  expr.kind = kind;
  expr.type = type;
  expr.operands.assign(operands.begin(), operands.end());
  return expr;
}

/// A root, or a sum of even powers, is what a mean square leaves behind; both
/// stop at the elements of other tensors.
static void summarize(Expr &expr) {
  // What was not read may be the statistic.
  expr.hasReduction =
      expr.kind == Kind::Sum || expr.isReduction || expr.isBeyondBound;
  expr.hasLocal = expr.isLocal;
  expr.hasBeyondBound = expr.isBeyondBound;
  expr.hasRootOrSquares = expr.kind == Kind::Pow &&
                          (expr.denominator == 2 || expr.numerator % 2 == 0);
  for (const Expr *operand : expr.operands) {
    // An unknown function of a statistic is no statistic.
    if (expr.kind != Kind::Opaque || expr.isReduction)
      expr.hasReduction |= operand->hasReduction;
    expr.hasRootOrSquares |= operand->hasRootOrSquares;
    expr.hasLocal |= operand->hasLocal;
    expr.hasBeyondBound |= operand->hasBeyondBound;
  }
}

const Expr *ExprReader::unique(Expr expr) {
  Key key;
  auto add = [&](auto word) { key.push_back(static_cast<uint64_t>(word)); };
  auto addPointer = [&](const void *pointer) {
    add(reinterpret_cast<uintptr_t>(pointer));
  };
  add(expr.kind);
  addPointer(expr.type.getAsOpaquePointer());
  add(expr.operands.size());
  llvm::for_each(expr.operands, addPointer);
  addPointer(expr.tensor.getAsOpaquePointer());
  add(expr.indices.size());
  for (AffineExpr index : expr.indices)
    addPointer(index.getAsOpaquePointer());
  add(expr.reduced.size());
  llvm::for_each(expr.reduced, add);
  if (!expr.name.empty())
    addPointer(StringAttr::get(context, expr.name).getAsOpaquePointer());
  add(expr.numerator);
  add(expr.denominator);
  add(expr.viaRsqrt | expr.dropsNaN << 1 | expr.inTwoSteps << 2 |
      expr.divides << 3);
  if (expr.count) {
    add(expr.count->factor);
    for (auto [value, dim] : expr.count->symbols) {
      addPointer(value);
      add(dim);
    }
  }
  if (expr.value) {
    APInt bits = expr.value->bitcastToAPInt();
    key.append(bits.getRawData(), bits.getRawData() + bits.getNumWords());
  }
  auto [it, inserted] = uniqueNodes.try_emplace(std::move(key), nullptr);
  if (inserted) {
    overBound |= nodes.size() >= kMaxNodes;
    summarize(expr);
    nodes.push_back(std::move(expr));
    it->second = &nodes.back();
  }
  return it->second;
}

const Expr *ExprReader::makeElement(Value tensor,
                                    ArrayRef<AffineExpr> indices) {
  Expr expr = makeNode(Kind::Element, getElementTypeOrSelf(tensor.getType()));
  expr.tensor = tensor;
  expr.indices.assign(indices.begin(), indices.end());
  return unique(std::move(expr));
}

const Expr *ExprReader::makeBeyondBound(Value tensor,
                                        ArrayRef<AffineExpr> indices) {
  Expr expr = makeNode(Kind::Element, getElementTypeOrSelf(tensor.getType()));
  expr.tensor = tensor;
  expr.indices.assign(indices.begin(), indices.end());
  expr.isBeyondBound = tensor.getDefiningOp() != nullptr;
  if (expr.isBeyondBound)
    expr.name = "a tensor that is not read"; // no other element is the same
  return unique(std::move(expr));
}

const Expr *ExprReader::makeOpaque(Value value, ArrayRef<AffineExpr> indices,
                                   ArrayRef<const Expr *> operands,
                                   StringRef name, bool isReduction) {
  Expr expr =
      makeNode(Kind::Opaque, getElementTypeOrSelf(value.getType()), operands);
  expr.tensor = value;
  expr.indices.assign(indices.begin(), indices.end());
  expr.name = name.str();
  expr.isReduction = isReduction;
  return unique(std::move(expr));
}

const Expr *ExprReader::makeLocal(Value scalar) {
  Expr expr = makeNode(Kind::Opaque, scalar.getType());
  expr.tensor = scalar;
  expr.isLocal = true;
  // Two readings are at two positions: never the same expression.
  expr.name = "a value of the iteration #" + std::to_string(nodes.size());
  return unique(std::move(expr));
}

/// An op without effects gives one value for one set of operands, wherever it
/// stands; its name includes its attributes.
const Expr *ExprReader::makePure(Operation *op,
                                 ArrayRef<const Expr *> operands) {
  Expr expr = makeNode(Kind::Opaque, op->getResult(0).getType(), operands);
  llvm::raw_string_ostream(expr.name) << op->getName().getStringRef();
  if (auto attrs = op->getAttrDictionary(); attrs && !attrs.empty())
    llvm::raw_string_ostream(expr.name) << ' ' << attrs;
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    expr.comparison = compare.getPredicate();
  return unique(std::move(expr));
}

/// A count without dynamic extents is the constant itself.
const Expr *ExprReader::makeCount(SymbolicCount count, Type type) {
  if (auto floatType = dyn_cast<FloatType>(type);
      floatType && count.isConstant()) {
    APFloat value(floatType.getFloatSemantics());
    value.convertFromAPInt(APInt(64, count.factor, /*isSigned=*/true),
                           /*IsSigned=*/true, APFloat::rmNearestTiesToEven);
    return makeConstant(value, type);
  }
  Expr expr = makeNode(Kind::Count, type);
  expr.count = std::move(count);
  return unique(std::move(expr));
}

/// A sum of sums in one type is one sum: its order is unspecified (S2).
const Expr *ExprReader::makeSum(const Expr *term, ArrayRef<unsigned> reduced) {
  Expr expr = makeNode(Kind::Sum, term->type, {term});
  expr.reduced.assign(reduced.begin(), reduced.end());
  if (term->kind == Kind::Sum) {
    expr.operands.assign(term->operands);
    llvm::append_range(expr.reduced, term->reduced);
  }
  return unique(std::move(expr));
}

const Expr *ExprReader::makeMax(const Expr *a, const Expr *b, Type type,
                                bool dropsNaN) {
  Expr expr = makeNode(Kind::Max, type, {a, b});
  expr.dropsNaN = dropsNaN;
  return unique(std::move(expr));
}

const Expr *ExprReader::makeConstant(APFloat value, Type type) {
  Expr expr = makeNode(Kind::Constant, type);
  expr.value = std::move(value);
  return unique(std::move(expr));
}

const Expr *ExprReader::makeUnary(Kind kind, const Expr *a, Type type) {
  if (a->kind == Kind::Constant &&
      (kind == Kind::Round || kind == Kind::Extend)) {
    APFloat value = *a->value;
    bool losesInfo;
    value.convert(cast<FloatType>(type).getFloatSemantics(),
                  APFloat::rmNearestTiesToEven, &losesInfo);
    return makeConstant(value, type);
  }
  if (a->kind == Kind::Constant && kind == Kind::Neg) {
    APFloat value = *a->value;
    value.changeSign();
    return makeConstant(value, type);
  }
  // A count is an integer: its rounding does not depend on the way.
  if (a->kind == Kind::Count && kind == Kind::Round)
    return makeCount(*a->count, type);
  // Widening is exact, so narrowing back gives the value itself.
  if (kind == Kind::Round && a->kind == Kind::Extend &&
      a->operands[0]->type == type)
    return a->operands[0];
  if (kind == Kind::Extend && a->kind == Kind::Extend)
    a = a->operands[0];
  return unique(makeNode(kind, type, {a}));
}

const Expr *ExprReader::makeBinary(Kind kind, const Expr *a, const Expr *b,
                                   Type type) {
  if (kind == Kind::Mul && a == b)
    return makePow(a, 2, 1, type);
  if (kind == Kind::Mul)
    for (auto [one, other] : {std::pair(a, b), std::pair(b, a)})
      if (one->kind == Kind::Constant && one->value->isExactlyValue(1.0))
        return other;
  // x + 0 is x but for the sign of zero, which no square or root sees.
  if (kind == Kind::Add)
    for (auto [zero, other] : {std::pair(a, b), std::pair(b, a)})
      if (zero->kind == Kind::Constant && zero->value->isZero())
        return other;
  if (kind == Kind::Add && a->kind == Kind::Constant &&
      b->kind == Kind::Constant) {
    APFloat sum = *a->value;
    sum.add(*b->value, APFloat::rmNearestTiesToEven);
    return makeConstant(sum, type);
  }
  return unique(makeNode(kind, type, {a, b}));
}

static bool isNonNegative(const Expr *expr, unsigned depth) {
  auto holds = [&](const Expr *e) { return ::isNonNegative(e, depth + 1); };
  if (depth > 16)
    return false;
  switch (expr->kind) {
  case Kind::Constant:
    return !expr->value->isNegative();
  case Kind::Count:
  case Kind::Abs:
    return true;
  case Kind::Pow: // a root is never negative
    return expr->denominator == 2 || expr->numerator % 2 == 0 ||
           holds(expr->operands[0]);
  case Kind::Max:
    return llvm::any_of(expr->operands, holds);
  case Kind::Mul:
  case Kind::Add:
  case Kind::Min:
  case Kind::Round:
  case Kind::Extend:
  case Kind::Sum:
    return llvm::all_of(expr->operands, holds);
  default:
    return false;
  }
}

bool norm::isNonNegative(const Expr *expr) { return ::isNonNegative(expr, 0); }

/// The root that the program computes: correctly rounded, for double has the
/// bits for it.
static std::optional<APFloat> foldRoot(const APFloat &base) {
  if (base.isNegative())
    return std::nullopt;
  APFloat wide = base;
  bool losesInfo;
  wide.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven, &losesInfo);
  APFloat root(std::sqrt(wide.convertToDouble()));
  root.convert(base.getSemantics(), APFloat::rmNearestTiesToEven, &losesInfo);
  return root;
}

const Expr *ExprReader::makePow(const Expr *base, int numerator,
                                int denominator, Type type, bool viaRsqrt,
                                bool divides, bool inTwoSteps) {
  while ((base->kind == Kind::Abs || base->kind == Kind::Neg) &&
         denominator == 1 && numerator % 2 == 0)
    base = base->operands[0];
  if (base->kind == Kind::Constant && numerator == 1 && denominator == 2)
    if (auto folded = foldRoot(*base->value))
      return makeConstant(*folded, type);
  if (base->kind == Kind::Pow) {
    int p = base->numerator * numerator, q = base->denominator * denominator;
    int divisor = std::gcd(p, q);
    p /= divisor;
    q /= divisor;
    // (x^2)^(1/2) is |x|, not x.
    bool even = base->denominator == 1 && base->numerator % 2 == 0;
    // (x^(1/2))^2 is x where x is not negative, and else NaN.
    bool loses = base->denominator % 2 == 0 && q % 2 != 0 &&
                 !isNonNegative(base->operands[0]);
    if (!loses && (!even || (q == 1 && p % 2 == 0)))
      return makePow(base->operands[0], p, q, type, viaRsqrt || base->viaRsqrt,
                     divides, type.getIntOrFloatBitWidth() == 16);
  }
  if (numerator == 1 && denominator == 1)
    return base;
  Expr expr = makeNode(Kind::Pow, type, {base});
  expr.numerator = numerator;
  expr.denominator = denominator;
  expr.viaRsqrt = viaRsqrt;
  expr.inTwoSteps = inTwoSteps;
  expr.divides = divides;
  return unique(std::move(expr));
}
