//===- ReadScalar.cpp - read scalar arithmetic into row expressions -------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reader.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "norm/IR/RoundFloat.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace mlir::norm::row;

//===----------------------------------------------------------------------===//
// Origins of values
//===----------------------------------------------------------------------===//

const Node *Reader::readOperand(Value scalar, const Body *body) {
  if (body)
    if (const Node *known = body->values.lookup(scalar))
      return known;
  return readScalar(scalar);
}

/// Iterates over scalars that have not been read, because those outside of
/// bodies can form a long chain.
const Node *Reader::readScalar(Value scalar) {
  // A cycle, in an unreachable block, starts here.
  if (pending.contains(scalar) && !scalars.contains(scalar))
    return context.getElement(scalar, {});
  SmallVector<Value> worklist{scalar};
  while (!worklist.empty()) {
    Value next = worklist.back();
    Operation *op = next.getDefiningOp();
    if (scalars.contains(next)) {
      worklist.pop_back();
      continue;
    }
    size_t size = worklist.size();
    // The value of a body belongs to one of its iterations and is read there.
    bool isRead = op && op->getNumRegions() == 0 &&
                  !isa_and_nonnull<linalg::LinalgOp>(op->getParentOp());
    if (isRead && pending.insert(next).second)
      for (Value operand : op->getOperands())
        if (!isa<ShapedType>(operand.getType()) && !scalars.contains(operand) &&
            !pending.contains(operand))
          worklist.push_back(operand);
    if (worklist.size() > size)
      continue;
    worklist.pop_back();
    scalars[next] =
        isRead ? readOp(*op, next, nullptr) : context.getElement(next, {});
  }
  return scalars[scalar];
}

/// Returns an index that is a constant, a loop or a value of the program. A
/// broadcast that is decided at run time, 0 if the extent is 1 and else the
/// loop, is read as the loop.
std::optional<AffineExpr> Reader::readIndex(Value index, const Body *body) {
  IntegerAttr constant;
  if (matchPattern(index, m_Constant(&constant)))
    return getAffineConstantExpr(constant.getInt(), context.getContext());
  if (auto *position = dyn_cast<PositionNode>(readOperand(index, body)))
    return position->getIndex();
  auto select = index.getDefiningOp<arith::SelectOp>();
  Value compared = select ? getComparedWithOne(select.getCondition()) : Value();
  if (!compared || !matchPattern(select.getTrueValue(), m_Zero()))
    return body && index.getParentRegion() == &body->op->getRegion(0)
               ? std::nullopt
               : std::optional(context.getSymbol(index));
  auto *extent = dyn_cast<CountNode>(readOperand(compared, body));
  auto *loop =
      dyn_cast<PositionNode>(readOperand(select.getFalseValue(), body));
  auto dim =
      dyn_cast_or_null<AffineDimExpr>(loop ? loop->getIndex() : AffineExpr());
  bool isExtent = dim && extent &&
                  llvm::is_contained(context.getSources(dim.getPosition()),
                                     extent->getCount());
  return isExtent ? std::optional<AffineExpr>(dim) : std::nullopt;
}

const Node *Reader::readExtract(Operation *op, const Body *body) {
  auto extract = cast<tensor::ExtractOp>(op);
  SmallVector<AffineExpr> indices;
  for (Value index : extract.getIndices()) {
    std::optional<AffineExpr> at = readIndex(index, body);
    if (!at)
      return nullptr;
    indices.push_back(*at);
  }
  if (!isa<RankedTensorType>(extract.getTensor().getType()))
    return nullptr;
  return read(extract.getTensor(), std::move(indices));
}

