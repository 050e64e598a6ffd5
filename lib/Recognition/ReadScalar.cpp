//===- ReadScalar.cpp - read scalar arithmetic into row expressions
//---------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "norm/Recognition/RowExpression.h"
#include <cmath>

using namespace mlir;
using namespace mlir::norm;
using Kind = Expr::Kind;

/// An index of a body that is a constant or a loop, also where a broadcast is
/// decided at run time: 0 if the extent is 1, and else the loop, is the loop.
std::optional<AffineExpr> ExprReader::readIndex(Value index, Scalars &known) {
  IntegerAttr constant;
  if (matchPattern(index, m_Constant(&constant)))
    return getAffineConstantExpr(constant.getInt(), context);
  if (auto loop = index.getDefiningOp<linalg::IndexOp>()) {
    // That of an enclosing body counts loops of another op.
    if (!current || loop->getParentOp() != current.getOperation())
      return std::nullopt;
    return loops[loop.getDim()];
  }
  auto select = index.getDefiningOp<arith::SelectOp>();
  auto compare =
      select ? select.getCondition().getDefiningOp<arith::CmpIOp>() : nullptr;
  if (!compare || compare.getPredicate() != arith::CmpIPredicate::eq ||
      !matchPattern(compare.getRhs(), m_One()) ||
      !matchPattern(select.getTrueValue(), m_Zero()))
    return std::nullopt;
  std::optional<AffineExpr> otherwise =
      readIndex(select.getFalseValue(), known);
  const Expr *extent = readScalar(compare.getLhs(), known);
  auto dim = dyn_cast_or_null<AffineDimExpr>(otherwise.value_or(nullptr));
  if (!dim || extent->kind != Kind::Count)
    return std::nullopt;
  unsigned position = dim.getPosition();
  bool isExtent =
      extent->count->isConstant()
          ? extents[position] == extent->count->factor
          : llvm::is_contained(extentSources[position], *extent->count);
  return isExtent ? otherwise : std::nullopt;
}

const Expr *ExprReader::readScalar(Value scalar, Scalars &known) {
  if (auto it = known.find(scalar); it != known.end())
    return it->second;
  const Expr *expr = readScalarUncached(scalar, known);
  Operation *op = scalar.getDefiningOp();
  if (op && current && op->getBlock() == current.getBlock() &&
      isa<FloatType>(scalar.getType()))
    bodyAnchors[expr].push_back(
        {current, scalar, SmallVector<AffineExpr>(loops)});
  return known[scalar] = expr;
}

const Expr *ExprReader::readScalarUncached(Value scalar, Scalars &known) {
  FloatAttr constant;
  if (matchPattern(scalar, m_Constant(&constant)))
    return makeConstant(constant.getValue(), constant.getType());
  Operation *op = scalar.getDefiningOp();
  if (!op) {
    // An argument of the function is one value; that of a body is not.
    auto isBody = isa<linalg::LinalgOp>(scalar.getParentBlock()->getParentOp());
    return isBody ? makeLocal(scalar)
                  : makeOpaque(scalar, {}, {}, "a scalar argument");
  }
  if (isa<linalg::IndexOp>(op))
    return makeLocal(scalar);
  if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    SmallVector<AffineExpr> indices;
    for (Value index : extract.getIndices()) {
      std::optional<AffineExpr> at = readIndex(index, known);
      if (!at)
        return makeLocal(scalar);
      indices.push_back(*at);
    }
    return read(extract.getTensor(), indices);
  }
  if (isa<arith::ConstantOp, tensor::DimOp>(op) &&
      scalar.getType().isIntOrIndex())
    return makeCount(getInteger(scalar), scalar.getType());
  if (op->getNumRegions() > 0 || op->getNumResults() != 1)
    return makeLocal(scalar);
  SmallVector<const Expr *> operands;
  for (Value operand : op->getOperands())
    operands.push_back(readScalar(operand, known));
  if (isa<FloatType>(scalar.getType()))
    return readArithmetic(op, operands, scalar);
  return readInteger(op, operands, scalar);
}

