//===- Correspondence.cpp - one value at two places -----------------------===//
//
// Part of norm-mlir, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Correspondence.h"

using namespace mlir;
using namespace mlir::norm::row;

using Digits = SmallVector<IndexDigit>; // the lowest first, none of size 1

/// The lowest digits that have `size` values together; the others stay.
static std::optional<Digits> takeLow(Digits &digits, int64_t size) {
  Digits low;
  while (size > 1) {
    if (digits.empty())
      return low; // the value is below `size` anyway
    IndexDigit &next = digits.front();
    if (size % next.size == 0) {
      size /= next.size;
      low.push_back(next);
      digits.erase(digits.begin());
      continue;
    }
    if (next.size % size != 0)
      return std::nullopt;
    low.push_back({next.variable, next.divisor, size});
    if (llvm::MulOverflow(next.divisor, size, next.divisor))
      return std::nullopt;
    next.size /= size;
    size = 1;
  }
  return low;
}

static std::optional<Digits> getDigits(AffineExpr index,
                                       const Context &context);

/// a * stride + b, where b has `stride` values.
static std::optional<Digits> getDigitsOfSum(AffineBinaryOpExpr sum,
                                            const Context &context) {
  AffineExpr high = sum.getLHS(), low = sum.getRHS();
  for (int turn = 0; turn < 2; ++turn, std::swap(high, low)) {
    int64_t stride = 1;
    AffineExpr factor = high;
    if (auto product = dyn_cast<AffineBinaryOpExpr>(high))
      if (auto constant = dyn_cast<AffineConstantExpr>(product.getRHS());
          constant && product.getKind() == AffineExprKind::Mul) {
        stride = constant.getValue();
        factor = product.getLHS();
      }
    std::optional<Digits> a = getDigits(factor, context),
                          b = getDigits(low, context);
    if (!a || !b)
      continue;
    int64_t values = 1;
    bool overflows = llvm::any_of(*b, [&](const IndexDigit &digit) {
      return llvm::MulOverflow(values, digit.size, values);
    });
    if (overflows || values != stride)
      continue;
    llvm::append_range(*b, *a);
    return b;
  }
  return std::nullopt;
}

static std::optional<Digits> getDigits(AffineExpr index,
                                       const Context &context) {
  if (auto constant = dyn_cast<AffineConstantExpr>(index))
    return constant.getValue() == 0 ? std::optional<Digits>(Digits())
                                    : std::nullopt;
  if (auto dim = dyn_cast<AffineDimExpr>(index)) {
    int64_t extent = context.getExtent(dim.getPosition());
    if (extent < 1) // dynamic, or nothing at all
      return std::nullopt;
    return extent == 1 ? Digits() : Digits{{dim.getPosition(), 1, extent}};
  }
  auto binary = dyn_cast<AffineBinaryOpExpr>(index);
  if (!binary)
    return std::nullopt;
  if (binary.getKind() == AffineExprKind::Add)
    return getDigitsOfSum(binary, context);
  auto by = dyn_cast<AffineConstantExpr>(binary.getRHS());
  std::optional<Digits> digits = getDigits(binary.getLHS(), context);
  if (!by || by.getValue() < 1 || !digits)
    return std::nullopt;
  if (binary.getKind() == AffineExprKind::Mod)
    return takeLow(*digits, by.getValue());
  if (binary.getKind() == AffineExprKind::FloorDiv &&
      takeLow(*digits, by.getValue()))
    return digits;
  return std::nullopt;
}

static bool isWhole(const IndexDigit &digit, const Context &context) {
  return digit.divisor == 1 && digit.size == context.getExtent(digit.variable);
}