const Node *Reader::readOp(Operation &op, Value scalar, const Body *body) {
  auto leaf = [&] {
    return context.getElement(scalar, body ? ArrayRef(body->loops)
                                           : ArrayRef<AffineExpr>());
  };
  Type type = scalar.getType();
  FloatAttr constant;
  if (matchPattern(scalar, m_Constant(&constant)))
    return context.getConstant(constant.getValue(), constant.getType());
  if (auto loop = dyn_cast<linalg::IndexOp>(op))
    return body ? context.getPosition(body->loops[loop.getDim()]) : leaf();
  if (isa<tensor::ExtractOp>(op)) {
    const Node *element = readExtract(&op, body);
    return element ? element : leaf();
  }
  if (!type.isIntOrIndexOrFloat() || op.getNumRegions() > 0 ||
      op.getNumResults() != 1)
    return leaf();
  // Extents are also read through affine.apply and the like.
  bool isOutside = !body || op.getParentRegion() != &body->op->getRegion(0);
  if (type.isIntOrIndex() && !type.isInteger(1) &&
      (isOutside || isa<arith::ConstantOp, tensor::DimOp>(op))) {
    SymbolicCount count = context.getExtents().getInteger(scalar);
    if (!(count == SymbolicCount::getSymbol(scalar, -1)) || !isPure(&op))
      return context.getCount(count, type);
  }
  SmallVector<const Node *> operands;
  for (Value operand : op.getOperands())
    operands.push_back(readOperand(operand, body));
  const Node *node = isa<FloatType>(type) ? readArithmetic(&op, operands)
                                          : readInteger(&op, operands);
  if (node || !isPure(&op))
    return node ? node : leaf();
  // The op gives one value for one set of operands wherever it stands. Its
  // attributes, such as a rounding mode, are part of the node.
  return context.getOpaque(op.getName().getStringRef(), op.getAttrDictionary(),
                           type, operands);
}

