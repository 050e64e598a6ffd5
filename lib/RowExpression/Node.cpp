//===- Node.cpp - unique nodes and what folds -----------------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A fold is valid only if it gives the same bits for every value: NaN,
// infinities, zeros of both signs and subnormals. x + 0.0 is not folded (-0
// becomes +0), but x + -0.0, x * 1.0, -(-x), |-x| and casts there and back are.
//
//===----------------------------------------------------------------------===//

#include "Node.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "norm/IR/RoundFloat.h"
#include <cmath>

using namespace mlir;
using namespace mlir::norm::row;

bool ExtremumNode::keepsNaN(unsigned i) const {
  auto predicate =
      dyn_cast_or_null<arith::CmpFPredicateAttr>(payload.attribute);
  if (!predicate)
    return !payload.attribute;
  // select(a < b, a, b) with a NaN selects a if the predicate is unordered.
  bool takesFirst = predicate.getValue() >= arith::CmpFPredicate::UEQ;
  return takesFirst == (i == 0);
}

//===----------------------------------------------------------------------===//
// What follows from the operands
//===----------------------------------------------------------------------===//

static bool isPositiveConstant(const Node *node) {
  auto *constant = dyn_cast<ConstantNode>(node);
  return constant &&
         (!constant->getValue().isNegative() || constant->getValue().isZero());
}

bool Node::isNeverNegative() const {
  switch (kind) {
  case Kind::Count:
  case Kind::Abs:
  case Kind::Sqrt:
    return true;
  case Kind::Constant:
    return isPositiveConstant(this);
  case Kind::Number:
    return cast<NumberNode>(this)->getValue() >= Fraction(0);
  case Kind::Symbol:
    return cast<SymbolNode>(this)->getSign() != Sign::Any;
  case Kind::Max: // with such a constant it is at least 0, or a NaN
    return llvm::any_of(operands, isPositiveConstant) ||
           llvm::all_of(operands, row::isNonNegative);
  case Kind::Div: // a quotient by -0 may be negative
    return operands[1]->getOperands().empty() &&
           !operands[1]->is(Kind::Element) &&
           llvm::all_of(operands, row::isNonNegative);
  case Kind::Add:
  case Kind::Min:
  case Kind::Round:
  case Kind::Extend:
  case Kind::Rsqrt:
  case Kind::Sum:
    return llvm::all_of(operands, row::isNonNegative);
  case Kind::Mul:
  case Kind::Fma: // a * a + c, where c is -0.0 in a sum
    return llvm::all_of(operands[0] == operands[1] ? operands.drop_front(2)
                                                   : operands,
                        row::isNonNegative);
  case Kind::Power: // an odd power keeps the sign, a root has none
    return !cast<PowerNode>(this)->isOdd() || operands[0]->isNonNegative();
  default:
    return false;
  }
}

/// Returns true if no value is -0, provided that none is negative.
bool Node::isNeverNegativeZero() const {
  switch (kind) {
  case Kind::Neg:
  case Kind::Element:
  case Kind::Opaque:
    return false;
  case Kind::Constant:
    return !cast<ConstantNode>(this)->getValue().isNegZero();
  case Kind::Abs:
    return true;
  case Kind::Power:
    if (auto *power = cast<PowerNode>(this);
        power->getExponent().den == 1 && !power->isOdd())
      return true;
    break;
  case Kind::Mul:
  case Kind::Fma: // +0 + c is -0 for no c
    if (operands[0] == operands[1])
      return true;
    break;
  default:
    break;
  }
  return llvm::all_of(operands,
                      [](const Node *each) { return each->noNegativeZero; });
}