bool Correspondence::add(IndexDigit atRoot, IndexDigit inSum) {
  const Context &context = reader->getContext();
  if (isWhole(atRoot, context) && isWhole(inSum, context))
    return variables.try_emplace(atRoot.variable, inSum.variable)
               .first->second == inSum.variable;
  for (const auto &[known, other] : digits) {
    bool isSame = known == atRoot;
    if (isSame != (other == inSum))
      return false;
    if (isSame)
      return true;
  }
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

bool Correspondence::agree(AffineExpr atRoot, AffineExpr inSum) {
  if (auto dim = dyn_cast<AffineDimExpr>(atRoot))
    if (auto other = dyn_cast<AffineDimExpr>(inSum)) {
      // A variable is either the same inside the sum or reduced there.
      auto it =
          variables.try_emplace(dim.getPosition(), other.getPosition()).first;
      return it->second == other.getPosition();
    }
  Correspondence saved = *this;
  auto a = dyn_cast<AffineBinaryOpExpr>(atRoot),
       b = dyn_cast<AffineBinaryOpExpr>(inSum);
  if (a && b && a.getKind() == b.getKind() && agree(a.getLHS(), b.getLHS()) &&
      agree(a.getRHS(), b.getRHS()))
    return true;
  *this = saved;
  if (isa<AffineConstantExpr, AffineSymbolExpr>(atRoot) ||
      isa<AffineConstantExpr, AffineSymbolExpr>(inSum))
    return atRoot == inSum;
  if (agreeOnDigits(atRoot, inSum))
    return true;
  *this = std::move(saved);
  return false;
}

bool Correspondence::agreeAll(ArrayRef<AffineExpr> atRoot,
                              ArrayRef<AffineExpr> inSum) {
  Correspondence saved = *this;
  if (atRoot.size() == inSum.size() &&
      llvm::all_of_zip(atRoot, inSum,
                       [&](AffineExpr a, AffineExpr b) { return agree(a, b); }))
    return true;
  *this = std::move(saved);
  return false;
}

//===----------------------------------------------------------------------===//
// Nodes
//===----------------------------------------------------------------------===//

/// Whether `a` is computed after `b`, so that `b` may be a part of it.
static bool isLater(Value a, Value b) {
  Operation *op = a.getDefiningOp(), *other = b.getDefiningOp();
  if (!op || !other)
    return op != nullptr;
  Operation *ancestor = other->getBlock()->findAncestorOpInBlock(*op);
  return ancestor && ancestor != other && !ancestor->isBeforeInBlock(other);
}

Correspondence::Step Correspondence::matchElements(Pair &pair) {
  auto *a = dyn_cast<ElementNode>(pair.first),
       *b = dyn_cast<ElementNode>(pair.second);
  if (!a && !b)
    return Step::Opened;
  bool isOne = a && b && a->getValue() == b->getValue();
  if (isOne && agreeAll(a->getIndices(), b->getIndices()))
    return Step::Same;
  if (++numOpened > kMaxOpened) {
    beyondBound = true;
    return Step::Differ;
  }
  bool opensA = a && (isOne || !b || isLater(a->getValue(), b->getValue()));
  bool opensB = b && (isOne || !opensA);
  const Node *first = opensA ? reader->open(a) : nullptr,
             *second = opensB ? reader->open(b) : nullptr;
  // What cannot be opened may be what the other one opens to.
  if (!first && !second && !isOne) {
    first = !opensA && a ? reader->open(a) : nullptr;
    second = !opensB && b ? reader->open(b) : nullptr;
  }
  if (!first && !second)
    return Step::Differ;
  pair = {first ? first : pair.first, second ? second : pair.second};
  return matchElements(pair);
}

/// How alike two nodes look, to choose between a + b and b + a.
static int compareLooks(const Node *a, const Node *b) {
  if (a == b)
    return 3;
  if (a->getKind() != b->getKind() || a->getType() != b->getType())
    return 0;
  auto *x = dyn_cast<ElementNode>(a), *y = dyn_cast<ElementNode>(b);
  return x && x->getValue() == y->getValue() ? 2 : 1;
}

bool Correspondence::pushOperands(Pair pair, SmallVectorImpl<Pair> &worklist) {
  ArrayRef<const Node *> a = pair.first->getOperands(),
                         b = pair.second->getOperands();
  if (a.size() != b.size())
    return false;
  SmallVector<const Node *> other(b);
  if ((pair.first->is(Kind::Add) || pair.first->is(Kind::Mul)) &&
      compareLooks(a[0], b[1]) + compareLooks(a[1], b[0]) >
          compareLooks(a[0], b[0]) + compareLooks(a[1], b[1]))
    std::swap(other[0], other[1]);
  for (auto [x, y] : llvm::zip_equal(a, other))
    worklist.push_back({x, y});
  return true;
}

bool Correspondence::match(const Node *atRoot, const Node *inSum) {
  SmallVector<Pair> worklist{{atRoot, inSum}};
  llvm::DenseSet<Pair> seen;
  while (!worklist.empty()) {
    Pair pair = worklist.pop_back_val();
    // What was equal stays so: the variables that it fixed are kept.
    if (!seen.insert(pair).second)
      continue;
    if (seen.size() > kMaxPairs) {
      beyondBound = true;
      return false;
    }
    Step step = matchElements(pair);
    if (step == Step::Differ)
      return false;
    if (step == Step::Same)
      continue;
    auto [a, b] = pair;
    if (a->is(Kind::Position) && b->is(Kind::Position)) {
      if (!agree(cast<PositionNode>(a)->getIndex(),
                 cast<PositionNode>(b)->getIndex()))
        return false;
    } else if (a->is(Kind::Sum) || a->getOperands().empty()) {
      if (a != b)
        return false;
      for (unsigned variable : getDependentVariables(a))
        if (!agree(reader->getContext().getIndex(variable),
                   reader->getContext().getIndex(variable)))
          return false;
    } else if (!a->isAlike(b) || !pushOperands(pair, worklist)) {
      return false;
    }
  }
  return true;
}

/// Whether the digits of each variable are all of it, without overlap.
static bool areComplete(SmallVector<IndexDigit> digits, const Context &context,
                        SmallVectorImpl<unsigned> &variables) {
  llvm::sort(digits, [](const IndexDigit &a, const IndexDigit &b) {
    return std::tie(a.variable, a.divisor) < std::tie(b.variable, b.divisor);
  });
  for (size_t i = 0; i < digits.size();) {
    unsigned dim = digits[i].variable;
    int64_t next = 1;
    for (; i < digits.size() && digits[i].variable == dim; ++i) {
      if (digits[i].divisor != next ||
          llvm::MulOverflow(next, digits[i].size, next))
        return false;
    }
    if (next != context.getExtent(dim))
      return false;
    variables.push_back(dim);
  }
  return true;
}

/// Nothing where digits of a variable are left over.
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
  auto isKept = [&](unsigned variable) {
    return variables.count(variable) ||
           llvm::any_of(kept, [&](const IndexDigit &digit) {
             return digit.variable == variable;
           });
  };
  SplitVariables result;
  if (!areComplete(sums, context, result.inSum))
    return std::nullopt;
  if (areComplete(roots, context, result.atRoot))
    return llvm::none_of(result.atRoot, isKept) ? std::optional(result)
                                                : std::nullopt;
  IndexDigit group = roots.front();
  llvm::erase_if(kept, [&](const IndexDigit &digit) {
    return digit.variable != group.variable;
  });
  kept.push_back(group);
  result.atRoot.clear();
  if (roots.size() != 1 || group.divisor != 1 ||
      variables.count(group.variable) ||
      !areComplete(kept, context, result.atRoot))
    return std::nullopt;
  result.group = group;
  return result;
}
