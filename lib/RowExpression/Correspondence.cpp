//===- Correspondence.cpp - one value at two places -----------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Correspondence.h"

using namespace mlir;
using namespace mlir::norm::row;

using Digits = SmallVector<IndexDigit>; // the lowest first; none has size 1

/// Takes the lowest digits with `size` values in all; the others stay.
static std::optional<Digits> takeLow(Digits &digits, int64_t size) {
  Digits low;
  // If no digit is left, the value is below `size`.
  while (size > 1 && !digits.empty()) {
    auto &[variable, divisor, values] = digits.front();
    int64_t part = std::min(size, values);
    if (size % part != 0 || values % part != 0)
      return std::nullopt;
    low.push_back({variable, divisor, part});
    size /= part;
    values /= part;
    divisor *= part; // at most the extent
    if (values == 1)
      digits.erase(digits.begin());
  }
  return low;
}

static std::optional<Digits> getDigits(AffineExpr index,
                                       const Context &context);

/// Returns high + low if the values of `low` fill the gaps of `high`.
static std::optional<Digits> join(AffineExpr high, AffineExpr low,
                                  const Context &context) {
  int64_t stride = high.getLargestKnownDivisor(), values = 1;
  std::optional<Digits> a = getDigits(high.floorDiv(stride), context),
                        b = getDigits(low, context);
  if (!a || !b || llvm::any_of(*b, [&](const IndexDigit &digit) {
        return llvm::MulOverflow(values, digit.size, values);
      }))
    return std::nullopt;
  llvm::append_range(*b, *a);
  return values == stride ? b : std::nullopt;
}