/// Returns the variables that are free in the indices or in an operand, sorted.
static SmallVector<unsigned> collectDependent(const Node &node) {
  SmallVector<unsigned> found;
  for (AffineExpr index : node.getIndices())
    index.walk([&](AffineExpr part) {
      if (auto dim = dyn_cast<AffineDimExpr>(part))
        found.push_back(dim.getPosition());
    });
  for (const Node *operand : node.getOperands())
    for (unsigned variable : operand->getDependentVariables())
      if (!llvm::is_contained(node.getVariables(), variable))
        found.push_back(variable);
  llvm::sort(found);
  found.erase(llvm::unique(found), found.end());
  return found;
}

void Node::derive(llvm::BumpPtrAllocator &arrays) {
  bool isReduction = is(Kind::Sum) || !payload.variables.empty();
  reduces = isReduction;
  hasElement = is(Kind::Element) || is(Kind::Position) ||
               (is(Kind::Symbol) && !payload.indices.empty());
  for (const Node *operand : operands) {
    reduces |= operand->reduces;
    hasElement |= operand->hasElement && !isReduction;
  }
  dependent = ArrayRef(collectDependent(*this)).copy(arrays);
  nonNegative = isNeverNegative();
  noNegativeZero = isNeverNegativeZero();
}

//===----------------------------------------------------------------------===//
// Unique nodes
//===----------------------------------------------------------------------===//

bool Node::Info::isEqual(const Node *a, const Node *b) {
  auto isKey = [](const Node *node) {
    return node == getEmptyKey() || node == getTombstoneKey();
  };
  return a == b || (!isKey(a) && !isKey(b) && a->hash == b->hash &&
                    a->isAlike(b) && a->operands == b->operands);
}

Node::Node(Kind kind, Type type, ArrayRef<const Node *> operands,
           const Payload &payload)
    : payload(payload), kind(kind),
      // Equal numbers have two representations, which hash differently.
      hash(llvm::hash_combine(kind, type, operands, payload.value,
                              payload.indices, payload.attribute,
                              payload.extents)),
      type(type), operands(operands) {}

/// Constructs a node as that of `Classes` which its kind is cast to.
template <typename... Classes>
static Node *construct(Node *memory, const Node &node) {
  bool hasClass =
      ((Classes::has(node.getKind()) && new (memory) Classes{{node}}) || ...);
  return hasClass ? memory : new (memory) Node(node);
}

const Node *Context::unique(Kind kind, Type type,
                            ArrayRef<const Node *> operands,
                            const Payload &payload) {
  Node node(kind, type, operands, payload);
  if (auto it = nodes.find(&node); it != nodes.end())
    return *it;
  node.number = nodes.size();
  node.operands = operands.copy(arrays);
  node.payload.indices = node.payload.indices.copy(arrays);
  node.payload.variables = node.payload.variables.copy(arrays);
  node.payload.extents = node.payload.extents.copy(arrays);
  Node *made =
      construct<ElementNode, SymbolNode, ConstantNode, NumberNode, CountNode,
                PositionNode, PowerNode, ExtremumNode, SumNode, OpaqueNode>(
          memory.Allocate(), node);
  made->derive(arrays);
  nodes.insert(made);
  return made;
}

const Node *Context::getElement(Value value, ArrayRef<AffineExpr> indices) {
  Payload payload{value, indices};
  return unique(Kind::Element, getElementTypeOrSelf(value.getType()), {},
                payload);
}

const Node *Context::getSymbol(StringRef name, Type type, Sign sign,
                               ArrayRef<AffineExpr> indices) {
  Payload payload{{}, indices, {}, StringAttr::get(context, name)};
  payload.spelling = static_cast<unsigned>(sign);
  return unique(Kind::Symbol, type, {}, payload);
}

const Node *Context::getNumber(const Fraction &value, Type type) {
  Payload payload;
  payload.number = value;
  return unique(Kind::Number, type, {}, payload);
}

const Node *Context::getConstant(const APFloat &value, Type type) {
  Payload payload;
  payload.attribute = FloatAttr::get(type, value);
  return unique(Kind::Constant, type, {}, payload);
}