/// n, as i64 arithmetic over extents, and conditions.
const Expr *ExprReader::readInteger(Operation *op, ArrayRef<const Expr *> e,
                                    Value scalar) {
  Type type = scalar.getType();
  auto isCount = [](const Expr *operand) {
    return operand->kind == Kind::Count;
  };
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtSIOp,
          arith::ExtUIOp>(op) &&
      isCount(e[0]) && isHeldBy(*e[0]->count, type))
    return makeCount(*e[0]->count, type);
  if (isa<arith::MulIOp>(op) && llvm::all_of(e, isCount))
    if (auto product = e[0]->count->times(*e[1]->count);
        product && isHeldBy(*product, type))
      return makeCount(*product, type);
  if (auto compare = dyn_cast<arith::CmpFOp>(op))
    if (e[0]->kind == Kind::Constant && e[1]->kind == Kind::Constant) {
      SymbolicCount holds;
      holds.factor = arith::applyCmpPredicate(compare.getPredicate(),
                                              *e[0]->value, *e[1]->value);
      return makeCount(holds, type);
    }
  if (!isPure(op))
    return makeLocal(scalar);
  return makePure(op, e);
}

/// p/q of an exponent that is a small multiple of 1/2.
static std::optional<std::pair<int, int>> getExponent(const Expr *exponent) {
  double twice;
  const Expr *base =
      exponent->kind == Kind::Pow ? exponent->operands[0] : exponent;
  if (base->kind == Kind::Constant) {
    APFloat value = *base->value;
    bool losesInfo;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    twice = 2 * value.convertToDouble();
    // 1/p as the program writes it for the p-norm.
    if (exponent != base && exponent->numerator == -1 &&
        exponent->denominator == 1)
      twice = 4 / twice;
    else if (exponent != base)
      return std::nullopt;
  } else if (exponent->kind == Kind::Count && exponent->count->isConstant())
    twice = 2.0 * exponent->count->factor;
  else
    return std::nullopt;
  if (!(std::abs(twice) <= 16) || twice != static_cast<int>(twice))
    return std::nullopt;
  int p = static_cast<int>(twice);
  return p % 2 ? std::pair<int, int>(p, 2) : std::pair<int, int>(p / 2, 1);
}

/// exp(c * log(x)) is x^c; in 16 bits the logarithm would round that away.
static const Expr *matchExpOfLog(const Expr *exponent, StringRef log,
                                 std::optional<std::pair<int, int>> &power) {
  if (exponent->kind == Kind::Neg) {
    // A negation is exact.
    const Expr *base = matchExpOfLog(exponent->operands[0], log, power);
    if (base)
      power->first = -power->first;
    return base;
  }
  if (exponent->kind != Kind::Mul ||
      exponent->type.getIntOrFloatBitWidth() < 32)
    return nullptr;
  for (unsigned i : {0u, 1u}) {
    const Expr *other = exponent->operands[1 - i];
    if (other->kind != Kind::Opaque || other->operands.size() != 1 ||
        StringRef(other->name).split(' ').first != log ||
        exponent->operands[i]->kind != Kind::Constant)
      continue;
    power = getExponent(exponent->operands[i]);
    return power ? other->operands[0] : nullptr;
  }
  return nullptr;
}

namespace {
/// select(cmp(a, b), ...) as a maximum of a and b, NaN aside.
struct SelectMax {
  const Expr *a = nullptr, *b = nullptr;
};
} // namespace