static std::optional<Digits> getDigits(AffineExpr index,
                                       const Context &context) {
  if (index == 0)
    return Digits();
  if (auto dim = dyn_cast<AffineDimExpr>(index)) {
    int64_t extent = context.getExtent(dim.getPosition());
    if (extent < 1) // dynamic or empty
      return std::nullopt;
    return extent == 1 ? Digits() : Digits{{dim.getPosition(), 1, extent}};
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(index);
  if (!binary)
    return std::nullopt;
  AffineExpr lhs = binary.getLHS(), rhs = binary.getRHS();
  if (binary.getKind() == AffineExprKind::Add) {
    std::optional<Digits> digits = join(lhs, rhs, context);
    return digits ? digits : join(rhs, lhs, context);
  }
  auto by = dyn_cast<AffineConstantExpr>(rhs);
  std::optional<Digits> digits = getDigits(lhs, context);
  if (!by || by.getValue() < 1 || !digits)
    return std::nullopt;
  if (binary.getKind() == AffineExprKind::Mod)
    return takeLow(*digits, by.getValue());
  if (binary.getKind() == AffineExprKind::FloorDiv &&
      takeLow(*digits, by.getValue()))
    return digits;
  return std::nullopt;
}

bool Correspondence::add(IndexDigit atRoot, IndexDigit inSum) {
  auto isWhole = [&](const IndexDigit &digit) {
    return digit.size == reader->getContext().getExtent(digit.variable);
  };
  if (isWhole(atRoot) && isWhole(inSum))
    return add(atRoot.variable, inSum.variable);
  for (const auto &[known, other] : digits)
    if (known == atRoot || other == inSum)
      return known == atRoot && other == inSum;
  digits.push_back({atRoot, inSum});
  return true;
}

bool Correspondence::agreeOnDigits(AffineExpr atRoot, AffineExpr inSum) {
  const Context &context = reader->getContext();
  std::optional<Digits> a = getDigits(atRoot, context),
                        b = getDigits(inSum, context);
  if (!a || !b)
    return false;
  while (!a->empty() && !b->empty()) {
    int64_t size = std::min(a->front().size, b->front().size);
    std::optional<Digits> x = takeLow(*a, size), y = takeLow(*b, size);
    if (!x || !y || !add(x->front(), y->front()))
      return false;
  }
  return a->empty() && b->empty();
}

bool Correspondence::agreeOne(AffineExpr atRoot, AffineExpr inSum) {
  if (isa<AffineDimExpr>(atRoot) && isa<AffineDimExpr>(inSum))
    return add(cast<AffineDimExpr>(atRoot).getPosition(),
               cast<AffineDimExpr>(inSum).getPosition());
  auto a = dyn_cast<AffineBinaryOpExpr>(atRoot),
       b = dyn_cast<AffineBinaryOpExpr>(inSum);
  if (a && b && a.getKind() == b.getKind() &&
      agree({a.getLHS(), a.getRHS()}, {b.getLHS(), b.getRHS()}))
    return true;
  if (isa<AffineConstantExpr, AffineSymbolExpr>(atRoot) ||
      isa<AffineConstantExpr, AffineSymbolExpr>(inSum))
    return atRoot == inSum;
  return agreeOnDigits(atRoot, inSum);
}

bool Correspondence::agree(ArrayRef<AffineExpr> atRoot,
                           ArrayRef<AffineExpr> inSum) {
  Correspondence saved = *this;
  if (atRoot.size() == inSum.size() &&
      llvm::all_of_zip(atRoot, inSum, [&](AffineExpr a, AffineExpr b) {
        return agreeOne(a, b);
      }))
    return true;
  *this = std::move(saved);
  return false;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Returns true if `a` is computed after `b`, so that it may contain `b`.
static bool isLater(Value a, Value b) {
  Operation *op = a.getDefiningOp(), *other = b.getDefiningOp();
  if (!op || !other)
    return op != nullptr;
  Operation *ancestor = other->getBlock()->findAncestorOpInBlock(*op);
  return ancestor && ancestor != other && !ancestor->isBeforeInBlock(other);
}

/// Opens elements until none is left, or until both are elements of one tensor
/// at indices that agree.
bool Correspondence::openElements(const Node *&left, const Node *&right) {
  auto open = [&](const ElementNode *element) {
    return element ? reader->open(element) : nullptr;
  };
  while (left->is(Kind::Element) || right->is(Kind::Element)) {
    auto *a = dyn_cast<ElementNode>(left), *b = dyn_cast<ElementNode>(right);
    bool isOne = a && b && a->getValue() == b->getValue();
    if (isOne && agree(a->getIndices(), b->getIndices()))
      return true;
    if (!reader->getContext().mayRead(numOpened++))
      return false;
    bool isLeft = isOne || !b || (a && isLater(a->getValue(), b->getValue()));
    const Node *first = isLeft ? open(a) : nullptr;
    // If one cannot be opened, the other one may open to it.
    const Node *second = isOne || !first ? open(b) : nullptr;
    if (!first && !second)
      first = open(a);
    if (!first && !second)
      return false;
    left = first ? first : left;
    right = second ? second : right;
  }
  return true;
}

/// Compares how alike two nodes look, to choose between a + b and b + a.
static int compareLooks(const Node *a, const Node *b) {
  auto *x = dyn_cast<ElementNode>(a), *y = dyn_cast<ElementNode>(b);
  return (a->is(b->getKind()) && a->getType() == b->getType()) + (a == b) +
         (x && y && x->getValue() == y->getValue());
}

/// Returns the operands of `b` in the order that looks most like `a`.
static SmallVector<const Node *> alignOperands(const Node *a, const Node *b) {
  SmallVector<const Node *> sorted(b->getOperands());
  auto looks = [&](unsigned i, unsigned j) {
    return compareLooks(a->getOperand(0), sorted[i]) +
           compareLooks(a->getOperand(1), sorted[j]);
  };
  if ((a->is(Kind::Add) || a->is(Kind::Mul)) && looks(1, 0) > looks(0, 1))
    std::swap(sorted[0], sorted[1]);
  return sorted;
}

/// Matches reductions over the same variables, which belong to them alone.
bool Correspondence::matchReductions(const Node *atRoot, const Node *inSum) {
  ArrayRef<unsigned> bound = atRoot->getVariables();
  auto isBound = [&](unsigned variable) {
    return llvm::is_contained(bound, variable);
  };
  Correspondence inner = *this;
  if (!atRoot->isAlike(inSum) ||
      !llvm::all_of(bound,
                    [&](unsigned each) { return inner.add(each, each); }) ||
      !inner.match(atRoot->getOperand(0), inSum->getOperand(0)))
    return false;
  auto leaks = [&](unsigned a, unsigned b) {
    return a != b && (isBound(a) || isBound(b));
  };
  if (llvm::any_of(
          inner.variables,
          [&](auto &pair) { return leaks(pair.first, pair.second); }) ||
      llvm::any_of(inner.digits, [&](auto &pair) {
        return leaks(pair.first.variable, pair.second.variable);
      }))
    return false;
  for (unsigned variable : bound)
    inner.variables.erase(variable);
  llvm::erase_if(inner.digits,
                 [&](auto &pair) { return isBound(pair.first.variable); });
  *this = std::move(inner);
  return true;
}

bool Correspondence::match(const Node *atRoot, const Node *inSum) {
  using Pair = std::pair<const Node *, const Node *>;
  SmallVector<Pair> worklist{{atRoot, inSum}};
  llvm::SmallDenseSet<Pair> seen;
  while (!worklist.empty()) {
    auto [a, b] = worklist.pop_back_val();
    // Nodes that were equal stay equal, because their variables are kept.
    if (!seen.insert({a, b}).second)
      continue;
    if (!reader->getContext().mayRead(seen.size(), kMaxPairs + 1))
      return false;
    if (!openElements(a, b))
      return false;
    if (a->is(Kind::Element))
      continue;
    if (a->is(Kind::Position) && b->is(Kind::Position)) {
      if (!agree(a->getIndices(), b->getIndices()))
        return false;
    } else if (a != b && a->is(Kind::Sum) && b->is(Kind::Sum)) {
      if (!matchReductions(a, b))
        return false;
    } else if (a->is(Kind::Sum) || a->getOperands().empty()) {
      if (a != b)
        return false;
      for (unsigned variable : getDependentVariables(a))
        if (!add(variable, variable))
          return false;
    } else {
      if (!a->isAlike(b) || a->getOperands().size() != b->getOperands().size())
        return false;
      for (auto [x, y] : llvm::zip_equal(a->getOperands(), alignOperands(a, b)))
        worklist.push_back({x, y});
    }
  }
  return true;
}

/// Returns the variables of `digits` if these cover each one without overlap.
static std::optional<SmallVector<unsigned>>
joinDigits(SmallVector<IndexDigit> digits, const Context &context) {
  llvm::sort(digits, [](const IndexDigit &a, const IndexDigit &b) {
    return std::tie(a.variable, a.divisor) < std::tie(b.variable, b.divisor);
  });
  SmallVector<unsigned> variables;
  int64_t next = 1; // the divisor of the digit after the last one
  for (auto [i, digit] : llvm::enumerate(digits)) {
    if (digit.divisor != next || llvm::MulOverflow(next, digit.size, next))
      return std::nullopt;
    if (i + 1 < digits.size() && digits[i + 1].variable == digit.variable)
      continue;
    if (next != context.getExtent(digit.variable))
      return std::nullopt;
    variables.push_back(digit.variable);
    next = 1;
  }
  return variables;
}

/// Returns nullopt if digits of a variable are left over.
std::optional<SplitVariables> Correspondence::getSplitVariables() const {
  const Context &context = reader->getContext();
  SmallVector<IndexDigit> roots, sums, kept;
  for (const auto &[atRoot, inSum] : digits) {
    if (atRoot == inSum) {
      kept.push_back(atRoot);
      continue;
    }
    roots.push_back(atRoot);
    sums.push_back(inSum);
  }
  auto inSum = joinDigits(sums, context), atRoot = joinDigits(roots, context);
  std::optional<IndexDigit> group;
  if (!atRoot && roots.size() == 1 && roots[0].divisor == 1) {
    group = roots[0];
    auto isAbove = [&](const IndexDigit &digit) {
      return digit.variable == group->variable;
    };
    llvm::copy_if(kept, std::back_inserter(roots), isAbove);
    llvm::erase_if(kept, isAbove);
    atRoot = joinDigits(roots, context);
  }
  auto isKept = [&](unsigned variable) {
    return variables.count(variable) ||
           llvm::any_of(kept, [&](const IndexDigit &digit) {
             return digit.variable == variable;
           });
  };
  if (!inSum || !atRoot || llvm::any_of(*atRoot, isKept))
    return std::nullopt;
  return SplitVariables{*atRoot, *inSum, group};
}

bool norm::row::isSame(Reader &reader, const Node *a, const Node *b) {
  Correspondence agreed(reader);
  if (!agreed.match(a, b))
    return false;
  auto split = agreed.getSplitVariables();
  return split && split->atRoot.empty() &&
         llvm::all_of(agreed.getVariables(),
                      [](auto pair) { return pair.first == pair.second; });
}