/// Returns a constant integer as a constant that was rounded once. The path to
/// the type does not matter below 2^24, because every other float type holds
/// such values or has infinity for them.
const Node *Context::getCount(const SymbolicCount &count, Type type) {
  if (auto floatType = dyn_cast<FloatType>(type);
      floatType && count.isConstant()) {
    APFloat value(floatType.getFloatSemantics());
    value.convertFromAPInt(APInt(64, count.factor, /*isSigned=*/true),
                           /*IsSigned=*/true, APFloat::rmNearestTiesToEven);
    return getConstant(value, type);
  }
  Payload payload;
  payload.number = Fraction(count.factor);
  payload.extents = count.symbols;
  return unique(Kind::Count, type, {}, payload);
}

const Node *Context::getPosition(AffineExpr index) {
  return unique(Kind::Position, IndexType::get(context), {}, {{}, index});
}

const Node *Context::getPower(const Node *base, const Fraction &exponent,
                              Type type, PowerNode::Spelling spelling) {
  Payload payload;
  payload.number = reduce(exponent);
  payload.spelling = static_cast<unsigned>(spelling);
  return unique(Kind::Power, type, base, payload);
}

bool norm::row::isNumberSymbol(const Node *node) {
  auto *symbol = dyn_cast<SymbolNode>(node);
  return symbol && symbol->getSign() == Sign::Number;
}

/// Returns the type of an extremum: that of a bound that is no mere number.
static Type getExtremumType(ArrayRef<const Node *> bounds) {
  return bounds[isNumberSymbol(bounds[0])]->getType();
}

const Node *Context::getExtremum(Kind kind, const Node *a, const Node *b,
                                 Attribute spelling) {
  Payload payload;
  payload.attribute = spelling;
  return unique(kind, getExtremumType({a, b}), {a, b}, payload);
}

/// Merges sums of sums in one type, whose order is unspecified (S2).
const Node *Context::getSum(const Node *term, ArrayRef<unsigned> given) {
  SmallVector<unsigned> variables(given);
  if (auto *inner = dyn_cast<SumNode>(term)) {
    term = inner->getTerm();
    llvm::append_range(variables, inner->getVariables());
  }
  return unique(Kind::Sum, term->getType(), term, {{}, {}, variables});
}

const Node *Context::getOpaque(StringRef name, DictionaryAttr attributes,
                               Type type, ArrayRef<const Node *> operands,
                               ArrayRef<unsigned> variables) {
  return unique(
      Kind::Opaque, type, operands,
      {{}, {}, variables, StringAttr::get(context, name), attributes});
}

const Node *Context::rebuild(const Node *node, ArrayRef<const Node *> operands,
                             Type type) {
  Kind kind = node->getKind();
  if (kind == Kind::Sum)
    return getSum(operands[0], node->getVariables());
  if (!type)
    type =
        isa<ExtremumNode>(node) ? getExtremumType(operands) : node->getType();
  const Node *folded = operands.empty() ? nullptr : fold(kind, type, operands);
  return folded ? folded : unique(kind, type, operands, node->payload);
}

const Node *Context::get(Kind kind, Type type,
                         ArrayRef<const Node *> operands) {
  const Node *folded = fold(kind, type, operands);
  return folded ? folded : unique(kind, type, operands, {});
}

//===----------------------------------------------------------------------===//
// Folds
//===----------------------------------------------------------------------===//

bool norm::row::isConstant(const Node *node, double value) {
  auto *constant = dyn_cast<ConstantNode>(node);
  return constant && constant->getValue().isExactlyValue(value);
}

