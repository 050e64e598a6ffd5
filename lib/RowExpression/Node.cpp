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
#include "llvm/ADT/SetVector.h"
#include <cmath>
#include <map>
#include <numeric>

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
// Unique nodes
//===----------------------------------------------------------------------===//

bool Payload::operator==(const Payload &other) const {
  auto tie = [](const Payload &p) {
    return std::tie(p.value, p.attribute, p.name, p.numerator, p.denominator,
                    p.spelling, p.indices, p.count, p.variables, p.number);
  };
  return tie(*this) == tie(other);
}

Node::Node(unsigned number, Kind kind, Type type,
           ArrayRef<const Node *> operands, const Payload &given)
    : payload(given), number(number), kind(kind), type(type),
      operands(operands) {
  bool isReduction = kind == Kind::Sum || !payload.variables.empty();
  reduces = isReduction;
  hasElement = kind == Kind::Element || kind == Kind::Position ||
               (kind == Kind::Symbol && !payload.indices.empty());
  for (const Node *operand : operands) {
    reduces |= operand->reduces;
    hasElement |= operand->hasElement && !isReduction;
  }
}

/// Constructs a node as that of `Classes` which its kind is cast to.
template <typename... Classes, typename... Args>
static std::shared_ptr<const Node> construct(Kind kind, const Args &...args) {
  std::shared_ptr<const Node> node;
  bool hasClass =
      ((Classes::has(kind) && (node.reset(new Classes{{{args...}}}), true)) ||
       ...);
  return hasClass ? node : std::make_shared<Node>(args...);
}

const Node *Context::unique(Kind kind, Type type,
                            ArrayRef<const Node *> operands,
                            const Payload &payload) {
  size_t hash = llvm::hash_combine(
      kind, type, llvm::hash_combine_range(operands), payload.value,
      llvm::hash_combine_range(payload.indices), payload.count.factor,
      llvm::hash_combine_range(payload.count.symbols), payload.attribute,
      payload.name, llvm::hash_combine_range(payload.variables),
      payload.numerator, payload.denominator, payload.spelling);
  for (auto [it, end] = nodes.equal_range(hash); it != end; ++it)
    if (it->second->isAlike(kind, type, payload) &&
        it->second->getOperands() == operands)
      return it->second.get();
  auto node =
      construct<ElementNode, SymbolNode, ConstantNode, NumberNode, CountNode,
                PositionNode, PowerNode, ExtremumNode, SumNode, OpaqueNode>(
          kind, unsigned(nodes.size()), kind, type, operands, payload);
  return nodes.emplace(hash, std::move(node))->second.get();
}

const Node *Context::getElement(Value value, ArrayRef<AffineExpr> indices) {
  Payload payload;
  payload.value = value;
  payload.indices.assign(indices.begin(), indices.end());
  return unique(Kind::Element, getElementTypeOrSelf(value.getType()), {},
                payload);
}

const Node *Context::getSymbol(StringRef name, Type type, Sign sign,
                               ArrayRef<AffineExpr> indices) {
  Payload payload;
  payload.name = StringAttr::get(context, name);
  payload.spelling = static_cast<unsigned>(sign);
  payload.indices.assign(indices.begin(), indices.end());
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
  payload.count = count;
  return unique(Kind::Count, type, {}, payload);
}

const Node *Context::getPosition(AffineExpr index) {
  Payload payload;
  payload.indices.push_back(index);
  return unique(Kind::Position, IndexType::get(context), {}, payload);
}

const Node *Context::getPower(const Node *base, int numerator, int denominator,
                              PowerNode::Spelling spelling, Type type) {
  Payload payload;
  int divisor = std::gcd(numerator, denominator);
  payload.numerator = numerator / divisor;
  payload.denominator = denominator / divisor;
  payload.spelling = static_cast<unsigned>(spelling);
  return unique(Kind::Power, type, base, payload);
}

const Node *Context::getExtremum(Kind kind, const Node *a, const Node *b,
                                 Attribute spelling) {
  Payload payload;
  payload.attribute = spelling;
  return unique(kind, a->getType(), {a, b}, payload);
}

/// Merges sums of sums in one type, whose order is unspecified (S2).
const Node *Context::getSum(const Node *term, ArrayRef<unsigned> variables) {
  Payload payload;
  payload.variables.assign(variables.begin(), variables.end());
  if (auto *inner = dyn_cast<SumNode>(term)) {
    term = inner->getTerm();
    llvm::append_range(payload.variables, inner->getVariables());
  }
  return unique(Kind::Sum, term->getType(), term, payload);
}