/// Reads n as integer arithmetic over extents, and conditions of constants.
const Node *Reader::readInteger(Operation *op,
                                ArrayRef<const Node *> operands) {
  std::optional<SymbolicCount> result;
  SmallVector<SymbolicCount> counts;
  SmallVector<APFloat> constants;
  for (const Node *operand : operands)
    if (auto *count = dyn_cast<CountNode>(operand))
      counts.push_back(count->getCount());
    else if (auto *constant = dyn_cast<ConstantNode>(operand))
      constants.push_back(constant->getValue());
  auto compare = dyn_cast<arith::CmpFOp>(op);
  // A value that is truncated or wraps around is not the count of a row.
  if (counts.size() == operands.size() && !isa<arith::TruncIOp>(op))
    result = compute(op, counts, /*dividesRow=*/false);
  else if (compare && constants.size() == operands.size())
    result = SymbolicCount::get(-int64_t(arith::applyCmpPredicate(
        compare.getPredicate(), constants[0], constants[1])));
  if (!result ||
      (isa<arith::MulIOp>(op) && !(result == counts[0].times(counts[1]))))
    return nullptr;
  return context.getCount(*result, op->getResult(0).getType());
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

/// Returns twice the value of a constant that is a small multiple of 1/2.
static std::optional<int> readExponent(const Node *node) {
  double twice = 0.5; // no exponent
  if (auto *constant = dyn_cast<ConstantNode>(node))
    twice = 2 * constant->getAttr().getValueAsDouble();
  else if (auto *count = dyn_cast<CountNode>(node);
           count && count->getCount().isConstant())
    twice = 2.0 * count->getCount().factor;
  bool isSmall = std::abs(twice) <= 16 && twice == static_cast<int>(twice);
  return isSmall ? std::optional(static_cast<int>(twice)) : std::nullopt;
}

/// Reads exp(c * log(x)) as x^c unless the logarithm has 16 bits, which lose
/// too much. The logarithm of a negative x is NaN, but an integer power is not.
static const Node *readExpOfLog(Context &context, const Node *exponent,
                                StringRef log) {
  bool isNegated = exponent->is(Kind::Neg);
  if (isNegated)
    exponent = exponent->getOperand(0);
  if (!exponent->is(Kind::Mul) || exponent->getWidth() < 32)
    return nullptr;
  for (unsigned i : {0u, 1u}) {
    auto *other = dyn_cast<OpaqueNode>(exponent->getOperand(1 - i));
    std::optional<int> twice = readExponent(exponent->getOperand(i));
    if (!other || other->getName() != log || !twice)
      continue;
    const Node *base = other->getOperand(0);
    if (*twice % 2 == 0 && !isNonNegative(base))
      return nullptr;
    return context.getPower(base, Fraction(isNegated ? -*twice : *twice, 2),
                            base->getType(), PowerNode::Spelling::ExpOfLog);
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Floating point
//===----------------------------------------------------------------------===//

/// Returns true if comparing with `compared` is comparing with `chosen`, up to
/// widening. A wider constant may also differ, because no value lies between it
/// and its nearest narrow value, and of equal values either may be chosen.
static bool comparesWith(const Node *compared, const Node *chosen) {
  if (stripExtend(compared) == chosen || compared == chosen)
    return true;
  auto *a = dyn_cast<ConstantNode>(compared),
       *b = dyn_cast<ConstantNode>(chosen);
  if (!a || !b)
    return false;
  return norm::roundTo(a->getValue(), b->getValue().getSemantics())
      .bitwiseIsEqual(b->getValue());
}

/// Reads select(cmp(a, b), a, b), in either order.
static const Node *readSelect(Context &context, const OpaqueNode *compare,
                              const Node *a, const Node *b) {
  using Predicate = arith::CmpFPredicate;
  ArrayRef<const Node *> compared = compare->getOperands();
  auto attribute =
      compare->getAttributes().getAs<arith::CmpFPredicateAttr>("predicate");
  Predicate predicate = attribute.getValue();
  bool isGreater = llvm::is_contained(
      {Predicate::OGT, Predicate::OGE, Predicate::UGT, Predicate::UGE},
      predicate);
  if (!isGreater && !llvm::is_contained({Predicate::OLT, Predicate::OLE,
                                         Predicate::ULT, Predicate::ULE},
                                        predicate))
    return nullptr;
  bool isSwapped = !comparesWith(compared[0], a);
  if (!comparesWith(compared[isSwapped], a) ||
      !comparesWith(compared[!isSwapped], b))
    return nullptr;
  return context.getExtremum(isGreater != isSwapped ? Kind::Max : Kind::Min, a,
                             b, attribute);
}

/// Returns the kind of an op that has only fastmath flags as attributes.
static std::optional<Kind> getKind(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Kind>>(op)
      .Case([](arith::MulFOp) { return Kind::Mul; })
      .Case([](arith::AddFOp) { return Kind::Add; })
      .Case([](arith::DivFOp) { return Kind::Div; })
      .Case([](arith::NegFOp) { return Kind::Neg; })
      .Case([](arith::ExtFOp) { return Kind::Extend; })
      .Case([](arith::MaximumFOp) { return Kind::Max; })
      .Case([](arith::MinimumFOp) { return Kind::Min; })
      .Case([](math::AbsFOp) { return Kind::Abs; })
      .Case([](math::SqrtOp) { return Kind::Sqrt; })
      .Case([](math::RsqrtOp) { return Kind::Rsqrt; })
      .Case([](math::FmaOp) { return Kind::Fma; })
      .Case([](arith::TruncFOp op) {
        auto mode = op.getRoundingmode();
        bool isNearest = !mode || *mode == arith::RoundingMode::to_nearest_even;
        return isNearest ? std::optional(Kind::Round) : std::nullopt;
      })
      .Default(std::nullopt);
}

const Node *Reader::readArithmetic(Operation *op, ArrayRef<const Node *> e) {
  auto type = cast<FloatType>(op->getResult(0).getType());
  std::optional<Kind> kind = getKind(op);
  // A tensor was widened for the statistic and is narrowed here.
  if (kind == Kind::Round)
    if (auto *element = dyn_cast<ElementNode>(e[0]))
      if (const Node *opened = open(element);
          opened && opened->is(Kind::Extend))
        return context.get(*kind, type, opened);
  if (kind)
    return context.get(*kind, type, e);
  if (isa<arith::MaxNumFOp, arith::MinNumFOp>(op))
    return context.getExtremum(isa<arith::MaxNumFOp>(op) ? Kind::Max
                                                         : Kind::Min,
                               e[0], e[1], UnitAttr::get(op->getContext()));
  if (isa<arith::SubFOp>(op))
    return context.get(Kind::Add, type,
                       {e[0], context.get(Kind::Neg, type, e[1])});
  if (isa<math::PowFOp, math::FPowIOp>(op))
    if (std::optional<int> twice = readExponent(e[1]))
      return context.getPower(e[0], Fraction(*twice, 2), type);
  if (isa<math::ExpOp, math::Exp2Op>(op))
    return readExpOfLog(context, e[0],
                        isa<math::ExpOp>(op) ? "math.log" : "math.log2");
  if (isa<arith::SelectOp>(op)) {
    if (auto *holds = dyn_cast<CountNode>(e[0]))
      return holds->getCount().factor != 0 ? e[1] : e[2];
    auto *condition = dyn_cast<OpaqueNode>(e[0]);
    bool compares =
        condition && condition->getName() == arith::CmpFOp::getOperationName();
    return compares ? readSelect(context, condition, e[1], e[2]) : nullptr;
  }
  if (!isa<arith::SIToFPOp, arith::UIToFPOp>(op) || !isa<CountNode>(e[0]))
    return nullptr;
  // An unsigned integer needs one more bit.
  auto wider = IntegerType::get(op->getContext(), e[0]->getWidth() + 1);
  auto value = convert(cast<CountNode>(e[0])->getCount(), e[0]->getType(),
                       wider, isa<arith::UIToFPOp>(op));
  return value ? context.getCount(*value, type) : nullptr;
}