/// Evaluates an op on constants with rounding to nearest even, as all
/// arithmetic of programs does. For an f32 square root, double has enough bits.
static std::optional<APFloat> evaluate(Kind kind, Type type,
                                       ArrayRef<APFloat> values) {
  const APFloat &a = values[0], &b = values.back();
  switch (kind) {
  case Kind::Round:
  case Kind::Extend:
    return norm::roundTo(a, cast<FloatType>(type).getFloatSemantics());
  case Kind::Neg:
    return neg(a);
  case Kind::Abs:
    return abs(a);
  case Kind::Add:
    return a + b;
  case Kind::Mul:
    return a * b;
  case Kind::Div:
    return a / b;
  case Kind::Sqrt:
    if (a.isNegative() || type.getIntOrFloatBitWidth() > 64)
      return std::nullopt;
    return norm::roundTo(APFloat(std::sqrt(a.convertToDouble())),
                         a.getSemantics());
  default:
    return std::nullopt;
  }
}

const Node *Context::fold(Kind kind, Type type,
                          ArrayRef<const Node *> operands) {
  const Node *a = operands[0];
  SmallVector<APFloat, 3> values;
  for (const Node *operand : operands)
    if (auto *constant = dyn_cast<ConstantNode>(operand))
      values.push_back(constant->getValue());
  if (values.size() == operands.size())
    if (auto value = evaluate(kind, type, values))
      return getConstant(*value, type);
  switch (kind) {
  case Kind::Round:
    // Widening is exact, so narrowing back gives the value itself.
    if (a->is(Kind::Extend) && a->getOperand(0)->getType() == type)
      return a->getOperand(0);
    if (auto *count = dyn_cast<CountNode>(a))
      return getCount(count->getCount(), type);
    return nullptr;
  case Kind::Extend:
    return a->is(Kind::Extend) ? get(kind, type, a->getOperand(0)) : nullptr;
  case Kind::Neg:
    return a->is(Kind::Neg) ? a->getOperand(0) : nullptr;
  case Kind::Abs:
    if (a->is(Kind::Abs))
      return a;
    return a->is(Kind::Neg) ? get(kind, type, a->getOperand(0)) : nullptr;
  case Kind::Add:
  case Kind::Mul:
    for (unsigned i : {0u, 1u})
      if (isConstant(operands[i], kind == Kind::Mul ? 1.0 : -0.0))
        return operands[1 - i];
    return nullptr;
  case Kind::Div:
    return isConstant(operands[1], 1.0) ? a : nullptr;
  default:
    return nullptr;
  }
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

unsigned Context::addVariable(int64_t extent) {
  variables.push_back({extent, {}});
  return variables.size() - 1;
}

unsigned Context::getVariable(unsigned position, int64_t extent) {
  auto [it, inserted] = byPosition.try_emplace({position, extent}, 0);
  if (inserted)
    it->second = addVariable(extent);
  return it->second;
}

AffineExpr Context::getSymbol(Value value) {
  unsigned id = symbols.try_emplace(value, symbols.size()).first->second;
  return getAffineSymbolExpr(id, context);
}

SmallVector<SymbolicCount, 2> Context::getSources(unsigned variable) const {
  const auto &[extent, sources] = variables[variable];
  if (ShapedType::isDynamic(extent))
    return sources;
  return {SymbolicCount::get(extent)};
}

bool Context::haveSameExtent(unsigned a, unsigned b) const {
  return a == b || llvm::any_of(getSources(a), [&](const auto &source) {
           return llvm::is_contained(getSources(b), source);
         });
}

bool Context::isExtentOf(unsigned variable, Value tensor, int64_t dim) {
  return llvm::is_contained(getSources(variable),
                            extents.getExtent(tensor, dim));
}

bool Context::isProductOfExtents(const SymbolicCount &count,
                                 ArrayRef<unsigned> factors) const {
  SmallVector<SymbolicCount> products(1);
  for (unsigned factor : factors) {
    SmallVector<SymbolicCount> next;
    for (const SymbolicCount &product : products)
      for (const SymbolicCount &source : getSources(factor))
        if (auto longer = product.times(source);
            longer && !llvm::is_contained(next, *longer))
          next.push_back(*longer);
    products = std::move(next);
  }
  return llvm::is_contained(products, count);
}
