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
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace mlir::norm::row;

//===----------------------------------------------------------------------===//
// Where a value comes from
//===----------------------------------------------------------------------===//

const Node *Reader::readOperand(Value scalar, const Body *body) {
  if (body)
    if (const Node *known = body->values.lookup(scalar))
      return known;
  return readScalar(scalar);
}

/// Iterates over what has not been read yet: scalars outside bodies may be a
/// long chain.
const Node *Reader::readScalar(Value scalar) {
  // A cycle, in an unreachable block: it starts here.
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
    // What a body computes is of one of its iterations; it is read there.
    bool isRead = op && op->getNumRegions() == 0 &&
                  !isa<linalg::LinalgOp>(op->getParentOp());
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

/// An index that is a constant, a loop or a value of the program, also where a
/// broadcast is decided at run time: 0 if the extent is 1, and else the loop,
/// is the loop.
std::optional<AffineExpr> Reader::readIndex(Value index, const Body *body) {
  IntegerAttr constant;
  if (matchPattern(index, m_Constant(&constant)))
    return getAffineConstantExpr(constant.getInt(), context.getContext());
  if (auto *position = dyn_cast<PositionNode>(readOperand(index, body)))
    return position->getIndex();
  auto select = index.getDefiningOp<arith::SelectOp>();
  auto compare =
      select ? select.getCondition().getDefiningOp<arith::CmpIOp>() : nullptr;
  if (!compare)
    return body && index.getParentRegion() == &body->op->getRegion(0)
               ? std::nullopt
               : std::optional(context.getSymbol(index));
  auto *extent = dyn_cast<CountNode>(readOperand(compare.getLhs(), body));
  auto *loop =
      dyn_cast<PositionNode>(readOperand(select.getFalseValue(), body));
  auto dim =
      dyn_cast_or_null<AffineDimExpr>(loop ? loop->getIndex() : AffineExpr());
  if (compare.getPredicate() != arith::CmpIPredicate::eq ||
      !matchPattern(compare.getRhs(), m_One()) ||
      !matchPattern(select.getTrueValue(), m_Zero()) || !dim || !extent)
    return std::nullopt;
  const Variable &info = context.getInfo(dim.getPosition());
  const SymbolicCount &count = extent->getCount();
  bool isExtent = count.isConstant() ? info.extent == count.factor
                                     : llvm::is_contained(info.sources, count);
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
  // Extents, also through affine.apply and the like.
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
  const Node *node = nullptr;
  if (auto floatType = dyn_cast<FloatType>(type))
    node = readArithmetic(&op, operands, floatType);
  else
    node = readInteger(&op, operands, scalar);
  if (!node && isPure(&op))
    node = readPure(&op, operands);
  return node ? node : leaf();
}

/// An op without effects gives one value for one set of operands, wherever it
/// stands; its attributes, a rounding mode for example, are a part of it.
const Node *Reader::readPure(Operation *op, ArrayRef<const Node *> operands) {
  return context.getOpaque(op->getName().getStringRef(),
                           op->getAttrDictionary(), op->getResult(0).getType(),
                           operands);
}

//===----------------------------------------------------------------------===//
// Integers
//===----------------------------------------------------------------------===//

/// The integer that `node` is, its bits read as unsigned where `op` does so: a
/// negative constant of a narrow type is a positive one then.
static std::optional<SymbolicCount> readCount(const Node *node,
                                              bool isUnsigned) {
  auto *count = dyn_cast<CountNode>(node);
  if (!count)
    return std::nullopt;
  SymbolicCount value = count->getCount();
  unsigned width = node->getType().isIndex() ? 64 : node->getWidth();
  if (!isUnsigned || isHeldBy(value, node->getType()))
    return value;
  if (!value.isConstant() || width >= 64)
    return std::nullopt;
  return SymbolicCount::get(value.factor & ((int64_t(1) << width) - 1));
}

/// n, as integer arithmetic over extents, and conditions of constants.
const Node *Reader::readInteger(Operation *op, ArrayRef<const Node *> operands,
                                Value scalar) {
  Type type = scalar.getType();
  bool isUnsigned = isa<arith::ExtUIOp, arith::IndexCastUIOp>(op);
  if (isUnsigned || isa<arith::ExtSIOp, arith::IndexCastOp>(op))
    if (auto count = readCount(operands[0], isUnsigned);
        count && isHeldBy(*count, type))
      return context.getCount(*count, type);
  if (isa<arith::MulIOp>(op)) {
    auto a = readCount(operands[0], false), b = readCount(operands[1], false);
    auto product = a && b ? a->times(*b) : std::nullopt;
    if (product && isHeldBy(*product, type))
      return context.getCount(*product, type);
  }
  if (auto compare = dyn_cast<arith::CmpFOp>(op)) {
    auto *a = dyn_cast<ConstantNode>(operands[0]),
         *b = dyn_cast<ConstantNode>(operands[1]);
    if (a && b)
      return context.getCount(
          SymbolicCount::get(-int64_t(arith::applyCmpPredicate(
              compare.getPredicate(), a->getValue(), b->getValue()))),
          type);
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

using Exponent = std::optional<std::pair<int, int>>;

/// p/q of a constant that is a small multiple of 1/2, or 1/p as the p-norm has
/// it in its root.
static Exponent readExponent(const Node *node) {
  auto getConstant = [](const Node *constant) {
    APFloat value = cast<ConstantNode>(constant)->getValue();
    bool losesInfo;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return value.convertToDouble();
  };
  double twice;
  if (node->is(Kind::Constant))
    twice = 2 * getConstant(node);
  else if (auto *count = dyn_cast<CountNode>(node);
           count && count->getCount().isConstant())
    twice = 2.0 * count->getCount().factor;
  else
    return std::nullopt;
  if (!(std::abs(twice) <= 16) || twice != static_cast<int>(twice))
    return std::nullopt;
  int p = static_cast<int>(twice);
  return p % 2 ? std::pair<int, int>(p, 2) : std::pair<int, int>(p / 2, 1);
}

/// exp(c * log(x)) is x^c; in 16 bits the logarithm would round that away. Of a
/// negative x the logarithm is NaN, where an integer power is none.
static const Node *readExpOfLog(Context &context, const Node *exponent,
                                StringRef log) {
  bool isNegated = exponent->is(Kind::Neg);
  if (isNegated)
    exponent = exponent->getOperand(0);
  if (!exponent->is(Kind::Mul) || exponent->getWidth() < 32)
    return nullptr;
  for (unsigned i : {0u, 1u}) {
    auto *other = dyn_cast<OpaqueNode>(exponent->getOperand(1 - i));
    Exponent power = readExponent(exponent->getOperand(i));
    if (!other || other->getName() != log || !power)
      continue;
    const Node *base = other->getOperand(0);
    if (power->second == 1 && !isNonNegative(base))
      return nullptr;
    int sign = isNegated ? -1 : 1;
    return context.getPower(base, sign * power->first, power->second,
                            PowerNode::Spelling::ExpOfLog, base->getType());
  }
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Floating point
//===----------------------------------------------------------------------===//

/// Whether comparing with `compared` is comparing with `chosen`: itself, or in
/// a wider type; a wider constant too, for no value lies between it and the
/// nearest one of the narrow type, and where both are equal either is chosen.
static bool comparesWith(const Node *compared, const Node *chosen) {
  if (stripExtend(compared) == chosen || compared == chosen)
    return true;
  auto *a = dyn_cast<ConstantNode>(compared),
       *b = dyn_cast<ConstantNode>(chosen);
  if (!a || !b)
    return false;
  APFloat rounded = a->getValue();
  bool losesInfo;
  rounded.convert(b->getValue().getSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
  return rounded.bitwiseIsEqual(b->getValue());
}

/// select(cmp(a, b), a, b), whichever way round.
static const Node *readSelect(Context &context, const OpaqueNode *compare,
                              const Node *a, const Node *b) {
  using Predicate = arith::CmpFPredicate;
  ArrayRef<const Node *> compared = compare->getOperands();
  Predicate predicate = compare->getAttributes()
                            .getAs<arith::CmpFPredicateAttr>("predicate")
                            .getValue();
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
                             b, ExtremumNode::Spelling::Select, predicate);
}

/// The kind of an op that has no attribute but fastmath flags.
static std::optional<Kind> getKind(Operation *op) {
  return llvm::TypeSwitch<Operation *, std::optional<Kind>>(op)
      .Case<arith::MulFOp>([](auto) { return Kind::Mul; })
      .Case<arith::AddFOp>([](auto) { return Kind::Add; })
      .Case<arith::DivFOp>([](auto) { return Kind::Div; })
      .Case<arith::NegFOp>([](auto) { return Kind::Neg; })
      .Case<arith::ExtFOp>([](auto) { return Kind::Extend; })
      .Case<math::AbsFOp>([](auto) { return Kind::Abs; })
      .Case<math::SqrtOp>([](auto) { return Kind::Sqrt; })
      .Case<math::RsqrtOp>([](auto) { return Kind::Rsqrt; })
      .Case<math::FmaOp>([](auto) { return Kind::Fma; })
      .Case<arith::TruncFOp>([](arith::TruncFOp op) {
        auto mode = op.getRoundingmode();
        bool isNearest = !mode || *mode == arith::RoundingMode::to_nearest_even;
        return isNearest ? std::optional(Kind::Round) : std::nullopt;
      })
      .Default([](Operation *) { return std::nullopt; });
}

static const Node *readExtremum(Context &context, Operation *op,
                                ArrayRef<const Node *> e) {
  using Spelling = ExtremumNode::Spelling;
  bool propagates = isa<arith::MaximumFOp, arith::MinimumFOp>(op);
  bool isMax = isa<arith::MaximumFOp, arith::MaxNumFOp>(op);
  if (!propagates && !isMax && !isa<arith::MinNumFOp>(op))
    return nullptr;
  return context.getExtremum(isMax ? Kind::Max : Kind::Min, e[0], e[1],
                             propagates ? Spelling::Propagates
                                        : Spelling::Ignores);
}

const Node *Reader::readArithmetic(Operation *op, ArrayRef<const Node *> e,
                                   FloatType type) {
  std::optional<Kind> kind = getKind(op);
  // A tensor that was widened for the statistic and is narrowed here.
  if (kind == Kind::Round)
    if (auto *element = dyn_cast<ElementNode>(e[0]))
      if (const Node *opened = open(element);
          opened && opened->is(Kind::Extend))
        return context.get(*kind, type, opened);
  if (kind)
    return context.get(*kind, type, e);
  if (isa<arith::SubFOp>(op))
    return context.get(Kind::Add, type,
                       {e[0], context.get(Kind::Neg, type, e[1])});
  if (isa<math::PowFOp, math::FPowIOp>(op))
    if (Exponent exponent = readExponent(e[1]))
      return context.getPower(e[0], exponent->first, exponent->second,
                              PowerNode::Spelling::Power, type);
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
  bool isUnsigned = isa<arith::UIToFPOp>(op);
  if (isUnsigned || isa<arith::SIToFPOp>(op))
    if (auto count = readCount(e[0], isUnsigned))
      return context.getCount(*count, type);
  return readExtremum(context, op, e);
}