/// Whether comparing with `compared` is comparing with `chosen`: itself, or in
/// a wider type; a wider constant too, for no value lies between it and the
/// nearest one of the narrow type, and where both are equal either is chosen.
static bool comparesWith(const Expr *compared, const Expr *chosen) {
  if (compared == chosen ||
      (compared->kind == Kind::Extend && compared->operands[0] == chosen))
    return true;
  if (compared->kind != Kind::Constant || chosen->kind != Kind::Constant)
    return false;
  APFloat rounded = *compared->value;
  bool losesInfo;
  rounded.convert(chosen->value->getSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
  return rounded.bitwiseIsEqual(*chosen->value);
}

static std::optional<SelectMax> matchSelectMax(ArrayRef<const Expr *> e) {
  if (!e[0]->comparison || e[0]->operands.size() != 2)
    return std::nullopt;
  const Expr *lhs = e[0]->operands[0], *rhs = e[0]->operands[1];
  using Predicate = arith::CmpFPredicate;
  switch (*e[0]->comparison) {
  case Predicate::OGT:
  case Predicate::OGE:
  case Predicate::UGT:
  case Predicate::UGE:
    break;
  case Predicate::OLT:
  case Predicate::OLE:
  case Predicate::ULT:
  case Predicate::ULE:
    std::swap(lhs, rhs);
    break;
  default:
    return std::nullopt;
  }
  if (!comparesWith(lhs, e[1]) || !comparesWith(rhs, e[2]))
    return std::nullopt;
  return SelectMax{e[1], e[2]};
}

const Expr *ExprReader::readArithmetic(Operation *op, ArrayRef<const Expr *> e,
                                       Value scalar) {
  auto type = cast<FloatType>(scalar.getType());
  if (isa<arith::MulFOp>(op))
    return makeBinary(Kind::Mul, e[0], e[1], type);
  if (isa<arith::AddFOp>(op))
    return makeBinary(Kind::Add, e[0], e[1], type);
  if (isa<arith::SubFOp>(op))
    return makeBinary(Kind::Add, e[0], makeUnary(Kind::Neg, e[1], type), type);
  if (isa<arith::DivFOp>(op)) {
    bool isOne = e[0]->kind == Kind::Constant && e[0]->value->isExactlyValue(1);
    bool divides = e[1]->hasReduction && !isOne;
    const Expr *divisor =
        makePow(e[1], -1, 1, type, /*viaRsqrt=*/false, divides);
    return makeBinary(Kind::Mul, e[0], divisor, type);
  }
  if (isa<arith::NegFOp>(op))
    return makeUnary(Kind::Neg, e[0], type);
  if (isa<math::AbsFOp>(op))
    return makeUnary(Kind::Abs, e[0], type);
  if (isa<math::SqrtOp>(op))
    return makePow(e[0], 1, 2, type);
  if (isa<math::RsqrtOp>(op))
    return makePow(e[0], -1, 2, type, /*viaRsqrt=*/true);
  if (isa<math::PowFOp, math::FPowIOp>(op))
    if (auto exponent = getExponent(e[1]))
      return makePow(e[0], exponent->first, exponent->second, type,
                     /*viaRsqrt=*/exponent->second == 2 || exponent->first < 0);
  if (isa<math::ExpOp, math::Exp2Op>(op)) {
    std::optional<std::pair<int, int>> power;
    StringRef log = isa<math::ExpOp>(op) ? "math.log" : "math.log2";
    // Of a negative number, log is NaN where an integer power is none.
    if (const Expr *base = matchExpOfLog(e[0], log, power);
        base && (power->second != 1 || isNonNegative(base)))
      return makePow(base, power->first, power->second, type,
                     /*viaRsqrt=*/true);
  }
  if (isa<arith::MaximumFOp>(op))
    return makeMax(e[0], e[1], type, /*dropsNaN=*/false);
  if (isa<arith::MaxNumFOp>(op))
    return makeMax(e[0], e[1], type, /*dropsNaN=*/true);
  if (isa<arith::MinimumFOp, arith::MinNumFOp>(op))
    return unique(makeNode(Kind::Min, type, {e[0], e[1]}));
  if (isa<arith::SelectOp>(op) && e[0]->kind == Kind::Count &&
      e[0]->count->isConstant())
    return e[0]->count->factor != 0 ? e[1] : e[2];
  if (isa<arith::SelectOp>(op))
    if (auto max = matchSelectMax(e))
      return makeMax(max->a, max->b, type, /*dropsNaN=*/true);
  if (auto trunc = dyn_cast<arith::TruncFOp>(op);
      trunc &&
      trunc.getRoundingmode().value_or(arith::RoundingMode::to_nearest_even) ==
          arith::RoundingMode::to_nearest_even)
    return makeUnary(Kind::Round, e[0], type);
  if (isa<arith::ExtFOp>(op))
    return makeUnary(Kind::Extend, e[0], type);
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op) && e[0]->kind == Kind::Count)
    return makeCount(*e[0]->count, type);
  if (!isPure(op))
    return makeLocal(scalar);
  return makePure(op, e);
}