const Node *Context::getOpaque(StringRef name, DictionaryAttr attributes,
                               Type type, ArrayRef<const Node *> operands,
                               ArrayRef<unsigned> variables) {
  Payload payload;
  payload.name = StringAttr::get(context, name);
  payload.attribute = attributes;
  payload.variables.assign(variables.begin(), variables.end());
  return unique(Kind::Opaque, type, operands, payload);
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

//===----------------------------------------------------------------------===//
// Questions about a node
//===----------------------------------------------------------------------===//

/// Returns the operands that must all be at least 0 for `node` to be so, or
/// nullopt if that does not imply it.
static std::optional<ArrayRef<const Node *>> getDeciding(const Node *node) {
  ArrayRef<const Node *> none, operands = node->getOperands();
  auto isPositive = [](const Node *operand) {
    auto *constant = dyn_cast<ConstantNode>(operand);
    return constant && (!constant->getValue().isNegative() ||
                        constant->getValue().isZero());
  };
  switch (node->getKind()) {
  case Kind::Count:
  case Kind::Abs:
  case Kind::Sqrt:
    return none;
  case Kind::Constant:
    return isPositive(node) ? std::optional(none) : std::nullopt;
  case Kind::Number:
    return cast<NumberNode>(node)->getValue() < Fraction(0)
               ? std::nullopt
               : std::optional(none);
  case Kind::Symbol:
    return cast<SymbolNode>(node)->getSign() == Sign::Any ? std::nullopt
                                                          : std::optional(none);
  case Kind::Max: // with such a constant it is at least 0, or a NaN
    return llvm::any_of(operands, isPositive) ? none : operands;
  case Kind::Div: // a quotient by -0 may be negative
    if (!operands[1]->getOperands().empty() || operands[1]->is(Kind::Element))
      return std::nullopt;
    return operands;
  case Kind::Add:
  case Kind::Min:
  case Kind::Round:
  case Kind::Extend:
  case Kind::Rsqrt:
  case Kind::Sum:
    return operands;
  case Kind::Mul:
  case Kind::Fma: // a * a + c, where c is -0.0 in a sum
    return operands[0] == operands[1] ? operands.drop_front(2) : operands;
  case Kind::Power: // an odd power keeps the sign, a root has none
    return cast<PowerNode>(node)->isOdd() ? operands : none;
  default:
    return std::nullopt;
  }
}

bool norm::row::isNonNegative(const Node *node) {
  constexpr size_t kMaxNodes = 64;
  llvm::SmallSetVector<const Node *, 16> worklist;
  worklist.insert(node);
  for (size_t i = 0; i < worklist.size(); ++i) {
    auto deciding = getDeciding(worklist[i]);
    if (!deciding || i == kMaxNodes)
      return false;
    worklist.insert_range(*deciding);
  }
  return true;
}

namespace {
/// A node below reductions over `bound`. One variable may be bound in one
/// place and free in another, so that a node is visited once for each.
struct Scoped {
  const Node *node;
  SmallVector<unsigned, 4> bound;
};
} // namespace

/// Returns `scope` with the variables of `node` and without duplicates.
static SmallVector<unsigned, 4> enterScope(SmallVector<unsigned, 4> scope,
                                           const Node *node) {
  llvm::append_range(scope, node->getVariables());
  llvm::sort(scope);
  scope.erase(llvm::unique(scope), scope.end());
  return scope;
}

SmallVector<unsigned> norm::row::getDependentVariables(const Node *node) {
  std::map<SmallVector<unsigned, 4>, llvm::SmallDenseSet<const Node *>> visited;
  SmallVector<Scoped> worklist{{node, {}}};
  llvm::SmallDenseSet<unsigned> found;
  while (!worklist.empty()) {
    Scoped scoped = worklist.pop_back_val();
    const Node *next = scoped.node;
    for (AffineExpr index : next->getIndices())
      index.walk([&](AffineExpr part) {
        auto dim = dyn_cast<AffineDimExpr>(part);
        if (dim && !llvm::is_contained(scoped.bound, dim.getPosition()))
          found.insert(dim.getPosition());
      });
    SmallVector<unsigned, 4> inner = next->getVariables().empty()
                                         ? scoped.bound
                                         : enterScope(scoped.bound, next);
    auto &known = visited[inner];
    for (const Node *operand : next->getOperands())
      if (known.insert(operand).second)
        worklist.push_back({operand, inner});
  }
  SmallVector<unsigned> result(found.begin(), found.end());
  llvm::sort(result);
  return result;
}
